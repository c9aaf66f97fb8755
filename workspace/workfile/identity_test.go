package workfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLastingID: the id of a workfile does not change when the file is missing for a while.
func TestLastingID(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path, link := filepath.Join(dir, "Workfile"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	want, _, err := ID(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, p := range []string{path, filepath.Join(link, "Workfile")} {
			if id, err := LastingID(p); err != nil || id != want {
				t.Errorf("%s: %s, %v", p, id, err)
			}
		}
		os.Remove(path)
	}
	for _, p := range []string{"", "Workfile", filepath.Join(dir, "none", "Workfile")} {
		if id, err := LastingID(p); err == nil {
			t.Errorf("%q has the id %s", p, id)
		}
	}
}
