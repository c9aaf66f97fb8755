package executor

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A runner is the process that forks the commands of one run, waits for them, stops them and
// keeps the record. It decides nothing. It lives on without a daemon; the next one connects to it.
//
//	daemon ── commands ──▶ link ──▶ loop ── fork, kill ──▶ processes
//	daemon ◀── news ────── link ◀── loop ◀── deaths ────── reaper
//	                                 │
//	                                 ▼  intent before the fork, end before it is announced
//	                               record
//
// All fields belong to the loop's goroutine, except the channels.
type runner struct {
	dir      string
	pid      int // our own
	record   Record
	null     int // /dev/null, the standard input of all
	env      *environment
	slots    *slots
	children *childList
	listener *net.UnixListener

	batches chan batch       // what the daemon wants
	links   chan *link       // a daemon has connected
	deaths  chan deathNotice // from the reaper
	rearm   chan struct{}    // lets the reaper wait again
	foreign chan foreignEnd  // an adopted execution has ended

	link    *link // to the daemon; nil while there is none
	newest  int   // the order of the newest link so far
	news    *news // what it is told
	pending []byte
	line    []byte // scratch for one encoded entry
	unsaved bool   // the record holds something that the disk may not have yet
	broken  bool   // the record takes nothing any more: nothing is forked or announced

	known    map[ID]struct{}    // every execution ever asked for: commands may be repeated
	active   map[ID]*execution  // those without an end
	running  map[int]*execution // by pid: children whose death has not been recorded
	starting []*execution       // to be forked after the next commit

	successor  bool   // an earlier runner has begun this run, and what it left is not below us
	runMarker  string // the one of all commands; "" while there is none
	reaperIdle bool   // there was no child to wait for
	hunt       hunt
	closing    bool
	closed     bool
}

// An execution as the runner sees it.
type execution struct {
	job     Job
	pid     int
	born    window
	slot    *slot // nil when there is no output of ours to measure
	out     extent
	err     extent
	number  int // of the slot
	marker  marker
	foreign bool   // started by an earlier runner, not a child of ours
	gone    bool   // the leader has ended
	death   *death // how; nil when nobody could see it
	stop    *stop  // nil while nobody wants it stopped
	retries int    // forks that failed for lack of something
	retryAt time.Time
}

// A death is how a process ended.
type death struct {
	pid          int
	code, signal int
	user, system time.Duration
}

type deathNotice struct {
	death *death
	err   error
}

// The descriptors with which Local starts a runner, after the standard three.
const (
	firstLinkFD = 3 // the connection to the daemon that started it
	lockFD      = 4 // the run's lock, held as long as the runner lives
)

// RunRunner is the program of a runner process: args are the folder of the run and the path of the
// socket, as Local passes them. It returns the exit code of the process.
func RunRunner(args []string, open OpenRecord) int {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "runner: started by the daemon only")
		return 2
	}
	conn, err := inheritedLink()
	if err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		return 2
	}
	r, err := newRunner(args[0], args[1], open)
	if err != nil {
		conn.Write(appendLine(nil, notice{Kind: lineBroken, Message: err.Error()})) // nobody else to tell
		return 1
	}
	go r.serve(conn, 0)
	r.loop()
	return 0
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

// inheritedLink takes the connection to the daemon over.
func inheritedLink() (net.Conn, error) {
	if err := sealDescriptors(); err != nil {
		return nil, err
	}
	file := os.NewFile(firstLinkFD, "daemon")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("connection to the daemon: %w", err)
	}
	return conn, nil
}

// newRunner makes everything ready and takes over from earlier runners. Nothing is forked before the
// socket is there, since the mode of the socket needs a umask that commands must not inherit.
func newRunner(dir, socket string, open OpenRecord) (*runner, error) {
	r := &runner{
		dir:        dir,
		pid:        os.Getpid(),
		news:       &news{},
		batches:    make(chan batch),
		links:      make(chan *link),
		deaths:     make(chan deathNotice),
		rearm:      make(chan struct{}, 1),
		foreign:    make(chan foreignEnd),
		known:      make(map[ID]struct{}),
		active:     make(map[ID]*execution),
		running:    make(map[int]*execution),
		reaperIdle: true,
	}
	if err := BecomeSubreaper(); err != nil {
		return nil, err
	}
	if err := r.openFiles(); err != nil {
		return nil, err
	}
	past, err := r.openRecord(open)
	if err != nil {
		return nil, err
	}
	if err := r.listen(socket); err != nil {
		return nil, err
	}
	r.adopt(past)
	go r.reapLoop()
	return r, nil
}

