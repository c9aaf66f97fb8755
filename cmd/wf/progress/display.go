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
	silenceLimit  = time.Minute // then a line says what is still running: CI systems end what is silent
	maxBlocks     = 20          // outputs of failed nodes shown while the run goes on
	maxStillNames = 5
	foldedNodes   = 100 // of a larger run the screen keeps failures and finished stages only
)

// A Display shows a run as lines of text: progress and the summary on standard error, events or
// the output of nodes on standard output. It belongs to the goroutine that follows the run.
type Display struct {
	e   *console.Console
	s   *Target
	opt Options
	p   console.Paint

	stderr   io.Writer         // that of the env, which is the region's while the view lives
	region   *console.Region   // everything on standard error goes through it
	term     *console.Terminal // nil: standard error is none
	keyboard *console.Keyboard // of term; nil as that
	live     *live             // nil: plain lines
	unwatch  func()            // takes back what a crash would do to the terminal
	ci       string            // the CI system that reads along
	err      *bufio.Writer     // flushed once per frame
	out      *bufio.Writer
	silence  *time.Timer // fires when nothing was printed for a while

	Run     *runview.Run
	steps   map[string]api.PlanStep // --verbose: why nodes run, and their command lines
	blocks  int                     // outputs shown so far
	said    int                     // lines printed so far, about
	quotes  map[nodeExecution]int   // at which of them the last words of a failure were shown
	blocked map[string]bool         // nodes that were named as blocked
	refused map[string]string       // failures that no execution has caused, by node: its name and the cause
	partial bool                    // not all of the run was seen
	begun   bool                    // the run's own events have begun: JSON prints from here on
	streams *streams
}

// NewDisplay takes over the standard error of e until close, so that nothing is printed into what is
// being redrawn.
func NewDisplay(e *console.Console, s *Target, opt Options) *Display {
	v := &Display{e: e, s: s, opt: opt, p: e.ErrPaint(), stderr: e.Stderr, region: console.NewRegion(e.Stderr),
		term: console.NewTerminal(e.Stdin, e.Stderr), silence: time.NewTimer(silenceLimit), Run: runview.New(), blocked: map[string]bool{}, refused: map[string]string{}, quotes: map[nodeExecution]int{}}
	if v.term != nil {
		v.keyboard = console.NewKeyboard(e, v.term)
	}
	e.Stderr, v.unwatch = v.region, e.RestoreInCrash(v.region, v.term)
	v.ci = ci.Detect(e.Get, opt.CI)
	if v.opt.Output == "auto" && v.progress() && !opt.Quiet && !opt.JSON && v.inCI() {
		v.opt.Output = "grouped" // a CI log is read when the outputs are gone
	}
	v.err, v.out = bufio.NewWriter(v.region), bufio.NewWriter(v.region.Aside(e.Stdout))
	if opt.Output == "stream" {
		v.streams = newStreams(v)
	}
	return v
}

// Close ends what follows outputs, and shows what an error has left unsaid.
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

// flush writes what the last events added. An error on standard output ends the command: the
// reader of the events has gone. One on standard error does not: the run matters more.
func (v *Display) flush() error {
	if v.live != nil {
		return v.live.flush(time.Now())
	}
	v.err.Flush()
	return v.out.Flush()
}

// inCI says whether nobody watches and the log is all there will be.
func (v *Display) inCI() bool { return v.ci != ci.None || v.e.Get("CI") != "" }

// Progress says whether lines about single nodes are wanted.
func (v *Display) progress() bool {
	return v.opt.Progress != "none" && !(v.opt.JSON && v.opt.Progress == "auto")
}

// showsBlocks says whether the end of a failed node's output is shown when it fails.
func (v *Display) showsBlocks() bool {
	return v.opt.Output == "failed" || v.opt.Output == "auto" && v.progress() && !v.opt.Quiet
}

