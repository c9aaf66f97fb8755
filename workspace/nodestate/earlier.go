package nodestate

import (
	"encoding/json"

	"wf/workspace/history"
)

// An EarlierRun is what the start of a run has to know of the requests of the runs before it. It is kept in memory, so that the
// loop does not read the history.
type EarlierRun struct {
	Scope  []string        // ids of nodes; if the run repeated only a part of another one, that of the other one
	Params json.RawMessage // as in history.Request
}

// earlierLeast is how many earlier runs a table keeps without asking whether they are still the latest run of some node.
const earlierLeast = 16

// Earlier returns what is known of the request of a run, or false if that is nothing.
func (ns *Table) Earlier(run int) (EarlierRun, bool) {
	e, ok := ns.earlier[run]
	return e, ok
}

// NoteRun remembers the request of a run that has a number. scope is that of the run whose part it repeats, if it does so.
func (ns *Table) NoteRun(req history.Request, scope []string) {
	if ns.earlier == nil {
		ns.earlier, ns.earlierMost = map[int]EarlierRun{}, earlierLeast
	}
	if !repeatsPart(req) {
		scope = req.Scope
	}
	ns.earlier[req.Run] = EarlierRun{scope, req.Params}
	if len(ns.earlier) > ns.earlierMost {
		ns.dropEarlier(req.Run)
	}
}

// dropEarlier forgets the runs that are not the latest of any node, except one.
func (ns *Table) dropEarlier(except int) {
	used := map[int]bool{except: true}
	for _, l := range ns.Latest {
		used[l.Run] = true
	}
	for run := range ns.earlier {
		if !used[run] {
			delete(ns.earlier, run)
		}
	}
	ns.earlierMost = max(earlierLeast, 2*len(ns.earlier))
}

// ForgetRun forgets a run that was removed from the history.
func (ns *Table) ForgetRun(run int) { delete(ns.earlier, run) }

// repeatsPart reports whether a run repeats a part of the run that it resumes.
func repeatsPart(req history.Request) bool { return req.Again != nil && req.Resumes != 0 }

// RepeatedScope reads the scope of the run whose part a run repeats. It is nil if there is none, or if it cannot be read. It is
// not called on the loop.
func RepeatedScope(store *history.Store, req history.Request) []string {
	if !repeatsPart(req) {
		return nil
	}
	for repeatsPart(req) {
		var err error
		if req, err = store.Request(req.Resumes); err != nil {
			return nil
		}
	}
	return req.Scope
}
