package fence

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The machines of the tests. rebooted is login1 after a boot, and container is another name for the kernel of login1.
var (
	login1    = Holder{Machine{"login1", "11111111111111111111111111111111", "boot-a"}, 7, "/run/wf"}
	rebooted  = Holder{Machine{"login1", "11111111111111111111111111111111", "boot-b"}, 8, "/run/wf"}
	container = Holder{Machine{"c0ffee", "22222222222222222222222222222222", "boot-a"}, 9, "/run/wf"}
	login2    = Holder{Machine{"login2", "33333333333333333333333333333333", "boot-c"}, 7, "/run/wf"}
	namesake  = Holder{Machine{"login1", "44444444444444444444444444444444", "boot-d"}, 7, "/run/wf"} // of another cluster
	unnamed   = Holder{Machine{"login1", "", "boot-e"}, 7, "/run/wf"}                                 // login1 without an id
)

// lockless is a file system that machines share and whose locks end at the machine: here they are no locks at all.
func lockless(beat time.Duration) volume {
	return volume{func(*os.File) bool { return true }, func(*os.File, bool) error { return nil }, beat}
}

// shared is a file system that machines share, with its locks.
var shared = volume{func(*os.File) bool { return true }, lock, time.Hour}

func at(t *testing.T) string { return filepath.Join(t.TempDir(), "workspace", "fence") }

