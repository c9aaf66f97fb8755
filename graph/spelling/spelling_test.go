package spelling

import (
	"strings"
	"testing"
)

func TestSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"align", "align", 0}, {"retires", "retries", 1}, {"retrys", "retries", 2}, {"", "ab", 2},
		{"ab", "", 2}, {"ab", "ba", 1}, {"ca", "abc", 3}, {"approval", "approve", 2}, {"align", "merge", 3},
		{"a", "abcd", 3}, {"abcd", "badc", 2}, {"abc", "xbc", 1}, {"abc", "xyz", 3}, {"abcdef", "ghijkl", 3}, {strings.Repeat("a", 65), strings.Repeat("a", 65), 3},
		{strings.Repeat("a", 64), strings.Repeat("a", 63) + "b", 1},
	} {
		if got := Slips(c.a, c.b); got != c.want {
			t.Errorf("Slips(%.10q, %.10q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Slips(c.b, c.a); got != c.want {
			t.Errorf("Slips(%.10q, %.10q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
