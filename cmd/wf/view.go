package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wf/api"
)

const (
	silenceLimit  = time.Minute // then a line says what is still running: CI systems end what is silent
	maxBlocks     = 20          // outputs of failed nodes shown while the run goes on
	maxStillNames = 5
)

// A view shows a run as lines of text: progress and the summary on standard error, events or
// the output of nodes on standard output. It belongs to the goroutine that follows the run.
type view struct {
	e   *env
	s   *session
	opt showOptions
	p   paint

	err     *bufio.Writer // flushed once per frame
	out     *bufio.Writer
	silence *time.Timer // fires when nothing was printed for a while

	total   int             // nodes to run
	kept    int             // nodes in scope that a resumed run does not repeat
	done    map[string]bool // nodes that ended at least once
	missed  int             // nodes that ended while the connection was lost
	running map[string]runningNode
	blocks  int  // outputs shown so far
	begun   bool // the run's own events have begun: JSON prints from here on
	streams *streams
}

// runningNode is what the heartbeat says about a node.
type runningNode struct {
	name    string
	started time.Time
}

func newView(e *env, s *session, opt showOptions) *view {
	v := &view{e: e, s: s, opt: opt, p: e.errPaint(),
		err: bufio.NewWriter(e.stderr), out: bufio.NewWriter(e.stdout),
		silence: time.NewTimer(silenceLimit),
		done:    map[string]bool{}, running: map[string]runningNode{}}
	if opt.output == "stream" {
		v.streams = newStreams(e, s)
	}
	return v
}

// close ends what follows outputs, and shows what an error has left unsaid.
func (v *view) close() {
	v.silence.Stop()
	v.flush()
	if v.streams != nil {
		v.streams.close()
	}
}

// flush writes what the last events added. An error on standard output ends the command: the
// reader of the events has gone. One on standard error does not: the run matters more.
func (v *view) flush() error {
	v.err.Flush()
	return v.out.Flush()
}

// progress says whether lines about single nodes are wanted.
func (v *view) progress() bool {
	return v.opt.progress != "none" && !(v.opt.json && v.opt.progress == "auto")
}

// showsBlocks says whether the end of a failed node's output is shown when it fails.
func (v *view) showsBlocks() bool {
	return v.opt.output == "failed" || v.opt.output == "auto" && v.progress() && !v.opt.quiet
}

// events are the types of events that a view with these options makes use of; nil = all. On a large
// run most of the client's work is to read what it does not show.
func (o showOptions) events() []api.EventType {
	if o.json {
		return nil
	}
	types := []api.EventType{api.RunStarted, api.RunStopping, api.RunComplete, api.NodeFailed, api.FileProblem}
	if o.progress != "none" || o.output == "grouped" || o.output == "stream" {
		types = append(types, api.NodeStarted, api.NodeFinished)
	}
	return types
}

// say prints one line about the run as a whole.
func (v *view) say(format string, args ...any) {
	fmt.Fprintf(v.err, format+"\n", args...)
	v.silence.Reset(silenceLimit)
}

// at prints one line of progress with the time at which it became true.
func (v *view) at(t time.Time, format string, args ...any) {
	v.say("%s "+format, append([]any{t.Local().Format(time.TimeOnly)}, args...)...)
}

// accepted shows what the daemon made of the request.
func (v *view) accepted(a api.RunAccepted) {
	v.total = a.Nodes
	switch {
	case a.Run == "":
		v.say("nothing to resume: no node of %s has failed", v.workfile())
	case a.Mode == api.ModeResume && !v.opt.quiet:
		fresh := "wf run --fresh" + v.e.fileFix(v.s.path)
		v.say("resuming%s: %s (%s runs all %d)", runName(a.Resumes), plural(a.Failed, "failed node"), fresh, a.Total)
	}
	for _, note := range a.Notes {
		v.say("note: %s", oneLine(note))
	}
	v.flush()
}

// workfile is the file's name for people.
func (v *view) workfile() string { return oneLine(filepath.Base(v.s.path)) }

// event shows one event of the run, or one that concerns the whole workfile.
func (v *view) event(ctx context.Context, ev api.Event) error {
	v.begun = v.begun || ev.Run != ""
	if v.opt.json && v.begun {
		if err := writeJSON(v.out, ev); err != nil {
			return err
		}
	}
	switch ev.Type {
	case api.RunStarted:
		v.started(ev)
	case api.NodeStarted:
		v.nodeStarted(ev)
	case api.NodeFinished, api.NodeFailed:
		v.nodeEnded(ctx, ev)
	case api.RunStopping:
		// Who pressed Ctrl-C here has been told already.
		if v.progress() && !v.opt.quiet && ev.Client != v.s.client.ID() {
			v.at(ev.Time, "somebody stops the run")
		}
	case api.FileProblem:
		v.say("note: %s", oneLine(ev.Message))
	}
	return nil
}

// started is the header of the run.
func (v *view) started(ev api.Event) {
	v.total = ev.Nodes - v.kept
	if !v.progress() || v.opt.quiet {
		return
	}
	size := plural(v.total, "node")
	if v.kept > 0 {
		size += fmt.Sprintf(", %d kept", v.kept)
	}
	if ev.Jobs > 0 { // else the machine's slots are the only limit
		size += ", " + plural(ev.Jobs, "job")
	}
	v.at(ev.Time, "run %s %s: %s", ev.Run, v.workfile(), size)
}

