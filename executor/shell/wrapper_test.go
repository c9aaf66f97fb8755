package shell

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ name, wrapper, label, want string }{
		{"no wrapper", "", "echo 'a' | wc", "echo 'a' | wc"},
		{"blank wrapper", " \t", "a b", "a b"},
		{"only the placeholder", " {} ", "a b", "a b"},
		{"single quotes", "bash -c '{}'", "echo 'it''s'", `bash -c 'echo '\''it'\'''\''s'\'''`},
		{"double quotes", `ssh host "{}"`, "echo \"$HOME\" `id` \\n", "ssh host \"echo \\\"\\$HOME\\\" \\`id\\` \\\\n\""},
		{"a plain word stays bare", "nice {} -v", "make", "nice make -v"},
		{"a word with blanks is quoted", "nice {} -v", "make all", "nice 'make all' -v"},
		{"a reserved word is quoted", "{} x", "if", "'if' x"},
		{"an assignment is quoted", "{} x", "A=b", "'A=b' x"},
		{"an empty label is a word", "run {} x", "", "run '' x"},
		{"appended", "time -p", "echo hi", "time -p 'echo hi'"},
		{"every placeholder", `echo {} '{}' "{}"`, "a'b", `echo 'a'\''b' 'a'\''b' "a'b"`},
		{"none of the label's", "sh -c '{}'", "echo {}", "sh -c 'echo {}'"},
		{"an escaped one is none", `find . -exec {} \{} \;`, "file", `find . -exec file \{} \;`},
		{"only escaped ones", `echo \{}`, "a", `echo \{} a`},
		{"a backslash of its own before it", `echo \\{}`, "a b", `echo \\'a b'`},
		{"an escaped quote is none", `echo \'{}`, "a b", `echo \''a b'`},
		{"a substitution in double quotes", `echo "$(printf %s '{}')"`, `a"b`, `echo "$(printf %s 'a"b')"`},
		{"after a substitution", `echo "$(date)" '{}'`, "a", `echo "$(date)" 'a'`},
		{"backquotes", "echo `printf %s {}`", "a$b", "echo `printf %s 'a\\$b'`"},
		{"a bracket in quotes is text", `echo ')' "(" '{}'`, "a'", `echo ')' "(" 'a'\'''`},
	} {
		if got := Line(c.wrapper, c.label); got != c.want {
			t.Errorf("%s: Line(%q, %q)\n got %s\nwant %s", c.name, c.wrapper, c.label, got, c.want)
		}
	}
}

// TestLineInShell lets a real shell print the label within every kind of quotes.
func TestLineInShell(t *testing.T) {
	wrappers := []string{
		"printf %s {}", "printf %s '{}'", `printf %s "{}"`, "printf %s", `printf '%s' {};true`,
		`sh -c 'printf %s "$1"' x {}`, `printf %s "$(printf %s {})"`, `printf %s "$(printf %s '{}')"`,
		`printf %s "$(printf %s "{}")"`, "printf %s \"`printf %s {}`\"", "printf %s \"`printf %s '{}'`\"",
		`(printf %s "{}")`, `: \' \" && printf %s "{}"`, `x=$(echo ')'); printf %s '{}'`,
	}
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.StringOf(rapid.RuneFrom([]rune("ab'\"\\$`{}() \t#*~!&;|<>=%-\né"))).Draw(t, "label")
		wrapper := rapid.SampledFrom(wrappers).Draw(t, "wrapper")
		if strings.Contains(wrapper, "printf %s \"") { // a substitution removes line feeds at the end
			label = strings.TrimRight(label, "\n")
		}
		line := Line(wrapper, label)
		got, err := exec.Command("/bin/sh", "-c", line).CombinedOutput()
		if err != nil || string(got) != label {
			t.Fatalf("%s\n got %q (%v)\nwant %q", line, got, err, label)
		}
	})
}

// TestLineAsCommand lets the shell of the wrapper execute the label.
func TestLineAsCommand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab'\"\\$`{} é"))).Draw(t, "text")
		label := "printf %s " + quoteWord(text)
		wrapper := rapid.SampledFrom([]string{"sh -c '{}'", `sh -c "{}"`, "sh -c {}", "sh -c"}).Draw(t, "wrapper")
		got, err := exec.Command("/bin/sh", "-c", Line(wrapper, label)).CombinedOutput()
		if err != nil || string(got) != text {
			t.Fatalf("%s\n got %q (%v)\nwant %q", Line(wrapper, label), got, err, text)
		}
	})
}
