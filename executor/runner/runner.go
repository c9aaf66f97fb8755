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
// One goroutine, the loop, uses all of this. Each field is the state of one part, with the methods that need no other.
type runner struct {
	options Options
	dir     string // of the run
	pid     int    // our own

	log      runnerLog
	news     news
	listener listener
	links    links
	restart  daemonRestart
	jobs     jobs
	hold     hold
	commands commands
	outputs  outputs
	children children
	poller   *poller
	stops    stops
	closing  closing
	recovery recovery
}

// emptyRunner returns a runner of the run in dir that has opened nothing yet.
func emptyRunner(dir, socket string, o Options) *runner {
	r := &runner{
		options:  o.withDefaults(),
		dir:      dir,
		pid:      os.Getpid(),
		listener: listener{dir: dir, second: socket},
		jobs:     jobs{known: make(map[wire.ID]struct{}), active: make(map[wire.ID]*execution)},
		commands: commands{dir: dir, env: &environment{}},
		children: children{running: make(map[int]*execution)},
	}
	r.news.log = &r.log
	r.links = links{all: make(map[int]*link), input: make([]byte, readSize), news: &r.news}
	r.stops = stops{pid: r.pid, children: &r.children}
	return r
}

// runnerLog is the runner log, and how much of what was appended is where.
type runnerLog struct {
	file      Log
	line      []byte    // scratch for one encoded entry
	unsynced  time.Time // since when the file has entries that may not be on the disk; zero = it has none
	unwritten bool      // appended entries could not be written: nothing is announced until they are
	broken    bool      // the log takes nothing any more: nothing is forked or announced
	count     entryCount
	checked   time.Time // when the file was last seen in its place
}

// children are the processes that this runner has forked.
type children struct {
	running map[int]*execution // by pid, until their end is appended
	list    *proc.ChildList
	more    bool // there may be more deaths than were handled in this turn
}

// closing is how far the end of the run has come.
type closing struct {
	requested bool
	done      bool
	left      []wire.Leftover // some of the processes that were killed at the end
	leftCount int             // how many these were
}

// An execution as the runner sees it.
type execution struct {
	job         wire.Job
	pid         int
	handle      int // see child
	startWindow proc.Window
	slot        *slot // nil when there is no output of ours to measure
	out         wire.Extent
	err         wire.Extent
	number      int // of the slot
	marker      rundir.Marker
	adopted     bool        // started by an earlier runner, not a child of ours
	gone        bool        // the leader has ended
	death       *proc.Death // how; nil when nobody could see it
	stop        *stop       // nil while nobody wants it stopped
	lacks       int         // how many executions have to succeed before it may start; 0 = none any more
	intended    bool        // its intent is in the record
	durable     bool        // and on the disk, with the gate still shut; those in the queue know by their place
	waiting     bool        // in the queue
	earlier     earlierFork
	retries     int // forks that failed for lack of something
	retryAt     time.Time

	shutSince time.Time // when it was put behind a gate
	files     []string  // kept for it, see commands.keepFile

	observed bool          // it ran at a look at outputs, see observe
	marked   rundir.Sample // what was noted of its output last
}

// An earlierFork is what the runner log contains about the fork of an execution by an earlier runner.
type earlierFork struct {
	forked   bool   // the fork entry is written: the runner was about to fork, or did
	doubtful bool   // how the process ends says nothing, see adoptForked
	noted    bool   // the kernel noted the child, see forkNote
	mark     string // of the fork entry
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
	if err := aside(r.loop); err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		return 1
	}
	return 0
}

// aside calls loop on a thread that is not the main one, whose list of children then contains orphans only and is read
// faster, see proc.ChildList.
func aside(loop func() error) error {
	runtime.LockOSThread() // keeps the main thread, on which a program begins
	ended := make(chan error)
	go func() {
		runtime.LockOSThread()
		ended <- loop()
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
	r := emptyRunner(dir, socket, o)
	r.recovery.handover = estate
	r.log.count.file = wire.LockFD
	if err := proc.BecomeSubreaper(); err != nil {
		return nil, err
	}
	if err := r.openFiles(); err != nil {
		return nil, err
	}
	r.commands.marker = rundir.MarkerOf(r.commands.env.base).Run
	var past *replayState
	if err := r.options.retryWhileTemporary(func() (err error) {
		past, err = r.openRecord(r.options.OpenLog)
		return err
	}); err != nil {
		return nil, err
	}
	if err := r.listener.open(); err != nil {
		return nil, err
	}
	if err := r.links.add(wire.ConnectionFD); err != nil {
		return nil, err
	}
	r.adopt(past)
	return r, nil
}

func (r *runner) openFiles() (err error) {
	if r.commands.null, err = unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return fmt.Errorf("%s: %w", os.DevNull, err)
	}
	if err := r.options.retryWhileTemporary(func() error {
		r.commands.env, err = openEnvironment(filepath.Join(r.dir, rundir.EnvironmentFile))
		return err
	}); err != nil {
		return err
	}
	if r.poller, err = newPoller(); err != nil {
		return err
	}
	if err := unix.Pipe(r.recovery.wake[:]); err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	for _, fd := range r.recovery.wake {
		unix.CloseOnExec(fd)
	}
	if err := r.poller.add(r.recovery.wake[0]); err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	r.children.list = proc.OpenChildList()
	r.listener.poller, r.links.poller = r.poller, r.poller
	r.outputs.slots, err = openSlots(filepath.Join(r.dir, rundir.OutputFolder))
	return err
}

// Delays of what need not be at once.
const (
	syncDelay     = 50 * time.Millisecond // of a sync that nothing waits for
	announceDelay = 5 * time.Millisecond  // of news that change nothing for the daemon
	orphanDelay   = time.Second           // of taking away zombies that were no children of ours
)

