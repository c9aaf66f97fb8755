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
	// mostSpares bounds the spare runners for expected runs.
	mostSpares = 16
)

// spares are the spare runners of a Local: one, or one for each expected run.
type spares struct {
	mu       sync.Mutex // guards ready and expected
	ready    []*spare   // the oldest first
	expected int        // runs that have not taken one, see Expect
	begun    int        // expected runs that have, and whose over is to come

	used    chan struct{} // capacity 1: a run has started
	ended   chan struct{} // capacity 1: a run has ended
	changed chan struct{} // capacity 1: expected has changed
}

func newSpares() *spares {
	return &spares{used: make(chan struct{}, 1), ended: make(chan struct{}, 1), changed: make(chan struct{}, 1)}
}

// A spare is a spare runner.
type spare struct {
	process      *os.Process
	gone         <-chan struct{} // closed when it has been reaped
	conn         *net.UnixConn
	program      os.FileInfo
	surroundings string // of this process at the start, see proc.Surroundings
}

// KeepSpare keeps spare runners for the next runs, until ctx ends: one, and more while more runs are expected.
func (l *Local) KeepSpare(ctx context.Context) {
	s := l.shared().spares
	defer func() {
		for s.dismissOver(0) {
		}
	}()
	for {
		for missing := s.missing(); missing > 0; missing-- {
			spare, err := l.startSpare()
			if err != nil { // runs start their runners themselves
				break
			}
			s.put(spare)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
			for s.dismissOver(s.wanted()) {
			}
			continue
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

// Expect tells that a run begins soon, so that there is a spare runner for it. The caller calls over when the run has begun, or
// is not expected any more. Expect does not wait.
func (l *Local) Expect() (over func()) {
	s := l.shared().spares
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expected++
	notify(s.changed)
	return sync.OnceFunc(s.expectLess)
}

// expectLess notes that an expected run has begun or is not expected any more.
func (s *spares) expectLess() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun > 0 {
		s.begun--
		return
	}
	s.expected--
	notify(s.changed)
}

// wanted returns how many spare runners there should be.
func (s *spares) wanted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(max(s.expected, 1), mostSpares)
}

// missing returns how many spare runners are to be started.
func (s *spares) missing() int {
	wanted := s.wanted()
	s.mu.Lock()
	defer s.mu.Unlock()
	return wanted - len(s.ready)
}

func (s *spares) put(spare *spare) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = append(s.ready, spare)
}

// take returns a spare runner, or nil if there is none.
func (s *spares) take() *spare {
	s.mu.Lock()
	defer s.mu.Unlock()
	notify(s.used)
	if s.expected > 0 {
		s.expected--
		s.begun++
	}
	if len(s.ready) == 0 {
		return nil
	}
	spare := s.ready[0]
	s.ready = slices.Delete(s.ready, 0, 1)
	return spare
}

// dismissOver ends the youngest spare runner if there are more than n.
func (s *spares) dismissOver(n int) bool {
	s.mu.Lock()
	last := len(s.ready) - 1
	if last < n {
		s.mu.Unlock()
		return false
	}
	spare := s.ready[last]
	s.ready = slices.Delete(s.ready, last, last+1)
	s.mu.Unlock()
	spare.dismiss()
	return true
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
