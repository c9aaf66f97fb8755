package workspace

import (
	"wf/api"
	"wf/executor/shell"
	"wf/graph"
)

// changedSince returns notes for a resume about edits since: commands that failed and were changed, and commands that succeeded,
// were changed, and are kept all the same.
func (r *run) changedSince(w *Workspace) []string {
	if r.Request.Mode != api.ModeResume {
		return nil
	}
	var mended, kept []string
	for i := range r.Nodes {
		n, live := &r.Nodes[i], r.LiveNode(i)
		rec := w.nodes.Record(live)
		if rec == nil || rec.Command == "" || live.Container || rec.Command == shell.Line(r.Request.Wrapper, n.Command) {
			continue
		}
		if live.Status == graph.Ran {
			kept = append(kept, n.Name)
		} else {
			mended = append(mended, n.Name)
		}
	}
	var notes []string
	if len(mended) > 0 {
		notes = append(notes, "changed since they ran: the commands of "+api.Several(mended, 5))
	}
	if len(kept) > 0 {
		notes = append(notes, "changed after they succeeded, and kept: "+api.Several(kept, 5)+" (wf run --nodes '"+kept[0]+"+' runs "+kept[0]+" and what follows)")
	}
	return notes
}
