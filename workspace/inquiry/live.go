package inquiry

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"wf/api"
	"wf/executor"
	"wf/executor/ownfile"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
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
		if text := o.latestText(); len(text) > 0 {
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
func (o *output) latestText() []byte {
	out, outTime := o.end(o.out)
	errs, errTime := o.end(o.err)
	if len(out) == 0 || len(errs) > 0 && errTime.After(outTime) {
		return errs
	}
	return out
}

// end reads the last bytes of a range. It also returns the time when the file was written.
func (o *output) end(r executor.Range) ([]byte, time.Time) {
	if r.File == "" {
		return nil, time.Time{}
	}
	f, err := ownfile.Open(filepath.Join(o.dir, filepath.FromSlash(r.File)), os.O_RDONLY)
	if err != nil {
		return nil, time.Time{}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, time.Time{}
	}
	end := r.End
	if end < 0 {
		end = info.Size()
	}
	start := max(r.Start, end-tailBytes)
	if start >= end {
		return nil, time.Time{}
	}
	buf := make([]byte, end-start)
	n, err := f.ReadAt(buf, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, time.Time{}
	}
	return buf[:n], info.ModTime()
}
