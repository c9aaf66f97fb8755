package arrivals

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func file(name string, version int) File {
	return File{name, Version{Size: int64(version), Modified: int64(version), Inode: 1}}
}

// names joins the names of files.
func names(files []File) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return strings.Join(list, " ")
}

// TestSettle follows files of which nothing is known but their size and time.
func TestSettle(t *testing.T) {
	tr := Tracker{Settle: 2 * time.Second}
	look := func(at time.Duration, want string, files ...File) {
		t.Helper()
		tr.Observe(at, Observation{Files: files}, nil)
		if got, _ := tr.Complete(); names(got) != want {
			t.Errorf("at %v: %q is complete, want %q", at, names(got), want)
		}
	}
	look(0, "", file("a", 1), file("b", 1))
	if at, any := tr.Next(); at != 2*time.Second || !any {
		t.Errorf("next at %v, %v", at, any)
	}
	look(time.Second, "", file("a", 1), file("b", 2))
	if due := tr.Due(1999 * time.Millisecond); due != nil {
		t.Errorf("%q is due too early", due)
	}
	if due := tr.Due(2 * time.Second); !slices.Equal(due, []string{"a"}) {
		t.Errorf("%q is due", due)
	}
	look(2*time.Second, "a", file("a", 1), file("b", 2))
	look(3*time.Second, "a b", file("a", 1), file("b", 2))
	if at, any := tr.Next(); any {
		t.Errorf("next at %v, although all are complete", at)
	}
	look(4*time.Second, "b", file("a", 2), file("b", 2)) // written anew before a run has got it
	look(5*time.Second, "", file("a", 2))
	if n := tr.Waiting(); n != 1 {
		t.Errorf("%d files wait", n)
	}
}

// TestClosed follows files that the kernel reports as closed.
func TestClosed(t *testing.T) {
	closed := map[string]bool{"a": true}
	for _, reopened := range []bool{false, true} {
		tr := Tracker{Settle: 10 * time.Second, Reopened: reopened}
		tr.Observe(0, Observation{Files: []File{file("a", 1), file("b", 1)}, Closed: closed}, nil)
		if got, _ := tr.Complete(); got != nil {
			t.Errorf("complete at once: %q", names(got))
		}
		tr.Observe(Grace, Observation{Files: []File{file("a", 1)}, Names: []string{"a"}}, nil)
		if got, _ := tr.Complete(); names(got) != map[bool]string{false: "a"}[reopened] {
			t.Errorf("reopened=%v: complete after the grace: %q", reopened, names(got))
		}
		tr.Observe(time.Second, Observation{Files: []File{file("a", 2)}, Names: []string{"a"}}, nil)
		tr.Observe(2*time.Second, Observation{Files: []File{file("a", 2)}, Names: []string{"a"}}, nil)
		if got, _ := tr.Complete(); got != nil {
			t.Errorf("the close of an earlier version counts: %q", names(got))
		}
	}
	slow := Tracker{Settle: time.Second}
	slow.Observe(0, Observation{Files: []File{file("a", 1)}, Took: 9 * time.Second}, nil)
	slow.Observe(9*time.Second, Observation{Files: []File{file("a", 1)}}, nil)
	if got, _ := slow.Complete(); got != nil {
		t.Errorf("the time of a slow look counts: %q", names(got))
	}
	quick := Tracker{Settle: 0}
	quick.Observe(0, Observation{Files: []File{file("a", 1)}}, nil)
	if got, _ := quick.Complete(); names(got) != "a" {
		t.Errorf("settle=0s: %q is complete", names(got))
	}
}

// TestKnown checks what decided files do.
func TestKnown(t *testing.T) {
	tr := Tracker{}
	known := map[string]Version{"a": file("a", 1).Version, "b": file("b", 1).Version, "c": file("c", 1).Version}
	gone := tr.Observe(0, Observation{Files: []File{file("a", 1), file("b", 2)}}, known)
	if got, _ := tr.Complete(); names(got) != "b" || !slices.Equal(gone, []string{"c"}) {
		t.Errorf("complete: %q, gone: %q", names(got), gone)
	}
	if gone := tr.Observe(1, Observation{Names: []string{"b"}}, known); gone != nil || tr.Waiting() != 0 {
		t.Errorf("after a look at b alone %q is gone, and %d wait", gone, tr.Waiting())
	}
	tr.Observe(2, Observation{Files: []File{file("b", 3)}}, known)
	tr.Decided([]File{file("b", 2)})
	if tr.Waiting() != 1 {
		t.Error("the decision about an earlier version removes a later one")
	}
	tr.Decided([]File{file("b", 3)})
	if tr.Waiting() != 0 {
		t.Error("a decided file waits")
	}
}

func TestUnfit(t *testing.T) {
	tr := Tracker{}
	tr.Observe(0, Observation{Files: []File{file("a\nb", 1), file("a\xff", 1), file("a b", 1)}}, nil)
	if got, unfit := tr.Complete(); names(got) != "a b" || names(unfit) != "a\nb a\xff" {
		t.Errorf("fit: %q, unfit: %q", names(got), names(unfit))
	}
}

func TestBatch(t *testing.T) {
	var many []File
	for i := range 3000 {
		many = append(many, file(fmt.Sprintf("%099d", i), 1))
	}
	if n := len(Batch(many, 1000, 0)); n != 1000 {
		t.Errorf("%d files of 100 bytes", n)
	}
	if n := len(Batch(many, 1000, 100)); n != 500 {
		t.Errorf("%d files of 200 bytes", n)
	}
	if n := len(Batch(many[:7], 1000, 0)); n != 7 {
		t.Errorf("%d of 7 files", n)
	}
	if n := len(Batch(many, 1, 0)); n != 1 {
		t.Errorf("%d files instead of one", n)
	}
	if n := len(Batch(many, 2, ListBytes)); n != 1 {
		t.Errorf("%d files with long names; one must always fit", n)
	}
}

