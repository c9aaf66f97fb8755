package workspace

import (
	"sync"
	"sync/atomic"

	"wf/workspace/history"
)

// activeNote is a note on disk for later daemons: the workspace has runs that are not over, see history.MarkActive. The loop
// decides whether the note is needed; helpers write and remove it. Each helper follows the latest decision, so their order
// does not matter.
type activeNote struct {
	needed atomic.Bool
	mu     sync.Mutex // held while the note is written or removed
}

// write writes the note if it is still needed. It is called on a helper.
func (n *activeNote) write(w *Workspace) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.needed.Load() {
		return nil
	}
	return history.MarkActive(w.disk(), w.cfg.State, w.id, w.path)
}

// remove removes the note unless it is needed. It is called on a helper, or before the loop starts.
func (n *activeNote) remove(w *Workspace) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.needed.Load() {
		return
	}
	if err := history.ClearActive(w.cfg.State, w.id); err != nil {
		w.cfg.Log.Warn("cannot clear the mark of an active workspace", "workspace", w.id, "err", err)
	}
}

// unmark removes the note on a helper if all runs are over.
func (pp *preparer) unmark() {
	if len(pp.w.runs) == 0 && len(pp.w.queue.inQueue()) == 0 {
		pp.note.needed.Store(false)
		pp.w.loop.Run(func() { pp.note.remove(pp.w) })
	}
}
