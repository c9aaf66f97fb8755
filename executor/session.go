package executor

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/wire"
)

// A session is the daemon's side of a run. Two goroutines serve its connection: follow reads and reports, write sends
// what Start, Stop and Close append to unsent.
type session struct {
	spec   Spec
	runner *runnerHandle
	wake   chan struct{} // capacity 1: there is something to send
	retry  chan struct{} // capacity 1: a held session must try again at once
	done   chan struct{} // closed when follow returns: after that nothing is reported

	// Used only by the goroutine of follow until done is closed.
	seen     int              // lines of news received
	held     string           // the last reported reason why nothing starts
	running  map[ID]processID // executions that have started and not ended
	greeted  bool             // the runner's hello has arrived on this connection
	caughtUp bool             // CaughtUp has been reported
	crashes  crashes
	tried    bool // the run is to end, and a runner was started for that

	mu       sync.Mutex      // guards the fields below; never held while waiting or reporting
	conn     syscall.RawConn // the present connection, or nil
	writing  bool            // write is sending: other bytes must be sent after that
	unsent   []byte
	width    int
	handed   int // how many jobs have been taken
	jobs     map[ID]sentJob
	gates    bool                            // the runner that said hello last supports gates
	lacks    struct{ hooks, launchers bool } // what it does not support
	stops    map[ID]time.Time                // executions that are being stopped, and the end of their grace
	closing  bool
	detached bool

	end sessionEnd
}

// A sessionEnd is how a session has ended; zero while it has not.
type sessionEnd struct {
	closed    bool
	survivors []int
	lost      error // why the session is broken: nothing is started any more
}

// A sentJob is a job that the runner has not confirmed by a report. The next runner gets it again.
type sentJob struct {
	order int
	job   Job
}

func newSession(spec Spec, runner *runnerHandle) *session {
	return &session{
		spec:    spec,
		runner:  runner,
		wake:    make(chan struct{}, 1),
		retry:   make(chan struct{}, 1),
		done:    make(chan struct{}),
		running: make(map[ID]processID),
		jobs:    make(map[ID]sentJob),
		width:   spec.Width,
		stops:   make(map[ID]time.Time),
	}
}

// errClosed is the error of a closed or detached session.
var errClosed = errors.New("the run is closed")

func (s *session) Start(jobs []Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || s.detached {
		return errClosed
	}
	if s.end.lost != nil {
		return s.end.lost
	}
	if !s.gates && slices.ContainsFunc(jobs, func(j Job) bool { return len(j.After) > 0 }) {
		return errNoGates
	}
	for _, j := range jobs {
		if err := s.unsupported(j); err != nil {
			return err
		}
	}
	for _, j := range jobs {
		order := s.handed
		if sent, ok := s.jobs[j.ID]; ok {
			order = sent.order
		} else {
			s.handed++
		}
		s.jobs[j.ID] = sentJob{order, j}
		s.unsent = wire.AppendJob(s.unsent, j)
	}
	s.signal()
	return nil
}

func (s *session) SetWidth(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n == s.width {
		return
	}
	s.width = n
	s.unsent = wire.AppendLine(s.unsent, wire.Command{Kind: wire.LineWidth, Width: n})
	s.signal()
}

func (s *session) Stop(ids []ID, grace time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	deadline := time.Now().Add(grace)
	for _, id := range ids {
		if old, ok := s.stops[id]; !ok || deadline.Before(old) {
			s.stops[id] = deadline
		}
	}
	s.unsent = wire.AppendLine(s.unsent, wire.Command{Kind: wire.LineStop, IDs: ids, Grace: int64(grace)})
	s.signal()
	s.Retry()
}

// Close waits until the runner has killed all processes of the run. If ctx ends first, the runner continues, and Close can
// be called again. If processes may still exist, Close also waits until the runner has exited, and then kills them.
// Otherwise it returns when the runner has sent its last line: the runner has no child then, and exits by itself.
func (s *session) Close(ctx context.Context) ([]int, error) {
	s.mu.Lock()
	if !s.closing {
		s.closing = true
		s.unsent = wire.AppendLine(s.unsent, wire.Command{Kind: wire.LineClose})
		s.signal()
		s.Retry()
	}
	s.mu.Unlock()
	select {
	case <-s.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	survivors, err := s.outcome()
	if errors.Is(err, errClosed) {
		return nil, err // the run goes on without this session and needs its environment, even if its runner is dead
	}
	if err != nil {
		s.runner.claim.reaper.endBoxes(ctx, s.spec.Dir)
		return nil, errors.Join(err, s.runner.forget())
	}
	if len(survivors) == 0 && !s.runner.claim.mayHaveOrphans() {
		return nil, nil
	}
	if err := s.runner.awaitEnd(ctx); err != nil {
		return survivors, err
	}
	return append(survivors, s.runner.claim.killOrphans()...), nil
}

// outcome returns how the run was closed. It is called after follow has returned.
func (s *session) outcome() ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.end.closed:
		return s.end.survivors, nil
	case s.end.lost != nil:
		return nil, s.end.lost
	}
	return nil, errClosed // detached
}

