package executor

import (
	"os"
	"path/filepath"
	"testing"
)

// TestProgramsNoticeEveryChange does to folders in PATH whatever changes which program a name means,
// and compares with a look-up that remembers nothing.
func TestProgramsNoticeEveryChange(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) string { return filepath.Join(root, path) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	program := func(path string, mode os.FileMode) {
		t.Helper()
		must(os.MkdirAll(filepath.Dir(at(path)), 0o755))
		must(os.WriteFile(at(path), nil, mode))
	}
	program("c/tool", 0o755)
	program("v1/bin/other", 0o755)
	program("v2/bin/tool", 0o755)
	must(os.Mkdir(at("a"), 0o755))
	must(os.Symlink("v1", at("current")))
	must(os.Symlink(at("current/bin"), at("link")))
	env := []string{"PATH=" + at("a") + ":" + at("none/yet") + ":" + root + "/link/../bin:" + at("c") + ":/usr/bin"}
	var p programs
	defer p.close()
	for _, step := range []struct {
		what   string
		change func()
		want   string
	}{
		{"first", func() {}, "c/tool"},
		{"nothing", func() {}, "c/tool"},
		{"a file that is no program", func() { program("a/tool", 0o644) }, ""}, // the shell knows what to say of it,
		{"it becomes one", func() { must(os.Chmod(at("a/tool"), 0o755)) }, "a/tool"},
		{"it goes", func() { must(os.Remove(at("a/tool"))) }, "c/tool"},
		{"a link leads elsewhere", func() {
			must(os.Remove(at("current")))
			must(os.Symlink("v2", at("current")))
		}, "link/../bin/tool"},
		{"the folder is moved away", func() { must(os.Rename(at("v2"), at("v3"))) }, "c/tool"},
		{"a missing folder comes", func() { program("none/yet/tool", 0o755) }, "none/yet/tool"},
		{"and goes", func() { must(os.RemoveAll(at("none"))) }, "c/tool"},
		{"a program is moved in", func() { must(os.Rename(at("v3/bin/tool"), at("a/tool"))) }, "a/tool"},
	} {
		step.change()
		for range 2 {
			got, ok := p.find("tool", env)
			plain, _ := findProgram("tool", env)
			want := ""
			if step.want != "" {
				want = root + "/" + step.want
			}
			if got != want || got != plain || ok != (want != "") {
				t.Errorf("%s: found %q, plainly %q, want %q", step.what, got, plain, want)
			}
		}
	}
	if p.hits == 0 || p.gaveUp {
		t.Errorf("nothing was remembered: %d hits, gave up %v", p.hits, p.gaveUp)
	}
}

// TestProgramsGiveUp lets things change too often to remember anything.
func TestProgramsGiveUp(t *testing.T) {
	dir := t.TempDir()
	env := []string{"PATH=" + dir + ":/usr/bin:/bin"}
	var p programs
	for range 2 * patience {
		if err := os.WriteFile(filepath.Join(dir, "noise"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, "noise")); err != nil {
			t.Fatal(err)
		}
		if path, ok := p.find("ls", env); !ok || filepath.Base(path) != "ls" {
			t.Fatalf("ls is %q", path)
		}
	}
	if !p.gaveUp || p.folders != nil {
		t.Error("still watching")
	}
}

func TestProgramsOfAnotherPath(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, two} {
		if err := os.WriteFile(filepath.Join(dir, "tool"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var p programs
	defer p.close()
	for _, dir := range []string{one, two, one, "relative"} {
		path, ok := p.find("tool", []string{"PATH=" + dir})
		if want := filepath.Join(dir, "tool"); dir != "relative" && path != want || ok == (dir == "relative") {
			t.Errorf("in %s it is %q", dir, path)
		}
	}
}

func BenchmarkFindProgram(b *testing.B) {
	env := []string{"PATH=" + os.Getenv("PATH")}
	b.Run("searched", func(b *testing.B) {
		for b.Loop() {
			findProgram("true", env)
		}
	})
	b.Run("remembered", func(b *testing.B) {
		var p programs
		defer p.close()
		for b.Loop() {
			p.find("true", env)
		}
	})
}
