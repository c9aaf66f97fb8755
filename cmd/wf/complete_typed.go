package main

import "strings"

// A typedText is a command line up to the cursor, parsed like a shell does, except that nothing is executed:
// command substitutions stay texts.
type typedText struct {
	words    []string // without the command itself and the last word
	word     string   // the last word, "" after a blank
	raw      string   // the last word as typed
	open     byte     // the quote that is open at the end of the last word; 0 for none
	tilde    string   // the expansion of a leading ~ in the last word; "" for none
	redirect bool     // the last word is a file that the shell opens
}

// readTyped parses a typed line. get looks up environment variables.
func readTyped(line, shell string, get func(string) string) typedText {
	r := typedReader{line: line, get: get, escape: '\\', fish: shell == "fish"}
	if shell == "powershell" {
		r.escape = '`'
	}
	var t typedText
	redirect := false
	for {
		for r.at < len(line) && isBlank(line[r.at]) {
			r.at++
		}
		start := r.at
		text, tilde := r.word()
		ended := r.at >= len(line)
		operator := !ended && r.at == start // the word after a redirection is not an argument
		switch {
		case ended:
			t.word, t.raw, t.open, t.tilde, t.redirect = text, line[start:], r.open, tilde, redirect
			if len(t.words) > 0 {
				t.words = t.words[1:]
			} else if !redirect {
				t.word = "" // the command itself is completed by the shell
			}
			return t
		case operator:
			redirect = line[r.at] == '<' || line[r.at] == '>' || redirect && line[r.at] == '|'
			r.at++
		case redirect:
			redirect = false
		case !isDescriptor(line[start:r.at], line[r.at]):
			t.words = append(t.words, text)
		}
	}
}

// isDescriptor says whether a word is the number before a redirection: 2>file.
func isDescriptor(raw string, next byte) bool {
	return (next == '<' || next == '>') && strings.Trim(raw, "0123456789") == ""
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// A typedReader reads the words of a line.
type typedReader struct {
	line   string
	at     int
	get    func(string) string
	escape byte
	fish   bool
	open   byte // the quote that the last word ends in
}

// word reads the word at r.at, up to a blank, an operator or the end.
func (r *typedReader) word() (text, tilde string) {
	var b strings.Builder
	if rest := r.line[r.at:]; (rest == "~" || strings.HasPrefix(rest, "~/")) && r.get("HOME") != "" {
		tilde = r.get("HOME")
		b.WriteString(tilde)
		r.at++
	}
	r.open = 0
	for ; r.at < len(r.line); r.at++ {
		c := r.line[r.at]
		switch {
		case r.open == 0 && (isBlank(c) || strings.IndexByte("<>|&;", c) >= 0):
			return b.String(), tilde
		case c == r.open:
			r.open = 0
		case r.open == 0 && (c == '\'' || c == '"'):
			r.open = c
		case c == r.escape && r.escapes():
			if r.at++; r.at < len(r.line) {
				b.WriteByte(r.line[r.at])
			}
		case c == '$' && r.open != '\'':
			b.WriteString(r.variable())
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), tilde
}

// escapes says whether the escape character at r.at has a meaning there.
func (r *typedReader) escapes() bool {
	if r.open == 0 || r.at+1 >= len(r.line) {
		return true
	}
	if r.open == '"' {
		return strings.IndexByte("$`\"\\", r.line[r.at+1]) >= 0
	}
	return r.fish && strings.IndexByte(`'\`, r.line[r.at+1]) >= 0
}

// variable reads $NAME or ${NAME} at r.at and leaves r.at at its last byte. Other texts after a dollar sign stay
// as they are.
func (r *typedReader) variable() string {
	rest := r.line[r.at+1:]
	braced := strings.HasPrefix(rest, "{")
	rest = strings.TrimPrefix(rest, "{")
	n := 0
	for n < len(rest) && (rest[n] == '_' || rest[n] >= 'a' && rest[n] <= 'z' || rest[n] >= 'A' && rest[n] <= 'Z' || n > 0 && rest[n] >= '0' && rest[n] <= '9') {
		n++
	}
	if n == 0 || braced && !strings.HasPrefix(rest[n:], "}") {
		return "$"
	}
	r.at += n
	if braced {
		r.at += 2
	}
	return r.get(rest[:n])
}