func (r *runner) openFiles() (err error) {
	if r.null, err = unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return fmt.Errorf("%s: %w", os.DevNull, err)
	}
	if r.env, err = loadEnvironment(filepath.Join(r.dir, environmentFile)); err != nil {
		return err
	}
	r.children = openChildList()
	r.slots, err = openSlots(filepath.Join(r.dir, outputFolder))
	return err
}

// loop takes whatever has happened, and everything else that has happened by then, and commits it
// together: one write and one sync of the record for all of it.
func (r *runner) loop() {
	timer := time.NewTimer(time.Hour)
	for !r.closed {
		timer.Reset(r.nextWake())
		select {
		case b := <-r.batches:
			r.take(b)
		case l := <-r.links:
			r.attach(l)
		case n := <-r.deaths:
			r.mourn(n)
		case f := <-r.foreign:
			r.foreignEnded(f)
		case <-timer.C:
		}
		r.turn(time.Now())
	}
	r.leave()
}

// turn is one round of the order on disk: exits and intents, sync, announce, fork, starts.
func (r *runner) turn(now time.Time) {
	r.pursue(now)
	starting := r.intend(now)
	r.commit()
	for _, e := range starting {
		r.start(e)
	}
	r.flush()
}

// commit brings what was recorded to the disk and then announces it.
func (r *runner) commit() {
	if r.unsaved && !r.broken {
		if err := r.record.Sync(); err != nil {
			r.fail(err)
		}
		r.unsaved = false
	}
	r.announce()
}

// flush brings what was recorded into the file and announces it: enough for starts, which a crash
// of the machine makes meaningless anyway.
func (r *runner) flush() {
	if len(r.pending) == 0 || r.broken {
		return
	}
	if r.unsaved {
		r.commit()
		return
	}
	if err := r.record.Flush(); err != nil {
		r.fail(err)
	}
	r.announce()
}

// announce publishes what was noted since the last time.
func (r *runner) announce() {
	if len(r.pending) == 0 {
		return
	}
	if !r.broken {
		r.publish(r.pending)
	}
	r.pending = r.pending[:0]
}

// publish adds lines to the news.
func (r *runner) publish(lines []byte) {
	r.news.add(lines)
	if r.link != nil {
		r.link.wake()
	}
}

// note records an entry, and lets it be announced when it is news for the daemon.
func (r *runner) note(e *entry) {
	if r.broken {
		return
	}
	r.line = e.append(r.line[:0])
	if err := r.record.Append(r.line); err != nil {
		r.fail(err)
		return
	}
	if e.Kind == entryStart || e.Kind == entryEnd {
		r.pending = append(append(r.pending, r.line...), '\n')
	}
}

// fail gives the run up: a record that takes nothing more cannot vouch for anything. What runs
// goes on and can still be stopped and swept; the daemon is told.
func (r *runner) fail(err error) {
	if r.broken {
		return
	}
	r.broken = true
	r.starting = nil
	r.publish(appendLine(nil, notice{Kind: lineBroken, Message: "record: " + err.Error()}))
}

// leave removes what must not outlive the run. Errors do not matter: nobody could act on them.
func (r *runner) leave() {
	if r.link != nil {
		r.link.drain()
	}
	r.listener.Close() // removes the socket
	for d, err := nextDeath(false); err == nil && d != nil; d, err = nextDeath(false) {
		reap(d.pid) // else they would be zombies of the daemon
	}
	r.slots.close()
	if err := r.record.Close(); err != nil && !r.broken {
		fmt.Fprintln(os.Stderr, "runner:", err)
	}
	if info, err := os.Stderr.Stat(); err == nil && info.Size() == 0 {
		os.Remove(filepath.Join(r.dir, logFile)) // nothing to complain of
	}
}

// reapLoop waits for a death, tells the loop and waits for leave to look again: only the loop
// takes zombies away.
func (r *runner) reapLoop() {
	for range r.rearm {
		d, err := nextDeath(true)
		r.deaths <- deathNotice{d, err}
	}
}

// mourn records the death the reaper saw and all others there are.
func (r *runner) mourn(n deathNotice) {
	err := n.err
	for d := n.death; err == nil && d != nil; d, err = nextDeath(false) {
		r.died(d)
	}
	r.reaperIdle = errors.Is(err, unix.ECHILD) && len(r.running) == 0
	if !r.reaperIdle {
		r.rearm <- struct{}{}
	}
}
