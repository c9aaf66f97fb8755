package runstate

import (
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/history"
)

// NotCovered returns a sentence about a node that was not part of the run.
func (r Explainer) NotCovered() string {
	var flags []string
	for _, flag := range []struct {
		name   string
		values []string
	}{{"--nodes", r.Request.Selection}, {"--exclude", r.Request.Exclude}, {"--from", r.Request.From}, {"--until", r.Request.Until}} {
		if len(flag.values) > 0 {
			flags = append(flags, flag.name+" "+strings.Join(flag.values, " "))
		}
	}
	switch {
	case len(flags) > 0:
		return fmt.Sprintf("It was not part of run %d: that was asked for with %s.", r.Number, strings.Join(flags, " "))
	case r.Request.Mode == api.ModeResume:
		return fmt.Sprintf("It was not part of run %d, a resume: a resume covers only what the runs before it covered.", r.Number)
	}
	return fmt.Sprintf("It was not part of run %d: the workfile did not have it then, or not as a command.", r.Number)
}

// An Explainer explains in sentences why the nodes of a run are in their states.
type Explainer struct{ *State }

func (r *State) Explainer() Explainer { return Explainer{r} }

// Explain adds the explanation of node i to why.
func (r Explainer) Explain(why *api.Why, i int) {
	ex := r.Sched.Explain(i)
	rec := r.Nodes[i].Execution
	if rec == nil {
		rec = &Execution{} // this run has neither executed nor failed it
	}
	add := func(format string, args ...any) { why.Text = append(why.Text, fmt.Sprintf(format, args...)) }
	switch ex.Status {
	case graph.Skipped:
		add("%s", r.skippedSentence(i))
		return
	case graph.Running:
		if in := r.instancesOf(i); in != nil {
			add("%s", instancesSentence(in))
			if at := r.Sched.NextInstanceAt(i); at > 0 {
				add("Its rate_limit lets the next one start at %s.", time.Unix(0, at).Local().Format(time.DateTime))
			}
			break
		}
		add("%s", rec.runningSentence())
		if why := r.holdReason(); why != "" {
			add("The run is held, nothing starts: %s.", why)
		}
	case graph.Queued:
		if r.explainWait(why, i) {
			break
		}
		why.Text = append(why.Text, r.queuedSentences(rec)...)
	case graph.Ran:
		if !r.explainRan(add, i, rec) {
			return
		}
	case graph.Failed:
		handled := r.Sched.Handled(i)
		if handled && rec.Reason == api.ReasonCancelled {
			add("It was cancelled: only a join needed it, and that was already decided.")
			break
		}
		add("%s", r.failureSentence(i, rec))
		if rec.Mocked {
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
		why.ActivatedBy = r.Sources(ex.Cause.Edges)
	}
	if ex.Pending > 0 {
		add("%s for the present one.", api.Counted(ex.Pending, "more activation waits", "more activations wait"))
	}
}

// queuedSentences returns sentences about a node whose dependencies are done and that waits for nothing but its start.
func (r Explainer) queuedSentences(rec *Execution) []string {
	if j := rec.Engine(); rec.Live && j != nil {
		return []string{waitingAtEngine(j)}
	}
	if why := r.holdReason(); why != "" {
		return []string{fmt.Sprintf("It could start, but this run starts nothing at present: %s. It starts when that is over.", why)}
	}
	text := []string{"It waits for a free slot: everything it depends on is done."}
	if s := r.shortage(); s != nil {
		text = append(text, fmt.Sprintf("%d of this run go at once: %s. For more: %s.", s.Running, s.Why, s.Fix))
	}
	return text
}

// holdReason returns why nothing of the run starts at present; "" if executions may start, or if the run is over.
func (r Explainer) holdReason() string {
	if r.Active == nil {
		return ""
	}
	return r.Active.HeldBy()
}

func (r Explainer) shortage() *api.Shortage {
	if r.Active == nil {
		return nil
	}
	return r.Active.Shortage()
}

// explainRan adds how a node succeeded. It returns false if the node succeeded in an earlier run, which needs no further
// explanation.
func (r Explainer) explainRan(add func(format string, args ...any), i int, rec *Execution) bool {
	switch in := r.instancesOf(i); {
	case rec.Mocked:
		add("It was not executed: the run was told to take it as succeeded.")
	case rec.UpToDate:
		add("It was not executed: it was %s. Its command, its values, its inputs and its outputs are as they were then.", rec.Message)
	case in != nil && rec.Run == r.Number:
		add("It succeeded: %s", instancesSentence(in))
		if at, stopped := r.Sched.StoppedWhen(i); stopped {
			add("Its stop_when was true%s, so no more of them began.", r.afterInstance(at))
		}
	case rec.Number == 0:
		add("%s", r.keptSentence())
		return false
	default:
		add("It succeeded%s.", times(rec.Number))
	}
	return true
}

// keptSentence returns a sentence about a node that a resume has kept.
func (r Explainer) keptSentence() string {
	if r.Request.Resumes == 0 {
		return "It had succeeded before this run, which is a resume: it was kept."
	}
	return fmt.Sprintf("It had succeeded before this run, which resumes run %d: it was kept.", r.Request.Resumes)
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", executed %d times", n)
}

