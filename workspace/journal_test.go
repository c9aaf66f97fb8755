package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
)

// slowDisk is a disk whose syncs of journals wait for the test, once slow is set.
type slowDisk struct {
	history.Disk
	slow  atomic.Bool
	syncs chan chan error // for each sync, where it gets its result
}

func newSlowDisk(d history.Disk) *slowDisk { return &slowDisk{Disk: d, syncs: make(chan chan error)} }

func (d *slowDisk) Open(path string, flag int) (history.File, error) {
	f, err := d.Disk.Open(path, flag)
	if err == nil && filepath.Base(path) == "journal" {
		f = &slowFile{f, d}
	}
	return f, err
}

// next returns where the next sync waits for its result.
func (d *slowDisk) next(t *testing.T) chan<- error {
	t.Helper()
	select {
	case result := <-d.syncs:
		return result
	case <-time.After(patience):
		t.Fatal("nothing is synced")
		return nil
	}
}

type slowFile struct {
	history.File
	disk *slowDisk
}

func (f *slowFile) Sync() error {
	if f.disk.slow.Load() {
		result := make(chan error)
		f.disk.syncs <- result
		if err := <-result; err != nil {
			return err
		}
	}
	return f.File.Sync()
}

// answers fails the test if the workspace does not answer.
func (b *testbed) answers() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := b.w.Status(ctx, true); err != nil {
		b.t.Fatalf("the loop waits for the disk: %v", err)
	}
}

func TestDecisionIsAnsweredAndFollowedWhenItIsDurable(t *testing.T) {
	for name, fault := range map[string]error{"slow disk": nil, "failing sync": syscall.EIO} {
		t.Run(name, func(t *testing.T) {
			b, _ := controlBed(t, "", nodeText("ask", "approve=sure?"))
			disk := newSlowDisk(b.cfg.Disk)
			b.cfg.Disk = disk
			b.open()
			defer b.close(b.w)
			v := b.watch()
			_, s := b.run(api.RunRequest{})
			v.reaches(t, api.NodeWaiting, "ask")
			disk.slow.Store(true)
			answer := make(chan error)
			go func() {
				_, err := b.w.Decide(context.Background(), "c1", api.Decision{Node: "id-ask", Approved: true, User: "u"})
				answer <- err
			}()
			result := disk.next(t)
			v.reaches(t, api.NodeDecided, "ask")
			b.answers()
			b.none(s)
			select {
			case err := <-answer:
				t.Errorf("answered before the disk has the decision: %v", err)
			default:
			}
			disk.slow.Store(false)
			result <- fault
			if err := <-answer; err != nil {
				t.Error(err)
			}
			s.end(b.next(s).ID, executor.Exit{})
			<-v.over
		})
	}
}

func TestJobsOfNewInstancesWaitForTheirNumbers(t *testing.T) {
	b, _ := controlBed(t, "", `<node id="id-f"><data key="foreach">[1, 2]</data><graph>`+nodeText("x")+`</graph></node>`)
	disk := newSlowDisk(b.cfg.Disk)
	b.cfg.Disk = disk
	b.open()
	defer b.close(b.w)
	disk.slow.Store(true)
	started := make(chan *fakeSession)
	go func() {
		_, s := b.run(api.RunRequest{})
		started <- s
	}()
	disk.next(t) <- nil // the new journal
	s := <-started
	result := disk.next(t)
	b.answers()
	b.none(s)
	disk.slow.Store(false)
	result <- nil
	v := b.watch()
	for range 2 {
		s.end(b.next(s).ID, executor.Exit{})
	}
	<-v.over
}

func TestDecisionThatCannotBeKeptIsNotConfirmed(t *testing.T) {
	b, _ := controlBed(t, "", nodeText("ask", "approve=sure?"))
	disk := &failingSegments{newSlowDisk(b.cfg.Disk)}
	b.cfg.Disk = disk
	b.open()
	defer b.close(b.w)
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	v.reaches(t, api.NodeWaiting, "ask")
	disk.slow.Store(true)
	answer := make(chan error)
	go func() {
		_, err := b.w.Decide(context.Background(), "c1", api.Decision{Node: "id-ask", Approved: true, User: "u"})
		answer <- err
	}()
	disk.next(t) <- syscall.EIO
	if err := <-answer; apiCode(err) != api.CodeInternal {
		t.Errorf("the disk refuses the decision: %v", err)
	}
	v.wait(t, "run_held", func(e api.Event) bool { return e.Type == api.RunHeld && e.Message != "" })
	disk.slow.Store(false)
	s.end(b.next(s).ID, executor.Exit{})
	<-v.over
}

// failingSegments is a disk that is also full for new segments, while it is slow.
type failingSegments struct{ *slowDisk }

func (d *failingSegments) Rename(from, to string) error {
	if d.slow.Load() {
		return errors.New("no space for a segment")
	}
	return d.slowDisk.Rename(from, to)
}
