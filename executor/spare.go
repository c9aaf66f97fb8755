package executor

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/wire"
)

// A spare runner saves a run the start of a process: it has started already and waits for a run, see wire.Assignment.
// It is the runner of no run until it gets one. It ends with this process, because its connection ends then.

const (
	// spareDelay is how long after a run has got the spare runner the next one is started, if the run does not end before.
	spareDelay = 200 * time.Millisecond
	// sparePause is the time from the end of a run to that start: until then the end is recorded.
	sparePause = 5 * time.Millisecond
	// spareTimeout is how long a spare runner may take to take a run.
	spareTimeout = time.Second
)

// spares are the spare runners of a Local: at most one.
type spares struct {
	mu    sync.Mutex
	spare *spare
	used  chan struct{} // capacity 1: a run has started
	ended chan struct{} // capacity 1: a run has ended
}

func newSpares() *spares {
	return &spares{used: make(chan struct{}, 1), ended: make(chan struct{}, 1)}
}

// A spare is a spare runner.
type spare struct {
	process      *os.Process
	gone         <-chan struct{} // closed when it has been reaped
	conn         *net.UnixConn
	program      os.FileInfo
	surroundings string // of this process at the start, see proc.Surroundings
}

// KeepSpare keeps one spare runner for the next run, until ctx ends.
func (l *Local) KeepSpare(ctx context.Context) {
	s := l.shared().spares
	defer func() {
		if spare := s.take(); spare != nil {
			spare.dismiss()
		}
	}()
	for {
		if spare, err := l.startSpare(); err == nil { // otherwise runs start their runners themselves
			s.put(spare)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.used:
		}
		select {
		case <-ctx.Done():
			return
		case <-s.ended:
			time.Sleep(sparePause)
		case <-time.After(spareDelay):
		}
	}
}

func (s *spares) put(spare *spare) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spare = spare
}

// take returns the spare runner, or nil if there is none.
func (s *spares) take() *spare {
	s.mu.Lock()
	defer s.mu.Unlock()
	spare := s.spare
	s.spare = nil
	notify(s.used)
	return spare
}

// runEnded notes that a run has ended.
func (s *spares) runEnded() { notify(s.ended) }

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// startSpare starts a spare runner.
func (l *Local) startSpare() (*spare, error) {
	surroundings, err := proc.Surroundings()
	if err != nil {
		return nil, err
	}
	program, err := os.Stat(l.Program[0])
	if err != nil {
		return nil, err
	}
	ours, theirs, err := connectionPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		ours.Close()
		return nil, err
	}
	defer null.Close()
	argv := append(slices.Clone(l.Program), wire.SpareOption, wire.SparePadding)
	process, gone, err := l.shared().reaper.start(func() (*os.Process, error) {
		return os.StartProcess(l.Program[0], argv, &os.ProcAttr{
			Dir: "/", Env: runnerEnvironment(l.Env, wire.EncodeHandover(false, nil), nil),
			Files: []*os.File{null, null, null, wire.ConnectionFD: theirs, wire.LockFD: null}, // the lock comes later
			Sys:   &unix.SysProcAttr{Setsid: true},
		})
	})
	if err != nil {
		ours.Close()
		return nil, err
	}
	return &spare{process, gone, ours.(*net.UnixConn), program, surroundings}, nil
}

// fits reports whether the spare runner is what a runner would be that is started now.
func (s *spare) fits(program string) bool {
	now, err := os.Stat(program)
	if err != nil || !os.SameFile(now, s.program) || now.ModTime() != s.program.ModTime() {
		return false
	}
	surroundings, err := proc.Surroundings()
	return err == nil && surroundings == s.surroundings
}

// dismiss ends a spare runner.
func (s *spare) dismiss() {
	s.conn.Close()
	s.process.Kill()
	<-s.gone
}

// useSpare gives the run to the spare runner. It returns nil if there is none that can take it, or if this is not the first
// runner of the run.
func (h *runnerHandle) useSpare(lock *os.File) net.Conn {
	if h.everStarted || len(h.handles) > 0 {
		return nil
	}
	s := h.spares.take()
	if s == nil {
		return nil
	}
	if !s.fits(h.program[0]) || h.assign(s, lock) != nil {
		s.dismiss()
		return nil
	}
	h.claim.use(s.process.Pid, proc.Ticks())
	h.started(s.gone)
	return s.conn
}

// assign gives the run to a spare runner.
func (h *runnerHandle) assign(s *spare, lock *os.File) error {
	stderr, err := h.openStderr()
	if err != nil {
		return err
	}
	defer stderr.Close()
	a := wire.Assignment{Dir: h.dir, Socket: h.socket, Cwd: h.cwd, Attributes: string(h.attributes), Lock: lock, Stderr: stderr}
	if err := a.Send(s.conn, time.Now().Add(spareTimeout)); err != nil {
		return fmt.Errorf("spare runner: %w", err)
	}
	return nil
}
