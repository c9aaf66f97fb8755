package workspace

import (
	"os"
	"os/user"
	"strconv"
	"sync"

	"wf/scheduler"
	"wf/workspace/history"
)

// answered records that the time for an answer was over, and which default counts.
func (r *run) answered(w *Workspace, ef scheduler.Effect) {
	r.commit(w, history.Record{Type: history.RecordAnswer, Time: r.Now, Node: ef.Node, ID: r.Nodes[ef.Node].ID, OK: ef.OK})
}

// systemUser is the name of the user that the daemon runs as. Its listeners let no other user in (docs/security.md).
var systemUser = sync.OnceValue(func() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
})
