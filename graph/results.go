package graph

import (
	"strings"

	"wf/graph/spelling"
)

// AttrResults is the graph attribute that says which results a run writes into the workfile (docs/semantics.md,
// The workfile).
const AttrResults = "results"

// ParseResults reads the word. It returns "" for "" and for texts of other programs. If text looks like a
// misspelling, meant is the correct word.
func ParseResults(text string) (word, meant string) {
	text = strings.TrimSpace(text)
	for _, word := range []string{"none", "status", "file"} {
		switch {
		case text == word:
			return word, ""
		case meant == "" && text != "" && spelling.Slips(strings.ToLower(text), word) <= 2:
			meant = word
		}
	}
	return "", meant
}
