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
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/ownfile"
	"wf/executor/proc"
	"wf/executor/procattr"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// Local executes commands on this machine. It starts one runner process per run, which outlives the daemon.
type Local struct {
	// Program is the command that becomes a runner (see runner.Main). The folder of the run and the path of the
	// runner's socket are appended.
	Program []string
	// Sockets is the folder for the sockets of runners that cannot listen in the folder of their run. It has mode
	// 0700 and must be the same after a restart of the daemon. It is created if possible.
	Sockets string
	// Env is the environment of the runners, not of the commands: what Program needs to start a daemon.
	Env []string

	once     sync.Once
	sessions shared // set by shared
}

// shared is what all sessions of a Local use.
type shared struct {
	reaper *reaper
	spares *spares
}

func (l *Local) shared() *shared {
	l.once.Do(func() { l.sessions = shared{newReaper(), newSpares()} })
	return &l.sessions
}

// Open implements Executor. If the runner of an earlier run cannot be started again, Open returns a session that reports
// Held and keeps trying, because commands of the run may be alive.
func (l *Local) Open(ctx context.Context, spec Spec) (Session, error) {
	if err := l.prepare(spec); err != nil {
		return nil, err
	}
	s := newSession(spec, &runnerHandle{
		program: l.Program, env: l.Env, dir: spec.Dir, cwd: spec.Cwd, socket: wire.SecondSocket(l.Sockets, spec.Dir), claim: l.shared().reaper.add(runMarkerOf(spec.Dir)), spares: l.shared().spares,
		marker: rundir.MarkerOf(spec.Env).Run, everStarted: spec.Env == nil, attributes: spec.Attributes,
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

// prepare creates the folder of the sockets and writes the environment.
func (l *Local) prepare(spec Spec) error {
	_ = os.MkdirAll(l.Sockets, 0o700) // only few runners need it
	if spec.Env == nil {
		return ownfile.Remove(filepath.Join(spec.Dir, rundir.EnvironmentFile+ownfile.Unfinished))
	}
	return keepEnvironment(spec)
}

// keepEnvironment writes the environment of a run if its file is missing.
func keepEnvironment(spec Spec) error {
	// A shell would set PWD for the command. A command that is started without a shell gets the same.
	env := slices.DeleteFunc(slices.Clone(spec.Env), func(v string) bool { return rundir.SameKey(v, "PWD") })
	env = append(env, "PWD="+spec.Cwd)
	err := rundir.WriteEnvironment(filepath.Join(spec.Dir, rundir.EnvironmentFile), env)
	if errors.Is(err, fs.ErrExist) {
		return nil // the run keeps the environment that it started with
	}
	return err
}

// runMarkerOf returns the marker of the run in dir, or "" if it cannot be read.
func runMarkerOf(dir string) string {
	env, _, err := rundir.ReadEnvironment(filepath.Join(dir, rundir.EnvironmentFile))
	if err != nil {
		return "" // the runner reports the error
	}
	return rundir.MarkerOf(env).Run
}

// A runnerHandle finds the runner of a run, or starts one. Only one goroutine at a time calls its methods.
type runnerHandle struct {
	program    []string
	env        []string
	dir, cwd   string
	socket     string // where the runner listens if it cannot in dir
	claim      *claim
	spares     *spares
	attributes []byte // of the commands, see Spec.Attributes
	marker     string // of the run, see rundir.Marker; "" if only the environment file contains it

	// Used only by the goroutine that connects.

	everStarted bool       // there was a runner, so the run must have a lock file or a runner log
	handles     map[ID]int // pidfds of executions of a runner that is not a child of this process, see wire.Handover

	mu   sync.Mutex      // guards gone
	gone <-chan struct{} // closed when the runner has been reaped; nil if this process did not start it
}

const (
	connectPause   = 5 * time.Millisecond
	connectTimeout = 10 * time.Second
)

// connect returns a connection to the living runner, or to a new one. It waits for a runner that holds the lock but does
// not listen yet or any more.
func (h *runnerHandle) connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
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

// start starts a runner, which gets the lock of the run. It returns EWOULDBLOCK if a runner is alive.
func (h *runnerHandle) start(ctx context.Context) (net.Conn, error) {
	lock, err := h.lock()
	if err != nil {
		return nil, err
	}
	defer lock.Close() // the runner's copy holds the lock
	// The lock of a dead runner is free before its children have become children of another process.
	if err := h.awaitEnd(ctx); err != nil {
		return nil, fmt.Errorf("the runner before does not end: %w", err)
	}
	if conn := h.useSpare(lock); conn != nil {
		return conn, nil
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

// lock takes the lock of the run. It returns EWOULDBLOCK if a runner has it, and a *GoneError if runners have served the
// run but its files are gone.
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

// spawn starts the process and has it reaped. Its environment and its arguments contain no secrets, because every process
// of this user could read them.
func (h *runnerHandle) spawn(conn, lock *os.File) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	log, err := h.openStderr()
	if err != nil {
		return err
	}
	defer log.Close()
	files := []*os.File{null, null, log, wire.ConnectionFD: conn, wire.LockFD: lock}
	handover, handles, err := h.handover()
	if err != nil {
		return err
	}
	defer closeAll(handles)
	argv := append(slices.Clone(h.program), h.dir, h.socket)
	ticks := proc.Ticks()
	process, gone, err := h.claim.reaper.start(func() (*os.Process, error) {
		if err := fault.Check(fault.OpRunner, h.program[0]); err != nil {
			return nil, err
		}
		return os.StartProcess(h.program[0], argv, &os.ProcAttr{
			Dir: h.cwd, Env: runnerEnvironment(h.env, handover, h.attributes), Files: append(files, handles...),
			Sys: &unix.SysProcAttr{Setsid: true},
		})
	})
	if err != nil {
		return h.notStarted(err)
	}
	h.claim.use(process.Pid, ticks)
	h.started(gone)
	return nil
}

// openStderr opens the file for what the runner writes to standard error.
func (h *runnerHandle) openStderr() (*os.File, error) {
	return ownfile.Open(filepath.Join(h.dir, rundir.StderrFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE)
}

// started notes that this process has started the runner; gone is closed when it has been reaped.
func (h *runnerHandle) started(gone <-chan struct{}) {
	h.everStarted = true
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone = gone
}

// notStarted returns the error for a runner that could not be started. The error of the system names only the program,
// even if the folder of the commands cannot be entered.
func (h *runnerHandle) notStarted(err error) error {
	if enter := unix.Access(h.cwd, unix.X_OK); enter != nil {
		return fmt.Errorf("the folder of the commands, %s, cannot be entered: %w", h.cwd, enter)
	}
	return fmt.Errorf("start the runner: %w", err)
}

// runnerEnvironment returns the environment of a runner process: env, the handover variable, and the attributes of the
// commands. It contains nothing of the environment of the run.
func runnerEnvironment(env []string, handover string, attributes []byte) []string {
	env = append(slices.Clone(env), handover)
	if limit := procattr.FileLimitVariable(); limit != "" {
		env = append(env, limit)
	}
	if len(attributes) > 0 {
		env = append(env, procattr.Variable+"="+string(attributes))
	}
	return env
}

// ErrAlive says that a runner or a process of a run is alive.
var ErrAlive = errors.New("a process of the run is alive")

// Forget removes the environment of the run in dir, which will not be continued. If its runner, or a process that can be
// recognized as a member of the run, is alive, it does nothing and returns ErrAlive.
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
	table, err := proc.ReadTable()
	if err != nil {
		return err
	}
	members := rundir.MembersOf(dir, runMarkerOf(dir))
	if slices.ContainsFunc(table.All, func(p proc.Process) bool { return !p.Dead && members.Contain(p) }) {
		return ErrAlive
	}
	return h.removeEnvironment()
}

// lockLost is lock for a run that is given up: if its files are gone it returns nil.
func (h *runnerHandle) lockLost() (*os.File, error) {
	lock, err := h.lock()
	var gone *wire.GoneError
	if errors.As(err, &gone) {
		return nil, nil
	}
	return lock, err
}

// forget removes the environment of a run that is given up, unless its runner is alive, which needs it.
func (h *runnerHandle) forget() error {
	lock, err := h.lockLost()
	if err != nil {
		return err
	}
	defer lock.Close()
	return h.removeEnvironment()
}

func (h *runnerHandle) removeEnvironment() error {
	if err := os.RemoveAll(filepath.Join(h.dir, rundir.VariablesFile)); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(h.dir, rundir.EnvironmentFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// awaitEnd waits until the runner has been reaped, if it is a child of this process.
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

// connectionPair returns the daemon's and the runner's end of a new connection.
func connectionPair() (net.Conn, *os.File, error) {
	syscall.ForkLock.RLock() // another child must not inherit it: the runner could not see the end of the daemon
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("connection to the runner: %w", err)
	}
	file := os.NewFile(uintptr(fds[0]), "runner")
	defer file.Close()
	ours, err := net.FileConn(file)
	if err != nil {
		unix.Close(fds[1])
		return nil, nil, fmt.Errorf("connection to the runner: %w", err)
	}
	return ours, os.NewFile(uintptr(fds[1]), "daemon"), nil
}
