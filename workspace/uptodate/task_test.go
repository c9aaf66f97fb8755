package uptodate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bench is a folder with a command that counts words, as a test sees it.
type bench struct {
	*testing.T
	folder string
	memory *Memory
	task   Task
}

func newBench(t *testing.T) *bench {
	t.Helper()
	folder := t.TempDir()
	memory, err := Open(filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "in/a.txt=one", "in/b.txt=two", "genome.fa=ACGT", "out/table.tsv=1 2")
	age(t, folder)
	return &bench{t, folder, memory, Task{Node: "count", Folder: folder, Command: Commanded("/bin/sh", "-c", "count"),
		Values: map[string]Digest{"params.depth": ValueOf("3")}, Inputs: []string{"genome.fa", "in/*.txt"}, Outputs: []string{"out/table.tsv"}}}
}

// age makes everything in a folder old enough to be trusted, but for the change time, which nobody can set.
func age(t testing.TB, folder string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bench) look() *Look {
	b.Helper()
	l, err := b.memory.Look(context.Background(), b.task)
	if err != nil {
		b.Fatal(err)
	}
	return l
}

func (b *bench) succeed() {
	b.Helper()
	s, err := b.memory.Done(context.Background(), b.task, b.look(), 41)
	if err != nil {
		b.Fatal(err)
	}
	s.Values = []byte(`{"n":2}`)
	b.memory.Remember(s)
}

// TestWhatDecides goes through what may happen between two runs. want is "" if nothing has to be executed.
func TestWhatDecides(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(b *bench)
		want      string
	}{
		"nothing": {func(*bench) {}, ""},
		"touched": {func(b *bench) { os.Chtimes(filepath.Join(b.folder, "genome.fa"), time.Now(), time.Now()) }, ""},
		"the same bytes again": {func(b *bench) {
			path := filepath.Join(b.folder, "genome.fa")
			os.Remove(path)
			write(b.T, b.folder, "genome.fa=ACGT")
		}, ""},
		"another byte":      {func(b *bench) { write(b.T, b.folder, "genome.fa=ACGA") }, "inputs: genome.fa changed since run 41"},
		"one more input":    {func(b *bench) { write(b.T, b.folder, "in/c.txt=x") }, "inputs: in/c.txt is new since run 41"},
		"one input less":    {func(b *bench) { os.Remove(filepath.Join(b.folder, "in/b.txt")) }, "inputs: in/b.txt is not used any more since run 41"},
		"renamed input":     {func(b *bench) { os.Rename(filepath.Join(b.folder, "in/b.txt"), filepath.Join(b.folder, "in/c.txt")) }, "inputs: in/c.txt is new since run 41"},
		"output gone":       {func(b *bench) { os.Remove(filepath.Join(b.folder, "out/table.tsv")) }, "outputs: out/table.tsv is gone"},
		"half an output":    {func(b *bench) { write(b.T, b.folder, "out/table.tsv=1") }, "outputs: out/table.tsv changed since run 41"},
		"changed command":   {func(b *bench) { b.task.Command = Commanded("/bin/sh", "-c", "count -x") }, "the command changed since run 41"},
		"changed parameter": {func(b *bench) { b.task.Values = map[string]Digest{"params.depth": ValueOf("4")} }, "params.depth changed since run 41"},
		"one more output":   {func(b *bench) { b.task.Outputs = append(b.task.Outputs, "genome.fa") }, "other outputs are declared since run 41"},
		"another version":   {func(b *bench) { b.task.Version = "2" }, "cache_version changed since run 41"},
		"renamed node":      {func(b *bench) { b.task.Node = "counts" }, ""},
		"renamed, changed":  {func(b *bench) { b.task.Node = "counts"; b.task.Version = "2" }, "it has not succeeded yet"},
		"another order":     {func(b *bench) { b.task.Inputs = []string{"in/*.txt", "genome.fa"} }, ""},
		"moved folder":      {func(b *bench) { b.move() }, ""},
		"a new daemon":      {func(b *bench) { b.reopen() }, ""},
		"changed and undone": {func(b *bench) {
			write(b.T, b.folder, "genome.fa=ACGA")
			b.look()
			write(b.T, b.folder, "genome.fa=ACGT")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if why := b.look().Why; why != "it has not succeeded yet" {
				t.Errorf("at first: %q", why)
			}
			b.succeed()
			c.meanwhile(b)
			l := b.look()
			if l.Why != c.want || (l.Success == nil) != (c.want != "") {
				t.Errorf("%q, want %q", l.Why, c.want)
			}
			if l.Success != nil && string(l.Success.Values) != `{"n":2}` {
				t.Errorf("values %s", l.Success.Values)
			}
		})
	}
}

func (b *bench) move() {
	b.Helper()
	to := filepath.Join(b.TempDir(), "elsewhere")
	if err := os.Rename(b.folder, to); err != nil {
		b.Fatal(err)
	}
	b.folder, b.task.Folder = to, to
}

func (b *bench) reopen() {
	b.Helper()
	if err := b.memory.Save(); err != nil {
		b.Fatal(err)
	}
	var err error
	if b.memory, err = Open(b.memory.path); err != nil {
		b.Fatal(err)
	}
}

