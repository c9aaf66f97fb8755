package drawing

import "testing"

// TestCommandHead: the ends of lines are seen, and a command as long as a file is not read whole.
func TestCommandHead(t *testing.T) {
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
