package progress

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/cmd/wf/ci"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

const (
	silenceLimit  = time.Minute // after it a line lists the running nodes: CI systems kill silent jobs
	maxBlocks     = 20          // outputs of failed nodes that are shown during the run
	maxStillNames = 5
	foldedNodes   = 100 // of larger runs the screen shows only failures and finished stages
)

// A Display shows a run as lines of text: progress and the summary on standard error, events or
// the output of nodes on standard output. It belongs to the goroutine that follows the run.
type Display struct {
	e      *console.Console
	target *Target
	opt    Options
	p      console.Paint

	stderr   io.Writer         // the original standard error of e
	region   *console.Region   // all output to standard error goes through it
	term     *console.Terminal // nil: standard error is not a terminal
	keyboard *console.Keyboard // of term; nil without one
	live     *live             // nil: plain lines
	unwatch  func()            // cancels the restoring of the terminal after a crash
	ci       string            // the CI system
	err      *bufio.Writer     // flushed once per frame of events
	out      *bufio.Writer
	silence  *time.Timer // fires if nothing was printed for silenceLimit

	Run       *runview.Run
	steps     map[string]api.PlanStep // --verbose: why nodes run, and their command lines
	blocks    int                     // outputs shown so far
	printed   int                     // approximate number of printed lines
	quotes    map[nodeExecution]int   // value of printed after the output of a failure was shown
	blocked   map[string]bool         // nodes that were named as blocked
	refused   map[string]string       // failures without an execution, by node: its name and the cause
	partial   bool                    // some events of the run were not received
	hasEvents bool                    // an event of the run was received: JSON is printed from here on
	streams   *streams
}

// NewDisplay returns a Display. It replaces the standard error of e until Close, so that other output does not disturb
// the redrawn rows.
func NewDisplay(e *console.Console, s *Target, opt Options) *Display {
	v := &Display{e: e, target: s, opt: opt, p: e.ErrPaint(), stderr: e.Stderr, region: console.NewRegion(e.Stderr),
		term: console.NewTerminal(e.Stdin, e.Stderr), silence: time.NewTimer(silenceLimit), Run: runview.New(), blocked: map[string]bool{}, refused: map[string]string{}, quotes: map[nodeExecution]int{}}
	if v.term != nil {
		v.keyboard = console.NewKeyboard(e, v.term)
	}
	e.Stderr, v.unwatch = v.region, e.RestoreInCrash(v.region, v.term)
	v.ci = ci.Detect(e.Get, opt.CI)
	if v.opt.Output == "auto" && v.progress() && !opt.Quiet && !opt.JSON && v.inCI() {
		v.opt.Output = "grouped" // a CI log is often read after the machine with the outputs is gone
	}
	v.err, v.out = bufio.NewWriter(v.region), bufio.NewWriter(v.region.Aside(e.Stdout))
	if opt.Output == "stream" {
		v.streams = newStreams(v)
	}
	return v
}

// Close stops following outputs, prints buffered lines and restores standard error.
func (v *Display) Close() {
	v.endLive()
	v.silence.Stop()
	v.flush()
	if v.streams != nil {
		v.streams.close()
	}
	v.unwatch()
	v.e.Stderr = v.stderr
}

// flush writes what the last events added. An error on standard output is returned, because the reader of the events
// has gone; errors on standard error are ignored.
func (v *Display) flush() error {
	if v.live != nil {
		return v.live.flush(time.Now())
	}
	v.err.Flush()
	return v.out.Flush()
}

// inCI reports whether the command runs in a CI job.
func (v *Display) inCI() bool { return v.ci != ci.None || v.e.Get("CI") != "" }

// progress reports whether lines about single nodes are printed.
func (v *Display) progress() bool {
	return v.opt.Progress != "none" && !(v.opt.JSON && v.opt.Progress == "auto")
}

// showsBlocks reports whether the end of the output is shown when a node fails.
func (v *Display) showsBlocks() bool {
	return v.opt.Output == "failed" || v.opt.Output == "auto" && v.progress() && !v.opt.Quiet
}

// events returns the types of events that the display uses; nil = all. Reading unused events would be most of the work
// of the client in a large run.
func (v *Display) events() []api.EventType {
	if v.opt.JSON {
		return nil
	}
	types := []api.EventType{api.RunStarted, api.RunGrew, api.RunStopping, api.RunHeld, api.RunShort, api.RunStep, api.RunComplete, api.NodeFailed, api.FileProblem,
		api.NodeWaiting, api.NodeDecided}
	if v.opt.Progress != "none" || v.opt.Output == "grouped" || v.opt.Output == "stream" {
		types = append(types, api.NodeStarted, api.NodeFinished, api.NodeSkipped)
	}
	if v.opt.Progress != "none" && v.opt.Verbose && v.term == nil {
		types = append(types, api.NodeEngine)
	}
	if v.opt.Progress != "none" && v.term != nil { // redrawn progress counts the waiting nodes
		types = append(types, api.NodeReady, api.NodeReset, api.NodeEngine)
	}
	return types
}