// Detach does not wait, not even for a running call of Report, which may be waiting for the caller of Detach.
func (s *session) Detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detached = true
	s.Retry()
	s.signal() // write sends what is left in unsent and then closes the connection
}

// signal sends what can be sent without waiting, and wakes write for the rest: to wake a goroutine costs more than to
// send. The caller holds mu.
func (s *session) signal() {
	if s.conn != nil && !s.writing && !s.detached {
		s.unsent = s.unsent[writeNow(s.conn, s.unsent):]
		if len(s.unsent) == 0 {
			return
		}
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// writeNow tries to write once and returns how many bytes were written. It ignores an error, because the reader of the
// connection gets it, too.
func writeNow(conn syscall.RawConn, lines []byte) int {
	n := 0
	conn.Write(func(fd uintptr) bool {
		n, _ = unix.Write(int(fd), lines)
		return true
	})
	return max(0, n)
}

// prepareHello replaces unsent by the beginning of a conversation with a runner that may be new: all jobs, stops and so
// on. A runner ignores what it has already. prepareHello returns false if the session is detached: the runner may already
// serve the next session, and a hello would make it send its news to this one.
func (s *session) prepareHello() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.detached {
		return false
	}
	s.unsent = wire.AppendLine(nil, wire.Command{Kind: wire.LineHello, Version: wire.Version, Since: s.seen})
	s.unsent = wire.AppendLine(s.unsent, wire.Command{Kind: wire.LineWidth, Width: s.width})
	byOrder := func(a, b sentJob) int { return cmp.Compare(a.order, b.order) }
	for _, sent := range slices.SortedFunc(maps.Values(s.jobs), byOrder) {
		s.unsent = wire.AppendJob(s.unsent, sent.job)
	}
	for id, deadline := range s.stops {
		grace := max(0, time.Until(deadline))
		s.unsent = wire.AppendLine(s.unsent, wire.Command{Kind: wire.LineStop, IDs: []ID{id}, Grace: int64(grace)})
	}
	if s.closing {
		s.unsent = wire.AppendLine(s.unsent, wire.Command{Kind: wire.LineClose})
	}
	s.signal()
	return true
}

// follow serves the connection, and new connections after it, until the run is closed, lost or detached. err is why conn
// is nil, if it is.
func (s *session) follow(conn net.Conn, err error) {
	defer close(s.done)
	defer s.runner.unwatchAll()
	defer s.runner.claim.remove()
	defer s.runner.spares.runEnded()
	for {
		if conn != nil {
			err = s.serve(conn)
		}
		if s.over() {
			return
		}
		s.runner.claim.lost()
		if !s.handleLoss(err) {
			return
		}
		s.crashes.started = time.Now()
		s.keepEnvironment()
		if conn, err = s.runner.connect(context.Background()); err != nil {
			conn = nil
		}
		if !s.prepareHello() {
			if conn != nil {
				conn.Close()
			}
			return
		}
	}
}

// breakOff ends the session with an error and makes that its last report.
func (s *session) breakOff(why error) {
	s.mu.Lock()
	s.end.lost = why
	wanted := !s.detached
	s.mu.Unlock()
	if wanted {
		s.spec.Report([]Report{{Kind: Broken, Time: time.Now(), Message: why.Error()}})
	}
}

// over reports whether the session has ended.
func (s *session) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.closed || s.end.lost != nil || s.detached
}

// serve serves one connection until it ends.
func (s *session) serve(conn net.Conn) error {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return err
	}
	s.greeted = false
	s.setConn(raw)
	defer s.setConn(nil)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		s.write(conn, stop)
	}()
	err = s.read(conn)
	conn.Close()
	close(stop)
	<-stopped
	return err
}

func (s *session) setConn(raw syscall.RawConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = raw
}

// write sends unsent after each signal on wake, until stop is closed.
func (s *session) write(conn net.Conn, stop <-chan struct{}) {
	for {
		select {
		case <-s.wake:
		case <-stop:
			return
		}
		s.mu.Lock()
		lines, last := s.unsent, s.detached
		s.unsent, s.writing = nil, true
		s.mu.Unlock()
		_, err := conn.Write(lines)
		s.mu.Lock()
		s.writing = false
		if len(s.unsent) > 0 {
			s.signal()
		}
		s.mu.Unlock()
		if last {
			conn.Close()
		}
		if err != nil || last {
			return // read gets the error, too, and ends the connection
		}
	}
}

