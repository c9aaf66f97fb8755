package graph

import (
	"slices"
	"strings"

	"wf/graph/spelling"
)

// AttrResults is the graph attribute that says which results a run writes into the workfile (docs/semantics.md,
// The workfile).
const AttrResults = "results"

// ParseResults reads the word. It returns "" for "" and for texts of other programs. If text looks like a
// misspelling, correct is the correct word.
func ParseResults(text string) (word, correct string) {
	words := []string{"none", "status", "file"}
	if text = strings.TrimSpace(text); text == "" || slices.Contains(words, text) {
		return text, ""
	}
	return "", meant(text, words...)
}

// meant returns the word that text is probably a misspelling of, "" if text probably belongs to another program.
func meant(text string, words ...string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if i := slices.IndexFunc(words, func(word string) bool { return spelling.Slips(text, word) <= 2 }); i >= 0 {
		return words[i]
	}
	return ""
}
