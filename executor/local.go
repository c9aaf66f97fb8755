package executor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/ownfile"
	"wf/executor/proc"
	"wf/executor/procattr"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// Local executes on this machine. It starts one runner process per run, which does the work and
// outlives the daemon.
type Local struct {
	// Program is the command that becomes a runner (see Main); the folder of the run and the
	// path of the runner's socket are appended.
	Program []string
	// Sockets is a folder for the sockets of runners that cannot have theirs in the folder of the run:
	// mode 0700, the same after a restart of the daemon. It is created if need be and possible.
	Sockets string
	// Env is the environment of the runners, not of commands: what Program needs to start a daemon
	// again when none is there any more.
	Env []string

	once   sync.Once
	reaper *reaper // set by wardens
}

// sharedReaper returns the account of the dead, which all sessions share.
func (l *Local) sharedReaper() *reaper {
	l.once.Do(func() { l.reaper = newReaper() })
	return l.reaper
}

// Open begins or follows a run. When a run is followed and its runner does not come up, that is
// reported as Held, and tried again: it may have commands that are running.
func (l *Local) Open(ctx context.Context, spec Spec) (Session, error) {
	if err := l.prepare(spec); err != nil {
		return nil, err
	}
	s := newSession(spec, &runnerHandle{
		program: l.Program, env: l.Env, dir: spec.Dir, cwd: spec.Cwd, socket: wire.SecondSocket(l.Sockets, spec.Dir), claim: l.sharedReaper().add(runMarkerOf(spec.Dir)),
		marker: rundir.MarkerOf(spec.Env).Run, everStarted: spec.Env == nil, world: spec.World,
	})
	_, fresh := os.Stat(filepath.Join(spec.Dir, rundir.RunnerLogFile))
	conn, err := s.runner.connect(ctx)
	var gone *wire.GoneError
	if err != nil && fresh != nil && !errors.As(err, &gone) {
		s.runner.claim.remove()
		return nil, err
	}
	s.prepareHello()
	go s.follow(conn, err)
	return s, nil
}

// prepare makes the folders and keeps the environment.
func (l *Local) prepare(spec Spec) error {
	_ = os.MkdirAll(l.Sockets, 0o700) // runners do without it where they can
	if spec.Env == nil {
		return rundir.DropUnfinished(filepath.Join(spec.Dir, rundir.EnvironmentFile))
	}
	return keepEnvironment(spec)
}

// keepEnvironment writes the environment of a run where there is none.
func keepEnvironment(spec Spec) error {
	// What a shell would tell its child about the folder, so that going without one is no different.
	env := slices.DeleteFunc(slices.Clone(spec.Env), func(v string) bool { return rundir.SameKey(v, "PWD") })
	env = append(env, "PWD="+spec.Cwd)
	err := rundir.WriteEnvironment(filepath.Join(spec.Dir, rundir.EnvironmentFile), env)
	if errors.Is(err, fs.ErrExist) {
		return nil // followed again: the run keeps what it began with
	}
	return err
}

// runMarkerOf returns the marker of the run in dir, "" if it cannot be known any more.
func runMarkerOf(dir string) string {
	env, _, err := rundir.ReadEnvironment(filepath.Join(dir, rundir.EnvironmentFile))
	if err != nil {
		return "" // the runner says so
	}
	return rundir.MarkerOf(env).Run
}

// A runnerHandle finds the runner of a run, or starts one. Its methods are called by one goroutine
// at a time.
type runnerHandle struct {
	program  []string
	env      []string
	dir, cwd string
	socket   string // where its runner listens if it cannot in dir
	claim    *claim
	world    []byte // of the commands, see Spec.World
	marker   string // of the run, see marker.run; "" where only the environment file tells

	// Of the goroutine that connects.

	everStarted bool       // there has been a runner, so that there must be something of it
	handles     map[ID]int // of what runs below a runner that is not below us, see heir

	mu   sync.Mutex      // guards gone
	gone <-chan struct{} // closed when the runner we started has been reaped; nil if we did not
}

const (
	connectPause    = 5 * time.Millisecond
	connectPatience = 10 * time.Second
)

// connect returns a connection to the living runner, or to a new one. A runner that holds the lock
// but does not listen yet, or no more, is waited for.
func (h *runnerHandle) connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	for pause := connectPause; ; pause *= 2 {
		conn, dialErr := wire.Dial(ctx, h.dir, h.socket)
		if dialErr == nil {
			return conn, nil
		}
		conn, err := h.start(ctx)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("runner of %s does not answer: %w", h.dir, dialErr)
		case <-time.After(pause):
		}
	}
}

// start starts a runner under the run's lock. The error is EWOULDBLOCK when one lives.
func (h *runnerHandle) start(ctx context.Context) (net.Conn, error) {
	lock, err := h.lock()
	if err != nil {
		return nil, err
	}
	defer lock.Close() // the runner's copy holds the lock
	// The lock is free before the children of the one who held it are anybody else's.
	if err := h.awaitEnd(ctx); err != nil {
		return nil, fmt.Errorf("the runner before does not end: %w", err)
	}
	ours, theirs, err := connectionPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	if err := h.spawn(theirs, lock); err != nil {
		ours.Close()
		return nil, err
	}
	return ours, nil
}

