package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/history"
	"wf/scheduler"
)

// Why explains the state of a node in a run: in the named one, else in the active one that covers
// it, else in the last one it took part in.
func (w *Workspace) Why(ctx context.Context, node, run string) (api.Why, error) {
	type found struct {
		why  api.Why
		past int // run to explain from the history; 0 = explained already
	}
	f, err := ask(ctx, w, func(w *Workspace) (found, error) {
		n, err := w.find(node)
		if err != nil {
			return found{}, err
		}
		number, err := w.runNumber(run)
		if err != nil {
			return found{}, err
		}
		blocked := w.blocked()
		f := found{why: api.Why{Schema: api.SchemaWhy, Node: w.nodeStatus(n, blocked[n.Pos()])}}
		if !n.Runnable() {
			f.why.Text = []string{"It is a container of other nodes, no command: it is never executed."}
			return f, nil
		}
		if r := w.runOf(n); r != nil && (number == 0 || number == r.n) {
			i, _ := r.sched.Index(n.ID)
			f.why.Run, f.why.Text = r.id, r.explain(i)
			return f, nil
		}
		if number == 0 {
			number = w.lastRun(n)
		}
		if number == 0 {
			f.why.Text = w.neverRan(n)
		}
		f.past = number
		return f, nil
	})
	if err != nil || f.past == 0 {
		return f.why, err
	}
	return w.whyPast(f.why, f.past)
}

// neverRan explains a node that no known run covers.
func (w *Workspace) neverRan(n *graph.Node) []string {
	text := []string{"No run that is known here has covered it."}
	switch n.Status {
	case graph.Ran:
		text = append(text, "The workfile says that it ran: by another program, or in a run that was removed.")
	case graph.Failed, graph.Queued, graph.Running:
		text = append(text, fmt.Sprintf("The workfile says %q: wf run resumes it.", n.Status))
	}
	return text
}

// whyPast folds a past run once more and explains the node in it.
func (w *Workspace) whyPast(why api.Why, n int) (api.Why, error) {
	why.Run = runID(n)
	r, records, err := w.reread(n)
	if errors.Is(err, history.ErrNoRun) {
		return why, notFound("no run %d", n)
	}
	if err != nil {
		why.Text = []string{fmt.Sprintf("Run %d cannot be read any more: %s.", n, err)}
		return why, nil
	}
	i, in := r.sched.Index(why.Node.ID)
	if !in {
		why.Text = []string{fmt.Sprintf("It was not part of run %d.", n)}
		return why, nil
	}
	for _, rec := range records {
		r.refoldRecord(nil, rec)
	}
	why.Text = r.explain(i)
	return why, nil
}

// explain words what the scheduler and the executor know about a node.
func (r *run) explain(i int) []string {
	ex := r.sched.Explain(i)
	rec := r.nodes[i].rec
	if rec == nil {
		rec = &nodeRecord{} // it was neither executed nor failed in this run
	}
	var text []string
	add := func(format string, args ...any) { text = append(text, fmt.Sprintf(format, args...)) }
	switch ex.Status {
	case graph.Running:
		add("It is running: execution %d, process %d.", rec.executions, rec.pid)
	case graph.Queued:
		add("It waits for a free slot: everything it depends on is done.")
	case graph.Ran:
		if rec.executions == 0 {
			add("It had succeeded before this run, which resumes another: it was kept.")
			return text
		}
		add("It succeeded%s.", times(rec.executions))
	case graph.Failed:
		add("%s", failureSentence(rec))
	default:
		text = append(text, r.explainIdle(ex)...)
	}
	if s := r.causeSentence(ex.Cause); s != "" {
		add("%s", s)
	}
	if ex.Pending > 0 {
		add("%d more activations wait for the present one.", ex.Pending)
	}
	return text
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", executed %d times", n)
}

func failureSentence(rec *nodeRecord) string {
	var s string
	switch rec.reason {
	case api.ReasonExit:
		s = fmt.Sprintf("It failed: its command ended with exit code %d", rec.exitCode)
	case api.ReasonSignal:
		s = "It failed: its command was ended by " + signalName(rec.signal)
	case api.ReasonTimeout:
		s = "It failed: the run's time was up"
	case api.ReasonCancelled:
		s = "It was cancelled"
	case api.ReasonLost:
		s = "It failed: it ended unseen, so its exit code is not known"
	case api.ReasonStart:
		s = "It failed: its command could not be started"
	case api.ReasonLimit:
		s = "It failed"
	default:
		s = "It failed in an earlier run"
	}
	if rec.message != "" {
		s += ": " + rec.message
	}
	return s + "."
}

// explainIdle says what a node that did not run is missing.
func (r *run) explainIdle(ex scheduler.Explanation) []string {
	var text []string
	if len(ex.Upstream) > 0 {
		text = append(text, fmt.Sprintf("It did not run because %s did not succeed.", r.list(ex.Upstream)))
	}
	if lack := r.sources(ex.Lack); len(lack) > 0 {
		text = append(text, "It waits for "+some(lack, 8)+".")
	}
	if have := r.sources(ex.Have); len(have) > 0 {
		text = append(text, "Done already: "+some(have, 8)+".")
	}
	if len(text) == 0 && r.state >= stopping {
		text = append(text, "It did not run: the run was stopped before.")
	}
	if len(text) == 0 {
		text = append(text, "Nothing has activated it: nothing that ran leads to it.")
	}
	return text
}

func (r *run) causeSentence(c scheduler.Cause) string {
	switch c.Kind {
	case scheduler.CauseStart:
		return "It was activated at the start: nothing in the run's scope comes before it."
	case scheduler.CauseResume:
		return "It was activated by the resume: it had not succeeded, and what it waits for had."
	case scheduler.CauseJoin:
		return "It was activated when everything it waits for was done: " + some(r.sources(c.Edges), 8) + "."
	case scheduler.CauseTrigger:
		return "It was activated by the non-blocking edge from " + strings.Join(r.sources(c.Edges), ", ") + "."
	}
	return ""
}

func (r *run) list(nodes []int) string {
	names := make([]string, len(nodes))
	for k, i := range nodes {
		names[k] = r.nodes[i].name
	}
	return some(names, 8)
}

// sources names where edges come from, each node once.
func (r *run) sources(edges []int) []string {
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
