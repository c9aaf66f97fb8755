package main

import (
	"testing"

	"wf/executor"
	"wf/tui"
)

// TestPresetsAreRight: what the terminal interface offers is nothing that a run refuses.
func TestPresetsAreRight(t *testing.T) {
	for _, wrapper := range tui.WrapperPresets() {
		if p := executor.CheckWrapper(wrapper, ""); p != nil {
			t.Errorf("%s: %s", p.Message, p.Why)
		}
	}
}
