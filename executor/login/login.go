// Package login runs shell scripts where the commands of a cluster engine are: on this machine, or through ssh on another
// one. It tells scripts that were not executed from those whose fate is unknown.
package login

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"wf/executor/shell"
)

// A Shell runs scripts with sh. The zero value runs them on this machine. It can be used concurrently.
type Shell struct {
	// Via is a command that executes a command line, its last argument, on another machine: ssh login. Empty = this machine.
	Via []string
	// Control is the path of the socket over which the calls of ssh share one connection; "" = each has its own.
	Control string
	// Dir is the working directory of the scripts on this machine; "" = that of this process.
	Dir string
	// Env is the environment of scripts on this machine, and of ssh; nil = that of this process.
	Env []string
}

// The output of a script stands between two lines, since login shells print messages of the day. Each call has a word of its
// own in them, so that no output can contain them by chance.
const (
	beginLine = "wf-begin "
	endLine   = "wf-end "
)

// maxMessage bounds what is kept of standard error, in bytes.
const maxMessage = 4 << 10

// killDelay is how long after the end of its context a script may still hold the pipes of this process.
const killDelay = 2 * time.Second

// An Error says that a script failed.
type Error struct {
	// Begun reports whether the script began. If it did not, nothing was executed.
	Begun bool
	// Code is the exit status of the script, or -1 if it is unknown, because the connection was lost or the time was up.
	Code int
	// Message is what the script, or ssh, wrote to standard error, without blanks around it; its end if it is long.
	Message string
	// Err is why the call failed, nil if the script itself did.
	Err error
}

func (e *Error) Error() string {
	text := e.Message
	switch {
	case e.Code >= 0 && text == "":
		return fmt.Sprintf("exit status %d", e.Code)
	case e.Code >= 0:
		return text
	case text == "":
		text = e.Err.Error()
	case errors.Is(e.Err, context.DeadlineExceeded):
		text = "no answer in time: " + text
	}
	if !e.Begun {
		return "not reached: " + text
	}
	return "connection lost: " + text
}

// Unwrap returns why the call failed.
func (e *Error) Unwrap() error { return e.Err }

// Run executes a script with input as its standard input, and returns its standard output. The error is an *Error, or that of
// a context that had ended before. When ctx ends, Run returns; a script on another machine may go on.
func (s *Shell) Run(ctx context.Context, script string, input []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	word := strconv.FormatInt(time.Now().UnixNano(), 36)
	// A subshell, so that an exit in the script does not skip the last line.
	whole := fmt.Sprintf("echo '%s%s'\n(\n%s\n)\nc=$?\necho\necho \"%s%[2]s $c\"\n", beginLine, word, script, endLine)
	argv := s.argv(fmt.Sprintf(`exec sh -c 'eval "$(head -c %d)"'`, len(whole)))
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.Dir, s.Env, killDelay
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out bytes.Buffer
	message := tail{limit: maxMessage}
	cmd.Stdin = io.MultiReader(strings.NewReader(whole), bytes.NewReader(input))
	cmd.Stdout, cmd.Stderr = &out, &message
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return result(out.Bytes(), word, message.String(), err)
}

// argv returns the command that executes a command line.
func (s *Shell) argv(line string) []string {
	if len(s.Via) == 0 {
		return []string{"/bin/sh", "-c", line}
	}
	argv := slices.Clone(s.Via)
	list, given := shell.Value(s.Env, "PATH")
	if path, found := shell.FindProgram(argv[0], list); given && found {
		argv[0] = path // else it is looked for in the PATH of this process
	}
	if filepath.Base(argv[0]) == "ssh" {
		argv = slices.Insert(argv, 1, s.options()...)
	}
	return append(argv, line)
}

// options are the options of ssh. Those in s.Via come after them, and the first one counts, so users change them in the
// configuration of ssh only where it is not said here.
func (s *Shell) options() []string {
	list := []string{"-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"}
	if s.Control != "" {
		list = append(list, "-o", "ControlMaster=auto", "-o", "ControlPersist=600", "-o", "ControlPath="+s.Control)
	}
	return list
}

// result finds the output of the script in all that was printed.
func result(printed []byte, word, message string, err error) ([]byte, error) {
	failure := &Error{Code: -1, Message: strings.TrimSpace(message), Err: err}
	begin, end := []byte(beginLine+word+"\n"), []byte("\n"+endLine+word+" ")
	from := bytes.Index(printed, begin)
	if from < 0 {
		if err == nil {
			failure.Err = errors.New("the shell printed nothing")
		}
		return nil, failure
	}
	failure.Begun = true
	output := printed[from+len(begin):]
	to := bytes.LastIndex(output, end)
	if to < 0 {
		if err == nil {
			failure.Err = io.ErrUnexpectedEOF
		}
		return nil, failure
	}
	code, wrong := strconv.Atoi(strings.TrimSpace(string(output[to+len(end):])))
	if wrong != nil {
		failure.Err = fmt.Errorf("unexpected text after the output: %w", wrong)
		return nil, failure
	}
	if code != 0 {
		return output[:to], &Error{Begun: true, Code: code, Message: failure.Message}
	}
	return output[:to], nil
}

// A tail keeps the end of what is written to it.
type tail struct {
	limit int
	kept  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*t.limit {
		t.kept = slices.Delete(t.kept, 0, len(t.kept)-t.limit)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.kept[max(0, len(t.kept)-t.limit):]) }

// Quote returns text as one word of a shell script.
func Quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
