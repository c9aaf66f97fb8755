package executor

import (
	"testing"
)

func TestNewsOffset(t *testing.T) {
	n := &news{}
	n.add([]byte("a\nbc\n"))
	n.add([]byte("d\n"))
	for index, want := range []int{0, 2, 5, 7, 7} {
		if got := n.offset(index); got != want {
			t.Errorf("line %d begins at %d, want %d", index, got, want)
		}
	}
}
