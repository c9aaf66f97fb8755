package plain

import "testing"

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		text, want, ascii string
	}{
		{"echo 'a  b'", "echo 'a  b'", "echo 'a  b'"},
		{"\n export A=1\n\techo $A \n", "export A=1 ⏎ echo $A", `export A=1 \n echo $A`},
		{"cat <<E\r\nhi\r\nE\r\n", "cat <<E ⏎ hi ⏎ E", `cat <<E \n hi \n E`},
		{"", "", ""},
	} {
		if got := Command(c.text, false); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
		if got := Command(c.text, true); got != c.ascii {
			t.Errorf("%q in ASCII: %q, want %q", c.text, got, c.ascii)
		}
	}
}