func (v *view) nodeStarted(ev api.Event) {
	v.running[ev.Node] = runningNode{oneLine(ev.Name), ev.Time}
	if v.streams != nil {
		v.streams.follow(ev)
	}
	if v.progress() && v.opt.verbose {
		v.at(ev.Time, "%s %s started%s", v.p.glyph(api.StateRunning), oneLine(ev.Name), again(ev))
	}
}

func (v *view) nodeEnded(ctx context.Context, ev api.Event) {
	delete(v.running, ev.Node)
	v.done[ev.Node] = true
	failed := ev.Type == api.NodeFailed
	if v.progress() && (failed || !v.opt.quiet) {
		v.endLine(ev)
	}
	switch {
	case v.opt.output == "grouped":
		v.wholeOutput(ctx, ev)
	case failed && ev.Reason != api.ReasonCancelled && v.showsBlocks():
		v.failedOutput(ctx, ev)
	}
}

// endLine is "03:12:18 ✗ trim_S002 0.8s exit 1 (3/30)".
func (v *view) endLine(ev api.Event) {
	parts := []string{v.p.glyph(endState(ev)), oneLine(ev.Name)}
	if d := spanMS(ev.DurationMS); d != "" {
		parts = append(parts, d)
	}
	if ev.Type == api.NodeFailed {
		parts = append(parts, cause(ev.Reason, ev.ExitCode, ev.Signal, ev.Message))
	}
	v.at(ev.Time, "%s%s (%s)", strings.Join(parts, " "), again(ev), v.ended())
}

// ended is how many nodes of how many have ended at least once: "3/30". A loop may come back to
// nodes that were kept, and what was missed may end once more; it never says more than all.
func (v *view) ended() string {
	total := max(v.total, len(v.done))
	return fmt.Sprintf("%d/%d", min(len(v.done)+v.missed, total), total)
}

// again names the execution of a node that ran before in this run.
func again(ev api.Event) string {
	if ev.Execution < 2 {
		return ""
	}
	return fmt.Sprintf(" execution %d", ev.Execution)
}

// endState is the state an ending event leaves its node in.
func endState(ev api.Event) api.State {
	switch {
	case ev.Type == api.NodeFinished:
		return api.StateOK
	case ev.Reason == api.ReasonCancelled:
		return api.StateCancelled
	}
	return api.StateFailed
}

// resync takes the counts from a snapshot: what happened in between was not seen.
func (v *view) resync(run api.RunSummary) {
	c := run.Counts
	v.kept = c.Kept
	v.total = run.Nodes - v.kept
	v.missed = max(0, c.OK+c.Failed+c.Cancelled-len(v.done))
	v.begun = true
	clear(v.running) // whatever of it still runs will report its end all the same
	if v.progress() {
		v.say("note: connected to the daemon again, run %s is going (%s)", run.Run, v.ended())
	}
}

// heartbeat says what takes so long.
func (v *view) heartbeat(now time.Time) {
	v.silence.Reset(silenceLimit)
	if !v.progress() || v.opt.quiet || len(v.running) == 0 {
		return
	}
	nodes := make([]runningNode, 0, len(v.running))
	for _, n := range v.running {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b runningNode) int {
		return cmp.Or(a.started.Compare(b.started), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, n := range nodes {
		names = append(names, n.name+" "+span(now.Sub(n.started)))
	}
	v.at(now, "%s still running: %s (%s)", v.p.ellipsis(), nameList(names, maxStillNames), v.ended())
}

// cancelling and killing answer a signal with exactly one line.
func (v *view) cancelling(grace time.Duration) {
	v.say("cancelling %s (%s grace): Ctrl-C again to kill", v.whatRuns(), seconds(grace))
}

func (v *view) killing() { v.say("killing %s", v.whatRuns()) }

// whatRuns counts what a stop ends. What has just been started may not be announced yet.
func (v *view) whatRuns() string {
	if len(v.running) == 0 {
		return "the run"
	}
	return plural(len(v.running), "node")
}

// stopAnswered shows why a stop was not done. That the run is over already is no news.
func (v *view) stopAnswered(err error) {
	if err != nil && !isCode(err, api.CodeNotFound) && !isCode(err, api.CodeConflict) {
		v.say("note: cannot stop the run: %s", oneLine(err.Error()))
	}
}

// detached prints what is needed to come back; the number of the run is the answer.
func (v *view) detached(run string, asJSON bool) error {
	if !v.opt.quiet {
		file := v.e.fileFix(v.s.path)
		v.say("run %s goes on without you. back: wf attach %s%s   stop: wf stop %s%s", run, run, file, run, file)
	}
	if asJSON {
		if err := writeJSON(v.out, map[string]string{"run": run}); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(v.out, run)
	}
	return v.flush()
}

// goodbye is the last line of somebody who only watched.
func (v *view) goodbye(run string) {
	count := ""
	if v.progress() { // else it was not told of all ends
		count = " (" + v.ended() + ")"
	}
	v.say("left run %s%s. It goes on.   stop: wf stop %s%s", run, count, run, v.e.fileFix(v.s.path))
	v.flush()
}
