package flow

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestDocsNameEveryAttribute checks that docs/control-flow.md names every attribute, every member of a parameter, and every
// word that an attribute can have.
func TestDocsNameEveryAttribute(t *testing.T) {
	page, err := os.ReadFile("../../docs/control-flow.md")
	if err != nil {
		t.Fatal(err)
	}
	words := slices.Concat(attributeNames, declarationWords, typeWords[:], []string{attrWhen, "params", "on_busy",
		"success", "failure", "done", "exit", "case", "if", "else", "all", "any", "leave", "join_losers=cancel", "signal",
		"reject", "approve", "stop", "continue", "refuse", "queue", "cancel"})
	for _, word := range words {
		if !regexp.MustCompile("`[^`\n]*\\b" + word + "\\b[^`\n]*`").Match(page) {
			t.Errorf("the page does not say what %s means", word)
		}
	}
}
