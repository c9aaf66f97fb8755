package runner

import "testing"

func TestOffset(t *testing.T) {
	lines := []byte("a\nbc\nd\n")
	for index, want := range []int{0, 2, 5, 7, 7} {
		if got := offset(lines, index); got != want {
			t.Errorf("line %d begins at %d, want %d", index, got, want)
		}
	}
}
