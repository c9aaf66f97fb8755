package executor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"wf/executor/proc"
	"wf/executor/shell"
)

// A Question is a short command that belongs to no run. Its output is the answer. It leaves no trace on the disk.
type Question struct {
	Shell   string // the program that gets -c and Command; "" = /bin/sh
	Command string
	Cwd     string
	Env     []string      // KEY=VALUE, the whole environment
	Input   []byte        // its standard input
	Limit   int           // bytes of the answer; more is an error
	Cut     bool          // more than Limit bytes are dropped, and are no error
	Time    time.Duration // after that its process group is killed, which is an error
	// Args are further arguments of the shell: $0, $1 and so on.
	Args []string
	// Lock is passed on to the process and all that it starts, so that a lock on it lasts as long as they do; nil = none.
	Lock *os.File
}

// questionWords is how many bytes of a question's standard error become part of an error.
const questionWords = 300

// Ask runs a question and returns its standard output. If it does not exit with code 0, Ask returns an error that contains
// the beginning of its standard error. With an error, the output is what it had printed until then.
func (l *Local) Ask(ctx context.Context, q Question) ([]byte, error) {
	bounded, cancel := context.WithTimeout(ctx, q.Time)
	defer cancel()
	shell, argv, err := shell.Find(q.Shell, q.Env)
	if err != nil {
		return nil, err
	}
	var out, words bytes.Buffer
	cmd := exec.CommandContext(bounded, shell, append(append(argv[1:], "-c", q.Command), q.Args...)...)
	cmd.Dir, cmd.Env = q.Cwd, q.Env
	if q.Lock != nil {
		cmd.ExtraFiles = []*os.File{q.Lock}
	}
	cmd.Stdin = bytes.NewReader(q.Input)
	cmd.Stdout, cmd.Stderr = &bounds{w: &out, left: q.Limit, quiet: q.Cut}, &bounds{w: &words, left: questionWords, quiet: true}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for processes that have left the group and still have the output open
	forget, err := l.shared().reaper.startOwn(cmd)
	if err == nil {
		err = cmd.Wait()
		forget()
	}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case bounded.Err() != nil:
		err = fmt.Errorf("it took longer than %s", q.Time)
	case errors.Is(err, errTooMuch):
		err = fmt.Errorf("it printed more than %d bytes", q.Limit)
	case err != nil:
		if said := strings.TrimSpace(words.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
	}
	return out.Bytes(), err
}

// startOwn forks a command of the daemon itself. Until forget is called, the reaper does not reap it, just as it does not reap
// runners.
func (w *reaper) startOwn(cmd *exec.Cmd) (forget func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := proc.WithCallersSlack(cmd.Start); err != nil {
		return nil, err
	}
	pid, reaped := cmd.Process.Pid, make(chan struct{})
	w.own[pid] = reaped
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		close(reaped)
		if w.own[pid] == reaped { // otherwise a new runner has got the same pid
			delete(w.own, pid)
		}
		w.wake()
	}, nil
}

var errTooMuch = errors.New("too much output")

// bounds passes on the first left bytes. More is an error, or is dropped if quiet is set.
type bounds struct {
	w     io.Writer
	left  int
	quiet bool
}

// Write implements io.Writer.
func (b *bounds) Write(p []byte) (int, error) {
	if len(p) > b.left && !b.quiet {
		return 0, errTooMuch
	}
	n := min(len(p), b.left)
	b.left -= n
	_, err := b.w.Write(p[:n])
	return len(p), err
}
