package shell

import (
	"os/exec"
	"strings"
	"testing"
)

// fuzzWrappers contain the placeholder in every kind of quotes. They print it with builtins.
var fuzzWrappers = []string{
	"printf %s {}", "printf %s '{}'", `printf %s "{}"`, "printf %s",
	`/bin/sh -c 'printf %s "$1"' x {}`, `(printf %s "{}")`, `: \' \" && printf %s "{}"`, `x=$(echo ')'); printf %s '{}'`,
	`printf %s "$(printf %s {})"`, `printf %s "$(printf %s '{}')"`, `printf %s "$(printf %s "{}")"`,
	"printf %s \"`printf %s {}`\"", "printf %s \"`printf %s '{}'`\"",
}

// FuzzLine lets a real shell print any label within any quotes. The shell finds no programs, so a label that escapes from
// its quotes can only cause a failure.
func FuzzLine(f *testing.F) {
	for i := range fuzzWrappers {
		f.Add(byte(i), "it's \"$HOME\" `id` \\ $(( {} ) # ~ *\n!é\r\t;&|<>")
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, which byte, label string) {
		wrapper := fuzzWrappers[int(which)%len(fuzzWrappers)]
		if strings.Contains(label, "\x00") || len(label) > 64<<10 {
			t.Skip("no argument of a program can hold it")
		}
		if strings.HasPrefix(wrapper, `printf %s "$(`) || strings.HasPrefix(wrapper, "printf %s \"`") {
			label = strings.TrimRight(label, "\n") // a substitution removes them
		}
		line := Line(wrapper, label)
		cmd := exec.Command("/bin/sh", "-c", line)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/nonexistent"}
		if got, err := cmd.CombinedOutput(); err != nil || string(got) != label {
			t.Fatalf("%q\n got %q (%v)\nwant %q", line, got, err, label)
		}
	})
}
