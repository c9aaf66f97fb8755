package timespan

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "0d": 0, "500ms": 500 * time.Millisecond, "30s": 30 * time.Second, "1h30m": 90 * time.Minute,
		"1d": Day, " 7d ": 7 * Day, "1.5d": 36 * time.Hour, ".5d": 12 * time.Hour, "1d12h": 36 * time.Hour, "2d0.5h": 48*time.Hour + 30*time.Minute,
		"365d": 365 * Day, "106751d": 106751 * Day, "+30s": 30 * time.Second,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseProblems(t *testing.T) {
	for text, want := range map[string]string{
		"": "is not a duration", "soon": "is not a duration", "d": "is not a duration", ".d": "is not a duration", "1.2.3d": "is not a duration",
		"1dd": "is not a duration", "1d1d": "is not a duration", "1h1d": "is not a duration", "1d-2h": "is not a duration", "1d+2h": "is not a duration",
		"1 d": "is not a duration", "1day": "is not a duration", "1d 2h": "is not a duration", "1e3d": "is not a duration", "∞d": "is not a duration",
		"1d5": "is not a duration", "90": "write 90s, 90m or 90h", "1.5": "write 1.5s", "-5s": "is negative", "-1d": "is negative", "-1d2h": "is negative", "--1d": "is not a duration", "-soon": "is not a duration",
		"99999999999d": "292 years", "106751d24h": "292 years", "106752d": "292 years", strings.Repeat("9", 400) + "d": "is not a duration",
	} {
		got, err := Parse(text)
		if err == nil || got != 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, %v, want an error with %q", text, got, err, want)
		}
	}
}

// TestSameAsParseDuration checks that durations of time.ParseDuration that are not negative mean the same.
func TestSameAsParseDuration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+]?([0-9]{0,4}(\.[0-9]{0,3})?(ns|us|µs|ms|s|m|h)?){0,4}`).Draw(t, "text")
		want, wantErr := time.ParseDuration(text)
		got, err := Parse(text)
		if (err == nil) != (wantErr == nil && want >= 0) || err == nil && got != want {
			t.Errorf("Parse(%q) = %v, %v, and the library has %v, %v", text, got, err, want, wantErr)
		}
	})
}
