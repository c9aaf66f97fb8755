package scheduler

import (
	"slices"
	"strings"
	"testing"
)

// TestItemNames: an item names its instance if it makes a unique name that is not a number.
func TestItemNames(t *testing.T) {
	for _, c := range []struct {
		items []any
		want  []string
	}{
		{[]any{"S1", "S2"}, []string{"S1", "S2"}},
		{[]any{"data/S1.fq", "data/S2.fq"}, []string{"S1.fq", "S2.fq"}},
		{[]any{"a/x", "b/x", "y"}, []string{"", "", "y"}}, // two of one name
		{[]any{"1", "2-3", "40-59", "-"}, []string{"", "", "", ""}},
		{[]any{1, 2.5, nil, true, map[string]any{}}, []string{"", "", "", "", ""}},
		{[]any{"two words", "a[b", "a]", "a,b", "*", "é", "", "x/", strings.Repeat("x", 41)}, []string{"", "", "", "", "", "", "", "", ""}},
		{[]any{"2024-01-01", "0.5", "v1.2-rc_3"}, []string{"", "0.5", "v1.2-rc_3"}},
		{nil, []string{}},
	} {
		if got := ItemNames(c.items); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.items, got, c.want)
		}
	}
}
