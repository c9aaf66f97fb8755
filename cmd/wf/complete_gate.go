package main

import (
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"wf/tui/plain"
)

// gate is the filter that every candidate of every completion passes, whatever it comes from: names of files and
// nodes, choices of parameters and everything else that other people have written. A candidate with a
// character that a shell could act upon is not offered; nor is one that would be read as a flag.
func gate(found []cobra.Completion) []cobra.Completion {
	seen := map[string]bool{}
	var passed []cobra.Completion
	for _, candidate := range found {
		name, hint, _ := strings.Cut(candidate, "\t")
		if help := cobra.AppendActiveHelp(nil, ""); strings.HasPrefix(name, help[0]) {
			passed = append(passed, candidate) // a hint of ours, no candidate
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

// offerable says whether a text can stand on a command line. Of what shells act upon, only blanks, patterns and
// tildes are let through; they are offered with a backslash before them.
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

// quotedRunes may be offered, with a backslash before them.
const quotedRunes = " []*~"

// bareRune says whether shells take a character for itself.
func bareRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_-./:=@%+,", r)
}