// inbox is a folder in the random test, with the daemon that looks at it. Every write gives a version that never comes again.
type inbox struct {
	*rapid.T
	now     time.Duration
	version int
	files   map[string]*written
	closed  map[string]bool    // what the kernel has reported since the last look
	known   map[string]Version // what the ledger says; it survives the daemon
	started map[Version]int    // runs of a version
	tracker Tracker
}

// written is a file in an inbox.
type written struct {
	Version
	at time.Duration // of the write
	// skipped is set for files that exist when the trigger is armed.
	skipped bool
}

func (b *inbox) write(name string, closed bool) {
	b.version++
	b.files[name] = &written{Version: Version{int64(b.version), int64(b.version), uint64(b.version)}, at: b.now}
	if closed {
		b.closed[name] = true
	}
}

// look observes all files, or those that are due.
func (b *inbox) look(all bool) {
	o := Observation{Closed: b.closed}
	if !all {
		if o.Names = b.tracker.Due(b.now); len(o.Names) == 0 {
			return
		}
	}
	for name, w := range b.files {
		if all || slices.Contains(o.Names, name) {
			o.Files = append(o.Files, File{name, w.Version})
		}
	}
	b.closed = map[string]bool{}
	for _, name := range b.tracker.Observe(b.now, o, b.known) {
		delete(b.known, name)
	}
}

// decide starts the run of a batch. The daemon dies before the record is in the ledger, behind it, or not at all.
func (b *inbox) decide(dies int) {
	files, _ := b.tracker.Complete()
	batch := Batch(files, 2, 0)
	if len(batch) == 0 {
		return
	}
	if dies == 1 {
		b.crash()
		return
	}
	for _, f := range batch {
		b.known[f.Name] = f.Version
		b.started[f.Version]++
		if w := b.files[f.Name]; w != nil && w.Version == f.Version && b.now-w.at < min(b.tracker.Settle, Grace) {
			b.Errorf("%s has a run %v after it was written", f.Name, b.now-w.at)
		}
	}
	if dies == 2 {
		b.crash()
		return
	}
	b.tracker.Decided(batch)
}

// crash ends the daemon. The next one does not know what the kernel has reported.
func (b *inbox) crash() {
	b.tracker = Tracker{Settle: b.tracker.Settle}
	b.closed = map[string]bool{}
}

// TestRandom checks that each version of a file that stays gets exactly one run, whatever happens to files and daemons.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &inbox{T: t, files: map[string]*written{}, closed: map[string]bool{}, known: map[string]Version{}, started: map[Version]int{}}
		b.tracker.Settle = time.Duration(rapid.IntRange(0, 3).Draw(t, "settle")) * time.Second
		name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		for range rapid.IntRange(0, 3).Draw(t, "existing") {
			b.write(name.Draw(t, "name"), false)
		}
		for name, w := range b.files {
			b.known[name], w.skipped = w.Version, true
		}
		b.crash()
		steps := map[string]func(*rapid.T){
			"write":  func(t *rapid.T) { b.write(name.Draw(t, "name"), false) },
			"arrive": func(t *rapid.T) { b.write(name.Draw(t, "name"), true) },
			"close": func(t *rapid.T) {
				if name := name.Draw(t, "name"); b.files[name] != nil {
					b.closed[name] = true
				}
			},
			"rename": func(t *rapid.T) {
				from, to := name.Draw(t, "from"), name.Draw(t, "to")
				if w := b.files[from]; w != nil && from != to {
					b.write(to, true)
					delete(b.files, from)
				}
			},
			"remove":   func(t *rapid.T) { delete(b.files, name.Draw(t, "name")) },
			"overflow": func(*rapid.T) { b.closed = map[string]bool{} },
			"time":     func(t *rapid.T) { b.now += time.Duration(rapid.IntRange(1, 4000).Draw(t, "ms")) * time.Millisecond },
			"look":     func(*rapid.T) { b.look(true) },
			"due":      func(*rapid.T) { b.look(false) },
			"decide":   func(t *rapid.T) { b.decide(rapid.IntRange(0, 2).Draw(t, "dies")) },
			"crash":    func(*rapid.T) { b.crash() },
			"":         func(*rapid.T) { b.check() },
		}
		t.Repeat(steps)
		// In the end all files rest, and a daemon does what it does.
		b.look(true)
		for range 20 {
			at, any := b.tracker.Next()
			if any {
				b.now = max(b.now, at)
				b.look(false)
			}
			b.decide(0)
		}
		for name, w := range b.files {
			if want := map[bool]int{false: 1}[w.skipped]; b.started[w.Version] != want {
				t.Errorf("%s had %d runs, want %d", name, b.started[w.Version], want)
			}
			if b.known[name] != w.Version {
				t.Errorf("the ledger has not the last version of %s", name)
			}
		}
		if b.look(true); len(b.known) != len(b.files) {
			t.Errorf("the ledger has %d files, the folder %d", len(b.known), len(b.files))
		}
		if b.tracker.Waiting() != 0 {
			t.Errorf("%d files wait", b.tracker.Waiting())
		}
	})
}

// check checks that no version had two runs.
func (b *inbox) check() {
	for v, n := range b.started {
		if n > 1 {
			b.Fatalf("version %d had %d runs", v.Size, n)
		}
	}
}