// must takes a fence that is free.
func must(t *testing.T, v volume, path string, own Holder) *Fence {
	t.Helper()
	f, err := v.take(path, own)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// refused checks that the fence cannot be taken, and who has it.
func refused(t *testing.T, v volume, path string, own, holder Holder, locked bool) {
	t.Helper()
	f, err := v.take(path, own)
	if err == nil {
		f.Release()
	}
	var taken *TakenError
	if !errors.As(err, &taken) || taken.Holder != holder || taken.Locked != locked {
		t.Fatalf("%s takes a fence of %s: %v", own.Host, holder.Host, err)
	}
}

func TestFence(t *testing.T) {
	path := at(t)
	f := must(t, thisVolume, path, login1)
	refused(t, thisVolume, path, container, login1, true)
	refused(t, thisVolume, path, login2, login1, true)
	f.Release()
	f = must(t, thisVolume, path, login2)
	if !f.Stands() {
		t.Error("Stands is false")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if f.Stands() {
		t.Error("Stands is true without a file")
	}
	next := must(t, thisVolume, path, login2)
	if f.Stands() || !next.Stands() {
		t.Error("Stands is true for a new file at the path")
	}
	f.Release()
	next.Release()
}

func TestDamagedFenceHasNoHolder(t *testing.T) {
	path := at(t)
	must(t, thisVolume, path, login2).Leave()
	for _, v := range []volume{thisVolume, shared} {
		for _, text := range []string{"{", "", "[]", "\x00\x00"} {
			for _, name := range []string{path, path + ownerSuffix} {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			f := must(t, v, path, login1)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var taken *TakenError
			if _, err := v.take(path, Holder{}); !errors.As(err, &taken) || taken.Error() != "another daemon has it" {
				t.Errorf("%v", err)
			}
			f.Release()
		}
	}
}

// TestWhoMayFollow checks which machine can take a fence that a holder has left signed, because its runs go on or it was killed.
// Each volume is one that gives no hint about the holder's life.
func TestWhoMayFollow(t *testing.T) {
	old := Holder{Machine{Host: "login2"}, 7, "/run/wf"} // signed by a version without boots, which never released
	for _, v := range []volume{thisVolume, shared, lockless(time.Hour)} {
		for _, c := range []struct {
			before, own Holder
			free        bool
			why         string
		}{
			{login1, login1, true, "the same machine"},
			{login1, rebooted, true, "no process outlives a boot"},
			{login1, container, true, "the same kernel"},
			{login1, unnamed, true, "the same name, and nothing says otherwise"},
			{unnamed, login1, true, "the same name, and nothing says otherwise"},
			{login1, login2, false, "another machine"},
			{login1, namesake, false, "another machine of the same name"},
			{old, login1, true, "unknown"},
		} {
			path := at(t)
			must(t, v, path, c.before).Leave()
			if !c.free {
				refused(t, v, path, c.own, c.before, false)
				refused(t, v, path, c.own, c.before, false) // the refusal has changed nothing
				must(t, v, path, c.before).Release()
			}
			f := must(t, v, path, c.own)
			if !f.Stands() {
				t.Errorf("%s: Stands is false", c.why)
			}
			f.Release()
			must(t, v, path, login2).Release()
		}
	}
}

// TestOnlyOneOfManyMachinesTakesIt takes a fence on many machines at once, on a file system without locks between them.
func TestOnlyOneOfManyMachinesTakesIt(t *testing.T) {
	v := lockless(time.Hour)
	for range 50 {
		path := at(t)
		results := make(chan *Fence)
		for i := range 8 {
			go func() {
				id := strings.Repeat(string(rune('a'+i)), 8)
				f, err := v.take(path, Holder{Machine{id, id, id}, 1, "/run"})
				var taken *TakenError
				if err != nil && !errors.As(err, &taken) {
					t.Errorf("%v", err)
				}
				results <- f
			}()
		}
		var winners []*Fence
		for range 8 {
			if f := <-results; f != nil {
				winners = append(winners, f)
			}
		}
		if len(winners) != 1 {
			t.Fatalf("%d machines have the fence", len(winners))
		}
		if !winners[0].Stands() {
			t.Error("Stands is false")
		}
		winners[0].Release()
	}
}

func TestNothingIsLeftBesideAReleasedFence(t *testing.T) {
	for _, v := range []volume{thisVolume, shared} {
		path := at(t)
		must(t, v, path, login1).Release()
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(entries) != 1 {
			t.Errorf("%v %v", entries, err)
		}
		if info, err := os.Lstat(path); err != nil || info.Size() != 0 {
			t.Errorf("%v %v", info, err)
		}
	}
}

func TestAFenceThatIsGivenUpIsAsBefore(t *testing.T) {
	for _, v := range []volume{thisVolume, shared} {
		path := at(t)
		must(t, v, path, login1).GiveUp()
		must(t, v, path, login2).Leave()
		must(t, v, path, login2).GiveUp()
		refused(t, v, path, login1, login2, false)
	}
}

func TestAMovedFenceIsReleased(t *testing.T) {
	path := at(t)
	f := must(t, shared, path, login1)
	folder := filepath.Dir(path) + "-2"
	if err := os.Rename(filepath.Dir(path), folder); err != nil {
		t.Fatal(err)
	}
	f.Moved(filepath.Join(folder, "fence"))
	f.Release()
	must(t, shared, filepath.Join(folder, "fence"), login2).Release()
}

func TestFileSystemWithoutLocks(t *testing.T) {
	v := volume{thisVolume.shared, func(*os.File, bool) error { return unix.ENOSYS }, time.Hour}
	if _, err := v.take(at(t), login1); err == nil || !strings.Contains(err.Error(), "the file system has no locks (function not implemented): set WF_STATE_DIR to another disk") {
		t.Errorf("%v", err)
	}
}

func TestAbandonedFence(t *testing.T) {
	v := lockless(10 * time.Millisecond)
	path := at(t)
	find := func() *Abandoned {
		t.Helper()
		a, err := v.findAbandoned(path, login2)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if find() != nil {
		t.Error("a fence that was never taken is abandoned")
	}
	f := must(t, v, path, login1)

	// The holder lives: its signs are seen.
	a := find()
	if alive, err := a.Alive(context.Background()); !alive || err != nil || a.Holder != login1 || !a.GivesSigns() {
		t.Errorf("%v %v %v", alive, err, a.Holder)
	}
	a.Close()

	// It is killed, or its machine is cut off: no signs.
	f.Leave()
	a = find()
	if alive, err := a.Alive(context.Background()); alive || err != nil {
		t.Errorf("%v %v", alive, err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Alive(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := a.Clear(); err != nil {
		t.Fatal(err)
	}
	if find() != nil {
		t.Error("a cleared fence is abandoned")
	}
	must(t, v, path, login2).Release()
	if find() != nil {
		t.Error("a released fence is abandoned")
	}
}

// TestHolderNoticesThatItsFenceWasTakenOver lets a machine be cut off, and come back after another one has taken its fence over.
func TestHolderNoticesThatItsFenceWasTakenOver(t *testing.T) {
	v := lockless(time.Millisecond)
	path := at(t)
	f := must(t, v, path, login1)
	a, err := v.findAbandoned(path, login2)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Clear(); err != nil {
		t.Fatal(err)
	}
	next := must(t, v, path, login2)
	<-f.Lost()
	if f.Stands() || !next.Stands() {
		t.Errorf("%v %v", f.Stands(), next.Stands())
	}
	f.Release()
	if !next.Stands() {
		t.Error("the late release has removed the new holder")
	}
	next.Release()
}

func TestNoSignsOnALocalDisk(t *testing.T) {
	path := at(t)
	must(t, thisVolume, path, login1).Leave()
	a, err := thisVolume.findAbandoned(path, login2)
	if err != nil {
		t.Fatal(err)
	}
	if a.GivesSigns() {
		t.Error("signs of life on a local disk")
	}
	refused(t, thisVolume, path, login1, login1, true) // it stays with its holder
	a.Close()
	must(t, thisVolume, path, login1).Release()
}

func TestMachineID(t *testing.T) {
	dir := t.TempDir()
	path, transient := filepath.Join(dir, "machine-id"), filepath.Join(dir, "transient")
	for text, want := range map[string]string{"": "", "uninitialized\n": "", "0123456789abcdef0123456789abcdef\n": "0123456789abcdef0123456789abcdef"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := machineID(path, transient); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if err := os.WriteFile(transient, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := machineID(path, transient); got != "" {
		t.Errorf("an id that ends with the boot: %q", got)
	}
	if m := This(); m.Host == "" || m.Boot == "" {
		t.Errorf("%+v", m)
	}
}