// print prints one line.
func (v *Display) print(format string, args ...any) {
	io.WriteString(v.err, ci.Harmless(v.ci, fmt.Sprintf(format, args...))+"\n")
	v.silence.Reset(silenceLimit)
	v.printed++
}

// at prints one line of progress with the time at which it became true.
func (v *Display) at(t time.Time, format string, args ...any) {
	v.print("%s"+format, append([]any{v.stamp(t)}, args...)...)
}

// stamp returns the time before a line of progress, by --timestamps. The default is the time of day in a log, and none on
// a redrawn screen.
func (v *Display) stamp(t time.Time) string {
	switch v.opt.Timestamps {
	case "off":
		return ""
	case "iso":
		return t.UTC().Format("2006-01-02T15:04:05.000Z") + " "
	case "rel":
		return fmt.Sprintf("%+8.1fs ", max(0, t.Sub(v.Run.Started)).Seconds())
	}
	if v.live != nil {
		return ""
	}
	return t.Local().Format(time.TimeOnly) + " "
}

// Accepted shows the answer of the daemon to the request.
func (v *Display) Accepted(a api.RunAccepted) {
	v.Run.Total = a.Nodes
	switch {
	case a.Run == "":
		v.print("nothing to resume: no node of %s has failed", v.workfile())
	case a.Mode == api.ModeResume && a.Failed > 0 && !v.opt.Quiet:
		fresh := "wf run --fresh" + v.target.FileFlag
		v.print("resuming%s: %s%s (%s runs all %d)", words.RunName(a.Resumes), words.Plural(a.Failed, "failed node"), fromFileClause(a.FromFile), fresh, a.Total)
	}
	for _, note := range a.Notes {
		v.print("note: %s", plain.Line(v.e.Advice(note)))
	}
	v.flush()
}

// fromFileClause returns a text about the number of statuses that did not come from a run on this machine; "" for none.
func fromFileClause(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; the status of %s came with the file, not from a run here", words.Plural(n, "node"))
}

// workfile returns the printable name of the workfile.
func (v *Display) workfile() string { return plain.Line(filepath.Base(v.target.Path)) }

// event shows one event of the run, or one that concerns the whole workfile.
func (v *Display) event(ctx context.Context, ev api.Event) error {
	v.hasEvents = v.hasEvents || ev.Run != ""
	if v.opt.JSON && v.hasEvents {
		if err := console.WriteJSON(v.out, ev); err != nil {
			return err
		}
	}
	finished := v.Run.Apply(ev)
	if v.live != nil {
		v.live.dirty = true
	}
	switch ev.Type {
	case api.RunStarted:
		v.started(ev)
	case api.NodeStarted:
		v.nodeStarted(ev)
	case api.NodeFinished, api.NodeFailed:
		v.nodeEnded(ctx, ev)
		v.stageEnded(finished)
	case api.NodeSkipped:
		v.nodeSkipped(ev)
		v.stageEnded(finished)
	case api.NodeWaiting:
		v.nodeWaiting(ev)
	case api.NodeDecided:
		v.nodeDecided(ev)
	case api.NodeEngine:
		v.nodeEngine(ev)
	case api.RunStopping:
		// A stop by this command was already announced.
		if v.progress() && !v.opt.Quiet && ev.Client != v.target.Client.ID() {
			v.at(ev.Time, "%s", stopText(ev))
		}
	case api.RunHeld:
		v.held(ev)
	case api.RunStep:
		if v.progress() && !v.opt.Quiet {
			v.at(ev.Time, "%s", plain.Line(ev.Message))
		}
	case api.RunShort:
		if ev.Short != nil && v.progress() && !v.opt.Quiet {
			v.at(ev.Time, "%s", words.Short(*ev.Short))
		}
	case api.FileProblem:
		if ev.Message == "" {
			v.print("note: the problem with the workfile is solved")
			return nil
		}
		v.print("note: %s", plain.Line(v.e.Advice(ev.Message)))
	}
	return nil
}

// held prints that nothing starts, or that the run continues, at any verbosity.
func (v *Display) held(ev api.Event) {
	if ev.Message == "" {
		v.at(ev.Time, "the run continues")
		return
	}
	v.at(ev.Time, heldText, plain.Line(ev.Message))
}

const heldText = "held: nothing starts: %s; the run continues by itself when that ends"

// attached prints the header for an active run.
func (v *Display) attached(run api.RunSummary) {
	v.hasEvents, v.partial = true, true
	v.Run.Resync(run)
	v.Run.Started = run.Started
	if v.progress() && !v.opt.Quiet {
		v.print("run %s %s: %d of %s ended, %d running", run.Run, v.workfile(), v.Run.Missed, words.Plural(v.Run.Total, "node"), run.Counts.Running)
	}
	if run.Held != "" {
		v.print(heldText, plain.Line(run.Held))
	}
	v.flush()
}