// events are the types of events that the view makes use of; nil = all. On a large run most of the
// client's work is to read what it does not show.
func (v *Display) events() []api.EventType {
	if v.opt.JSON {
		return nil
	}
	types := []api.EventType{api.RunStarted, api.RunGrew, api.RunStopping, api.RunHeld, api.RunShort, api.RunComplete, api.NodeFailed, api.FileProblem,
		api.NodeWaiting, api.NodeDecided}
	if v.opt.Progress != "none" || v.opt.Output == "grouped" || v.opt.Output == "stream" {
		types = append(types, api.NodeStarted, api.NodeFinished, api.NodeSkipped)
	}
	if v.opt.Progress != "none" && v.term != nil { // what waits is counted where progress is redrawn
		types = append(types, api.NodeReady, api.NodeReset)
	}
	return types
}

// say prints one line about the run as a whole.
func (v *Display) say(format string, args ...any) {
	io.WriteString(v.err, ci.Harmless(v.ci, fmt.Sprintf(format, args...))+"\n")
	v.silence.Reset(silenceLimit)
	v.said++
}

// at prints one line of progress with the time at which it became true.
func (v *Display) at(t time.Time, format string, args ...any) {
	v.say("%s"+format, append([]any{v.stamp(t)}, args...)...)
}

// stamp is what --timestamps puts before a line. By default a log has the time of day, and what
// people watch has none.
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

// Accepted shows what the daemon made of the request.
func (v *Display) Accepted(a api.RunAccepted) {
	v.Run.Total = a.Nodes
	switch {
	case a.Run == "":
		v.say("nothing to resume: no node of %s has failed", v.workfile())
	case a.Mode == api.ModeResume && a.Failed > 0 && !v.opt.Quiet:
		fresh := "wf run --fresh" + v.s.FileFlag
		v.say("resuming%s: %s%s (%s runs all %d)", words.RunName(a.Resumes), words.Plural(a.Failed, "failed node"), fromFileClause(a.FromFile), fresh, a.Total)
	}
	for _, note := range a.Notes {
		v.say("note: %s", plain.Line(note))
	}
	v.flush()
}

// fromFileClause says of a run how much of what it builds on nobody here has run; "" for nothing.
func fromFileClause(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; the status of %s came with the file, not from a run here", words.Plural(n, "node"))
}

// workfile is the file's name for people.
func (v *Display) workfile() string { return plain.Line(filepath.Base(v.s.Path)) }

// event shows one event of the run, or one that concerns the whole workfile.
func (v *Display) event(ctx context.Context, ev api.Event) error {
	v.begun = v.begun || ev.Run != ""
	if v.opt.JSON && v.begun {
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
	case api.RunStopping:
		// Who pressed Ctrl-C here has been told already.
		if v.progress() && !v.opt.Quiet && ev.Client != v.s.Client.ID() {
			v.at(ev.Time, "%s", stopText(ev))
		}
	case api.RunHeld:
		v.held(ev)
	case api.RunShort:
		if ev.Short != nil && v.progress() && !v.opt.Quiet {
			v.at(ev.Time, "%s", words.Short(*ev.Short))
		}
	case api.FileProblem:
		if ev.Message == "" {
			v.say("note: the trouble with the workfile is over")
			return nil
		}
		v.say("note: %s", plain.Line(ev.Message))
	}
	return nil
}

// held says that nothing starts, or that it goes on: who waits wants to know it however little else.
func (v *Display) held(ev api.Event) {
	if ev.Message == "" {
		v.at(ev.Time, "goes on")
		return
	}
	v.at(ev.Time, "held: nothing starts: %s; it goes on by itself when that is over", plain.Line(ev.Message))
}

// attached is the header for somebody who comes while the run is going.
func (v *Display) attached(run api.RunSummary) {
	v.begun, v.partial = true, true
	v.Run.Resync(run)
	v.Run.Started = run.Started
	if v.progress() && !v.opt.Quiet {
		v.say("run %s %s: %d of %s ended, %d running", run.Run, v.workfile(), v.Run.Missed, words.Plural(v.Run.Total, "node"), run.Counts.Running)
	}
	v.flush()
}
