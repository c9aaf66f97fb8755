package convert

import (
	"strings"
	"testing"
)

// TestScriptBecomesIndependentCommands: Each command can run in its own shell.
func TestScriptBecomesIndependentCommands(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a\n\nb c\n", "a|b c"},
		{"comments", "#!/bin/sh\n# first\na # align S1\n  # second\nb\n", "a # align S1|b"},
		{"marks of Windows", "\ufeffa\r\nb\r\n", "a|b"},
		{"continued", "samtools sort \\\n  -o x \\\n  y\nnext\n", "samtools sort \\\n  -o x \\\n  y|next"},
		{"several on a line", "a; b && c\nd\n", "a; b && c|d"},
		{"loop", "for i in 1 2; do\n  echo $i\ndone\nif x; then y\nfi | z\n", "for i in 1 2; do\n  echo $i\ndone|if x; then y\nfi | z"},
		{"quote", "echo 'one\n# no comment\ntwo'\nnext\n", "echo 'one\n# no comment\ntwo'|next"},
		{"here-document", "cat > f <<E\n# data\n\nE\n\n# comment\nnext\n", "cat > f <<E\n# data\n\nE|next"},
		{"two here-documents in a pipe", "cat <<A | cat - /dev/fd/3 3<<B\na\nA\nb\nB\nnext\n", "cat <<A | cat - /dev/fd/3 3<<B\na\nA\nb\nB|next"},
		{"set up", "set -e\nD=/data\na $D\ncd sub || exit 1\nb\n",
			"set -e\nD=/data\na $D|set -e\nD=/data\ncd sub || exit 1\nb note: every node has a shell of its own: what sets it up (line 1, 2, 4) stands before the commands that follow"},
		{"function", "f() {\n  echo \"$1\"\n}\nf x\n", "f() {\n  echo \"$1\"\n}\nf x note: every node has a shell of its own: what sets it up (line 1) stands before the commands that follow"},
		{"own arguments", "set -- a b\necho $1\n", "set -- a b\necho $1 note: every node has a shell of its own: what sets it up (line 1) stands before the commands that follow"},
		{"bash with options", "#!/usr/bin/env -S bash -eu\na\n", "shell bash set -eu\na note: every node has a shell of its own: what sets it up (line 1) stands before the commands that follow"},
		{"named option", "#!/bin/bash -euo pipefail\na\n", "shell bash set -euo pipefail\na note: every node has a shell of its own: what sets it up (line 1) stands before the commands that follow"},
		{"end of options", "#!/bin/sh -\na\n", "a"},
		{"option that set does not know", "#!/bin/bash --login\na\n", "error: line 1: the nodes cannot start their shells with --login"},
		{"argument of the shell", "#!sh 0\"0\n0", "error: line 1: the nodes cannot start their shells with 0\"0"},
		{"option without name", "#!/bin/sh -o\na\n", "error: line 1: the option -o of the shell has no name"},
		{"variable of one command", "A=1 b\n", "A=1 b"},
		{"set up at the end", "a\ncd x\n", "a note: every node has a shell of its own: what sets it up (line 2) stands before the commands that follow note: line 2 is left out: no command follows it"},

		{"output kept", "a\nX=$(date)\necho $X\n", "error: line 2: it keeps the output of a command in a variable, and the nodes would each run that command again"},
		{"background", "a &\nb\nwait\n", "error: line 1: it runs in the background, and would be ended when its node ends"},
		{"wait", "b\nwait\n", "error: line 2: it waits for commands of the same shell, and every node has its own"},
		{"argument", "a\necho \"$1\"\n", "error: line 2: $1 is an argument of the script, and a node has none"},
		{"another program", "#!/usr/bin/env python3\nprint(1)\n", "error: line 1: this is a script for python3, not for a shell"},
		{"no shell", "a\necho 'it\n", "error: line 2: a shell does not understand it: reached EOF without closing quote `'`"},
		{"no UTF-8", "a\nb \xff\n", "error: line 2: the text is not UTF-8, and a workfile can hold nothing else"},
		{"nothing but set up", "cd x\n", "error: line 1: it contains no command, only lines that set up a shell"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if lines, err := ReadLines([]byte(c.text)); err != nil {
				got = "error: " + err.Error()
			} else {
				if lines.Shell != "" {
					got = "shell " + lines.Shell + " "
				}
				got += strings.Join(lines.Commands, "|")
				for _, note := range lines.Notes {
					got += " note: " + note
				}
			}
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// FuzzLines checks that no text makes the reader panic, and that each returned command is accepted again.
func FuzzLines(f *testing.F) {
	for _, text := range []string{"a\nb", "cat <<E\nx\nE\ny", "f() { x\n}; f", "#!/bin/bash -e\na; b"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := ReadLines(data)
		if err != nil {
			return
		}
		for _, command := range lines.Commands {
			if _, err := ReadLines([]byte(command)); err != nil {
				t.Errorf("%q of %q is refused: %v", command, data, err)
			}
		}
	})
}
