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

// The prior state is what earlier runs have left for later ones: w.nodes.Prior in memory, and a file in the folder of the workspace.

// priorFile is that file.
type priorFile struct {
	stale     bool // a reset has changed the prior state since it was written
	snapshots history.Snapshots
}

func (f *priorFile) path(w *Workspace) string {
	return filepath.Join(w.cfg.State, "workspaces", w.id, runstate.PriorFile)
}

// readBefore reads the prior state. Without it a resume only has the statuses.
func (w *Workspace) readBefore() {
	var err error
	if w.nodes.Prior, err = runstate.ReadPrior(w.priorFile.path(w)); err != nil {
		w.cfg.Log.Warn("what earlier runs have left cannot be read", "workspace", w.id, "err", err)
	}
}

// keepPrior adds the state of the nodes of a run to the prior state. It returns the function that writes the file, for a helper,
// or nil if there is nothing to write.
func (w *Workspace) keepPrior(r *activerun.Run) (write func() error) {
	mine := r.Sched.Prior()
	if mine == nil {
		if mine = r.PlainPrior(); len(mine) == 0 && !r.InPrior(w.nodes.Prior) {
			return nil
		}
	}
	all := make(scheduler.Prior, len(mine)+len(r.Prior))
	subFlows := r.InstancePrefixes()
	for id, p := range w.nodes.Prior {
		if _, ours := r.Sched.Index(id); ours {
			continue
		}
		inside := slices.ContainsFunc(subFlows, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
		if !inside || !r.Request.All && r.Sched.LeavesOut(id) {
			all[id] = p
		}
	}
	maps.Copy(all, mine)
	return w.setPrior(all)
}

// setPrior changes the prior state, and returns the function that writes the file, for a helper.
func (w *Workspace) setPrior(all scheduler.Prior) (write func() error) {
	w.nodes.Prior, w.priorFile.stale = all, false
	disk, path := w.disk(), w.priorFile.path(w)
	return w.priorFile.snapshots.Take(func() error {
		data, err := json.Marshal(all) // the maps of a prior state do not change
		if err != nil {
			return err
		}
		return history.ReplaceFile(disk, path, data)
	})
}

// dropPrior removes the prior state of nodes that are reset, and of the instances of sub-flows. Reset writes the file.
func (w *Workspace) dropPrior(nodes []*graph.Node) {
	if len(w.nodes.Prior) == 0 {
		return
	}
	all := maps.Clone(w.nodes.Prior)
	for _, n := range nodes {
		delete(all, n.ID)
		if n.SubFlow() {
			maps.DeleteFunc(all, func(id string, _ scheduler.PriorNode) bool { return strings.HasPrefix(id, w.nodes.LocalName(n)+"[") })
		}
	}
	w.nodes.Prior, w.priorFile.stale = all, true
}

// writePrior writes the prior state after a reset. It is not called on the loop.
func (w *Workspace) writePrior(ctx context.Context) {
	write, err := loop.Ask(ctx, w.loop, func() (func() error, error) {
		if !w.priorFile.stale {
			return nil, nil
		}
		return w.setPrior(w.nodes.Prior), nil
	})
	if err == nil && write != nil {
		err = write()
	}
	if err != nil {
		w.cfg.Log.Warn("what earlier runs have left cannot be forgotten", "workspace", w.id, "err", err)
	}
}
