package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestStolenTime(t *testing.T) {
	before := parseProcessorTime("cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 1 2 3\n")
	after := parseProcessorTime("cpu  140 0 70 820 10 0 5 55 9 0\n")
	if before != (processorTime{35, 1000}) || after.stolenSince(before) != 0.2 {
		t.Errorf("before %+v, after %+v: stolen %v", before, after, after.stolenSince(before))
	}
	for _, text := range []string{"", "cpu 1 2 3", "intr 1 2 3 4 5 6 7 8 9", "cpu a b c d e f g h"} {
		if got := parseProcessorTime(text); got != (processorTime{}) || got.stolenSince(before) != 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestStolenTimeIsNamed(t *testing.T) {
	for stolen, want := range map[float64]bool{0: false, 0.019: false, 0.25: true} {
		var out bytes.Buffer
		(&report{Case: "case", Nodes: 1, Stolen: stolen}).print(&out)
		if got := strings.Contains(out.String(), "25 % of the processor time"); got != want {
			t.Errorf("stolen %v: %s", stolen, out.String())
		}
	}
}
