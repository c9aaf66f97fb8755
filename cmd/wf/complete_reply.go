package main

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wf/cmd/wf/console"
)

// reply formats an answer for the completion script of a shell, see the folder completion.
func (a answer) reply(shell string, typed typedText, rest []string) string {
	flag := "" // the flag and equals sign before the value, in the same word
	if at := strings.IndexByte(typed.word, '='); at >= 0 && strings.HasPrefix(typed.word, "-") {
		flag = typed.word[:at+1]
	}
	var lines []string
	switch shell {
	case "bash":
		lines = a.bashReply(flag, typed, rest)
	case "zsh":
		lines = a.zshReply()
	case "fish":
		lines = a.fishReply(flag)
	case "powershell":
		lines = a.powershellReply(flag)
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// Kinds of completion in bash, by its COMP_TYPE.
const (
	bashMenu    = "37" // each key press inserts the next completion
	bashInserts = "42" // all completions are inserted
	bashLists   = "63" // the second key press lists the completions
)

// bashReply returns the texts that replace bash's WORD, which is a part of the last word; a list has hints, too.
// bash inserts the common prefix of several completions, so each of them is quoted.
func (a answer) bashReply(flag string, typed typedText, rest []string) []string {
	word, columns, kind := typed.raw, 80, bashLists
	if len(rest) == 3 {
		word, kind = rest[0], rest[2]
		if n, err := strconv.Atoi(rest[1]); err == nil {
			columns = n
		}
	}
	var names []string
	var hints []string
	for _, o := range a.offers {
		if name, fits := bashWord(flag+o.text, typed, word); fits {
			names, hints = append(names, name), append(hints, o.hint)
		}
	}
	if len(names) == 1 {
		if !a.noSpace {
			if typed.open != 0 {
				names[0] += string(typed.open)
			}
			names[0] += " "
		}
		return names
	}
	if kind == bashMenu || kind == bashInserts {
		return names
	}
	lines := withHints(names, hints, columns)
	if kind == bashLists && a.hint != "" {
		lines = slices.Insert(lines, 0, "\t"+a.hint)
	}
	return lines
}

// bashWord returns the text that bash inserts in place of word. The second result says whether the offer begins
// with the text before word.
func bashWord(text string, typed typedText, word string) (string, bool) {
	before, found := strings.CutSuffix(typed.raw, word)
	if !found {
		return "", false
	}
	full := text
	if rest, below := strings.CutPrefix(text, typed.tilde); below && typed.tilde != "" {
		full = rest
		before = strings.TrimPrefix(before, "~")
		if before == "" && strings.HasPrefix(word, "~") {
			return "~" + quoteTyped(full, typed.open), true
		}
	}
	r := typedReader{line: before, get: func(string) string { return "" }, escape: '\\'}
	unquoted, _ := r.word()
	full, found = strings.CutPrefix(full, unquoted)
	return quoteTyped(full, typed.open), found
}

// quoteTyped quotes an offered text for a word; open is the quote character around it, 0 for none.
func quoteTyped(text string, open byte) string {
	if open != 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(quotedRunes, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// withHints appends the hints to the names, in a second column.
func withHints(names, hints []string, columns int) []string {
	widest := 0
	for _, name := range names {
		widest = max(widest, utf8.RuneCountInString(name))
	}
	lines := slices.Clone(names)
	for i, hint := range hints {
		room := columns - widest - len("  ()") - 1
		if hint == "" || room < 8 {
			continue
		}
		pad := strings.Repeat(" ", widest-utf8.RuneCountInString(names[i]))
		lines[i] += pad + "  (" + console.Paint{}.Clip(hint, room) + ")"
	}
	return lines
}

// zshReply returns lines of the form "text:hint" with backslashes before colons. zsh itself quotes the texts.
func (a answer) zshReply() []string {
	var lines []string
	if a.noSpace {
		lines = append(lines, "\tnospace")
	}
	if a.hint != "" {
		lines = append(lines, "\t"+a.hint)
	}
	for _, o := range a.offers {
		line := strings.ReplaceAll(o.text, ":", `\:`)
		if o.hint != "" {
			line += ":" + strings.ReplaceAll(o.hint, `\`, `\\`)
		}
		lines = append(lines, line)
	}
	return lines
}

// fishReply returns the lines for fish, which quotes texts itself. fish adds a space after a single offer, except
// after some last characters; a second offer prevents the space.
func (a answer) fishReply(flag string) []string {
	var lines []string
	for _, o := range a.offers {
		lines = append(lines, strings.TrimSuffix(flag+o.text+"\t"+o.hint, "\t"))
	}
	if len(lines) == 1 && a.noSpace {
		if text := flag + a.offers[0].text; !strings.ContainsAny(text[len(text)-1:], "@=/:.,") {
			lines = []string{text, text + "."}
		}
	}
	return lines
}

// powershellReply returns the lines for PowerShell: the text and a hint. Words with blanks or patterns are not
// offered.
func (a answer) powershellReply(flag string) []string {
	var lines []string
	for _, o := range a.offers {
		if text := flag + o.text; quoteTyped(text, 0) == text && !strings.ContainsAny(text, ",@%") {
			lines = append(lines, strings.TrimSuffix(text+"\t"+o.hint, "\t"))
		}
	}
	return lines
}
