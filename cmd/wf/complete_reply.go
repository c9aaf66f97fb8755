package main

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wf/cmd/wf/console"
)

// reply is an answer in the words of a shell's script, see the folder completion.
func (a answer) reply(shell string, typed typedText, rest []string) string {
	flag := "" // a flag that stands before the value, in one word with it
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
	bashMenu    = "37" // one after the other is put into the line
	bashInserts = "42" // all are put into the line
	bashLists   = "63" // a list, at the second press of the key
)

// bashReply is what bash gets: what takes the place of its WORD, which is a part of the last word, and in a
// list a hint behind each. What several have in common is put into the line, so each is quoted.
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

// bashWord is an offer as bash puts it into the line in place of word. fits says that it begins with what
// stands before word.
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

// quoteTyped makes an offered text a part of a word; open is the quote that it stands in, 0 for none.
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

// withHints puts a hint behind each name, in a column of its own.
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

// zshReply is what zsh gets, which quotes by itself: for each "text:hint", with backslashes before colons.
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

// fishReply is what fish gets, which quotes by itself. It puts a space behind a single offer, but for some
// last characters; a second one keeps it from that.
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

// powershellReply is what PowerShell gets: what stands in the line, and a hint. Words with blanks or patterns
// in them are not offered.
func (a answer) powershellReply(flag string) []string {
	var lines []string
	for _, o := range a.offers {
		if text := flag + o.text; quoteTyped(text, 0) == text && !strings.ContainsAny(text, ",@%") {
			lines = append(lines, strings.TrimSuffix(text+"\t"+o.hint, "\t"))
		}
	}
	return lines
}