// failureSentence returns a sentence about the failure of a node.
func (r Explainer) failureSentence(i int, rec *Execution) string {
	var s string
	switch rec.Reason {
	case api.ReasonExit:
		s = fmt.Sprintf("It failed: its command ended with exit code %d", rec.ExitCode)
		if meaning := api.ExitMeaning(rec.ExitCode); meaning != "" {
			s += " (" + meaning + ")"
		}
	case api.ReasonSignal:
		s = "It failed: its command was ended by " + SignalName(rec.Signal)
	case api.ReasonTimeout:
		s = "It failed: its own time was up"
		if r.Cause == "timeout" {
			s = fmt.Sprintf("It failed: the time of the run (%s) was up", time.Duration(r.Request.TimeoutMS)*time.Millisecond)
		}
	case api.ReasonCancelled:
		s = "It was cancelled: " + r.cancelSentence(i)
	case api.ReasonMemory, api.ReasonNodeFail, api.ReasonPreempted, api.ReasonEngineCancelled:
		s = "It failed: " + engineFailure(rec.Reason)
	case api.ReasonLost:
		s = "It failed: it ended unseen, so its exit code is not known"
	case api.ReasonHook:
		s = "It failed: its command was not started"
	case api.ReasonStart:
		s = "It failed: its command could not be started"
	case api.ReasonMissing:
		s = "It failed: its command succeeded, but did not make what its outputs declare"
	case api.ReasonLimit, api.ReasonExpression, api.ReasonInstances:
		s = "It failed"
	case api.ReasonRejected:
		s = "It was rejected"
	default:
		s = "It failed in an earlier run"
	}
	if rec.Reason == api.ReasonRejected && strings.HasPrefix(rec.Message, "rejected ") {
		s = "It was " + rec.Message
	} else if rec.Message != "" {
		s += ": " + rec.Message
	}
	return s + "."
}

// afterInstance returns a phrase that names the instance of a node; "" if there is no node.
func (r Explainer) afterInstance(node int) string {
	if node < 0 {
		return ""
	}
	name := r.Nodes[node].Name
	return " after " + name[:strings.LastIndexByte(name, '/')]
}

// stopSentence returns a sentence about what stopped the run or its node.
func (r Explainer) stopSentence() string {
	switch {
	case !r.WasStopped && r.Request.FailFast:
		return "something failed, and the run was asked to fail fast"
	case !r.WasStopped:
		return "this node was stopped with wf stop --node"
	case r.Cause == "":
		return "the run was stopped with wf stop"
	case r.Cause == "SIGINT":
		return "the run was stopped with Ctrl-C, or another SIGINT to wf run"
	case r.Cause == "SIGTERM":
		return "the run was stopped with SIGTERM to wf run"
	case r.Cause == "timeout":
		return "the time of the run was up"
	case strings.HasPrefix(r.Cause, history.RefusedCause):
		return "the run was " + r.Cause
	}
	return "the run was stopped (" + r.Cause + ")"
}

// explainIdle adds what is missing for a node that did not run.
func (r Explainer) explainIdle(why *api.Why, ex scheduler.Explanation) {
	add := func(format string, args ...any) { why.Text = append(why.Text, fmt.Sprintf(format, args...)) }
	over := r.Replayed || r.Phase >= Ended
	if len(ex.Upstream) > 0 {
		why.BlockedBy = r.names(ex.Upstream)
		add("It did not run because of what it depends on: %s.", api.Several(r.endsOf(ex.Upstream), 8))
	}
	why.WaitsFor, why.Done = r.Sources(ex.Lack), r.Sources(ex.Have)
	switch {
	case len(why.WaitsFor) == 0:
	case over:
		add("It would have needed %s.", api.Several(why.WaitsFor, 8))
	default:
		add("It waits for %s.", api.Several(why.WaitsFor, 8))
	}
	if len(why.Done) > 0 {
		add("Done already: %s.", api.Several(why.Done, 8))
	}
	switch {
	case r.Phase == Stopping || over && r.WasStopped:
		add("Nothing more was started: %s.", r.stopSentence())
	case over && r.Request.FailFast && r.Result == scheduler.Failed:
		add("Nothing more was started after the first failure: the run was asked to fail fast.")
	case len(why.Text) == 0 && over:
		add("Nothing has activated it: nothing that ran leads to it.")
	case len(why.Text) == 0:
		add("Nothing has activated it yet.")
	}
}

