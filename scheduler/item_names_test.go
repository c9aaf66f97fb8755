package scheduler

import (
	"slices"
	"strings"
	"testing"
)

// The key of a table names its rows; without one, the value of the only column does.
func TestRowNames(t *testing.T) {
	row := func(cells ...string) any {
		m := map[string]any{}
		for k := 0; k < len(cells); k += 2 {
			m[cells[k]] = cells[k+1]
		}
		return m
	}
	for _, c := range []struct {
		key   string
		items []any
		want  []string
	}{
		{"id", []any{row("id", "S1", "fq", "a"), row("id", "two words", "fq", "b"), row("id", "d/S3", "fq", "c")}, []string{"S1", "", "S3"}},
		{"fq", []any{row("id", "S1", "fq", "a"), row("id", "S2", "fq", "b")}, []string{"a", "b"}},
		{"", []any{row("id", "S1", "fq", "a")}, []string{""}},
		{"", []any{row("id", "S1"), row("id", "S2"), row("id", "S2")}, []string{"S1", "", ""}},
		{"id", []any{row("id", "7"), row("id", "1-2")}, []string{"", ""}},
		{"gone", []any{row("id", "S1")}, []string{""}},
	} {
		if got := ItemNames(c.items, c.key); !slices.Equal(got, c.want) {
			t.Errorf("%v by %q: %q, want %q", c.items, c.key, got, c.want)
		}
	}
}

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
		if got := ItemNames(c.items, ""); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.items, got, c.want)
		}
	}
}
