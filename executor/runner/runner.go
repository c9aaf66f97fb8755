// Package runner is the process that executes the commands of one run: it forks, stops and reaps them, measures their
// outputs and writes the runner log. It outlives the daemon and decides nothing.
package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/procattr"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// A runner is the process that forks the commands of one run, waits for them, stops them and
// keeps the record. It decides nothing. It lives on without a daemon; the next one connects to it.
//
//	daemon ── commands ──▶ link ──▶ loop ── fork, kill ──▶ processes
//	daemon ◀── news ────── link ◀── loop ◀── deaths ──────────┘
//	                                 │
//	                                 ▼
//	                               record
//
// The order on disk, of one execution and the one that follows from it:
//
//	intent ─ sync ─ fork entry ─ fork ─ start … death ─ end ─ reap ─ announce … intent of the next ─ sync …
//
// What is written survives the death of the runner, what is synced that of the machine. An end is
// announced as soon as it is written: whatever the daemon makes of it has an effect only through
// another intent, and since the record is one file written in order, the sync of that intent is
// the sync of this end. So there is one sync between two commands of a chain. Where jobs wait
// there is none: their intents are synced ahead, together with whatever else is, and the fork
// entry tells which of them have been forked. An end is synced within syncDelay all the same. What
// holds for jobs that come after others is told in gate.go.
//
// One goroutine does it all, and all fields belong to it.
type runner struct {
	options  Options
	dir      string
	pid      int // our own
	record   Log
	null     int // /dev/null, the standard input of all
	env      *environment
	slots    *slots
	forker   forker
	children *proc.ChildList
	poller   *poller

	socket      string // where to listen if dir has no sockets
	listener    int    // to which the next daemon connects
	place       place
	deafTill    time.Time // a connection could not be taken, none is until then; zero = listening
	lonely      lonely
	links       map[int]*link // by descriptor
	link        *link         // to the daemon; nil while there is none
	connections int           // so far
	latest      int           // order of the link that has said hello and counts
	input       []byte        // scratch for reading
	news        []byte        // all that was announced since the run began, as lines: a later daemon wants it

	line       []byte    // scratch for one encoded entry
	pending    []byte    // noted and not announced
	pendingEnd bool      // there is an end among it
	crowded    bool      // and it has let more jobs go than there were places
	pendingAt  time.Time // since when
	unsynced   time.Time // since when the record holds what the disk may not have; zero = it has all
	unwritten  bool      // what was noted is not in the record yet: nothing is announced
	broken     bool      // the record takes nothing any more: nothing is forked or announced
	hold       hold
	observed   time.Time // the latest look at outputs
	tally      tally
	guardedAt  time.Time // when the record was seen in its place

	width   int
	queue   queue
	ahead   ahead
	gates   gates
	known   map[wire.ID]struct{}   // every execution ever asked for: commands may be repeated
	active  map[wire.ID]*execution // those without an end
	running map[int]*execution     // by pid: children whose death has not been recorded

	moreDeaths bool // than were handled in this turn

	heir      *wire.Handover  // what the daemon hands over of the runner before; nil on the first
	successor bool            // an earlier runner has begun this run, and what it left is not below us
	runMarker string          // the one of all commands; "" while there is none
	foreign   chan foreignEnd // an adopted execution has ended: then a byte comes through bell
	bell      [2]int          // a pipe
	hunt      hunt
	left      []wire.Leftover // what the sweep at the end has found, see noteLeftovers
	leftCount int
	closing   bool
	closed    bool
}

// An execution as the runner sees it.
type execution struct {
	job      wire.Job
	pid      int
	handle   int // see child
	born     proc.Window
	slot     *slot // nil when there is no output of ours to measure
	out      wire.Extent
	err      wire.Extent
	number   int // of the slot
	marker   rundir.Marker
	foreign  bool        // started by an earlier runner, not a child of ours
	gone     bool        // the leader has ended
	death    *proc.Death // how; nil when nobody could see it
	stop     *stop       // nil while nobody wants it stopped
	lacks    int         // how many executions have to succeed before it may start; 0 = none any more
	intended bool        // its intent is in the record
	durable  bool        // and on the disk, with the gate still shut; those in the queue know by their place
	waiting  bool        // in the queue
	forked   bool        // an earlier runner was about to fork it, or did
	doubtful bool        // how its process ends says nothing, see adoptForked
	noted    bool        // an earlier runner had the kernel note the child, see birthNote
	mark     string      // of an earlier runner's fork entry
	retries  int         // forks that failed for lack of something
	retryAt  time.Time

	shutSince time.Time // when it was put behind a gate
	files     []string  // kept for it, see keepFile

	observed bool          // it ran at a look at outputs, see observe
	marked   rundir.Sample // what was noted of its output last
}

// runnerProcs is how many goroutines of a runner may run at once: its loop, and now and then the
// collector or a watcher of adopted processes.
const runnerProcs = 2

