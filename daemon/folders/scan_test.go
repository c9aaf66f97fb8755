package folders

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree creates files, and folders whose names end with a slash.
func tree(t *testing.T, paths ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, path := range paths {
		path = filepath.Join(root, path) + map[bool]string{true: "/"}[strings.HasSuffix(path, "/")]
		if err := os.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o700); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(path, "/") {
			put(t, path, path)
		}
	}
	return root
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// found returns the names of a list, sorted.
func found(l List) string {
	var names []string
	for _, f := range l.Files {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestScan(t *testing.T) {
	root := tree(t, "in/a.csv", "in/b.csv", "in/c.txt", "in/.d.csv", "in/d.csv/", "in/e f.csv", "runs/1/done", "runs/2/", "runs/3/x/done", "runs/4", "top.csv")
	must(t, os.Symlink("a.csv", filepath.Join(root, "in/link.csv")))
	must(t, os.Symlink("nothing", filepath.Join(root, "in/broken.csv")))
	must(t, os.Symlink("loop.csv", filepath.Join(root, "in/loop.csv")))
	must(t, os.Symlink("1", filepath.Join(root, "runs/5")))
	for pattern, want := range map[string]string{
		"in/*.csv":                "in/a.csv in/b.csv in/e f.csv in/link.csv",
		"./in/../in/[a-b]*":       "in/a.csv in/b.csv",
		"in/.*":                   "in/.d.csv",
		"*.csv":                   "top.csv",
		"top.csv":                 "top.csv",
		"top.csv/x":               "",
		"in/e f.csv":              "in/e f.csv",
		"runs/*/done":             "runs/1/done runs/5/done",
		"r*/?/x/d*":               "runs/3/x/done",
		"nowhere/*":               "",
		filepath.Join(root, "t*"): filepath.Join(root, "top.csv"),
	} {
		p := NewPattern(root, pattern)
		l := p.Scan(nil)
		if got := found(l); got != want || l.Err != nil {
			t.Errorf("%s: got %q, %v, want %q", pattern, got, l.Err, want)
		}
		if (l.Folder == 0) != (pattern == "nowhere/*" || pattern == "top.csv/x") {
			t.Errorf("%s: the inode of the folder is %d", pattern, l.Folder)
		}
		for _, f := range l.Files {
			info, err := os.Stat(p.Path(f.Name))
			if err != nil || f.Size != info.Size() || f.Modified != info.ModTime().UnixNano() || f.Inode != version(info, !Polled(root)).Inode {
				t.Errorf("%s: %+v, %v", pattern, f, err)
			}
		}
	}
	p := NewPattern(root, "in/*.csv")
	if files, err := p.Look([]string{"in/a.csv", "in/none.csv", "in/d.csv", "in/broken.csv"}); err != nil || len(files) != 1 || files[0].Name != "in/a.csv" {
		t.Errorf("a look found %+v, %v", files, err)
	}
	if base := NewPattern(root, "/*/x").Base(); base != "/" {
		t.Errorf("the base is %q", base)
	}
}

// TestUnreadable checks that a list that may lack files says so.
func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read every folder")
	}
	root := tree(t, "runs/1/done", "runs/2/done")
	must(t, os.Chmod(filepath.Join(root, "runs/2"), 0))
	defer os.Chmod(filepath.Join(root, "runs/2"), 0o700)
	if l := NewPattern(root, "runs/*/done").Scan(nil); l.Err == nil || found(l) != "runs/1/done" {
		t.Errorf("got %q, %v", found(l), l.Err)
	}
}
