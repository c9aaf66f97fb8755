package inquiry

import (
	"os"
	"path/filepath"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler/flow"
	"wf/workspace/workfile"
)

// nameIncluded sets the names of executions of nodes that other workfiles declared when a run started: align/trim for the node
// align[0]/trim. Names with items stay.
func (q *Reader) nameIncluded(run int, list []api.Execution) {
	if _, err := os.Stat(filepath.Join(q.store.Dir(run), workfile.IncludedName)); err != nil {
		return // it had none
	}
	g, err := workfile.FrozenGraph(q.store, run)
	if err != nil {
		return
	}
	f, _ := flow.Read(g)
	for k := range list {
		list[k].Name = withoutOnce(f, list[k].Name)
	}
}

// withoutOnce removes the numbers of other workfiles that run once from a path.
func withoutOnce(f *flow.Flow, path string) string {
	parts := strings.Split(path, "/")
	var home *graph.Node
	for k := range parts[:len(parts)-1] {
		name, _, isInstance := strings.Cut(parts[k], "[")
		sub := f.Members(home)[name]
		if !isInstance || sub == nil {
			break
		}
		if home = sub; sub.Once() {
			parts[k] = name
		}
	}
	return strings.Join(parts, "/")
}