// Main is the program of a runner process: args are the folder of the run and the path of the
// socket, as Local passes them. It returns the exit code of the process.
func Main(args []string, o Options) int {
	if len(args) >= 4 && args[0] == procattr.HelperOption {
		return procattr.RunHelper(args[1:])
	}
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "runner: started by the daemon only")
		return 2
	}
	runtime.GOMAXPROCS(runnerProcs)
	if err := inheritLink(); err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		return 2
	}
	estate := wire.TakeHandover()
	r, err := newRunner(args[0], args[1], o, estate)
	if err != nil {
		var gone *wire.GoneError
		unix.Write(wire.ConnectionFD, wire.AppendLine(nil, wire.Notice{
			Kind: wire.LineBroken, Message: err.Error(), Gone: errors.As(err, &gone),
		})) // nobody else to tell
		return 1
	}
	if err := r.loopAside(); err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		return 1
	}
	return 0
}

// loopAside runs the loop on a thread that is not the main one, whose list of children then holds
// orphans only and is read faster, see ChildList.
func (r *runner) loopAside() error {
	runtime.LockOSThread() // keeps the main thread, on which a program begins
	ended := make(chan error)
	go func() {
		runtime.LockOSThread()
		ended <- r.loop()
	}()
	return <-ended
}

// sealDescriptors keeps every open descriptor from the commands, also those that the daemon got
// from whoever started it and handed on without knowing.
func sealDescriptors() error {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return err
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// inheritLink takes the connection to the daemon over.
func inheritLink() error {
	if err := sealDescriptors(); err != nil {
		return err
	}
	if err := unix.SetNonblock(wire.ConnectionFD, true); err != nil {
		return fmt.Errorf("connection to the daemon: %w", err)
	}
	return nil
}

// newRunner makes everything ready and takes over from earlier runners. Nothing is forked before the
// socket is there, since the mode of the socket needs a umask that commands must not inherit.
func newRunner(dir, socket string, o Options, estate *wire.Handover) (*runner, error) {
	r := &runner{
		options: o.withDefaults(),
		dir:     dir,
		pid:     os.Getpid(),
		socket:  socket,
		links:   make(map[int]*link),
		input:   make([]byte, readSize),
		known:   make(map[wire.ID]struct{}),
		active:  make(map[wire.ID]*execution),
		running: make(map[int]*execution),
		heir:    estate,
		tally:   tally{file: wire.LockFD},
	}
	if err := proc.BecomeSubreaper(); err != nil {
		return nil, err
	}
	if err := r.openFiles(); err != nil {
		return nil, err
	}
	r.runMarker = rundir.MarkerOf(r.env.base).Run
	var past *past
	if err := r.patiently(func() (err error) {
		past, err = r.openRecord(r.options.OpenLog)
		return err
	}); err != nil {
		return nil, err
	}
	if err := r.listen(); err != nil {
		return nil, err
	}
	if err := r.connected(wire.ConnectionFD); err != nil {
		return nil, err
	}
	r.adopt(past)
	return r, nil
}

func (r *runner) openFiles() (err error) {
	if r.null, err = unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return fmt.Errorf("%s: %w", os.DevNull, err)
	}
	if err := r.patiently(func() error {
		r.env, err = openEnvironment(filepath.Join(r.dir, rundir.EnvironmentFile))
		return err
	}); err != nil {
		return err
	}
	if r.poller, err = newPoller(); err != nil {
		return err
	}
	if err := unix.Pipe(r.bell[:]); err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	for _, fd := range r.bell {
		unix.CloseOnExec(fd)
	}
	if err := r.poller.add(r.bell[0]); err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	r.children = proc.OpenChildList()
	r.slots, err = openSlots(filepath.Join(r.dir, rundir.OutputFolder))
	return err
}

// Delays of what need not be at once.
const (
	syncDelay = 50 * time.Millisecond // of a sync that nothing waits for
	tellDelay = 5 * time.Millisecond  // of news that change nothing for the daemon
	orphanDue = time.Second           // of taking away zombies that were no children of ours
)

// loop takes whatever has happened, and does what follows from it, until the run is closed.
func (r *runner) loop() error {
	for !r.closed {
		ready, died, err := r.poller.wait(r.nextWake(time.Now()))
		if err != nil {
			return err // a bug or a kernel without epoll; the next runner would fare no better
		}
		now := time.Now()
		if died || r.moreDeaths {
			r.mourn(now)
		}
		for _, fd := range ready {
			r.attend(fd, now)
		}
		r.turn(now)
	}
	r.leave()
	return nil
}

// attend looks at a descriptor that has something for us.
func (r *runner) attend(fd int, now time.Time) {
	switch l := r.links[fd]; {
	case l != nil:
		r.converse(l)
	case fd == r.listener:
		r.accept(now)
	case fd == r.bell[0]:
		r.foreignEnded()
	}
}

// mournAtOnce bounds the deaths handled in one turn: where commands are short there is always one
// more, and the daemon wants to be heard and told as well.
const mournAtOnce = 4

// mourn records the deaths there are. Each makes room for another execution at once.
func (r *runner) mourn(now time.Time) {
	for n := 0; ; n++ {
		if r.moreDeaths = n == mournAtOnce; r.moreDeaths {
			return
		}
		d, err := proc.NextDeath()
		if err != nil || d == nil {
			return
		}
		r.died(d)
		r.startNext(now)
	}
}

