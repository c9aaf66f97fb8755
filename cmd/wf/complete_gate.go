package main

import (
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"wf/tui/plain"
)

// gate filters all candidates of all completions, because their texts (names of files and nodes, choices of
// parameters) come from other people. It drops candidates with a character that a shell could interpret, and
// those that would be read as a flag.
func gate(found []cobra.Completion) []cobra.Completion {
	seen := map[string]bool{}
	var passed []cobra.Completion
	for _, candidate := range found {
		name, hint, _ := strings.Cut(candidate, "\t")
		if help := cobra.AppendActiveHelp(nil, ""); strings.HasPrefix(name, help[0]) {
			passed = append(passed, candidate) // a hint of wf, not a candidate
			continue
		}
		if seen[name] || !offerable(name) {
			continue
		}
		seen[name] = true
		passed = append(passed, cobra.CompletionWithDesc(name, plain.Line(hint)))
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
