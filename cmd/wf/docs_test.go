package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"wf/cmd/wf/console"
)

//go:generate go test . -run TestDocs -write-docs

var writeDocs = flag.Bool("write-docs", false, "rewrite docs/cli.md")

// docsWidth is the width of the texts in docs/cli.md.
const docsWidth = 96

// TestDocs checks that docs/cli.md is up to date.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "cli.md")
	head, err := os.ReadFile(filepath.Join("testdata", "docs-head.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := append(head, docsPage()...)
	if *writeDocs {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("docs/cli.md is stale near line %d: make docs", 1+bytes.Count(have[:firstDifference(have, want)], []byte("\n")))
	}
}

func firstDifference(a, b []byte) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// docsPage returns the reference after its first section: the help of every command, then every topic.
func docsPage() []byte {
	var b bytes.Buffer
	root := newRoot(&env{Console: console.Console{Color: "auto", Palette: "auto"}})
	commands := shownCommands(root)
	for _, cmd := range commands {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", cmd.CommandPath(), strings.ReplaceAll(cmd.CommandPath(), " ", "-"), cmd.Short)
	}
	for _, topic := range topics() {
		fmt.Fprintf(&b, "- [wf help %s](#wf-help-%s): %s\n", topic.name, topic.name, topic.short)
	}
	for _, cmd := range commands {
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s```\n", cmd.CommandPath(), helpOf(cmd))
	}
	for _, topic := range topics() {
		fmt.Fprintf(&b, "\n## wf help %s\n\n```\n%s\n```\n", topic.name, wrap(topic.text(), docsWidth))
	}
	return b.Bytes()
}

func helpOf(cmd *cobra.Command) string {
	var b bytes.Buffer
	cmd.InitDefaultHelpFlag()
	showHelp(&b, cmd, docsWidth)
	return b.String()
}

// TestHelpFits checks that no line of help is wider than the terminal, up to 100 columns, and that all examples are valid
// commands.
func TestHelpFits(t *testing.T) {
	root := newRoot(&env{Console: console.Console{Color: "auto", Palette: "auto"}})
	for _, cmd := range shownCommands(root) {
		for line := range strings.Lines(helpOf(cmd)) {
			if width := len([]rune(strings.TrimRight(line, "\n"))); width > 100 {
				t.Errorf("%s: a line of %d columns: %s", cmd.CommandPath(), width, line)
			}
		}
		if cmd.Short == "" || !cmd.HasExample() && !cmd.HasSubCommands() && cmd.Flags().HasAvailableFlags() && cmd.HasParent() && len(cmd.Long) > 0 {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		checkExamples(t, root, cmd)
	}
	for _, topic := range topics() {
		for line := range strings.Lines(topic.text()) {
			if width := len([]rune(strings.TrimRight(line, "\n"))); width > 100 {
				t.Errorf("wf help %s: a line of %d columns: %s", topic.name, width, line)
			}
		}
	}
}

// checkExamples parses the commands after each "wf" in the examples of cmd.
func checkExamples(t *testing.T, root, cmd *cobra.Command) {
	for line := range strings.Lines(cmd.Example) {
		at := strings.Index(line, "wf ")
		if at < 0 {
			continue
		}
		words := strings.Fields(line[at:])[1:]
		found, _, err := root.Find(words)
		if err != nil || found == root && !strings.HasPrefix(words[0], "-") {
			t.Errorf("%s: example %q names no command", cmd.CommandPath(), strings.TrimSpace(line))
			continue
		}
		for _, word := range words {
			name, isFlag := strings.CutPrefix(word, "--")
			name, _, _ = strings.Cut(strings.TrimRight(name, ",:;)"), "=")
			if isFlag && name != "" && found.Flag(name) == nil {
				t.Errorf("%s: example %q: there is no flag --%s", cmd.CommandPath(), strings.TrimSpace(line), name)
			}
		}
	}
}

// TestMan checks that each command and topic has a page, which is reproducible and plain ASCII.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	_, stderr, status := run(t, "man", dir)
	if status != 0 || !strings.Contains(stderr, "manual pages into") {
		t.Fatalf("status %d: %s", status, stderr)
	}
	root := newRoot(&env{Console: console.Console{Color: "auto", Palette: "auto"}})
	for _, cmd := range shownCommands(root) {
		page, err := os.ReadFile(filepath.Join(dir, "man1", manName(cmd)+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.HasPrefix(page, []byte(".TH ")) || !bytes.Contains(page, []byte(roff(cmd.Short))) {
			t.Errorf("the page of %s begins with %.60q", cmd.CommandPath(), page)
		}
		if i := bytes.IndexFunc(page, func(r rune) bool { return r > 0x7e }); i >= 0 {
			t.Errorf("the page of %s has a character that is not ASCII: %q", cmd.CommandPath(), page[i:min(len(page), i+20)])
		}
	}
	for _, topic := range topics() {
		if _, err := os.Stat(filepath.Join(dir, "man7", "wf-"+topic.name+".7")); err != nil {
			t.Error(err)
		}
	}
}
