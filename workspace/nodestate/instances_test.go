package nodestate

import (
	"testing"
)

// TestPathMatches: selectors of instances, one, all, or those of a page.
func TestPathMatches(t *testing.T) {
	for _, c := range []struct {
		selector, path string
		want           bool
	}{{"each[3]", "each[3]/t", true}, {"each[3]/t", "each[3]/t", true}, {"each[3]/t", "each[3]/u", false}, {"each[*]", "each[12]/t", true},
		{"each[*]/u", "each[12]/t", false}, {"each[10-19]", "each[10]/t", true}, {"each[10-19]", "each[19]/t", true}, {"each[10-19]", "each[20]/t", false},
		{"each[10-19]", "each[1]/t", false}, {"each[10-x]", "each[11]/t", false}, {"other[10-19]", "each[11]/t", false},
		{"a[1]/b[0-1]", "a[1]/b[1]/t", true}, {"a[1]/b[0-1]", "a[2]/b[1]/t", false}, {"each[3]/t", "each[3]", false}, {"each", "each[3]/t", false}} {
		if got := pathMatches(c.selector, c.path); got != c.want {
			t.Errorf("%s and %s: %v", c.selector, c.path, got)
		}
	}
}
