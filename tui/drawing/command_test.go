package drawing

import "testing"

// TestCommandHeadMarksLineEnds: The head of a very long command is computed without reading all of it.
func TestCommandHeadMarksLineEnds(t *testing.T) {
	for _, c := range []struct {
		text, want string
		ascii      bool
	}{
		{"for i in 1 2; do\n  echo $i\ndone", "for i in 1 2; do ⏎ echo $i ⏎ done", false},
		{"a\nb", `a \n b`, true},
		{" one  two ", "one  two", false},
	} {
		if got := commandHead(c.text, 80, c.ascii); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
