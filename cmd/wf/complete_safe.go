package main

import (
	"strings"
	"unicode"

	"wf/tui/plain"
)

// safeOffers filters all offers of all completions, because their texts (names of files and nodes, choices of
// parameters) come from other people. It drops repeated offers, those with a character that a shell could interpret,
// and those that would be read as a flag.
func safeOffers(offers []offer) []offer {
	seen := map[string]bool{}
	var passed []offer
	for _, o := range offers {
		if !seen[o.text] && offerable(o.text) {
			seen[o.text] = true
			passed = append(passed, offer{o.text, plain.Line(o.hint)})
		}
	}
	return passed
}

// offerable says whether a text is safe on a command line. The only characters that shells interpret and that it
// accepts are blanks, patterns and tildes; they are offered with a backslash.
func offerable(text string) bool {
	if text == "" || text[0] == '-' {
		return false
	}
	for _, r := range text {
		if !bareRune(r) && !strings.ContainsRune(quotedRunes, r) {
			return false
		}
	}
	return true
}

// quotedRunes are the characters that are offered with a backslash.
const quotedRunes = " []*~"

// bareRune says whether shells take a character literally.
func bareRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_-./:=@%+,", r)
}
