package shell

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPlainWordsOfShell checks that a shell splits a line into the same words.
func TestPlainWordsOfShell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "b c", "'", `"`, `\`, `\'`, `\"`, `\$`, "$", "`", " ", "\n", "=", "x", "'it'", `"q"`, "!"})
		line := strings.Join(rapid.SliceOfN(part, 1, 10).Draw(t, "line"), "")
		words, ok := PlainWords(line)
		if !ok {
			return
		}
		out, err := exec.Command("/bin/sh", "-c", `printf '%s|' `+line).CombinedOutput()
		if want := strings.Join(words, "|") + "|"; err != nil || string(out) != want {
			t.Fatalf("%q: %v\n%s\nwant\n%s", line, err, out, want)
		}
	})
}
