package executor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"wf/executor/shell"
)

// A Question is a short command that belongs to no run: what it prints is the answer, and nothing
// keeps a record of it.
type Question struct {
	Shell   string // program that gets -c and Command; "" = /bin/sh
	Command string
	Cwd     string
	Env     []string      // KEY=VALUE, the whole environment
	Limit   int           // bytes of the answer; more is an error
	Time    time.Duration // then it is killed with its process group, which is an error
}

// questionWords is how much of what a question writes to standard error is part of an error.
const questionWords = 300

// Ask runs a question and returns what it has written to standard output. Any end but exit code 0 is
// an error that holds its last words.
func (l *Local) Ask(ctx context.Context, q Question) ([]byte, error) {
	bounded, cancel := context.WithTimeout(ctx, q.Time)
	defer cancel()
	shell, argv, err := shell.Find(q.Shell, q.Env)
	if err != nil {
		return nil, err
	}
	var out, words bytes.Buffer
	cmd := exec.CommandContext(bounded, shell, append(argv[1:], "-c", q.Command)...)
	cmd.Dir, cmd.Env = q.Cwd, q.Env
	cmd.Stdout, cmd.Stderr = &bounds{w: &out, left: q.Limit}, &bounds{w: &words, left: questionWords, quiet: true}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for what has left the group with the output in its hands
	forget, err := l.start(cmd)
	if err != nil {
		return nil, err
	}
	err = cmd.Wait()
	forget()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, fmt.Errorf("it took longer than %s", q.Time)
	case errors.Is(err, errTooMuch):
		return nil, fmt.Errorf("it printed more than %d bytes", q.Limit)
	case err != nil:
		if said := strings.TrimSpace(words.String()); said != "" {
			return nil, fmt.Errorf("%w: %s", err, said)
		}
		return nil, err
	}
	return out.Bytes(), nil
}

// start forks a question. Who reaps orphans leaves it alone, as it leaves runners, until forget.
func (l *Local) start(cmd *exec.Cmd) (forget func(), err error) {
	w := l.sharedReaper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pid, reaped := cmd.Process.Pid, make(chan struct{})
	w.own[pid] = reaped
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		close(reaped)
		if w.own[pid] == reaped { // else the kernel has given the number to a runner meanwhile
			delete(w.own, pid)
		}
	}, nil
}

var errTooMuch = errors.New("too much output")

// bounds passes on a number of bytes. Beyond it is an error, or, quiet, dropped.
type bounds struct {
	w     io.Writer
	left  int
	quiet bool
}

// Write takes p.
func (b *bounds) Write(p []byte) (int, error) {
	if len(p) > b.left && !b.quiet {
		return 0, errTooMuch
	}
	n := min(len(p), b.left)
	b.left -= n
	_, err := b.w.Write(p[:n])
	return len(p), err
}
