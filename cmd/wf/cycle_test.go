package main

import (
	"strings"
	"testing"
)

func TestCycleLines(t *testing.T) {
	for _, c := range []struct {
		nodes string
		paint paint
		want  string
	}{
		{"call_S001 merge_00 filter", paint{}, "┌─▸ call_S001 ──▸ merge_00 ──▸ filter ─┐\n└──────────────────────────────────────┘"},
		{"call merge", paint{ascii: true}, "+-> call --> merge -+\n+-------------------+"},
		{"a", paint{}, "┌─▸ a ─┐\n└──────┘"},
		{"a b c d e f g h", paint{}, "┌─▸ a ──▸ b ──▸ c ──▸ … 2 more … ──▸ f ──▸ g ──▸ h ─┐\n└───────────────────────────────────────────────────┘"},
	} {
		if got := strings.Join(cycleLines(c.paint, strings.Fields(c.nodes)), "\n"); got != c.want {
			t.Errorf("\n%s\nwant\n%s", got, c.want)
		}
	}
}
