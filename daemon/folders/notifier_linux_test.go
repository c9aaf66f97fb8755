package folders

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// follower is a Watch whose test waits for reports.
type follower struct {
	*testing.T
	*Watch
	signal chan struct{}
}

func follow(t *testing.T, n *Notifier, p Pattern) *follower {
	f := &follower{T: t, signal: make(chan struct{}, 1)}
	f.Watch = NewWatch(n, p, func() {
		select {
		case f.signal <- struct{}{}:
		default:
		}
	})
	t.Cleanup(f.Close)
	return f
}

// until scans after each report until the list is want.
func (f *follower) until(want string) (closed map[string]bool) {
	f.Helper()
	closed = map[string]bool{}
	deadline := time.After(time.Minute)
	for {
		_, more := f.Take()
		for name := range more {
			closed[name] = true
		}
		l, _ := f.Scan()
		if found(l) == want {
			return closed
		}
		select {
		case <-f.signal:
		case <-deadline:
			f.Fatalf("a minute later the list is %q, want %q", found(l), want)
		}
	}
}

// untilClosed waits until a file was reported as closed.
func (f *follower) untilClosed(closed map[string]bool, name string) {
	f.Helper()
	deadline := time.After(time.Minute)
	for !closed[name] {
		select {
		case <-f.signal:
			_, more := f.Take()
			for name := range more {
				closed[name] = true
			}
		case <-deadline:
			f.Fatalf("a minute later %s is not reported as closed, only %v", name, closed)
		}
	}
}

// TestWatch checks reports about files and their folders.
func TestWatch(t *testing.T) {
	n, err := NewNotifier()
	if err != nil {
		t.Skip(err)
	}
	defer n.Close()
	root := tree(t, "in/sub/", "other/x.csv", "runs/")
	if Polled(root) {
		t.Skip("the temporary folder may be shared by machines")
	}
	path := func(name string) string { return filepath.Join(root, name) }
	f := follow(t, n, NewPattern(root, "in/*.csv"))
	deep := follow(t, n, NewPattern(root, "runs/*/out/*.csv"))
	deep.until("")
	f.until("")
	if _, lacking := f.Scan(); lacking {
		t.Error("not all folders are watched")
	}
	put(t, path("in/a.csv"), "a")
	f.untilClosed(f.until("in/a.csv"), "in/a.csv")
	must(t, os.Rename(path("other/x.csv"), path("in/b.csv")))
	f.untilClosed(f.until("in/a.csv in/b.csv"), "in/b.csv")
	open, err := os.Create(path("in/c.csv"))
	must(t, err)
	defer open.Close()
	if closed := f.until("in/a.csv in/b.csv in/c.csv"); closed["in/c.csv"] {
		t.Error("an open file is reported as closed")
	}
	must(t, os.Remove(path("in/a.csv")))
	f.until("in/b.csv in/c.csv")
	must(t, os.Rename(path("in"), path("old")))
	f.until("")
	if l, lacking := f.Scan(); !lacking || l.Folder != 0 {
		t.Errorf("a folder that is away counts as watched: %+v", l)
	}
	must(t, os.Mkdir(path("in"), 0o700))
	if _, lacking := f.Scan(); lacking {
		t.Error("the new folder is not watched")
	}
	put(t, path("in/d.csv"), "d")
	f.until("in/d.csv")
	must(t, os.MkdirAll(path("runs/1/out"), 0o700))
	deep.until("") // the folder is watched now, or the next step is found by the scan
	put(t, path("runs/1/out/e.csv"), "e")
	deep.until("runs/1/out/e.csv")
	must(t, os.RemoveAll(path("runs/1")))
	deep.until("")
}

// TestOverflow checks that everybody looks again after the kernel has lost events, and that other files wake nobody.
func TestOverflow(t *testing.T) {
	n, err := NewNotifier()
	if err != nil {
		t.Skip(err)
	}
	defer n.Close()
	root := tree(t, "in/")
	f := follow(t, n, NewPattern(root, "in/*.csv"))
	f.until("")
	f.Take()
	n.report(-1, unix.IN_Q_OVERFLOW, "")
	if dirty, _ := f.Take(); !dirty {
		t.Error("lost events do not lead to a scan")
	}
	put(t, filepath.Join(root, "in/.a.csv.x7f3"), "temporary")
	put(t, filepath.Join(root, "in/b.csv"), "b")
	closed := map[string]bool{}
	if f.untilClosed(closed, "in/b.csv"); len(closed) != 1 {
		t.Errorf("the closed files are %v", closed)
	}
	f.Close()
	if len(n.watches) != 0 {
		t.Errorf("%d folders are watched for nobody", len(n.watches))
	}
}
