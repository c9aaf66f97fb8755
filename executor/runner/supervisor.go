package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
	"wf/executor/wire"
)

// A supervisor executes the hooks before a command, the command, and the hooks after it:
//
//	hook before ── fails ──▶ Fate{Refused}, exit 1
//	     │
//	  command ── ends ──▶ Fate{Ended} ── hook after ──▶ ends as the command did
//
// It starts the command in its own process group, so that whoever signals the group reaches the command, and each hook in a
// group of its own. It survives TERM, which the runner sends to all processes of a stopped execution: the hooks after the command
// still run, until the runner sends KILL at the end of the grace.
type supervisor struct {
	task    supervision
	fate    wire.Fate
	signals chan os.Signal
	ordered chan struct{} // receives when a signal sent by settle has arrived

	mu      sync.Mutex // guards the fields below
	stopped bool       // TERM has arrived
	hook    int        // the process group of the running hook; 0 = none
}

const (
	// mostNodeHookOutput bounds what is kept of the output of one hook, mostHooksFile the file of all hooks of a run, in bytes.
	mostNodeHookOutput = 16 << 10
	mostHooksFile      = 8 << 20
	// mostSaid is how much of the end of its output explains a failed hook, in bytes.
	mostSaid = 1 << 10
	// hookWait is how long a hook that has ended waits for processes that still have its output open.
	hookWait = time.Second
	// outputsVariable names the file for the outputs of the command. Hooks do not get it: what they write is no output of the node.
	outputsVariable = "WF_OUTPUT"
)

func (s *supervisor) run() int {
	s.catchSignals()
	for _, h := range s.task.Before {
		failure := s.runHook(h, nil)
		switch {
		case s.isStopped():
			return endBySignal(syscall.SIGTERM)
		case failure != nil:
			s.fate.Refused, s.fate.Failures = true, append(s.fate.Failures, *failure)
			s.leaveFate(false)
			return 1
		}
	}
	began := time.Now()
	state, err := s.runCommand()
	if err != nil {
		s.fate.NotStarted = err.Error()
		s.leaveFate(false)
		return 127
	}
	took := time.Since(began)
	if state == nil {
		return endBySignal(syscall.SIGTERM)
	}
	s.settle()
	status, _ := state.Sys().(syscall.WaitStatus)
	s.fate.Ended, s.fate.Stopped = true, s.isStopped()
	if s.fate.Code = status.ExitStatus(); status.Signaled() {
		s.fate.Code, s.fate.Signal = 0, int(status.Signal())
	}
	s.runAfter(took)
	if s.fate.Signal != 0 {
		return endBySignal(syscall.Signal(s.fate.Signal))
	}
	return s.fate.Code
}

// runAfter executes the hooks after the command. That the command has ended is on the disk before: if the machine goes down while
// a hook runs, the result of the command is known nevertheless.
func (s *supervisor) runAfter(took time.Duration) {
	if len(s.task.After) == 0 {
		return
	}
	s.leaveFate(true)
	result := "failed"
	switch {
	case s.fate.Code == 0 && s.fate.Signal == 0:
		result = "succeeded"
	case s.fate.Stopped:
		result = "cancelled"
	}
	vars := []string{"WF_NODE_RESULT=" + result, "WF_EXIT_CODE=", "WF_SIGNAL=", "WF_DURATION_MS=" + strconv.FormatInt(took.Milliseconds(), 10),
		"WF_NODE_LOG=" + s.task.Output, "WF_NODE_LOG_START=" + strconv.FormatInt(s.task.Start, 10)}
	if s.fate.Signal != 0 {
		vars[2] += unix.SignalName(syscall.Signal(s.fate.Signal))
	} else {
		vars[1] += strconv.Itoa(s.fate.Code)
	}
	for _, h := range s.task.After {
		if failure := s.runHook(h, vars); failure != nil {
			s.fate.Failures = append(s.fate.Failures, *failure)
		}
	}
	if len(s.fate.Failures) > 0 {
		s.leaveFate(false)
	}
}

// leaveFate writes the fate. If that fails, less is known about the execution: the exit code remains.
func (s *supervisor) leaveFate(sync bool) {
	text, err := json.Marshal(s.fate)
	if err == nil {
		err = ownfile.Replace(s.task.Fate, text, sync)
	}
	if err != nil {
		s.log([]byte("wf: " + err.Error() + "\n"))
	}
}

// runCommand starts the command and waits for its end. The state is nil if the execution was stopped before the start.
func (s *supervisor) runCommand() (*os.ProcessState, error) {
	if s.isStopped() {
		return nil, nil
	}
	cmd := &exec.Cmd{Path: s.task.Path, Args: s.task.Argv, Env: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if s.isStopped() { // TERM may have come too early for the command
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}
	_ = cmd.Wait() // the state says more than the error
	return cmd.ProcessState, nil
}

// catchSignals makes the process survive signals to its process group. Ignored ones stay ignored, also in the command.
func (s *supervisor) catchSignals() {
	caught := []os.Signal{settled}
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM} {
		if !signal.Ignored(sig) {
			caught = append(caught, sig)
		}
	}
	s.signals, s.ordered = make(chan os.Signal, 32), make(chan struct{}, 1)
	signal.Notify(s.signals, caught...)
	go func() { // until the process ends
		for sig := range s.signals {
			switch sig {
			case syscall.SIGTERM:
				s.stop()
			case settled:
				select {
				case s.ordered <- struct{}{}:
				default:
				}
			}
		}
	}()
}

