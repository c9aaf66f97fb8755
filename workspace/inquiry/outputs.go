package inquiry

import (
	"context"

	"wf/api"
	"wf/graph"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
)

// Outputs returns the outputs of the latest execution of a node in a run. An empty run means the latest run that executed
// the node.
func (q *Reader) Outputs(ctx context.Context, node, run string) (api.NodeOutputs, error) {
	out := api.NodeOutputs{Schema: api.SchemaOutputs}
	found, err := loop.Ask(ctx, q.loop, func() (bool, error) {
		number, err := q.RunNumber(run)
		if err != nil {
			return false, err
		}
		for _, r := range q.nodes.Runs {
			if number != 0 && number != r.Number {
				continue
			}
			if i, ok := q.nodeIn(r, node); ok {
				out.Run, out.Node, out.Outputs = r.ID, r.Nodes[i].ID, r.OutputsNow(i)
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return out, err
	}
	if !found {
		out, err = q.earlierOutputs(ctx, out, node, run)
	}
	return hidden(q, NumberOf(out.Run), out), err
}

// knownOutputs returns the outputs of the latest execution of a node, if they are known without reading the history.
func (q *Reader) knownOutputs(n *graph.Node) map[string]any {
	for _, r := range q.nodes.Runs {
		if i, in := r.Sched.Index(n.ID); in {
			return r.OutputsNow(i)
		}
	}
	if p, known := q.nodes.Prior[n.ID]; known && p.Status == n.Status {
		return p.Outputs
	}
	if rec := q.nodes.Record(n); rec != nil {
		return rec.Outputs
	}
	return nil
}

// nodeIn finds a node of a run by its path, name or id.
func (q *Reader) nodeIn(r *nodestate.Run, text string) (int, bool) {
	if i, ok := r.Sched.Index(text); ok {
		return i, true
	}
	if n, err := q.file.Find(text); err == nil {
		return r.Sched.Index(n.ID)
	}
	return 0, false
}

// earlierOutputs returns the outputs of a node in a run of the history.
func (q *Reader) earlierOutputs(ctx context.Context, out api.NodeOutputs, node, run string) (api.NodeOutputs, error) {
	past, err := q.load(ctx, run)
	if err != nil {
		return out, err
	}
	r, err := replayRun(q.store, past.Request.Run)
	if err != nil {
		return out, api.Internal("the run cannot be read", err)
	}
	i, ok := r.Sched.Index(node)
	for k := 0; !ok && k < len(r.Nodes); k++ {
		if i = k; r.Nodes[k].Name == node {
			ok = true
		}
	}
	if !ok {
		return out, api.NotFound("node %s was not part of run %d", node, past.Request.Run)
	}
	out.Run, out.Node, out.Outputs = r.ID, r.Nodes[i].ID, r.KnownOutputs(i)
	return out, nil
}
