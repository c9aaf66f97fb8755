package executor

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/wire"
)

// A session is the daemon's end of a run. Two goroutines serve a connection: follow reads and
// reports, write sends what Start, Stop and Close leave for it.
type session struct {
	spec   Spec
	runner *runnerHandle
	wake   chan struct{} // capacity 1: there is something to send
	retry  chan struct{} // capacity 1: a held session is to try again at once
	done   chan struct{} // closed when follow ends: nothing is reported any more

	// Of the goroutine of follow, until done is closed.
	seen     int              // lines of news taken
	held     string           // why nothing starts, as reported last
	running  map[ID]processID // what has started and not ended
	greeted  bool             // the runner of this conversation has said hello
	caughtUp bool             // everything of earlier sessions has been reported
	crashes  crashes
	tried    bool // an end was wanted, and the runner died of it

	mu       sync.Mutex      // guards what follows; never held while waiting or reporting
	conn     syscall.RawConn // of the conversation that is going on; nil between two
	writing  bool            // the writer is sending: what comes now has to come after it
	unsent   []byte
	width    int
	handed   int // jobs taken so far, for their order
	jobs     map[ID]sentJob
	gates    bool             // the runner that said hello last knows gates
	stops    map[ID]time.Time // what is being stopped, and until when it has grace
	closing  bool
	detached bool

	end sessionEnd
}

// A sessionEnd is how a session has ended, or the zero value while it has not.
type sessionEnd struct {
	closed    bool
	survivors []int
	lost      error // why the session is broken; nothing is started any more
}

// A sentJob is one that the runner has not confirmed: it is sent again to the next runner.
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

// errClosed says that a session takes nothing any more.
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

// Close waits for the runner to sweep and end. When ctx ends first the sweep goes on, and a second
// Close waits for it again.
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
	if err != nil {
		return nil, errors.Join(err, s.runner.forget())
	}
	if err := s.runner.awaitEnd(ctx); err != nil {
		return survivors, err
	}
	return append(survivors, s.runner.claim.killOrphans()...), nil
}

// outcome is how the run was closed, once follow has ended.
func (s *session) outcome() ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.end.closed:
		return s.end.survivors, nil
	case s.end.lost != nil:
		return nil, s.end.lost
	}
	return nil, errClosed // let go of, not closed
}

// Detach does not wait, not even for what Report is doing: its caller may be who Report waits for.
func (s *session) Detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detached = true
	s.Retry()
	s.signal() // the writer sends what was handed over and then hangs up
}

// Signal sends what can be sent without waiting, and leaves the rest to the writer: waking it costs
// more than the sending. The caller holds mu.
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

// writeNow makes one try and returns how many bytes were taken. An error is seen by the reader, too.
func writeNow(conn syscall.RawConn, lines []byte) int {
	n := 0
	conn.Write(func(fd uintptr) bool {
		n, _ = unix.Write(int(fd), lines)
		return true
	})
	return max(0, n)
}

// prepareHello makes what is to be sent the beginning of a conversation: all that a runner which knows
// nothing has to know. It ignores what it does know.
func (s *session) prepareHello() {
	s.mu.Lock()
	defer s.mu.Unlock()
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
}

// follow keeps the conversation up until the run is closed, lost or detached from. err is why there is
// no conn to begin with.
func (s *session) follow(conn net.Conn, err error) {
	defer close(s.done)
	defer s.runner.unwatchAll()
	defer s.runner.claim.remove()
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
		s.prepareHello()
	}
}

// breakOff breaks the session and makes that its last report.
func (s *session) breakOff(why error) {
	s.mu.Lock()
	s.end.lost = why
	wanted := !s.detached
	s.mu.Unlock()
	if wanted {
		s.spec.Report([]Report{{Kind: Broken, Time: time.Now(), Message: why.Error()}})
	}
}

// over reports whether there is nobody to talk with, or for, any more.
func (s *session) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.closed || s.end.lost != nil || s.detached
}

// A processID is what a start told of a process.
type processID struct {
	pid  int
	born proc.Window
}

// track keeps account of what runs. The zombie of a process that a dead runner has left to us is taken
// away only now: until the next runner had seen it, it was the only one to tell how the process ended.
func (s *session) track(e *wire.Entry) {
	id := e.ID()
	if e.Kind == wire.EntryStart {
		s.running[id] = processID{e.PID, e.Born}
		return
	}
	if p, ok := s.running[id]; ok {
		s.runner.claim.release(p.pid)
		s.runner.unwatch(id)
		delete(s.running, id)
	}
}

// watchRunning keeps handles of what runs, where its runner's death would leave it to somebody else.
func (s *session) watchRunning() {
	if !s.greeted || s.runner.claim.inherits() {
		return
	}
	for id, p := range s.running {
		s.runner.watch(id, p.pid, p.born)
	}
}

// serve talks over one connection until it ends.
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

// write sends what is there whenever wake says so, until stop is closed.
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
			return // read sees the same and ends the conversation
		}
	}
}

// reportLimit bounds how many reports are handed on together.
const reportLimit = 512

// read takes what the runner sends and reports it, as much at a time as has arrived.
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

// confirm forgets what needs no repetition any more, and says whether anybody wants the reports.
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

// Notice handles a line that is not news of an execution.
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
			s.report(Report{Kind: Swept, Time: time.Now(), Left: n.Left, Count: n.LeftCount})
		}
		s.setClosed(n.Survivors)
	case wire.LineWidth:
		s.spec.Report([]Report{{Kind: Resized, Time: time.Now(), Width: n.Width}})
		s.reportCaughtUp() // a width follows every hello, and is answered behind all news of before
	case wire.LineBroken: // it may still be told to stop and to close, unless it has not even begun
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

// keepEnvironment writes the environment of the run again if it is gone and this daemon was given it. The runner
// of a run that is closing removes it.
func (s *session) keepEnvironment() {
	s.mu.Lock()
	ending := s.closing || s.detached
	s.mu.Unlock()
	if s.spec.Env != nil && !ending {
		_ = keepEnvironment(s.spec) // the runner says that it lacks it
	}
}

// reportHeld reports why nothing starts at present, or with "" that it goes on, if that is not known.
func (s *session) reportHeld(why string) {
	if why != "" {
		s.keepEnvironment()
	}
	if s.held != why {
		s.held = why
		s.report(Report{Kind: Held, Time: time.Now(), Message: why})
	}
}

// A versionError says that a runner is too old or too new for this daemon.
type versionError struct{ pid, version int }

func (e *versionError) Error() string {
	return fmt.Sprintf("the runner (pid %d) speaks version %d of the protocol, this wf %d to %d: restart the daemon with the wf that began the run",
		e.pid, e.version, wire.OldestVersion, wire.Version)
}

// handleHello takes the hello of a runner: it has taken over, and follows what it says it has adopted. One of
// the version before does not say: then that is all that runs.
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
	if hello.Version < wire.GatesVersion { // it begins nothing by itself
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
