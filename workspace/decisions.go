package workspace

import (
	"os"
	"os/user"
	"strconv"
	"sync"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// answered records that the time for an answer was over, and which default counts.
func (r *run) answered(w *Workspace, ef scheduler.Effect) {
	r.commit(w, history.Record{Type: history.RecordAnswer, Time: r.Now, Node: ef.Node, ID: r.Nodes[ef.Node].ID, OK: ef.OK})
}

// decisionsOf lists the decisions of a run that is over, in order.
func decisionsOf(req history.Request, records []history.Record) []api.NodeDecision {
	var list []api.NodeDecision
	for _, rec := range records {
		d := api.NodeDecision{Node: rec.ID, Name: rec.ID, DecisionMade: runstate.DecisionOf(rec)}
		if rec.Node < len(req.Names) && req.Scope[rec.Node] == rec.ID {
			d.Name = req.Names[rec.Node]
		}
		list = append(list, d)
	}
	return list
}

// systemUser is the name of the user that the daemon runs as. Its listeners let no other user in (docs/security.md).
var systemUser = sync.OnceValue(func() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
})