// loop takes whatever has happened, and does what follows from it, until the run is closed.
func (r *runner) loop() error {
	for !r.closing.done {
		ready, died, err := r.poller.wait(r.nextWake(time.Now()))
		if err != nil {
			return err // a bug or a kernel without epoll; the next runner would fare no better
		}
		now := time.Now()
		if died || r.children.more {
			r.reapDeaths(now)
		}
		for _, fd := range ready {
			r.handleReady(fd, now)
		}
		r.turn(now)
	}
	r.leave()
	return nil
}

// handleReady looks at a descriptor that has something for us.
func (r *runner) handleReady(fd int, now time.Time) {
	switch l := r.links.all[fd]; {
	case l != nil:
		r.receive(l)
	case fd == r.listener.fd:
		r.links.accept(&r.listener, now)
	case fd == r.recovery.wake[0]:
		r.handleAdoptedEnds()
	}
}

// deathsAtOnce bounds the deaths handled in one turn: where commands are short there is always one
// more, and the daemon wants to be heard and told as well.
const deathsAtOnce = 4

// reapDeaths records the deaths there are. Each makes room for another execution at once.
func (r *runner) reapDeaths(now time.Time) {
	for n := 0; ; n++ {
		if r.children.more = n == deathsAtOnce; r.children.more {
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
	r.advanceStops(now)
	r.endHold(now)
	r.startNext(now)
	r.retractStale(now)
	r.jobs.gates.expireIntents(now, r.unintend)
	if !r.log.unsynced.IsZero() && now.Sub(r.log.unsynced) >= syncDelay {
		r.sync()
	}
	r.save()
	r.log.count.keep(now)
	r.announce(now)
	r.listener.expire(now)
	r.links.expire(now)
	r.restartDaemon(now)
	r.outputs.observe(now, r.children.running, r.adopted)
}

// nextWake returns how long the loop may sleep.
func (r *runner) nextWake(now time.Time) time.Duration {
	if r.children.more {
		return 0
	}
	wake := now.Add(time.Hour)
	sooner := func(t time.Time) {
		if t.Before(wake) {
			wake = t
		}
	}
	if len(r.stops.stopping) > 0 || r.closing.requested {
		sooner(r.stops.next)
	}
	if !r.log.unsynced.IsZero() {
		sooner(r.log.unsynced.Add(syncDelay))
	}
	if len(r.news.pending) > 0 && !r.log.unwritten {
		sooner(r.news.since.Add(announceDelay))
	}
	if next, any := r.nextStart(); any {
		sooner(next)
	}
	if due, any := r.log.count.due(); any {
		sooner(due)
	}
	if stale, any := r.jobs.staleIntents(); any && r.links.held == "" && !r.log.broken {
		sooner(stale)
	}
	if len(r.children.running) > 0 || r.recovery.successor && len(r.jobs.active) > 0 {
		sooner(now.Add(orphanDelay))
	}
	if len(r.jobs.gates.intended) > 0 {
		sooner(r.jobs.gates.intended[0].shutSince.Add(gatePatience))
	}
	if !r.restart.next.IsZero() {
		if r.listener.place.path != "" {
			sooner(r.listener.place.looked.Add(placePause))
		}
	}
	for _, due := range []time.Time{r.listener.closedUntil, r.restart.next} {
		if !due.IsZero() {
			sooner(due)
		}
	}
	for _, l := range r.links.all {
		if !l.greeted {
			sooner(l.helloDue)
		}
	}
	return max(0, wake.Sub(now))
}

// announce publishes what was appended: at once if the daemon has to decide what comes next, since there is a place
// for an execution and no job waits for it, or if it may suddenly have places for the jobs that wait; otherwise
// together with what follows soon.
func (r *runner) announce(now time.Time) {
	if r.news.due(now, r.jobs.going() < r.jobs.width) {
		r.announceNow()
	}
}

// announceNow publishes what was appended since the last time and is written.
func (r *runner) announceNow() {
	if r.log.unwritten {
		return // the entries wait until they are written
	}
	if lines := r.news.take(); len(lines) > 0 && !r.log.broken {
		r.links.publish(lines)
	}
}

// note appends an entry to the log, and to the news if it is for the daemon.
func (r *runner) note(e *wire.Entry) {
	if r.log.broken {
		return
	}
	if err := r.log.append(e); err != nil {
		r.fail(err)
		return
	}
	r.news.add(e.Kind, r.log.line)
}

// fail gives the run up: a record that takes nothing more cannot vouch for anything. What runs
// goes on and can still be stopped and swept; the daemon is told.
func (r *runner) fail(err error) {
	if r.log.broken {
		return
	}
	r.log.broken = true
	r.links.publish(wire.AppendLine(nil, wire.Notice{Kind: wire.LineBroken, Message: "record: " + err.Error()}))
}

// leave removes what must not outlive the run. Errors do not matter: nobody could act on them.
func (r *runner) leave() {
	if r.links.current != nil {
		r.links.drain(r.links.current)
	}
	unix.Close(r.listener.fd)
	os.Remove(r.listener.place.path)
	os.Remove(filepath.Join(r.dir, forkNoteFile))
	for d, err := proc.NextDeath(); err == nil && d != nil; d, err = proc.NextDeath() {
		proc.Reap(d.PID) // else they would be zombies of the daemon
	}
	r.outputs.slots.close()
	r.children.list.Close()
	if err := r.log.file.Close(); err != nil && !r.log.broken {
		fmt.Fprintln(os.Stderr, "runner:", err)
	}
	if info, err := os.Stderr.Stat(); err == nil && info.Size() == 0 {
		os.Remove(filepath.Join(r.dir, rundir.StderrFile)) // nothing to complain of
	}
}
