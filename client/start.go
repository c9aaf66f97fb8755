package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"wf/api"
	"wf/executor/ownfile"
	"wf/executor/proc"
)

// A Starter starts a daemon that outlives this process. It returns as soon as the process exists; ended yields its
// end.
type Starter func(ctx context.Context) (ended <-chan error, err error)

// Detached returns a Starter that executes argv in a session of its own, in the root folder, so that it blocks no
// unmount. Its environment is env, and its output is appended to log. It inherits no open file: a pipe or a lock of a
// script must not stay open as long as the daemon.
func Detached(argv, env []string, log string) Starter {
	return func(context.Context) (<-chan error, error) {
		if err := sealDescriptors(); err != nil {
			return nil, err
		}
		out, err := ownfile.Open(log, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		defer out.Close()
		cmd := exec.Command(argv[0], argv[1:]...) // not CommandContext: it outlives ctx
		cmd.Dir = "/"
		cmd.Stdout, cmd.Stderr = out, out
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		err = proc.WithDaemonSlack(func(own []string) error {
			cmd.Env = append(slices.Clone(env), own...)
			return cmd.Start()
		})
		if err != nil {
			return nil, err
		}
		// Reaps the daemon, so that a long-lived client leaves no zombie. The client does not wait for this
		// goroutine, because the daemon lives longer than the client.
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		return ended, nil
	}
}

// sealDescriptors sets close-on-exec for all open files: the files of this process have it already, inherited ones do
// not.
func sealDescriptors() error {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("list the open files: %w", err)
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// A startAttempt is one attempt to start a daemon.
type startAttempt struct {
	c       *Client
	allowed bool
	ended   <-chan error // of the started process; nil if there is none
	started bool
	logSize int64 // of the daemon's log before the start
}

// ensureStarted starts a daemon if none is running, and reports whether it did. It also checks whether that daemon has ended: a
// daemon that finds the lock taken ends at once, because another daemon is starting or still ending.
func (s *startAttempt) ensureStarted(ctx context.Context) (started bool, err error) {
	if s.ended != nil {
		select {
		case err := <-s.ended:
			s.ended = nil
			// Another daemon took the lock first, or this one was killed. If none runs, another start follows.
			if !Held(s.c.opt.Runtime) && !mayStartAnother(err) {
				return false, fmt.Errorf("it ended at once (%w)", exitReason(err))
			}
		default:
		}
		return false, nil
	}
	if Held(s.c.opt.Runtime) {
		return false, nil
	}
	if !s.allowed {
		return false, ErrNoDaemon
	}
	s.logSize = size(s.c.opt.Log)
	ended, err := s.c.opt.Start(ctx)
	if err != nil {
		return false, err
	}
	s.ended, s.started = ended, true
	return true, nil
}

// ExitRunning is the exit status of a daemon that finds another one running.
const ExitRunning = 7

// mayStartAnother reports whether a daemon ended for a reason that will not end the next one.
func mayStartAnother(err error) bool {
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return false
	}
	status, ok := ended.Sys().(syscall.WaitStatus)
	return ok && (status.Signaled() || status.ExitStatus() == ExitRunning)
}

func exitReason(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

func (s *startAttempt) announce() {
	if s.started {
		s.c.opt.Note(fmt.Sprintf("started daemon (pid %d)", s.c.Version().PID))
	}
}

// failure returns the error for a daemon that was not reached.
func (s *startAttempt) failure(err error) error {
	var refused *api.Error
	var unreachable *UnreachableError
	if errors.As(err, &refused) || errors.As(err, &unreachable) {
		return err
	}
	e := &UnreachableError{Doing: "reach the daemon", Err: err}
	if s.started {
		e.Doing, e.Log = "start the daemon", tail(s.c.opt.Log, s.logSize)
	}
	return e
}

// logLines and logBytes bound the quote from the daemon's log.
const (
	logLines = 5
	logBytes = 8 << 10
)

// tail returns the last lines of a log after its first from bytes. A log that is shorter now was rotated: all of it is
// new.
func tail(path string, from int64) []string {
	end := size(path)
	if end < from {
		from = 0
	}
	f, err := ownfile.Open(path, os.O_RDONLY)
	if err != nil {
		return nil
	}
	defer f.Close()
	from = max(from, end-logBytes)
	b, err := io.ReadAll(io.NewSectionReader(f, from, end-from))
	if err != nil || len(strings.TrimSpace(string(b))) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	return lines[max(0, len(lines)-logLines):]
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
