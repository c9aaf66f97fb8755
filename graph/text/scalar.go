package text

import (
	"fmt"
	"strings"
	"unicode"
)

// A place is where a text without quotes stands: more characters have a meaning in some places than in others.
type place uint8

const (
	plainValue place = iota // after a colon
	plainFlow               // in brackets
	plainKey                // before a colon
)

// scalar returns a text of one or more lines as one that YAML reads as that text, and as a text, in the given place.
func scalar(text string, at place) string {
	if plain(text, at) {
		return text
	}
	return quoted(text)
}

// plain reports whether YAML 1.1 and 1.2 read a text without quotes as that text.
func plain(text string, at place) bool {
	if text == "" || text[0] == ' ' || text[len(text)-1] == ' ' || !quotable(text) {
		return false
	}
	if looksTyped(text) && (at != plainKey || text != "on") { // an attribute, which nobody writes in quotes
		return false
	}
	switch text[0] {
	case '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	case '-':
		if len(text) == 1 || text[1] == ' ' || strings.HasPrefix(text, "---") {
			return false
		}
	case '.':
		if strings.HasPrefix(text, "...") {
			return false
		}
	}
	if strings.Contains(text, ": ") || strings.Contains(text, " #") || text[len(text)-1] == ':' {
		return false
	}
	return at == plainValue || !strings.ContainsAny(text, ",[]{}:?")
}

// quotable reports whether a text is one line of characters that can be seen.
func quotable(text string) bool {
	for _, r := range text {
		if !visible(r) {
			return false
		}
	}
	return true
}

// visible reports whether a character can stand in the text as it is. All line ends of YAML are not visible.
func visible(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r <= 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == unicode.ReplacementChar, r == 0xfffe, r == 0xffff:
		return false
	}
	return true
}

// blockable reports whether a block can hold a text.
func blockable(text string) bool {
	if strings.Trim(text, " \n\t") == "" || text[0] == '\t' {
		return false
	}
	for _, r := range text {
		if !visible(r) && r != '\n' && r != '\t' {
			return false
		}
	}
	first := text
	if text[0] == '\n' {
		first = strings.TrimLeft(text, "\n")
	}
	return first[0] != '\t' && !blankLine(text)
}

// blankLine reports whether a text has a line of nothing but white space, which some programs would remove.
func blankLine(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && strings.Trim(line, " \t") == "" {
			return true
		}
	}
	return false
}

// typedWords are the words that YAML 1.1 or 1.2 does not read as texts, in lower case.
var typedWords = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true, "false": true,
	"null": true, "~": true, "<<": true, "=": true, ".inf": true, "+.inf": true, "-.inf": true, ".nan": true}

// looksTyped reports whether a version of YAML may read a text as something else: a truth value, nothing, a number of any
// base, a time. It is true for some other short texts of digits and letters, too, which costs a pair of quotes.
func looksTyped(text string) bool {
	if text == "" || len(text) <= 5 && typedWords[strings.ToLower(text)] {
		return true
	}
	digits := strings.TrimLeft(text, "+-.")
	return digits != "" && digits[0] >= '0' && digits[0] <= '9' && strings.Trim(text, "0123456789abcdefABCDEFxXo_.:+-tTzZ ") == ""
}

// isCount reports whether a text is a whole number as every version of YAML reads and writes it.
func isCount(text string) bool {
	return text == "0" || text != "" && len(text) <= 15 && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}

// quoted returns a text in quotes: single ones if that is possible and readable.
func quoted(text string) string {
	if quotable(text) && !strings.Contains(text, "'") {
		return "'" + text + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case visible(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
