package activerun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/executor"
	"wf/executor/ownfile"
	"wf/notify"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/params"
)

// Hooks are commands before and after a run: before_run and after_run. They are no nodes: the daemon runs them, outside of
// slots, in the environment of the run. A daemon that dies runs them again when it is back, except that a run which had not
// begun begins anew, with its client.

// mostHookOutput is how much of the output of a hook is kept, in bytes.
const mostHookOutput = 256 << 10

// mostReason bounds the words of a hook that refuses, in bytes.
const mostReason = 300

// ErrInterrupted means that the daemon ends while a hook runs.
var ErrInterrupted = errors.New("the daemon ends")

// hooking runs the hooks of a run.
type hooking struct {
	run      *Run
	stopped  chan struct{} // closed when a stop interrupts before_run; nil after that
	after    afterState
	given    chan struct{} // closed when a stop interrupts after_run; nil before and after that
	problems []string      // of after_run, for people
	nodes    *nodeHooks    // nil if no node has hooks
}

// afterState is the progress of after_run.
type afterState int

const (
	afterNotBegun afterState = iota
	afterRunning
	afterOver
)

// asker returns what runs the commands of hooks, nil if the executor cannot.
func (h *Host) asker() params.Asker {
	a, _ := h.Executor.(params.Asker)
	return a
}

// interruptBefore ends before_run, because somebody stops the run.
func (ho *hooking) interruptBefore() {
	if ho.stopped != nil {
		close(ho.stopped)
		ho.stopped = nil
	}
}

// interruptAfter ends after_run, because somebody stops a run that is over except for it.
func (ho *hooking) interruptAfter() {
	if ho.given != nil {
		close(ho.given)
		ho.given = nil
	}
}

// Stopped returns what is closed when somebody stops the run before it has begun.
func (ho *hooking) Stopped() <-chan struct{} { return ho.stopped }

// BeforeRun runs the hooks before the run in the folder dir, until stopped is closed. It returns why the run is refused, "" if it
// is not, and ErrInterrupted if the daemon ends. It is called on a helper, before the executor of the run is opened.
func (ho *hooking) BeforeRun(dir string, number int, env []string, stopped <-chan struct{}) (refused string, err error) {
	ctx, cancel := ho.context(stopped)
	defer cancel()
	for _, k := range ho.run.Request.Hooks {
		if k.Event != history.BeforeRun {
			continue
		}
		if ho.run.host.asker() == nil {
			return "the executor cannot run it", nil
		}
		out, err := ho.run.host.runHook(ctx, dir, ho.run.Request.Cwd, ho.run.environment(env, dir, number), k)
		switch {
		case err != nil && ctx.Err() != nil && ho.ending():
			return "", ErrInterrupted
		case err != nil && ctx.Err() != nil:
			return "", nil // the stop follows
		case err != nil:
			return reasonOf(out, err), nil
		}
	}
	return "", nil
}

