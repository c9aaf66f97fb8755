package inquiry

import (
	"context"
	"errors"
	"fmt"

	"wf/api"
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
)

// Why explains the state of a node in a run: in the named run, otherwise in the active run that covers the node, otherwise
// in the last run that covered it.
func (q *Reader) Why(ctx context.Context, node, run string) (api.Why, error) {
	type found struct {
		why     api.Why
		label   string // the present command of the node
		past    int    // the run of the history to explain; 0 if the explanation is complete
		unknown error  // the workfile has no such node, but the run may have had it
	}
	f, err := loop.Ask(ctx, q.loop, func() (found, error) {
		number, err := q.RunNumber(run)
		if err != nil {
			return found{}, err
		}
		node = q.nodes.Numbered(node)
		for _, r := range q.nodes.Runs {
			if i, in := r.Sched.Index(node); in && i >= r.OuterNodes() && (number == 0 || number == r.Number) {
				f := found{why: api.Why{Schema: api.SchemaWhy, Run: r.ID, Node: r.NodeStatus(i)}}
				r.Explainer().Explain(&f.why, i)
				return f, nil
			}
		}
		asked := number
		if number == 0 {
			number = q.nodes.Latest[node].Run
		}
		n, err := q.file.Find(node)
		if err != nil {
			return found{past: number, unknown: err}, nil
		}
		blocked := q.nodes.Blocked()
		f := found{why: api.Why{Schema: api.SchemaWhy, Node: q.nodes.NodeStatus(n, blocked[n.Pos()])}, label: n.Label}
		if !n.Runnable() {
			f.why.Text = []string{"It is a container of other nodes, no command: it is never executed."}
			return f, nil
		}
		for _, r := range q.nodes.Runs {
			if (asked == 0 || asked == r.Number) && r.Explainer().ExplainTemplate(&f.why, n.ID) {
				return f, nil
			}
		}
		if r := q.nodes.RunOf(n); r != nil && (number == 0 || number == r.Number) {
			i, _ := r.Sched.Index(n.ID)
			f.why.Run = r.ID
			r.Explainer().Explain(&f.why, i)
			return f, nil
		}
		if f.past = number; asked == 0 { // a node of a sub-flow ran when its container did
			f.past = q.nodes.LastRun(nodestate.OuterOf(n))
		}
		if f.past == 0 {
			f.why.Text = q.neverRan(n)
		}
		return f, nil
	})
	switch {
	case err != nil:
		return f.why, err
	case f.unknown != nil:
		id, name, err := q.earlierNode(f.past, node)
		if err != nil {
			return f.why, f.unknown
		}
		gone := api.NodeStatus{ID: id, Name: name, State: api.StateIdle}
		return q.whyEarlier(api.Why{Schema: api.SchemaWhy, Node: gone}, f.past, nil)
	case f.past == 0:
		return hidden(q, NumberOf(f.why.Run), f.why), nil
	}
	return q.whyEarlier(f.why, f.past, &f.label)
}

// neverRan explains a node that no known run has covered.
func (q *Reader) neverRan(n *graph.Node) []string {
	text := []string{"No run that is known here has covered it."}
	if q.file.Statuses().FromFile(n.ID) {
		text = append(text, "Its status came with the file.")
	}
	if rec := q.nodes.Record(n); rec != nil && rec.Reason == api.ReasonLost {
		return append(text, "It counts as lost: "+rec.Message+". wf run resumes it.")
	}
	switch n.Status {
	case graph.Ran:
		text = append(text, "The workfile says that it ran: by another program, or in a run that was removed.")
	case graph.Failed, graph.Queued, graph.Running:
		text = append(text, fmt.Sprintf("The workfile says %q: wf run resumes it.", n.Status))
	}
	return text
}

// whyEarlier replays a run of the history and explains a node of it. label is the present command of the node, or nil if the
// workfile no longer contains it.
func (q *Reader) whyEarlier(why api.Why, n int, label *string) (api.Why, error) {
	why, err := q.explainEarlier(why, n, label)
	return hidden(q, n, why), err
}

func (q *Reader) explainEarlier(why api.Why, n int, label *string) (api.Why, error) {
	why.Run = history.RunID(n)
	r, err := replayRun(q.store, n)
	if errors.Is(err, history.ErrNoRun) {
		return why, &api.Error{Code: api.CodeNotFound, Message: "no run " + history.RunID(n), Fix: "wf runs lists them"}
	}
	if err != nil {
		why.Text = []string{fmt.Sprintf("Run %d cannot be read any more: %s.", n, err)}
		return why, nil
	}
	i, in := r.Sched.Index(why.Node.ID)
	if !in && r.Explainer().ExplainTemplate(&why, why.Node.ID) {
		return why, nil
	}
	if !in {
		why.Text = []string{r.Explainer().NotCovered()}
		return why, nil
	}
	why.Node = r.FinalStatus(i, r.Sched.Blocked()[i])
	why.Node.Command = r.Nodes[i].Command
	r.Explainer().Explain(&why, i)
	if own := runstate.LeftoversOf(leftIn(r.Records), why.Node.ID); len(own) > 0 {
		why.Text = append(why.Text, "Note: "+runstate.LeftoverText(own)+".")
	}
	switch {
	case label == nil && r.Templates[r.Sched.Template(i)] != nil: // a node of an instance
	case label == nil:
		why.Text = append(why.Text, "The workfile has no such node any more.")
	case *label != why.Node.Command:
		why.Text = append(why.Text, "Its command has been changed since; the one below is that of the run.")
	}
	return why, nil
}
