// Package runner is the process that executes the commands of one run: it forks, stops and reaps them, measures their
// outputs and writes the runner log. It outlives the daemon and decides nothing.
package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/procattr"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// A runner is the process that forks the commands of one run, waits for them, stops them and writes the runner log.
// It decides nothing. It goes on without a daemon, and the next daemon connects to it.
//
//	daemon ── commands ──▶ link ──▶ loop ── fork, kill ──▶ processes
//	daemon ◀── news ────── link ◀── loop ◀── deaths ──────────┘
//	                                 │
//	                                 ▼
//	                             runner log
//
// The order on disk, for one execution and the next one that depends on it:
//
//	intent ─ sync ─ fork entry ─ fork ─ start … death ─ end ─ reap ─ announce … intent of the next ─ sync …
//
// An end and the fork entry of the job that takes its place are written together. A start entry is written with later ones
// if the fork note already has the pid.
//
// What is written survives the death of the runner; what is synced survives a crash of the machine. An end is
// announced as soon as it is written, not only when it is synced: the daemon can act on it only by another job, and
// the log is one file written in order, so the sync of that job's intent also syncs this end. Two commands of a chain
// therefore cost one sync. Jobs that wait for a place cost none: their intents are synced ahead of time, together with
// other entries, and the fork entries say which of the jobs were forked. An end is synced within syncDelay in any
// case. gate.go describes the rules for jobs that wait for others.
//
// One goroutine, the loop, uses all fields. Each field is the state of one part, with the methods that need only
// that part.
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
	boxes    boxes
	closing  closing
	recovery recovery
}

// emptyRunner returns a runner of the run in dir. It has not opened any file yet.
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

// A runnerLog is the runner log and how much of the appended entries is written and synced.
type runnerLog struct {
	file      Log
	line      []byte    // scratch for one encoded entry
	unsynced  time.Time // since when the file may have entries that are not synced; zero = it has none
	urgent    bool      // there are appended entries that must be written in this turn
	unwritten bool      // the last write failed: nothing is announced until one succeeds
	broken    bool      // the file accepts no more entries: nothing is forked or announced
	count     entryCount
	checked   time.Time // when the file was last checked to be in place
}

// children are the processes that this runner has forked.
type children struct {
	running map[int]*execution // by pid, until their end is recorded
	list    *proc.ChildList
	more    bool       // there may be more deaths than this turn has handled
	zombie  *execution // the child whose death is recorded and that is not reaped yet; nil if there is none
}

// closing is the state of the end of the run.
type closing struct {
	requested bool
	done      bool
	left      []wire.Leftover // the first mostLeftovers of the processes that were killed at the end
	leftCount int             // how many were killed
}

// An execution is the runner's state of one job.
type execution struct {
	job         wire.Job
	pid         int
	handle      int // see child.handle
	startWindow proc.Window
	slot        *slot // nil if this runner has no open output files for it
	out         wire.Extent
	err         wire.Extent
	number      int // of the slot
	marker      rundir.Marker
	adopted     bool        // started by an earlier runner, so not a child of this process
	gone        bool        // the leader has ended
	death       *proc.Death // how the leader ended; nil if that is unknown
	stop        *stop       // nil unless it is being stopped
	waitsFor    int         // how many executions still have to succeed before it may start
	intended    bool        // its intent is in the log
	durable     bool        // its intent is synced
	waiting     bool        // it is in the queue
	readySince  int         // the value of jobs.event when it was put into the queue
	earlier     earlierFork
	retries     int // forks that failed because the machine was short of a resource
	retryAt     time.Time

	shutSince time.Time // when it was put behind a gate
	files     []string  // written by commands.keepFile, removed when it ends

	observed bool          // it was running when outputs.observe last ran
	sampled  rundir.Sample // the last sample of its output
}

// An earlierFork is what the runner log contains about the fork of an execution by an earlier runner.
type earlierFork struct {
	forked   bool   // the fork entry is written: the runner was about to fork, or did
	doubtful bool   // its exit status says nothing about the command, see adoptForked
	noted    bool   // the kernel was to write the pid into the fork note, see forkNote
	mark     string // the node variable of the command, from the fork entry
}

// runnerProcs is how many threads of a runner may run Go code at once: the loop, and sometimes the garbage collector
// or a goroutine that waits for an adopted process.
const runnerProcs = 2

// runnerGCPercent lets the heap of a runner, a few MB, grow to its fivefold before it is collected.
const runnerGCPercent = 400

// Main runs a runner process. args are the folder of the run and the path of the socket, as executor.Local passes
// them. It returns the exit status of the process.
func Main(args []string, o Options) int {
	if len(args) >= 4 && args[0] == procattr.HelperOption {
		return procattr.RunHelper(args[1:])
	}
	if len(args) == 2 && args[0] == AroundOption {
		return superviseFrom(args[1])
	}
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "runner: started by the daemon only")
		return 2
	}
	runtime.GOMAXPROCS(runnerProcs)
	debug.SetGCPercent(runnerGCPercent)
	if err := inheritLink(); err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		return 2
	}
	handover := wire.TakeHandover()
	r, err := newRunner(args[0], args[1], o, handover)
	if err != nil {
		var gone *wire.GoneError
		unix.Write(wire.ConnectionFD, wire.AppendLine(nil, wire.Notice{
			Kind: wire.LineBroken, Message: err.Error(), Gone: errors.As(err, &gone),
		})) // the daemon is the only one that can report it
		return 1
	}
	leaveDeaths()
	if err := onOwnThread(r.loop); err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		return 1
	}
	return 0
}

