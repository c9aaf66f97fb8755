package inquiry

import (
	"context"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/secrets"
)

// Limits for reading the latest output of running nodes.
const (
	tailNodes = 64
	tailBytes = 1 << 10
)

// Live counts the nodes of an active run and returns the end of the output of the given nodes. It skips nodes that are not
// running or not in the run.
func (q *Reader) Live(ctx context.Context, name string, nodes []string) (api.RunLive, error) {
	if len(nodes) > tailNodes {
		return api.RunLive{}, api.Invalid("%d nodes: at most %d at once", len(nodes), tailNodes)
	}
	type found struct {
		counts  api.Counts
		outputs []output
	}
	f, err := loop.Ask(ctx, q.loop, func() (found, error) {
		r, err := q.activeRun(name)
		if err != nil {
			return found{}, err
		}
		f := found{counts: r.CountAll()}
		for _, id := range nodes {
			if i, in := r.Sched.Index(id); in {
				f.outputs = q.liveOutputs(r, i, f.outputs)
			}
		}
		return f, nil
	})
	if err != nil {
		return api.RunLive{}, err
	}
	live := api.RunLive{Counts: f.counts, Tails: []api.NodeTail{}}
	for _, o := range f.outputs {
		masks, err := q.masksOf(o.dir)
		if err != nil {
			return live, err
		}
		if text := o.latestText(masks); len(text) > 0 {
			live.Tails = append(live.Tails, api.NodeTail{Node: o.info.Node, Execution: o.info.Execution, Text: text})
		}
	}
	return live, nil
}

// liveOutputs appends the output of node i if it is running.
func (q *Reader) liveOutputs(r *nodestate.Run, i int, list []output) []output {
	rec := r.Nodes[i].Execution
	if rec == nil || !rec.Live || rec.Out.File == "" {
		return list
	}
	o := output{dir: q.store.Dir(r.Number), out: rec.Out, err: rec.Err}
	o.info.Node, o.info.Execution = r.Nodes[i].ID, rec.Number
	return append(list, o)
}

// latestText returns the end of the stream that was written last. It returns nothing if the output was removed.
func (o *output) latestText(masks *secrets.Masks) []byte {
	out, outTime := o.end(masks, o.out)
	errs, errTime := o.end(masks, o.err)
	if len(out) == 0 || len(errs) > 0 && errTime.After(outTime) {
		return errs
	}
	return out
}

// end reads the last bytes of a range. It also returns the time when the file was written.
func (o *output) end(masks *secrets.Masks, r executor.Range) ([]byte, time.Time) {
	if r.File == "" {
		return nil, time.Time{}
	}
	_, written, err := secrets.Size(o.dir, r)
	if err != nil {
		return nil, time.Time{}
	}
	text, _, err := secrets.Tail(masks, o.dir, r, tailBytes)
	if err != nil {
		return nil, time.Time{}
	}
	return text, written
}