// TestInputsThatMove: a success is not remembered if an input was written during the execution, even if it is as before in
// the end. A hard link to an input is no writing.
func TestInputsThatMove(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(b *bench)
		want      string
	}{
		"changed": {func(b *bench) { write(b.T, b.folder, "genome.fa=other") }, "genome.fa"},
		"changed and put back": {func(b *bench) {
			write(b.T, b.folder, "genome.fa=other")
			write(b.T, b.folder, "genome.fa=ACGT")
		}, "genome.fa"},
		"new":     {func(b *bench) { write(b.T, b.folder, "in/new.txt=other") }, "in/new.txt"},
		"gone":    {func(b *bench) { os.Remove(filepath.Join(b.folder, "in/a.txt")) }, "in/a.txt"},
		"linked":  {func(b *bench) { os.Link(filepath.Join(b.folder, "genome.fa"), filepath.Join(b.folder, "link")) }, ""},
		"nothing": {func(*bench) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			before := b.look()
			c.meanwhile(b)
			_, err := b.memory.Done(context.Background(), b.task, before, 41)
			var moved *MovedError
			if errors.As(err, &moved); c.want == "" && err != nil || c.want != "" && (moved == nil || moved.Path != c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestMissingOutputs(t *testing.T) {
	b := newBench(t)
	b.task.Outputs = []string{"out/table.tsv", "out/counts.tsv", "none"}
	_, err := b.memory.Done(context.Background(), b.task, b.look(), 41)
	if err == nil || err.Error() != "missing outputs none, out/counts.tsv" {
		t.Errorf("%v", err)
	}
	if b.look().Success != nil {
		t.Error("remembered")
	}
}

func TestAccept(t *testing.T) {
	b := newBench(t)
	b.succeed()
	write(t, b.folder, "genome.fa=other", "out/table.tsv=mine")
	if err := b.memory.Accept(context.Background(), b.task, "ann"); err != nil {
		t.Fatal(err)
	}
	b.reopen()
	if l := b.look(); l.Success == nil || l.Success.Accepted != "ann" || string(l.Success.Values) != `{"n":2}` {
		t.Errorf("%+v", l)
	}
	write(t, b.folder, "out/table.tsv=more")
	if why := b.look().Why; why != "outputs: out/table.tsv changed since it was accepted" {
		t.Errorf("%q", why)
	}
}

// TestFolders: a folder is what is in it: names, contents, programs, and what links lead to.
func TestFolders(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "d/a=1", "d/b/c=2", "beside=3")
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("../beside", "d/link")
	link("..", "d/b/back")
	link("nowhere", "d/nothing")
	m, err := Open(filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	digest := func() Digest {
		t.Helper()
		r, err := m.read(context.Background(), filepath.Join(folder, "d"))
		if err != nil {
			t.Fatal(err)
		}
		return r.digest
	}
	first := digest()
	seen := map[Digest]string{first: "first"}
	for _, c := range []struct {
		name   string
		change func() error
	}{
		{"content", func() error { write(t, folder, "d/b/c=3"); return nil }},
		{"content behind a link", func() error { write(t, folder, "beside=4"); return nil }},
		{"a new file", func() error { write(t, folder, "d/b/e="); return nil }},
		{"a new name", func() error { return os.Rename(filepath.Join(folder, "d/b/e"), filepath.Join(folder, "d/b/f")) }},
		{"a folder instead of a file", func() error {
			return errors.Join(os.Remove(filepath.Join(folder, "d/b/f")), os.Mkdir(filepath.Join(folder, "d/b/f"), 0o755))
		}},
		{"a program", func() error { return os.Chmod(filepath.Join(folder, "d/a"), 0o755) }},
		{"a link to something", func() error { write(t, folder, "d/nowhere="); return nil }},
	} {
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		now := digest()
		if was := seen[now]; was != "" {
			t.Errorf("%s: as %s", c.name, was)
		}
		seen[now] = c.name
		if again := digest(); again != now {
			t.Errorf("%s: another digest without a change", c.name)
		}
	}
}

// TestYoungFilesAreReadAgain: the digest of a file that has just been written is not trusted, because it could change once
// more without another identity.
func TestYoungFilesAreReadAgain(t *testing.T) {
	now := time.Now()
	for age, want := range map[time.Duration]bool{0: false, time.Second: false, 3 * time.Second: true} {
		if id := (identity{MTime: now.Add(-age).UnixNano()}); id.settled(now) != want {
			t.Errorf("%v old: settled %t", age, !want)
		}
	}
	if id := (identity{MTime: 1, CTime: now.UnixNano()}); id.settled(now) {
		t.Error("a file that says that it is old is trusted")
	}
}

func TestSpecialFilesAreRefused(t *testing.T) {
	b := newBench(t)
	b.task.Inputs = []string{"/dev/null"}
	if _, err := b.memory.Look(context.Background(), b.task); err == nil || !strings.Contains(err.Error(), "neither a file nor a folder") {
		t.Errorf("%v", err)
	}
}
