package alike

import (
	"strings"
	"unicode"
)

// What Mask writes instead of what names one thing. Brackets are no part of a word, so that these are not masked again.
const (
	number = "#"
	id     = "<id>"
	path   = "<path>"
	node   = "<node>"
)

// leastID is the length from which hexadecimal digits are an identifier, if a decimal digit is among them.
const leastID = 7

// Mask replaces what differs between failures of the same kind: numbers, times and dates, identifiers in hexadecimal, and
// paths. Mask(Mask(x)) is Mask(x).
func Mask(text string) string {
	var b strings.Builder
	for text != "" {
		n := strings.IndexFunc(text, isWordPart)
		if n < 0 {
			n = len(text)
		}
		b.WriteString(text[:n])
		text = text[n:]
		n = strings.IndexFunc(text, func(r rune) bool { return !isWordPart(r) })
		if n < 0 {
			n = len(text)
		}
		b.WriteString(maskWord(text[:n]))
		text = text[n:]
	}
	return b.String()
}

// isWordPart reports whether a rune may be a part of a number, a time, an identifier or a path.
func isWordPart(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-/~+#:", r)
}

// maskWord masks a word. Colons around it and full stops behind it belong to the sentence.
func maskWord(word string) string {
	bare := strings.TrimRight(strings.TrimLeft(word, ":"), ":.")
	if bare == "" {
		return word
	}
	at := strings.Index(word, bare)
	before, after := word[:at], word[at+len(bare):]
	switch {
	case isPath(bare):
		return before + path + place(bare) + after
	case isID(bare):
		return before + id + after
	}
	return before + maskNumbers(bare) + after
}

// isPath reports whether a word is the path of a file: it has a slash that does not stand alone.
func isPath(word string) bool {
	return len(word) > 1 && strings.Contains(word, "/") && strings.Trim(word, "/") != ""
}

// place returns what follows a path after a colon, such as the number of a line, masked.
func place(word string) string {
	i := strings.LastIndexByte(word, '/')
	j := strings.IndexByte(word[i+1:], ':')
	if j < 0 {
		return ""
	}
	return maskNumbers(word[i+1+j:])
}

// isID reports whether a word is a hexadecimal number with at least one decimal digit, or has the form of a UUID.
func isID(word string) bool {
	digits, letters := 0, 0
	for _, r := range word {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F':
			letters++
		case r != '-':
			return false
		}
	}
	return digits > 0 && letters > 0 && digits+letters >= leastID
}

// maskNumbers replaces each number in a word: digits, with the points, colons and signs between them, so that
// "12:03:04.5", "2026-11-25" and "1.5" are one number each. Letters stay, such as units and the x of "0x1f".
func maskNumbers(word string) string {
	var b strings.Builder
	runes := []rune(word)
	for i := 0; i < len(runes); {
		if !unicode.IsDigit(runes[i]) && runes[i] != '#' {
			b.WriteRune(runes[i])
			i++
			continue
		}
		if runes[i] == '#' && !followed(runes, i) { // a mask of an earlier call
			b.WriteRune('#')
			i++
			continue
		}
		for i++; i < len(runes) && (unicode.IsDigit(runes[i]) || runes[i] == '#' || joins(runes, i)); i++ {
		}
		b.WriteString(number)
	}
	return b.String()
}

// followed reports whether a digit or a mask of digits follows.
func followed(runes []rune, i int) bool {
	return i+1 < len(runes) && (unicode.IsDigit(runes[i+1]) || runes[i+1] == '#' || joins(runes, i+1))
}

// joins reports whether a rune stands between two digits of the same number, time or date.
func joins(runes []rune, i int) bool {
	return strings.ContainsRune(".:-", runes[i]) && i+1 < len(runes) && (unicode.IsDigit(runes[i+1]) || runes[i+1] == '#')
}
