package workspace

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/api"
)

// A damage does something to a file.
type damage struct {
	name string
	do   func(path string, text []byte) error
}

// damages are all that can happen to a file of this size; without -torture at some places only.
func damages(size int) []damage {
	replaced := func(name string, make func(path string) error) damage {
		return damage{name, func(path string, _ []byte) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return make(path)
		}}
	}
	list := []damage{
		replaced("missing", func(string) error { return nil }),
		replaced("a folder", func(path string) error { return os.Mkdir(path, 0o700) }),
		replaced("a pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }),
		replaced("a socket", func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) }),
		replaced("64 KiB of zeros", func(path string) error { return os.WriteFile(path, make([]byte, 64<<10), 0o600) }),
		replaced("a link to nowhere", func(path string) error { return os.Symlink("/no/such/file", path) }),
		replaced("a link to zeros", func(path string) error { return os.Symlink("/dev/zero", path) }),
	}
	step := 1
	if !*torture {
		step = max(1, size/12)
	}
	for at := 0; at < size; at += step {
		list = append(list,
			damage{"cut", func(path string, text []byte) error { return os.WriteFile(path, text[:at], 0o600) }},
			damage{"flipped", func(path string, text []byte) error {
				text = bytes.Clone(text)
				text[at] ^= 1 << (at % 8)
				return os.WriteFile(path, text, 0o600)
			}})
	}
	return list
}

// TestDamage damages each file of the state folder in every way. Run 1 is over, run 2 was active when the daemon was killed.
// The workspace opens, both runs are listed, an undamaged run is described in full, nothing hangs, and no node of a run that
// is over is executed.
func TestDamage(t *testing.T) {
	for _, file := range []string{
		"runs/1/journal", "runs/1/run.json", "runs/1/result.json", "runs/1/workfile",
		"runs/2/journal", "runs/2/run.json", "runs/2/workfile", "unpublished.json", "last-run", "edits.json",
	} {
		t.Run(strings.ReplaceAll(file, "/", " "), func(t *testing.T) {
			c := newDamaged(t)
			path := filepath.Join(c.dir, file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range damages(len(text)) {
				c.restore()
				if err := d.do(path, text); err != nil {
					t.Fatal(err)
				}
				c.check(d, strings.HasPrefix(file, "runs/1"))
			}
		})
	}
}

// A damaged is a workspace whose state folder is damaged again and again.
type damaged struct {
	*testbed
	dir   string // of the workspace in the state folder
	text  string // of the workfile
	saved map[string][]byte
}

func newDamaged(t *testing.T) *damaged {
	c := newCrashed(t)
	d := &damaged{testbed: c.testbed, text: c.text, saved: map[string][]byte{}}
	d.dir = filepath.Dir(filepath.Dir(c.folder))
	if err := os.CopyFS(filepath.Join(d.dir, "runs", "2"), os.DirFS(c.folder)); err != nil {
		t.Fatal(err)
	}
	request, err := os.ReadFile(filepath.Join(c.folder, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(d.dir, "runs", "2")
	for name, text := range map[string][]byte{
		filepath.Join(second, "run.json"):        bytes.Replace(request, []byte(`"run": 1`), []byte(`"run": 2`), 1),
		filepath.Join(second, "journal"):         c.journal[:len(c.journal)/2],
		filepath.Join(d.dir, "unpublished.json"): []byte(`{"nodes":{"id-a":"ran"},"marks":null}`),
		filepath.Join(d.dir, "last-run"):         []byte("0\n"),
		filepath.Join(d.dir, "edits.json"):       []byte(`{"file":"1:2:3:4:5","undo":[{"text":"x","client":"c","ops":[]}],"redo":[]}`),
		filepath.Join(second, "result.json"):     nil,
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(second, "result.json")); err != nil {
		t.Fatal(err)
	}
	d.save()
	return d
}

// save remembers the state folder, restore brings it back.
func (d *damaged) save() {
	d.t.Helper()
	err := filepath.Walk(d.dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			d.saved[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *damaged) restore() {
	d.t.Helper()
	if err := os.RemoveAll(d.dir); err != nil {
		d.t.Fatal(err)
	}
	for path, text := range d.saved {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			d.t.Fatal(err)
		}
	}
	d.write(d.text)
}

// check opens the workspace with the damage and looks at its runs.
func (d *damaged) check(what damage, first bool) {
	d.t.Helper()
	x := newRecorder(nil)
	d.cfg.Executor = x
	opened := make(chan error, 1)
	go func() {
		w, err := Open(d.path, d.cfg)
		d.w = w
		opened <- err
	}()
	select {
	case err := <-opened:
		if err != nil {
			d.t.Fatalf("%s: %v", what.name, err)
		}
	case <-time.After(patience):
		d.t.Fatalf("%s: the workspace does not open", what.name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	list, err := d.w.Runs(ctx)
	if err != nil || len(list.Runs) != 2 {
		d.t.Fatalf("%s: runs %+v, %v", what.name, list.Runs, err)
	}
	for n, whole := range map[string]bool{"1": !first, "2": first} {
		detail, err := d.w.Run(ctx, n)
		if err != nil {
			d.t.Fatalf("%s: run %s: %v", what.name, n, err)
		}
		if whole && (detail.Problem != "" || detail.Nodes != crashNodes) {
			d.t.Errorf("%s: run %s, which is whole: %d nodes, problem %q", what.name, n, detail.Nodes, detail.Problem)
		}
		if n == "1" && whole && (detail.Result != api.ResFailed || detail.Counts.OK != 38) {
			d.t.Errorf("%s: run 1: %s %+v", what.name, detail.Result, detail.Counts)
		}
	}
	d.close(d.w)
	x.Detach()
	x.reports.Wait()
	if x.opened["1"] {
		d.t.Errorf("%s: a run that is over was executed", what.name)
	}
}