// reportLimit is how many reports are passed on together at most.
const reportLimit = 512

// read reads lines from the runner and passes on the reports, all that have arrived so far at once.
func (s *session) read(conn net.Conn) error {
	var reports []Report
	report := func() {
		s.watchRunning()
		if len(reports) > 0 && s.confirm(reports) {
			s.spec.Report(reports)
			reports = nil
		}
	}
	return wire.ReadLines(bufio.NewReaderSize(conn, 64<<10), func(line []byte) error {
		var e wire.Entry
		if err := e.Decode(line); err != nil {
			return fmt.Errorf("runner of %s: %w", s.spec.Dir, err)
		}
		if e.Kind == wire.EntryStart || e.Kind == wire.EntryEnd {
			s.seen++
			s.track(&e)
			if reports = append(reports, reportOf(&e)); len(reports) == reportLimit {
				report()
			}
			return nil
		}
		report()
		return s.notice(line)
	}, report)
}

// confirm removes the jobs and stops that need not be sent again, and reports whether the session still reports.
func (s *session) confirm(reports []Report) (wanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range reports {
		delete(s.jobs, reports[i].ID)
		if reports[i].Kind == Ended {
			delete(s.stops, reports[i].ID)
		}
	}
	return !s.detached
}

// notice handles a line that is not news of an execution.
func (s *session) notice(line []byte) error {
	var n wire.Notice
	if err := json.Unmarshal(line, &n); err != nil {
		return err
	}
	switch n.Kind {
	case wire.LineHello:
		return s.handleHello(&n)
	case wire.LineHeld:
		s.reportHeld(n.Message)
	case wire.LineClosed:
		if n.LeftCount > 0 {
			s.report(Report{Kind: Leftovers, Time: time.Now(), Left: n.Left, Count: n.LeftCount})
		}
		s.setClosed(n.Survivors)
		if len(n.Survivors) == 0 {
			return io.EOF // nothing follows
		}
	case wire.LineWidth:
		s.spec.Report([]Report{{Kind: Resized, Time: time.Now(), Width: n.Width}})
		s.reportCaughtUp() // each hello is followed by a width, which the runner answers after all earlier news
	case wire.LineBroken: // the runner still takes stops and close, unless it has failed to start
		if !s.greeted && n.Gone {
			return &wire.GoneError{Why: n.Message}
		}
		if !s.greeted {
			return errors.New(n.Message)
		}
		s.breakOff(errors.New(n.Message))
	}
	return nil
}

// keepEnvironment writes the environment file again if it is missing and the caller has given the environment. The runner
// of a run that is closing removes the file itself.
func (s *session) keepEnvironment() {
	s.mu.Lock()
	ending := s.closing || s.detached
	s.mu.Unlock()
	if s.spec.Env != nil && !ending {
		_ = keepEnvironment(s.spec) // the runner reports that it is missing
	}
}

// reportHeld reports why nothing starts, or with "" that the run is not held, unless it was the last that was reported.
func (s *session) reportHeld(why string) {
	if why != "" {
		s.keepEnvironment()
	}
	if s.held != why {
		s.held = why
		s.report(Report{Kind: Held, Time: time.Now(), Message: why})
	}
}

// A versionError says that the runner's version of the protocol is too old or too new for this daemon.
type versionError struct{ pid, version int }

func (e *versionError) Error() string {
	return fmt.Sprintf("the runner (pid %d) speaks version %d of the protocol, this wf %d to %d: restart the daemon with the wf that started the run",
		e.pid, e.version, wire.OldestVersion, wire.Version)
}

// handleHello handles the hello of a runner that has taken over the run. A runner of version 1 does not list the processes
// that it has adopted: these are all that are running.
func (s *session) handleHello(hello *wire.Notice) error {
	if hello.Version > wire.Version || hello.Version < wire.OldestVersion {
		return &versionError{hello.PID, hello.Version}
	}
	adopted := hello.Adopted
	if hello.Version < 2 {
		for _, p := range s.running {
			adopted = append(adopted, p.pid)
		}
	}
	s.runner.claim.settle(hello.PID, adopted)
	s.greeted = true
	s.setGates(hello.Version >= wire.GatesVersion)
	s.setAbilities(hello.Hooks, hello.Launch)
	if hello.Version < wire.GatesVersion { // it starts no jobs by itself
		s.reportCaughtUp()
	}
	s.reportHeld(hello.Message)
	return nil
}

func (s *session) setClosed(survivors []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end.closed, s.end.survivors = true, survivors
}
