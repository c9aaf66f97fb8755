package main

import "strings"

// A typedText is a command line up to the cursor, read as a shell reads it, but for everything that shells
// execute: command substitutions stay texts.
type typedText struct {
	words    []string // without the command itself and without the last one
	word     string   // the last one, "" behind a blank
	raw      string   // the last one as it was typed
	open     byte     // the quote that it ends in; 0 for none
	tilde    string   // what a leading ~ in it stands for; "" for none
	redirect bool     // the last word is a file that the shell opens
}

// readTyped reads a line as it was typed. get is the environment, for variables that are named in it.
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
		operator := !ended && r.at == start // an operator: the word behind a redirection is no argument
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

// isDescriptor says that a word is the number before a redirection: 2>file.
func isDescriptor(raw string, next byte) bool {
	return (next == '<' || next == '>') && strings.Trim(raw, "0123456789") == ""
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// A typedReader reads the words of a line one after the other.
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

// escapes says whether the escape at r.at means something where it stands.
func (r *typedReader) escapes() bool {
	if r.open == 0 || r.at+1 >= len(r.line) {
		return true
	}
	if r.open == '"' {
		return strings.IndexByte("$`\"\\", r.line[r.at+1]) >= 0
	}
	return r.fish && strings.IndexByte(`'\`, r.line[r.at+1]) >= 0
}

// variable reads $NAME or ${NAME} at r.at and leaves r.at at its last byte. Everything else that begins with a
// dollar stays as it is.
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
