package workspace

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"wf/graph"
	"wf/scheduler"
	"wf/workspace/activerun"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/runstate"
)

// The prior state is what earlier runs have left for later ones. It is in Workspace.nodes.Prior, and in a file in the folder
// of the workspace.

// priorFile writes and reads the file with the prior state.
type priorFile struct {
	w         *Workspace
	stale     bool // a reset has changed the prior state since the last write
	snapshots history.Snapshots
}

func (f *priorFile) path(w *Workspace) string {
	return filepath.Join(w.cfg.State, "workspaces", w.id, runstate.PriorFile)
}

// readPrior reads the prior state. If it cannot be read, a resume only has the statuses.
func (f *priorFile) readPrior() {
	var err error
	if f.w.nodes.Prior, err = runstate.ReadPrior(f.path(f.w)); err != nil {
		f.w.cfg.Log.Warn("what earlier runs have left cannot be read", "workspace", f.w.id, "err", err)
	}
}

// keepPrior adds the nodes of a run to the prior state. It returns a function that writes the file on a helper, or nil if
// there is nothing to write.
func (f *priorFile) keepPrior(r *activerun.Run) (write func() error) {
	mine := r.Sched.Prior()
	if mine == nil {
		if mine = r.PlainPrior(); len(mine) == 0 && !r.InPrior(f.w.nodes.Prior) {
			return nil
		}
	}
	all := make(scheduler.Prior, len(mine)+len(r.Prior))
	subFlows := r.InstancePrefixes()
	for id, p := range f.w.nodes.Prior {
		if _, ours := r.Sched.Index(id); ours {
			continue
		}
		inside := slices.ContainsFunc(subFlows, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
		if !inside || !r.Request.All && r.Sched.LeavesOut(id) {
			all[id] = p
		}
	}
	maps.Copy(all, mine)
	return f.setPrior(all)
}

// setPrior changes the prior state. It returns a function that writes the file on a helper.
func (f *priorFile) setPrior(all scheduler.Prior) (write func() error) {
	f.w.nodes.Prior, f.stale = all, false
	disk, path := f.w.disk(), f.path(f.w)
	return f.snapshots.Take(func() error {
		data, err := json.Marshal(all) // a prior state is never modified in place
		if err != nil {
			return err
		}
		return history.ReplaceFile(disk, path, data)
	})
}

// dropPrior removes the prior state of reset nodes, and of instances in reset sub-flows. Reset writes the file.
func (f *priorFile) dropPrior(nodes []*graph.Node) {
	if len(f.w.nodes.Prior) == 0 {
		return
	}
	all := maps.Clone(f.w.nodes.Prior)
	for _, n := range nodes {
		delete(all, n.ID)
		if n.SubFlow() {
			maps.DeleteFunc(all, func(id string, _ scheduler.PriorNode) bool { return strings.HasPrefix(id, f.w.nodes.LocalName(n)+"[") })
		}
	}
	f.w.nodes.Prior, f.stale = all, true
}

// writePrior writes the prior state after a reset. It is not called on the loop.
func (f *priorFile) writePrior(ctx context.Context) {
	write, err := loop.Ask(ctx, f.w.loop, func() (func() error, error) {
		if !f.stale {
			return nil, nil
		}
		return f.setPrior(f.w.nodes.Prior), nil
	})
	if err == nil && write != nil {
		err = write()
	}
	if err != nil {
		f.w.cfg.Log.Warn("what earlier runs have left cannot be forgotten", "workspace", f.w.id, "err", err)
	}
}
