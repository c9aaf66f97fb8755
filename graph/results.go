package graph

import (
	"strings"

	"wf/graph/spelling"
)

// AttrResults is the graph attribute that says what a run writes into the workfile (docs/semantics.md, The workfile).
const AttrResults = "results"

// ParseResults reads the word. For "" and for the texts of other programs it is "". meant is not "" where
// text looks like a mistake for that word.
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
