package main

import (
	"slices"
	"testing"

	"wf/cmd/wf/console"
)

// TestOtherWords checks that each command name of another program maps to a command of wf, and is not itself one.
func TestOtherWords(t *testing.T) {
	names := commandNames(newRoot(&env{Console: console.Console{Color: "auto", Palette: "auto"}}))
	for word, ours := range otherWords {
		if !slices.Contains(names, ours) {
			t.Errorf("%s maps to %s, which is not a command", word, ours)
		}
		if slices.Contains(names, word) {
			t.Errorf("%s is a command and maps to %s", word, ours)
		}
	}
}
