package settings

import (
	"testing"
	"time"

	"wf/cmd/wf/exit"
)

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "30d": 720 * time.Hour, "12h": 12 * time.Hour} {
		if got, err := ParseAge(text); err != nil || got != want {
			t.Errorf("ParseAge(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"d", "-1d", "-1h", "3x", "9999999999999d"} {
		if _, err := ParseAge(text); exit.Status(err) != exit.BadUsage {
			t.Errorf("ParseAge(%q): %v", text, err)
		}
	}
}
