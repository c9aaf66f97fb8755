package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/history"
)

// Why explains the state of a node in a run: in the named one, else in the active one that covers
// it, else in the last one it took part in.
func (w *Workspace) Why(ctx context.Context, node, run string) (api.Why, error) {
	type found struct {
		why     api.Why
		label   string // the command that the node has now
		past    int    // run to explain from the history; 0 = explained already
		unknown error  // the workfile has no such node: only the run may have known it
	}
	f, err := ask(ctx, w, func(w *Workspace) (found, error) {
		number, err := w.runNumber(run)
		if err != nil {
			return found{}, err
		}
		node = w.numbered(node)
		for _, r := range w.runs {
			if i, in := r.sched.Index(node); in && i >= r.outer() && (number == 0 || number == r.n) {
				f := found{why: api.Why{Schema: api.SchemaWhy, Run: r.id, Node: r.nodeStatus(i)}}
				r.explain(&f.why, i)
				return f, nil
			}
		}
		asked := number
		if number == 0 {
			number = w.last[node].run
		}
		n, err := w.find(node)
		if err != nil {
			return found{past: number, unknown: err}, nil
		}
		blocked := w.blocked()
		f := found{why: api.Why{Schema: api.SchemaWhy, Node: w.nodeStatus(n, blocked[n.Pos()])}, label: n.Label}
		if !n.Runnable() {
			f.why.Text = []string{"It is a container of other nodes, no command: it is never executed."}
			return f, nil
		}
		for _, r := range w.runs {
			if (asked == 0 || asked == r.n) && r.explainTemplate(&f.why, n.ID) {
				return f, nil
			}
		}
		if r := w.runOf(n); r != nil && (number == 0 || number == r.n) {
			i, _ := r.sched.Index(n.ID)
			f.why.Run = r.id
			r.explain(&f.why, i)
			return f, nil
		}
		if f.past = number; asked == 0 { // a node of a sub-flow is as old as that
			f.past = w.lastRun(outerOf(n))
		}
		if f.past == 0 {
			f.why.Text = w.neverRan(n)
		}
		return f, nil
	})
	switch {
	case err != nil:
		return f.why, err
	case f.unknown != nil:
		id, name, err := w.pastNode(f.past, node)
		if err != nil {
			return f.why, f.unknown
		}
		gone := api.NodeStatus{ID: id, Name: name, State: api.StateIdle}
		return w.whyPast(api.Why{Schema: api.SchemaWhy, Node: gone}, f.past, nil)
	case f.past == 0:
		return f.why, nil
	}
	return w.whyPast(f.why, f.past, &f.label)
}

// neverRan explains a node that no known run covers.
func (w *Workspace) neverRan(n *graph.Node) []string {
	text := []string{"No run that is known here has covered it."}
	if _, foreign := w.foreign[n.ID]; foreign {
		text = append(text, "Its status came with the file.")
	}
	if rec := w.record(n); rec != nil && rec.reason == api.ReasonLost {
		return append(text, "It counts as lost: "+rec.message+". wf run resumes it.")
	}
	switch n.Status {
	case graph.Ran:
		text = append(text, "The workfile says that it ran: by another program, or in a run that was removed.")
	case graph.Failed, graph.Queued, graph.Running:
		text = append(text, fmt.Sprintf("The workfile says %q: wf run resumes it.", n.Status))
	}
	return text
}

// whyPast folds a past run once more and explains the node in it. label is the command that the node
// has now; nil: the workfile has no such node any more.
func (w *Workspace) whyPast(why api.Why, n int, label *string) (api.Why, error) {
	why.Run = runID(n)
	r, err := replayRun(w.store, n)
	if errors.Is(err, history.ErrNoRun) {
		return why, &api.Error{Code: api.CodeNotFound, Message: "no run " + runID(n), Fix: "wf runs lists them"}
	}
	if err != nil {
		why.Text = []string{fmt.Sprintf("Run %d cannot be read any more: %s.", n, err)}
		return why, nil
	}
	i, in := r.sched.Index(why.Node.ID)
	if !in && r.explainTemplate(&why, why.Node.ID) {
		return why, nil
	}
	if !in {
		why.Text = []string{r.notCovered()}
		return why, nil
	}
	why.Node = r.pastStatus(i, r.sched.Blocked()[i])
	why.Node.Command = r.nodes[i].label
	r.explain(&why, i)
	if own := leftoversOf(leftIn(r.records), why.Node.ID); len(own) > 0 {
		why.Text = append(why.Text, "Note: "+leftoverText(own)+".")
	}
	switch {
	case label == nil && r.templates[r.sched.Template(i)] != nil: // an instance: its node goes by another name
	case label == nil:
		why.Text = append(why.Text, "The workfile has no such node any more.")
	case *label != why.Node.Command:
		why.Text = append(why.Text, "Its command has been changed since; the one below is that of the run.")
	}
	return why, nil
}

