package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"wf/api"
	"wf/executor"
	"wf/executor/ownfile"
	"wf/graph"
	"wf/scheduler/expression"
	"wf/workspace/loop"
)

// A command writes its outputs to a file of its own in a folder of the run (docs/control-flow.md, Outputs). The file is read when the
// execution is over, and its content becomes part of the journal. The folder is removed at the end of the run.

// outputsDir is the name of that folder.
const outputsDir = "outputs"

// maxOutputs is how large the outputs of one execution may be, in bytes.
const maxOutputs = 1 << 20

// maxItems bounds what the command of a sub-flow may print, in bytes, because it becomes one record of the journal.
const maxItems = 8 << 20

func (r *run) outputFile(id executor.ID) string {
	return r.Dir + "/" + outputsDir + "/" + outputName(id)
}

func outputName(id executor.ID) string {
	return strconv.Itoa(id.Node) + "-" + strconv.Itoa(id.Execution)
}

// Most commands have no outputs. If many have ended at once, listing the folder saves looking for the file of each, unless the
// folder has too many files.
const (
	lookOutputs     = 4
	lookOutputsMost = 256
)

// lookForOutputs lists the folder, if a list of reports contains enough ends. forget drops the list.
func (r *run) lookForOutputs(list []executor.Report) (forget func()) {
	forget = func() { r.left = nil }
	over := 0
	for i := range list {
		if list[i].Kind == executor.Ended {
			over++
		}
	}
	if over < lookOutputs {
		return forget
	}
	f, err := os.Open(r.Dir + "/" + outputsDir)
	if err != nil {
		return forget
	}
	defer f.Close()
	names, err := f.Readdirnames(lookOutputsMost)
	if err != nil && !errors.Is(err, io.EOF) || len(names) == lookOutputsMost {
		return forget
	}
	r.left = make(map[string]bool, len(names))
	for _, name := range names {
		r.left[name] = true
	}
	return forget
}

// outputs reads the outputs of an execution. raw is the same as JSON; nil if there are none.
func (r *run) outputs(id executor.ID) (values map[string]any, raw []byte, err error) {
	if r.left != nil && !r.left[outputName(id)] {
		return nil, nil, nil
	}
	data, err := ownfile.Read(r.outputFile(id), maxOutputs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("its outputs (WF_OUTPUT) cannot be used: %w", err)
	}
	if values, err = expression.ParseOutputs(data); err != nil {
		return nil, nil, fmt.Errorf("its outputs (WF_OUTPUT) cannot be used: %w", err)
	}
	if len(values) == 0 {
		return nil, nil, nil
	}
	raw, err = json.Marshal(values)
	return values, raw, err
}

// items reads the lines that the command of a sub-flow has printed, as a JSON list.
func (r *run) items(out executor.Range) ([]byte, error) {
	if out.File == "" || out.End <= out.Start {
		return []byte("[]"), nil
	}
	if out.End-out.Start > maxItems {
		return nil, fmt.Errorf("the command of its items printed %d bytes: %d are the most", out.End-out.Start, maxItems)
	}
	f, err := ownfile.Open(filepath.Join(r.Dir, filepath.FromSlash(out.File)), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, out.End-out.Start)
	if _, err := f.ReadAt(text, out.Start); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var items []string
	for line := range bytes.Lines(text) {
		items = append(items, string(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))))
	}
	return json.Marshal(items)
}

// Outputs returns the outputs of the latest execution of a node in a run, or, for "", in the latest run that executed it.
func (w *Workspace) Outputs(ctx context.Context, node, run string) (api.NodeOutputs, error) {
	out := api.NodeOutputs{Schema: api.SchemaOutputs}
	found, err := loop.Ask(ctx, w.loop, func() (bool, error) {
		number, err := w.runNumber(run)
		if err != nil {
			return false, err
		}
		for _, r := range w.runs {
			if number != 0 && number != r.Number {
				continue
			}
			if i, ok := w.nodeIn(r, node); ok {
				out.Run, out.Node, out.Outputs = r.ID, r.Nodes[i].ID, r.outputsOf(i)
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil || found {
		return out, err
	}
	return w.pastOutputs(ctx, out, node, run)
}

// outputsOf returns the outputs of a node so far. A command that follows the node may ask before the daemon has the report of the
// node's end, or even of its start. So the files are read first.
func (r *run) outputsOf(i int) map[string]any {
	known := r.Sched.Executions(i)
	live := r.Nodes[i].Execution != nil && r.Nodes[i].Execution.Live
	for _, execution := range []int{known + 1, known} {
		if execution == known && !live {
			break
		}
		if values, _, err := r.outputs(executor.ID{Node: i, Execution: execution}); err == nil && values != nil {
			return values
		}
	}
	return r.KnownOutputs(i)
}

// outputsOf returns the outputs of the latest execution of a node, if they are known without reading the history.
func (w *Workspace) outputsOf(n *graph.Node) map[string]any {
	for _, r := range w.runs {
		if i, in := r.Sched.Index(n.ID); in {
			return r.outputsOf(i)
		}
	}
	if p, known := w.nodes.Prior[n.ID]; known && p.Status == n.Status {
		return p.Outputs
	}
	if rec := w.nodes.Record(n); rec != nil {
		return rec.Outputs
	}
	return nil
}

// nodeIn finds a node of a run by its path, or by what clients call nodes.
func (w *Workspace) nodeIn(r *run, text string) (int, bool) {
	if i, ok := r.Sched.Index(text); ok {
		return i, true
	}
	if n, err := w.file.Find(text); err == nil {
		return r.Sched.Index(n.ID)
	}
	return 0, false
}

// pastOutputs finds the outputs in a run of the history.
func (w *Workspace) pastOutputs(ctx context.Context, out api.NodeOutputs, node, run string) (api.NodeOutputs, error) {
	past, err := w.load(ctx, run)
	if err != nil {
		return out, err
	}
	r, err := replayRun(w.store, past.Request.Run)
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

// makeOutputs creates the folder of a run's outputs.
func makeOutputs(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, outputsDir), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// dropOutputs removes the folder: the journal has its content. It is called on a helper.
func (r *run) dropOutputs(w *Workspace) {
	if err := os.RemoveAll(filepath.Join(r.Dir, outputsDir)); err != nil {
		w.cfg.Log.Warn("outputs of commands cannot be removed", "run", r.ID, "err", err)
	}
}