// onOwnThread calls loop on a thread other than the main one. The list of children of that thread contains only orphans that
// this process has adopted, so it is faster to read, see proc.ChildList.
func onOwnThread(loop func() error) error {
	runtime.LockOSThread() // Main is called on the main thread: keep it
	ended := make(chan error)
	go func() {
		runtime.LockOSThread()
		askForShortSlice()
		ended <- loop()
	}()
	return <-ended
}

// sealDescriptors sets close-on-exec on every open descriptor, including those that the daemon inherited from its own
// parent. It does so once: a spare runner does it before it waits.
var sealDescriptors = sync.OnceValue(func() error {
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
})

// inheritLink prepares the connection to the daemon that this process has inherited.
func inheritLink() error {
	if err := sealDescriptors(); err != nil {
		return err
	}
	if err := unix.SetNonblock(wire.ConnectionFD, true); err != nil {
		return fmt.Errorf("connection to the daemon: %w", err)
	}
	return nil
}

// newRunner opens all files and takes over the executions of earlier runners. It opens the socket before the first
// fork: setting the mode of the socket changes the umask for a moment, and commands must not inherit that umask.
func newRunner(dir, socket string, o Options, handover *wire.Handover) (*runner, error) {
	r := emptyRunner(dir, socket, o)
	r.recovery.handover = handover
	r.log.count.file = wire.LockFD
	if err := proc.BecomeSubreaper(); err != nil {
		return nil, err
	}
	if err := r.openFiles(); err != nil {
		return nil, err
	}
	r.commands.marker = rundir.MarkerOf(r.commands.env.base).Run
	var replayed *replayState
	if err := r.options.retryWhileTemporary(func() (err error) {
		replayed, err = r.openLog(r.options.OpenLog)
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
	r.adopt(replayed)
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

// Delays of work that is not urgent.
const (
	syncDelay     = 50 * time.Millisecond // until a sync that nothing waits for
	announceDelay = 15 * time.Millisecond // between two sendings of news to which the daemon need not react
	quietDelay    = 5 * time.Millisecond  // until the first of them is sent after a pause
	orphanDelay   = time.Second           // until zombies are reaped that this runner has not forked
)

// loop handles what has happened, turn by turn, until the run is closed.
func (r *runner) loop() error {
	for !r.closing.done {
		ready, died, err := r.poller.wait(r.nextWake(time.Now()))
		if err != nil {
			return err // a bug, or a kernel without epoll: another runner would fail, too
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
	r.cleanUp()
	return nil
}

// handleReady serves a descriptor that can be read or written.
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

// deathsAtOnce is how many deaths one turn handles. With short commands there is always one more, and the daemon must
// get its turn.
const deathsAtOnce = 4

// reapDeaths records the children that have died. After each it starts the next execution at once, so that the end and
// the next fork entry are written together.
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
		r.reapEnded()
	}
}

// turn does what has become possible or due.
func (r *runner) turn(now time.Time) {
	r.boxes.expire(now)
	r.advanceStops(now)
	r.endHold(now)
	r.startNext(now)
	r.retractStale(now)
	r.jobs.gates.expireIntents(now, r.unintend)
	if r.jobs.runsLow() || !r.log.unsynced.IsZero() && now.Sub(r.log.unsynced) >= syncDelay {
		r.sync()
	}
	r.jobs.forked = false
	if r.log.urgent || r.log.unwritten {
		r.save()
	}
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
	if len(r.boxes.enders) > 0 {
		sooner(r.boxes.expire(now))
	}
	if !r.log.unsynced.IsZero() {
		sooner(r.log.unsynced.Add(syncDelay))
	}
	if len(r.news.pending) > 0 && !r.log.unwritten {
		sooner(r.news.dueTime())
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
		sooner(r.jobs.gates.intended[0].shutSince.Add(intentLifetime))
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

// announce sends the pending news if they are due.
func (r *runner) announce(now time.Time) {
	if r.news.due(now, &r.jobs) {
		r.announceNow()
	}
}

// announceNow writes the log and sends the entries that were written since the last announcement. If they cannot be
// written, they wait, unless the folder of the run has been removed: then nobody can find the log, and the daemon, which
// must hear how the run ends, is the only one who can record it.
func (r *runner) announceNow() {
	if r.save(); r.log.unwritten && !folderGone(r.dir) {
		return
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
	r.log.urgent = true
	r.news.add(e.Kind, r.log.line)
}

// fail gives up the run because its log accepts no more entries. Running commands go on and can still be stopped and
// killed; the daemon gets a notice.
func (r *runner) fail(err error) {
	if r.log.broken {
		return
	}
	r.log.broken = true
	r.links.publish(wire.AppendLine(nil, wire.Notice{Kind: wire.LineBroken, Message: "runner log: " + err.Error()}))
}

// cleanUp ends what is still open after finish. The daemon may have recorded the end of the run already.
func (r *runner) cleanUp() {
	if r.links.current != nil {
		r.links.drain(r.links.current)
	}
	unix.Close(r.listener.fd)
	for d, err := proc.NextDeath(); err == nil && d != nil; d, err = proc.NextDeath() {
		proc.Reap(d.PID) // otherwise they would become zombies of the daemon
	}
	r.outputs.slots.close()
	r.children.list.Close()
	_ = r.log.file.Close() // the entries are synced
}
