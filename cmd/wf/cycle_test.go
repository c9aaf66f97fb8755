package main

import (
	"strings"
	"testing"

	"wf/cmd/wf/console"
)

func TestCycleLines(t *testing.T) {
	for _, c := range []struct {
		nodes string
		paint console.Paint
		want  string
	}{
		{"call_S001 merge_00 filter", console.Paint{}, "┌─▸ call_S001 ──▸ merge_00 ──▸ filter ─┐\n└──────────────────────────────────────┘"},
		{"call merge", console.Paint{ASCII: true}, "+-> call --> merge -+\n+-------------------+"},
		{"a", console.Paint{}, "┌─▸ a ─┐\n└──────┘"},
		{"a b c d e f g h", console.Paint{}, "┌─▸ a ──▸ b ──▸ c ──▸ … 2 more … ──▸ f ──▸ g ──▸ h ─┐\n└───────────────────────────────────────────────────┘"},
	} {
		if got := strings.Join(cycleLines(c.paint, strings.Fields(c.nodes)), "\n"); got != c.want {
			t.Errorf("\n%s\nwant\n%s", got, c.want)
		}
	}
}
