package main

import (
	"testing"

	"wf/executor/shell"
	"wf/tui"
)

// TestPresetsAreRight: a run accepts every wrapper preset that the terminal interface offers.
func TestPresetsAreRight(t *testing.T) {
	for _, wrapper := range tui.WrapperPresets() {
		if p := shell.CheckWrapper(wrapper, ""); p != nil {
			t.Errorf("%s: %s", p.Message, p.Why)
		}
	}
}