// settled is a signal without effect on programs that do not catch it. Its number is higher than that of TERM, and the kernel
// delivers signals that are pending together in the order of their numbers.
const settled = syscall.SIGWINCH

// settle waits until all signals have been handled that arrived before: a command may end because of the TERM that its supervisor
// got at the same time.
func (s *supervisor) settle() {
	select {
	case <-s.ordered: // an earlier one, of somebody else
	default:
	}
	if syscall.Kill(os.Getpid(), settled) == nil {
		<-s.ordered
	}
}

// stop notes TERM and passes it on to the running hook.
func (s *supervisor) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.hook != 0 {
		_ = syscall.Kill(-s.hook, syscall.SIGTERM)
	}
}

func (s *supervisor) isStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// runHook executes a hook with further variables, and appends what it prints to the log of the hooks. It returns nil if the hook
// succeeds.
func (s *supervisor) runHook(h wire.Hook, vars []string) *wire.HookFailure {
	began, limit := time.Now(), time.Duration(h.TimeoutMS)*time.Millisecond
	out := &hookOutput{}
	err := s.execHook(h, vars, limit, out)
	result := "ok"
	if err != nil {
		result = err.Error()
	}
	text := fmt.Appendf(nil, "== %s of %s, %s, %s\n", h.Event, h.From, s.task.Name, began.UTC().Format(time.RFC3339))
	text = out.appendKept(text)
	s.log(fmt.Appendf(text, "== %s after %s\n", result, time.Since(began).Round(time.Millisecond)))
	if err == nil {
		return nil
	}
	return &wire.HookFailure{Event: h.Event, From: h.From, Said: strings.ToValidUTF8(string(out.said()), ""), Error: result}
}

// execHook executes a hook, and kills its process group if it takes longer than limit.
func (s *supervisor) execHook(h wire.Hook, vars []string, limit time.Duration, out *hookOutput) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", h.Command)
	cmd.Env = slices.Concat(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, outputsVariable+"=") }),
		s.task.Env, vars, []string{"WF_HOOK=" + h.Event})
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = hookWait
	before := s.isStopped()
	if err := cmd.Start(); err != nil {
		return err
	}
	s.setHook(cmd.Process.Pid, before)
	err := cmd.Wait()
	s.setHook(0, before)
	switch {
	case ctx.Err() != nil && err != nil:
		return fmt.Errorf("it took longer than %s", limit)
	case errors.Is(err, exec.ErrWaitDelay): // the hook itself has succeeded
		return nil
	}
	return err
}

// setHook notes the process group of the hook that runs now, 0 for none. If TERM came while it was started, the hook gets it now; a
// hook that starts after TERM, as before says, has the time until KILL.
func (s *supervisor) setHook(group int, before bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hook = group; group != 0 && s.stopped && !before {
		_ = syscall.Kill(-group, syscall.SIGTERM)
	}
}

// log appends text to the log of the hooks in one write, so that it stays together beside that of other executions. A failure
// costs only the log.
func (s *supervisor) log(text []byte) {
	f, err := ownfile.Open(s.task.Log, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size()+int64(len(text)) > mostHooksFile {
		return
	}
	_, _ = f.Write(text)
}

// A hookOutput keeps the beginning and the very end of what a hook prints.
type hookOutput struct {
	first []byte // at most mostNodeHookOutput
	last  []byte // its end is the end of the output, at least mostSaid bytes if there are as many
	size  int64  // of the whole output
}

// Write implements io.Writer.
func (b *hookOutput) Write(p []byte) (int, error) {
	b.first = append(b.first, p[:min(len(p), mostNodeHookOutput-len(b.first))]...)
	if b.last = append(b.last, p[max(0, len(p)-mostSaid):]...); len(b.last) > 4*mostSaid {
		b.last = append(b.last[:0], b.last[len(b.last)-mostSaid:]...)
	}
	b.size += int64(len(p))
	return len(p), nil
}

// appendKept appends what is kept of the output to text, as whole lines.
func (b *hookOutput) appendKept(text []byte) []byte {
	endLine := func() {
		if n := len(text); n > 0 && text[n-1] != '\n' {
			text = append(text, '\n')
		}
	}
	text = append(text, b.first...)
	endLine()
	if cut := b.size - int64(len(b.first)); cut > 0 {
		end := b.said()
		end = end[max(0, int64(len(end))-cut):]
		if dropped := cut - int64(len(end)); dropped > 0 {
			text = fmt.Appendf(text, "== %d bytes are not kept\n", dropped)
		}
		text = append(text, end...)
		endLine()
	}
	return text
}

// said returns the end of the output.
func (b *hookOutput) said() []byte { return b.last[max(0, len(b.last)-mostSaid):] }

// endBySignal ends this process by a signal, without a dump of its memory. The Go runtime has handlers for many signals that a
// program cannot remove, and a new program has none: so a shell takes the place of this process.
func endBySignal(sig syscall.Signal) int {
	text := fmt.Sprintf("ulimit -c 0; kill -%d $$; exit %d", int(sig), 128+int(sig))
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", text}, os.Environ())
	return 128 + int(sig)
}
