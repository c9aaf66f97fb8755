package workspace

import (
	"context"
	"iter"

	"wf/api"
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// fileHost implements workfile.Host.
type fileHost struct{ w *Workspace }

func (h fileHost) Publish(ev api.Event) { h.w.out.Publish(ev) }
func (h fileHost) Refusal() error       { return h.w.usable() }
func (h fileHost) Running() bool        { return len(h.w.runs) > 0 }

func (h fileHost) RunOf(n *graph.Node) string {
	if r := h.w.nodes.RunOf(n); r != nil {
		return r.ID
	}
	return ""
}

func (h fileHost) States() func(*graph.Node) string {
	var blocked []bool
	return func(n *graph.Node) string {
		if blocked == nil {
			blocked = h.w.nodes.Blocked()
		}
		return string(h.w.nodes.State(n, blocked[n.Pos()]))
	}
}

func (h fileHost) Ran(id string) bool { return h.w.nodes.Latest[id].Run != 0 }

func (h fileHost) Execution(n *graph.Node) *workfile.Execution {
	rec := h.w.nodes.Latest[n.ID].Execution
	if rec == nil || !rec.Over() {
		return nil
	}
	return &workfile.Execution{Command: rec.Command, ErrorCode: rec.ErrorCode(), PID: history.RunID(rec.LastPID),
		Dir: h.w.store.Dir(rec.Run), Out: rec.Out, Err: rec.Err}
}

func (h fileHost) Lost(n *graph.Node) { h.w.nodes.MarkLost(n, true) }

func (h fileHost) Forget(nodes []*graph.Node) {
	h.w.priorFile.dropPrior(nodes)
	for _, n := range nodes {
		delete(h.w.nodes.Latest, n.ID)
	}
}

func (h fileHost) ForgetAll() {
	clear(h.w.nodes.Latest)
	h.w.nodes.Prior = nil
}

func (h fileHost) Relink() {
	for _, r := range h.w.runs {
		r.Link(h.w.file.Graph())
	}
}

func (h fileHost) FirstCopy() []byte {
	numbers, err := h.w.store.Numbers()
	if err != nil || len(numbers) == 0 {
		return nil
	}
	data, err := h.w.store.Workfile(numbers[len(numbers)-1])
	if err != nil {
		return nil
	}
	return data
}

func (h fileHost) Frozen(ctx context.Context, run string) ([]byte, error) {
	return h.w.FrozenWorkfile(ctx, run)
}

// standIns yields the workfiles that unfinished runs started with, newest first. A run continues when its workfile is
// deleted, moved or damaged. Users must still be able to watch and stop it, and the next daemon has to recover it.
func standIns(s *history.Store) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		numbers, err := s.Numbers()
		if err != nil {
			return
		}
		for _, n := range numbers {
			if s.Over(n) {
				continue
			}
			if frozen, err := s.Workfile(n); err == nil && !yield(s.Dir(n), frozen) {
				return
			}
		}
	}
}

// newFile returns the file of a workspace. Without a state folder it uses only the workfile itself.
func (w *Workspace) newFile() *workfile.File {
	c := workfile.Config{Path: w.path, Loop: w.loop, Disk: w.disk(), Log: w.cfg.Log, Host: fileHost{w}, Secrets: w.preparer.secrets}
	if w.cfg.State != "" {
		c.Folder = history.Folder(w.cfg.State, w.id)
		c.StandIns = standIns(history.At(c.Folder))
	}
	return workfile.New(c)
}
