package convert

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the files of what is wanted")

// describe describes a workflow or an error as text.
func describe(w *Workflow, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %s\n", err)
		var at *Error
		if errors.As(err, &at) && at.Fix != "" {
			fmt.Fprintf(&b, "fix: %s\n", at.Fix)
		}
		return b.String()
	}
	for _, name := range slices.Sorted(maps.Keys(w.Attrs)) {
		fmt.Fprintf(&b, "graph %s=%q\n", name, w.Attrs[name])
	}
	for _, n := range w.Nodes {
		fmt.Fprintf(&b, "node %s", n.ID)
		if n.Group != "" {
			fmt.Fprintf(&b, " in %q", n.Group)
		}
		if n.Name != n.ID {
			fmt.Fprintf(&b, " called %q", n.Name)
		}
		if n.Parent != "" {
			fmt.Fprintf(&b, " inside %s", n.Parent)
		}
		for _, name := range slices.Sorted(maps.Keys(n.Attrs)) {
			fmt.Fprintf(&b, " %s=%q", name, n.Attrs[name])
		}
		if n.Container {
			b.WriteString(" a container\n")
			continue
		}
		if n.NoCommand {
			b.WriteString(" without a command\n")
			continue
		}
		b.WriteString(":\n")
		for line := range strings.Lines(n.Command + "\n") {
			b.WriteString("  | " + line)
		}
	}
	for _, e := range w.Edges {
		arrow := "->"
		if e.Type == "non-blocking" {
			arrow = "~>"
		}
		fmt.Fprintf(&b, "edge %s %s %s", e.Source, arrow, e.Target)
		if e.When != "" {
			fmt.Fprintf(&b, " when %s", e.When)
		}
		b.WriteString("\n")
	}
	for _, note := range w.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}

// TestImportMatchesGoldenFiles: It reads each input of testdata/import/FORMAT.txtar and compares the result with
// FORMAT.want.
func TestImportMatchesGoldenFiles(t *testing.T) {
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join("testdata", "import", format+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, input := range archive.Files {
				fmt.Fprintf(&got, "-- %s --\n%s", input.Name, describe(Import(format, input.Data, Options{})))
			}
			golden(t, filepath.Join("testdata", "import", format+".want"), got.String())
		})
	}
}

// golden compares a text with a file, or rewrites the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s", path, got)
	}
}

func TestNodesWithoutCommandGetTheGivenOne(t *testing.T) {
	w, err := Import("dot", []byte("digraph { a [command=x]; a -> b }"), Options{Command: "./{}.sh {}"})
	if got := describe(w, err); got != "node a:\n  | x\nnode b:\n  | ./b.sh b\nedge a -> b\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestImportRefusesInvalidInput(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"toml", "", "unknown format"},
		{"dot", "digraph {\n\xff}", "line 2: the text is not UTF-8"},
		{"dot", "digraph " + strings.Repeat("{", 300), "nested more than"},
		{"dot", "digraph {\n a [label=\"\x1b[0m\"] }", "line 2: the character U+001B cannot be kept"},
		{"mermaid", "flowchart TD\n" + strings.Repeat("subgraph a\n", 300), "nested more than"},
		{"wfcommons", strings.Repeat("[", 300), "nested more than"},
		{"dagu", "a: &a [*a, *a]\nsteps: *a", "or stand for more than"},
	} {
		if _, err := Import(c.format, []byte(c.text), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40q: error %v, want %q", c.format, c.text, err, c.want)
		}
	}
}
