package main

import (
	"testing"

	"wf/executor/shell"
	"wf/tui/editor"
)

// TestPresetsAreValid checks that a run accepts every wrapper preset that the terminal interface offers.
func TestPresetsAreValid(t *testing.T) {
	for _, w := range editor.Wrappers {
		if p := shell.CheckWrapper(w.Wrapper, ""); p != nil {
			t.Errorf("%s: %s", p.Message, p.Why)
		}
	}
}