// turn does what became possible or due.
func (r *runner) turn(now time.Time) {
	r.pursue(now)
	r.relieve(now)
	r.startNext(now)
	r.retractStale(now)
	r.expireIntents(now)
	if !r.unsynced.IsZero() && now.Sub(r.unsynced) >= syncDelay {
		r.sync()
	}
	r.save()
	r.tally.keep(now)
	r.tell(now)
	r.expire(now)
	r.callForDaemon(now)
	r.observe(now)
}

// nextWake returns how long the loop may sleep.
func (r *runner) nextWake(now time.Time) time.Duration {
	if r.moreDeaths {
		return 0
	}
	wake := now.Add(time.Hour)
	sooner := func(t time.Time) {
		if t.Before(wake) {
			wake = t
		}
	}
	if len(r.hunt.stopping) > 0 || r.closing {
		sooner(r.hunt.next)
	}
	if !r.unsynced.IsZero() {
		sooner(r.unsynced.Add(syncDelay))
	}
	if len(r.pending) > 0 && !r.unwritten {
		sooner(r.pendingAt.Add(tellDelay))
	}
	if next, any := r.nextStart(); any {
		sooner(next)
	}
	if due, any := r.tally.due(); any {
		sooner(due)
	}
	if stale, any := r.staleIntents(); any {
		sooner(stale)
	}
	if len(r.running) > 0 || r.successor && len(r.active) > 0 {
		sooner(now.Add(orphanDue))
	}
	if len(r.gates.intended) > 0 {
		sooner(r.gates.intended[0].shutSince.Add(gatePatience))
	}
	if !r.lonely.next.IsZero() {
		if r.place.path != "" {
			sooner(r.place.looked.Add(placePause))
		}
	}
	for _, due := range []time.Time{r.deafTill, r.lonely.next} {
		if !due.IsZero() {
			sooner(due)
		}
	}
	for _, l := range r.links {
		if !l.greeted {
			sooner(l.helloDue)
		}
	}
	return max(0, wake.Sub(now))
}

// tell announces what was noted: at once if the daemon has to decide what comes next, since there
// is a place for an execution and nobody who waits for it, or if it may have places for those that
// wait suddenly, else together with what follows soon.
func (r *runner) tell(now time.Time) {
	if len(r.pending) == 0 {
		return
	}
	if r.pendingAt.IsZero() {
		r.pendingAt = now
	}
	if (r.pendingEnd && (r.crowded || r.going() < r.width)) || now.Sub(r.pendingAt) >= tellDelay {
		r.announce()
	}
}

// announce publishes what was noted since the last time and is written by now.
func (r *runner) announce() {
	if r.unwritten {
		return // they wait
	}
	if len(r.pending) > 0 && !r.broken {
		r.publish(r.pending)
	}
	r.pending, r.pendingEnd, r.crowded, r.pendingAt = r.pending[:0], false, false, time.Time{}
}

// publish adds lines to the news.
func (r *runner) publish(lines []byte) {
	r.news = append(r.news, lines...)
	if r.link != nil {
		r.send(r.link)
	}
}

// note records an entry, and lets it be announced when it is news for the daemon.
func (r *runner) note(e *wire.Entry) {
	if r.broken {
		return
	}
	r.line = e.Append(r.line[:0])
	if err := r.record.Append(r.line); err != nil {
		r.fail(err)
		return
	}
	r.tally.appended++
	switch e.Kind {
	case wire.EntryEnd:
		r.pendingEnd = true
		fallthrough
	case wire.EntryStart:
		r.pending = append(append(r.pending, r.line...), '\n')
	}
	if e.Kind != wire.EntryFork && e.Kind != wire.EntryStart && r.unsynced.IsZero() {
		r.unsynced = time.Now() // a crash of the machine makes the others meaningless anyway
	}
}

// fail gives the run up: a record that takes nothing more cannot vouch for anything. What runs
// goes on and can still be stopped and swept; the daemon is told.
func (r *runner) fail(err error) {
	if r.broken {
		return
	}
	r.broken = true
	r.publish(wire.AppendLine(nil, wire.Notice{Kind: wire.LineBroken, Message: "record: " + err.Error()}))
}

// leave removes what must not outlive the run. Errors do not matter: nobody could act on them.
func (r *runner) leave() {
	if r.link != nil {
		r.drain(r.link)
	}
	unix.Close(r.listener)
	os.Remove(r.place.path)
	os.Remove(filepath.Join(r.dir, birthFile))
	for d, err := proc.NextDeath(); err == nil && d != nil; d, err = proc.NextDeath() {
		proc.Reap(d.PID) // else they would be zombies of the daemon
	}
	r.slots.close()
	r.children.Close()
	if err := r.record.Close(); err != nil && !r.broken {
		fmt.Fprintln(os.Stderr, "runner:", err)
	}
	if info, err := os.Stderr.Stat(); err == nil && info.Size() == 0 {
		os.Remove(filepath.Join(r.dir, rundir.StderrFile)) // nothing to complain of
	}
}
