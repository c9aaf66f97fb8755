package gnumake

import (
	"context"
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

	"wf/cmd/wf/convert"
)

var update = flag.Bool("update", false, "rewrite the files of what is wanted")

// needMake skips the test if there is no GNU make.
func needMake(t *testing.T) {
	t.Helper()
	if _, err := find(context.Background(), os.Environ()); err != nil {
		t.Skip("GNU make is not installed: ", err)
	}
}

// importFolder imports the makefile of a folder.
func importFolder(folder string, options convert.MakeOptions, goals ...string) (w *convert.Workflow, err error) {
	m := Makefile{Path: filepath.Join(folder, "Makefile"), Name: "Makefile", Folder: folder, Goals: goals,
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=/home"}}
	err = Ask(context.Background(), m, func(a convert.MakeAnswers) error {
		w, err = convert.Make(a, options)
		return err
	})
	return w, err
}

// write writes the files of an archive into a new folder.
func write(t *testing.T, files []txtar.File) string {
	t.Helper()
	folder := t.TempDir()
	for _, f := range files {
		path := filepath.Join(folder, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func describe(w *convert.Workflow, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %s\n", err)
		return b.String()
	}
	for _, name := range slices.Sorted(maps.Keys(w.Attrs)) {
		fmt.Fprintf(&b, "graph %s=%q\n", name, w.Attrs[name])
	}
	for _, n := range w.Nodes {
		fmt.Fprintf(&b, "node %s", n.ID)
		for _, name := range slices.Sorted(maps.Keys(n.Attrs)) {
			fmt.Fprintf(&b, " %s=%q", name, n.Attrs[name])
		}
		b.WriteString("\n")
		if !n.Container {
			for line := range strings.Lines(n.Command + "\n") {
				b.WriteString("  | " + line)
			}
		}
	}
	for _, e := range w.Edges {
		fmt.Fprintf(&b, "edge %s -> %s\n", e.Source, e.Target)
	}
	for _, note := range w.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}

// TestMakefilesMatchGoldenFiles: Each archive of testdata is a folder with a makefile. Its comment may name goals.
func TestMakefilesMatchGoldenFiles(t *testing.T) {
	needMake(t)
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range archives {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var goals []string
			for line := range strings.Lines(string(archive.Comment)) {
				if names, ok := strings.CutPrefix(line, "goals:"); ok {
					goals = strings.Fields(names)
				}
			}
			folder := write(t, archive.Files)
			got := strings.ReplaceAll(describe(importFolder(folder, convert.MakeOptions{}, goals...)), folder, "FOLDER")
			if _, err := os.Stat(filepath.Join(folder, "executed")); err == nil {
				t.Error("a recipe was executed")
			}
			golden := filepath.Join("testdata", name+".want")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestFlatKeepsTargets: Every target is a node of its own.
func TestFlatKeepsTargets(t *testing.T) {
	needMake(t)
	folder := write(t, []txtar.File{{Name: "Makefile", Data: []byte("all: a.o b.o c.o\n%.o: %.c ; cc -c $<\n")},
		{Name: "a.c"}, {Name: "b.c"}, {Name: "c.c"}})
	w, err := importFolder(folder, convert.MakeOptions{Flat: true})
	if err != nil || len(w.Nodes) != 3 || w.Nodes[0].ID != "a.o" || w.Nodes[0].Command != "cc -c a.c" {
		t.Errorf("%v\n%s", err, describe(w, err))
	}
}

// TestErrorsOfMakeNameThePlace: Messages are those of make.
func TestErrorsOfMakeNameThePlace(t *testing.T) {
	needMake(t)
	for _, c := range []struct{ text, file, want string }{
		{"all: nothing\n", "", "No rule to make target 'nothing', needed by 'all'"},
		{"a: ; x\nb\n", "Makefile:2", "missing separator"},
		{"a: ; x\n$(error too bad)\n", "Makefile:2", "too bad"},
		{"all: ; x\ninclude gone.mk\n", "Makefile:2", "No rule to make target 'gone.mk'"},
	} {
		folder := write(t, []txtar.File{{Name: "Makefile", Data: []byte(c.text)}})
		w, err := importFolder(folder, convert.MakeOptions{})
		var said *Error
		if !errors.As(err, &said) {
			t.Errorf("%q: %v %s", c.text, err, describe(w, err))
			continue
		}
		file := ""
		if said.File != "" {
			file = fmt.Sprintf("%s:%d", said.File, said.Line)
		}
		if file != c.file || !strings.Contains(said.Message, c.want) {
			t.Errorf("%q: %s: %s, want %s: %s", c.text, file, said.Message, c.file, c.want)
		}
		if _, err := os.Stat(filepath.Join(folder, "executed")); err == nil {
			t.Errorf("%q: a recipe was executed", c.text)
		}
	}
}

// TestWithoutMake: The error is ErrMissing, also if another program is called make, or an old GNU make.
func TestWithoutMake(t *testing.T) {
	for _, script := range []string{"", "#!/bin/sh\nexit 1\n", "#!/bin/sh\necho GNU Make 3.81\n"} {
		folder := t.TempDir()
		if script != "" {
			if err := os.WriteFile(filepath.Join(folder, "make"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		m := Makefile{Name: "standard input", Text: []byte("a: ; x\n"), Folder: folder, Environ: []string{"PATH=" + folder}}
		if err := Ask(context.Background(), m, nil); !errors.Is(err, ErrMissing) {
			t.Errorf("%q: %v", script, err)
		}
	}
}

// TestStandardInput: The makefile has no name, and its places are lines of standard input.
func TestStandardInput(t *testing.T) {
	needMake(t)
	m := Makefile{Name: "standard input", Text: []byte("OPT ?= x\na: b\n\techo $(OPT)\n\tmake b\nb: ; +touch b\n"), Folder: t.TempDir(),
		Environ: []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}}
	err := Ask(context.Background(), m, func(a convert.MakeAnswers) error {
		w, err := convert.Make(a, convert.MakeOptions{})
		if got := describe(w, err); !strings.Contains(got, "OPT (standard input:1)") || !strings.Contains(got, "| echo $WF_PARAM_OPT &&\n") ||
			!strings.Contains(got, "standard input:3: commands that run make") {
			t.Errorf("%s", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