// endsOf returns how nodes ended, in words.
func (r Explainer) endsOf(nodes []int) []string {
	var list []string
	for _, i := range nodes {
		text := r.Nodes[i].Name + " failed"
		if rec := r.Nodes[i].Execution; rec != nil && rec.Reason == api.ReasonCancelled {
			text = r.Nodes[i].Name + " was cancelled"
		} else if rec != nil {
			text += " (" + rec.Cause() + ")"
		}
		list = append(list, text)
	}
	return list
}

func (r *State) names(nodes []int) []string {
	names := make([]string, len(nodes))
	for k, i := range nodes {
		names[k] = r.Nodes[i].Name
	}
	return names
}

// causeSentence returns a sentence about what activated a node.
func (r Explainer) causeSentence(i int, c scheduler.Cause) string {
	switch c.Kind {
	case scheduler.CauseStart:
		switch r.Sched.Status(i) {
		case graph.Queued:
			return "" // the explanation already contains the reason
		case graph.Running:
			return "It waits for nothing."
		}
		return "It waited for nothing."
	case scheduler.CauseResume:
		return "It was activated by the resume: it had not succeeded, and what it waits for had."
	case scheduler.CauseJoin:
		return r.joinSentence(i, c)
	case scheduler.CauseTrigger:
		return "It was activated by the non-blocking edge from " + strings.Join(r.Sources(c.Edges), ", ") + "."
	}
	return ""
}

// Sources returns the names of the source nodes of edges, without duplicates.
func (r *State) Sources(edges []int) []string {
	var names []string
	seen := make(map[int]bool, len(edges))
	for _, j := range edges {
		if src, _ := r.Sched.EdgeEnds(j); !seen[src] {
			seen[src] = true
			names = append(names, r.Nodes[src].Name)
		}
	}
	return names
}

// explainWait adds what a queued node waits for. It returns false if the node waits only for a slot.
func (r Explainer) explainWait(why *api.Why, i int) bool {
	_, wait := r.WaitingState(i)
	if wait == nil {
		return false
	}
	until := ""
	if wait.Until != nil {
		until = wait.Until.Local().Format(time.DateTime)
	}
	var text string
	switch wait.Kind {
	case api.WaitPool:
		text = "It waits for units of pools: " + wait.Text + " (wf server pools)."
	case api.WaitPreparation:
		text = "It waits until this is ready: " + wait.Text + " (wf logs --hooks)."
	case api.WaitTime:
		text = "It waits until " + until + "."
	case api.WaitRetry:
		text = fmt.Sprintf("It failed (%s) and is tried again at %s: repetition %d.", r.lastCause(i), until, r.Sched.Attempt(i))
	case api.WaitApproval:
		text = fmt.Sprintf("It waits for a person: %s (wf approve %s, or wf reject).", wait.Text, r.Nodes[i].Name)
		if until != "" {
			text += " At " + until + " the run continues without an answer."
		}
	}
	why.Text = append(why.Text, text)
	return true
}

// lastCause returns how the latest execution of a node ended.
func (r Explainer) lastCause(i int) string {
	if rec := r.Nodes[i].Execution; rec != nil {
		return rec.Cause()
	}
	return "before this run"
}

// instancesSentence summarizes the instances of a sub-flow.
func instancesSentence(in *api.Instances) string {
	c := in.Counts
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{c.OK + c.Kept, "succeeded"}, {c.Running, "running"}, {c.Queued, "queued"}, {c.Waiting, "waiting"},
		{c.Retrying, "retrying"}, {c.Failed, "failed"}, {c.Skipped, "skipped"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if parts == nil {
		parts = []string{"none has begun"}
	}
	of := fmt.Sprint(in.Begun)
	if in.Total > in.Begun {
		of = fmt.Sprintf("%d of %d", in.Begun, in.Total)
	}
	return fmt.Sprintf("%s instances begun: %s.", of, strings.Join(parts, ", "))
}