// notCovered says why a node was not part of the run.
func (r *runState) notCovered() string {
	var flags []string
	for _, flag := range []struct {
		name   string
		values []string
	}{{"--nodes", r.req.Selection}, {"--exclude", r.req.Exclude}} {
		if len(flag.values) > 0 {
			flags = append(flags, flag.name+" "+strings.Join(flag.values, " "))
		}
	}
	switch {
	case len(flags) > 0:
		return fmt.Sprintf("It was not part of run %d: that was asked for with %s.", r.n, strings.Join(flags, " "))
	case r.req.Mode == api.ModeResume:
		return fmt.Sprintf("It was not part of run %d, a resume: it keeps to what the runs it goes on with covered.", r.n)
	}
	return fmt.Sprintf("It was not part of run %d: the workfile did not have it then, or not as a command.", r.n)
}

// explain words what the scheduler and the executor know about a node.
func (r *runState) explain(why *api.Why, i int) {
	ex := r.sched.Explain(i)
	rec := r.nodes[i].rec
	if rec == nil {
		rec = &nodeRecord{} // it was neither executed nor failed in this run
	}
	add := func(format string, args ...any) { why.Text = append(why.Text, fmt.Sprintf(format, args...)) }
	switch ex.Status {
	case graph.Skipped:
		add("%s", r.skippedSentence(i))
		return
	case graph.Running:
		if in := r.instancesOf(i); in != nil {
			add("%s", instancesSentence(in))
			if at := r.sched.NextInstanceAt(i); at > 0 {
				add("Its rate_limit lets the next one start at %s.", time.Unix(0, at).Local().Format(time.DateTime))
			}
			break
		}
		add("It is running: execution %d, process %d.", rec.executions, rec.pid)
		if why := r.holdReason(); why != "" {
			add("The run is held, nothing starts: %s.", why)
		}
	case graph.Queued:
		if r.explainWait(why, i) {
			break
		}
		if why := r.holdReason(); why != "" {
			add("It could start, but nothing of this run is started at present: %s. It goes on by itself when that is over.", why)
		} else {
			add("It waits for a free slot: everything it depends on is done.")
			if s := r.shortage(); s != nil {
				add("%d of this run go at once: %s. For more: %s.", s.Running, s.Why, s.Fix)
			}
		}
	case graph.Ran:
		if !r.explainRan(add, i, rec) {
			return
		}
	case graph.Failed:
		handled := r.sched.Handled(i)
		if handled && rec.reason == api.ReasonCancelled {
			add("It was cancelled: only a join needed it that had been decided.")
			break
		}
		add("%s", r.failureSentence(i, rec))
		if rec.mocked {
			add("It was not executed: the run was told to take it as failed.")
		}
		if handled {
			add("The failure was handled.")
		}
	default:
		r.explainIdle(why, ex)
	}
	r.explainRecord(why, i, rec)
	r.explainWays(why, i)
	if s := r.causeSentence(i, ex.Cause); s != "" {
		add("%s", s)
		why.ActivatedBy = r.sources(ex.Cause.Edges)
	}
	if ex.Pending > 0 {
		add("%s for the present one.", agreed(ex.Pending, "more activation waits", "more activations wait"))
	}
}

// holdReason says why nothing of the run starts at present; "" if it may start or is over.
func (r *runState) holdReason() string {
	if r.active == nil {
		return ""
	}
	return r.active.heldBy()
}

func (r *runState) shortage() *api.Shortage {
	if r.active == nil {
		return nil
	}
	return r.active.shortageNow()
}

// explainRan says how a node succeeded. It returns false if that was before this run, which has nothing more
// to tell.
func (r *runState) explainRan(add func(format string, args ...any), i int, rec *nodeRecord) bool {
	switch in := r.instancesOf(i); {
	case rec.mocked:
		add("It was not executed: the run was told to take it as succeeded.")
	case in != nil && rec.run == r.n:
		add("It succeeded: %s", instancesSentence(in))
		if at, stopped := r.sched.StoppedWhen(i); stopped {
			add("Its stop_when was true%s, so no more of them began.", r.afterInstance(at))
		}
	case rec.executions == 0:
		add("%s", r.keptSentence())
		return false
	default:
		add("It succeeded%s.", times(rec.executions))
	}
	return true
}

// keptSentence is about a node that a resume has not repeated.
func (r *runState) keptSentence() string {
	if r.req.Resumes == 0 {
		return "It had succeeded before this run, which is a resume: it was kept."
	}
	return fmt.Sprintf("It had succeeded before this run, which resumes run %d: it was kept.", r.req.Resumes)
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", executed %d times", n)
}

