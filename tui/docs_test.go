package tui

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

//go:generate go test . -run TestDocs -write-docs

var writeDocs = flag.Bool("write-docs", false, "rewrite docs/tui.md")

// TestDocs: docs/tui.md contains the current text of the registry.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", "docs", "tui.md")
	want := "# The terminal interface\n\nMade from the registry of keys by `make docs`: change that.\n\n```\n" + Keys() + "\n```\n\n" + parityTable()
	if *writeDocs {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Error("docs/tui.md is stale: make docs")
	}
}

// TestEveryActionCanBeReached: Every action has a name and a help text, and no other action hides it on all its
// screens.
func TestEveryActionCanBeReached(t *testing.T) {
	keys := registry()
	page := Keys()
	for i := range keys {
		a := &keys[i]
		if a.name == "" || a.help == "" || a.do == nil || a.where == 0 || strings.HasSuffix(a.help, ".") {
			t.Errorf("action %d (%s, %s) lacks something", i, a.name, a.help)
		}
		if !strings.Contains(page, a.help) && a.where&atHelp == 0 {
			t.Errorf("%s is not in the docs", a.name)
		}
		for j := range keys[:i] {
			b := &keys[j]
			all := len(a.keys) > 0 && !slices.ContainsFunc(a.keys, func(key string) bool { return !b.has(key) })
			if all && a.where&^b.where == 0 && b.when == nil {
				t.Errorf("%q can never happen: %q has its key", a.name, b.name)
			}
		}
	}
}