// lock takes the run's lock. The error is EWOULDBLOCK when a runner has it.
// A *GoneError means that nobody has it, and nobody may.
func (h *runnerHandle) lock() (*os.File, error) {
	if err := h.checkLogPresent(); err != nil {
		return nil, err
	}
	if err := fault.Check(fault.OpLock, h.dir); err != nil {
		return nil, err
	}
	file, err := ownfile.Open(filepath.Join(h.dir, rundir.LockFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock of the run: %w", err)
	}
	return file, nil
}

// spawn starts the process and sees that it is reaped. It gets no secret through its environment,
// which every process of this user could read, and its arguments name only files.
func (h *runnerHandle) spawn(conn, lock *os.File) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	log, err := ownfile.Open(filepath.Join(h.dir, rundir.StderrFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	defer log.Close()
	files := []*os.File{null, null, log, wire.ConnectionFD: conn, wire.LockFD: lock}
	estate, handles, err := h.handover()
	if err != nil {
		return err
	}
	defer closeAll(handles)
	argv := append(slices.Clone(h.program), h.dir, h.socket)
	gone, err := h.claim.spawn(func() (*os.Process, error) {
		if err := fault.Check(fault.OpRunner, h.program[0]); err != nil {
			return nil, err
		}
		return os.StartProcess(h.program[0], argv, &os.ProcAttr{
			Dir: h.cwd, Env: h.environment(estate), Files: append(files, handles...),
			Sys: &unix.SysProcAttr{Setsid: true},
		})
	})
	if err != nil {
		return h.notStarted(err)
	}
	h.everStarted = true
	h.mu.Lock()
	h.gone = gone
	h.mu.Unlock()
	return nil
}

// notStarted names what kept a runner from being started: the system tells only of its program, also when
// it is the folder of the run's commands that cannot be entered.
func (h *runnerHandle) notStarted(err error) error {
	if enter := unix.Access(h.cwd, unix.X_OK); enter != nil {
		return fmt.Errorf("the folder of the commands, %s, cannot be entered: %w", h.cwd, enter)
	}
	return fmt.Errorf("start the runner: %w", err)
}

// environment is what a runner has: what it is told by its daemon, and nothing of the run.
func (h *runnerHandle) environment(estate string) []string {
	env := append(slices.Clone(h.env), estate)
	if limit := procattr.FileLimitVariable(); limit != "" {
		env = append(env, limit)
	}
	if len(h.world) > 0 {
		env = append(env, procattr.Variable+"="+string(h.world))
	}
	return env
}

// ErrAlive says that something of a run lives.
var ErrAlive = errors.New("something of the run is alive")

// Forget removes the environment of a run in dir that nobody will go on with. While its runner, or a
// process that can be told to be of the run, is alive it does nothing and returns ErrAlive.
func Forget(dir string) error {
	h := &runnerHandle{dir: dir}
	lock, err := h.lock()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrAlive
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	c, err := proc.ReadTable()
	if err != nil {
		return err
	}
	k := rundir.MembersOf(dir, runMarkerOf(dir))
	if slices.ContainsFunc(c.All, func(p proc.Process) bool { return !p.Dead && k.Contain(p) }) {
		return ErrAlive
	}
	return h.removeEnvironment()
}

// lockLost is lock for a run that is given up: where there is nothing to lock it returns nil.
func (h *runnerHandle) lockLost() (*os.File, error) {
	lock, err := h.lock()
	var gone *wire.GoneError
	if errors.As(err, &gone) {
		return nil, nil
	}
	return lock, err
}

// forget removes the environment of a run that is lost, unless its runner lives and needs it.
func (h *runnerHandle) forget() error {
	lock, err := h.lockLost()
	if err != nil {
		return err
	}
	defer lock.Close()
	return h.removeEnvironment()
}

func (h *runnerHandle) removeEnvironment() error {
	if err := os.RemoveAll(filepath.Join(h.dir, rundir.EnvironmentFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// awaitEnd waits until the runner is no more, if we are its parent.
func (h *runnerHandle) awaitEnd(ctx context.Context) error {
	h.mu.Lock()
	gone := h.gone
	h.mu.Unlock()
	if gone == nil {
		return nil
	}
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// connectionPair returns the two ends of a new connection.
func connectionPair() (net.Conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("connection to the runner: %w", err)
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	file := os.NewFile(uintptr(fds[0]), "runner")
	defer file.Close()
	ours, err := net.FileConn(file)
	if err != nil {
		unix.Close(fds[1])
		return nil, nil, fmt.Errorf("connection to the runner: %w", err)
	}
	return ours, os.NewFile(uintptr(fds[1]), "daemon"), nil
}