// failureSentence says how a node failed.
func (r *runState) failureSentence(i int, rec *nodeRecord) string {
	var s string
	switch rec.reason {
	case api.ReasonExit:
		s = fmt.Sprintf("It failed: its command ended with exit code %d", rec.exitCode)
		if meaning := api.ExitMeaning(rec.exitCode); meaning != "" {
			s += " (" + meaning + ")"
		}
	case api.ReasonSignal:
		s = "It failed: its command was ended by " + signalName(rec.signal)
	case api.ReasonTimeout:
		s = "It failed: its own time was up"
		if r.cause == "timeout" {
			s = fmt.Sprintf("It failed: the time of the run (%s) was up", time.Duration(r.req.TimeoutMS)*time.Millisecond)
		}
	case api.ReasonCancelled:
		s = "It was cancelled: " + r.cancelSentence(i)
	case api.ReasonLost:
		s = "It failed: it ended unseen, so its exit code is not known"
	case api.ReasonStart:
		s = "It failed: its command could not be started"
	case api.ReasonLimit, api.ReasonExpression, api.ReasonInstances:
		s = "It failed"
	case api.ReasonRejected:
		s = "It was rejected"
	default:
		s = "It failed in an earlier run"
	}
	if rec.reason == api.ReasonRejected && strings.HasPrefix(rec.message, "rejected ") {
		s = "It was " + rec.message
	} else if rec.message != "" {
		s += ": " + rec.message
	}
	return s + "."
}

// afterInstance names the instance that a node lies in, for a sentence; "" for no node.
func (r *runState) afterInstance(node int) string {
	if node < 0 {
		return ""
	}
	name := r.nodes[node].name
	return " after " + name[:strings.LastIndexByte(name, '/')]
}

// stopSentence says who stopped what was cancelled.
func (r *runState) stopSentence() string {
	switch {
	case !r.wasStopped && r.req.FailFast:
		return "something failed, and the run was asked to fail fast"
	case !r.wasStopped:
		return "somebody stopped this node with wf stop --node"
	case r.cause == "":
		return "somebody stopped the run with wf stop"
	case r.cause == "SIGINT":
		return "the run was stopped with Ctrl-C, or another SIGINT to wf run"
	case r.cause == "SIGTERM":
		return "the run was stopped with SIGTERM to wf run"
	case r.cause == "timeout":
		return "the time of the run was up"
	}
	return "the run was stopped (" + r.cause + ")"
}

// explainIdle says what a node that did not run is missing.
func (r *runState) explainIdle(why *api.Why, ex scheduler.Explanation) {
	add := func(format string, args ...any) { why.Text = append(why.Text, fmt.Sprintf(format, args...)) }
	over := r.over || r.phase >= ended
	if len(ex.Upstream) > 0 {
		why.BlockedBy = r.names(ex.Upstream)
		add("It did not run because of what it depends on: %s.", some(r.fates(ex.Upstream), 8))
	}
	why.WaitsFor, why.Done = r.sources(ex.Lack), r.sources(ex.Have)
	switch {
	case len(why.WaitsFor) == 0:
	case over:
		add("It would have needed %s.", some(why.WaitsFor, 8))
	default:
		add("It waits for %s.", some(why.WaitsFor, 8))
	}
	if len(why.Done) > 0 {
		add("Done already: %s.", some(why.Done, 8))
	}
	switch {
	case r.phase == stopping || over && r.wasStopped:
		add("Nothing more was started: %s.", r.stopSentence())
	case over && r.req.FailFast && r.result == scheduler.Failed:
		add("Nothing more was started after the first failure: the run was asked to fail fast.")
	case len(why.Text) == 0 && over:
		add("Nothing has activated it: nothing that ran leads to it.")
	case len(why.Text) == 0:
		add("Nothing has activated it yet.")
	}
}

// fates tells of nodes how they ended.
func (r *runState) fates(nodes []int) []string {
	var fates []string
	for _, i := range nodes {
		fate := r.nodes[i].name + " failed"
		if rec := r.nodes[i].rec; rec != nil && rec.reason == api.ReasonCancelled {
			fate = r.nodes[i].name + " was cancelled"
		} else if rec != nil {
			fate += " (" + rec.cause() + ")"
		}
		fates = append(fates, fate)
	}
	return fates
}

func (r *runState) names(nodes []int) []string {
	names := make([]string, len(nodes))
	for k, i := range nodes {
		names[k] = r.nodes[i].name
	}
	return names
}

// causeSentence says what has activated a node with a status.
func (r *runState) causeSentence(i int, c scheduler.Cause) string {
	switch c.Kind {
	case scheduler.CauseStart:
		switch r.sched.Status(i) {
		case graph.Queued:
			return "" // it waits for a slot, say; that nothing before it is missing has been said
		case graph.Running:
			return "It waits for nothing."
		}
		return "It waited for nothing."
	case scheduler.CauseResume:
		return "It was activated by the resume: it had not succeeded, and what it waits for had."
	case scheduler.CauseJoin:
		return r.joinSentence(i, c)
	case scheduler.CauseTrigger:
		return "It was activated by the non-blocking edge from " + strings.Join(r.sources(c.Edges), ", ") + "."
	}
	return ""
}

// sources names where edges come from, each node once.
func (r *runState) sources(edges []int) []string {
	var names []string
	seen := make(map[int]bool, len(edges))
	for _, j := range edges {
		if src, _ := r.sched.EdgeEnds(j); !seen[src] {
			seen[src] = true
			names = append(names, r.nodes[src].name)
		}
	}
	return names
}