// context returns a context that ends when the workspace closes, or when stopped is closed; it may be nil.
func (ho *hooking) context(stopped <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		select {
		case <-stopped:
		case <-ho.run.host.Loop.Ending():
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// ending reports whether the workspace closes.
func (ho *hooking) ending() bool {
	select {
	case <-ho.run.host.Loop.Ending():
		return true
	default:
		return false
	}
}

// reasonOf returns why a hook refuses: its last line, made harmless, otherwise how it ended.
func reasonOf(out []byte, err error) string {
	text := err.Error()
	if lines := notify.Lines(bytes.TrimSpace(out)); len(lines) > 0 {
		text = strings.TrimSpace(lines[len(lines)-1])
	}
	if len(text) > mostReason {
		text = strings.ToValidUTF8(text[:mostReason], "") + "…"
	}
	return text
}

// afterRun starts the hooks after the run, once. It returns true when they have ended. They come before the processes of the run
// are swept, because the environment is removed with them.
func (ho *hooking) afterRun() bool {
	if ho.after != afterNotBegun {
		return ho.after == afterOver
	}
	var list []history.Hook
	for _, k := range ho.run.Request.Hooks {
		if k.Event == history.AfterRun && ho.run.host.asker() != nil && !strings.HasPrefix(ho.run.Cause, history.RefusedCause) {
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		ho.after = afterOver
		return true
	}
	ho.after, ho.run.ending.endedAt = afterRunning, clock.Now() // the time of the run does not contain the hooks
	ho.given = make(chan struct{})
	given, r := ho.given, ho.run
	more := []string{"WF_RUN_RESULT=" + string(r.resultWord())}
	if failed := r.notices.firstFailure(); failed != nil {
		more = append(more, "WF_RUN_FAILED="+failed.node.Name)
	}
	r.host.Loop.Run(func() {
		ctx, cancel := ho.context(given)
		defer cancel()
		env, err := executor.Environment(r.Dir)
		if err != nil {
			r.host.Log.Warn("the environment of a run cannot be read for its hooks", "run", r.ID, "err", err)
		}
		var problems []string
		for _, k := range list {
			out, err := r.host.runHook(ctx, r.Dir, r.Request.Cwd, override(r.environment(env, r.Dir, r.Number), more), k)
			switch {
			case ctx.Err() != nil && ho.ending():
				return // the next daemon runs them again
			case ctx.Err() != nil:
				problems = append(problems, fmt.Sprintf("%s of %s was stopped", k.Event, k.From))
			case err != nil:
				problems = append(problems, fmt.Sprintf("%s of %s failed: %s", k.Event, k.From, reasonOf(out, err)))
			}
		}
		r.host.Loop.Post(func() { ho.after, ho.given, ho.problems = afterOver, nil, problems })
	})
	return false
}

// runHook runs a hook and appends its output to the file in the folder of the run. It is called on a helper.
func (h *Host) runHook(ctx context.Context, dir, cwd string, env []string, k history.Hook) (out []byte, err error) {
	began := time.Now()
	out, err = h.asker().Ask(ctx, executor.Question{Command: "exec 2>&1\n" + k.Command, Cwd: cwd, Env: override(env, []string{"WF_HOOK=" + k.Event}),
		Limit: mostHookOutput, Cut: true, Time: time.Duration(k.TimeoutMS) * time.Millisecond})
	h.keepOutput(dir, k.Event+" of "+k.From, began, out, err)
	return out, err
}

// keepOutput appends the output of a hook or a preparation, and how it ended, to the file in the folder of the run.
func (h *Host) keepOutput(dir, title string, began time.Time, out []byte, err error) {
	var text bytes.Buffer
	fmt.Fprintf(&text, "== %s, %s\n", title, began.UTC().Format(time.RFC3339))
	text.Write(out)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		text.WriteByte('\n')
	}
	result := "ok"
	if err != nil {
		result = err.Error()
	}
	fmt.Fprintf(&text, "== %s after %s\n", result, time.Since(began).Round(time.Millisecond))
	if wrong := appendTo(filepath.Join(dir, history.HooksFile), text.Bytes()); wrong != nil {
		h.Log.Warn("the output of "+title+" cannot be kept", "folder", dir, "err", wrong)
	}
}

func appendTo(path string, data []byte) error {
	f, err := ownfile.Open(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// notes returns what people are told about the hooks at the end of the run.
func (ho *hooking) notes() []string {
	if strings.HasPrefix(ho.run.Cause, history.RefusedCause) {
		return []string{"the run was " + ho.run.Cause + " (wf logs --hooks)"}
	}
	return slices.Concat(ho.nodes.notes(), ho.problems)
}

// Refused makes a run that has not begun end at once, with the reason of a hook.
func (ho *hooking) Refused(why string) {
	if ho.run.stopping.stopEarly == nil {
		ho.run.stopping.stopEarly = &api.StopRequest{Cause: history.RefusedCause + why}
	}
}
