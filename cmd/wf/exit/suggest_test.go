package exit

import (
	"slices"
	"testing"
)

func TestSimilar(t *testing.T) {
	names := []string{"run", "runs", "status", "stop", "ls", "logs"}
	for word, want := range map[string][]string{
		"rnu": {"run"}, "stauts": {"status"}, "stat": {"status"}, "log": {"logs"}, "zzz": nil, "x": nil, "": nil,
	} {
		if got := Similar(word, names); !slices.Equal(got, want) {
			t.Errorf("Similar(%q) = %q, want %q", word, got, want)
		}
	}
}
