package nodestate

import (
	"encoding/json"

	"wf/workspace/history"
)

// An EarlierRun is the part of an earlier run's request that the start of a new run needs. It stays in memory, so that the
// loop does not read the history.
type EarlierRun struct {
	Scope  []string        // ids of nodes; for a run that repeated a part of another run, those of the other run
	Params json.RawMessage // as in history.Request

	Trigger       *history.Trigger
	TriggerFiles  []string // the files that arrived
	Executor      string   // as in history.Request
	ExecutorAsked bool
	Profile       *history.Profile // likewise
}

// earlierLeast is the number of earlier runs that a table keeps in any case. Beyond that it drops runs that are not the
// latest run of any node.
const earlierLeast = 16

// Earlier returns the request of an earlier run, or false if it is not known.
func (ns *Table) Earlier(run int) (EarlierRun, bool) {
	e, ok := ns.earlier[run]
	return e, ok
}

// Profiles reports whether one of the earlier runs that are known has a profile.
func (ns *Table) Profiles() bool {
	for _, e := range ns.earlier {
		if e.Profile != nil {
			return true
		}
	}
	return false
}

// NoteRun stores the request of a run that has a number. If the run repeats a part of another run, scope is the scope of
// that run.
func (ns *Table) NoteRun(req history.Request, scope []string) {
	if ns.earlier == nil {
		ns.earlier, ns.earlierMost = map[int]EarlierRun{}, earlierLeast
	}
	if !repeatsPart(req) {
		scope = req.Scope
	}
	ns.earlier[req.Run] = EarlierRun{scope, req.Params, req.Trigger, req.TriggerFiles, req.Executor, req.ExecutorAsked, req.Profile}
	if len(ns.earlier) > ns.earlierMost {
		ns.dropEarlier(req.Run)
	}
}

// dropEarlier drops the runs that are not the latest run of any node, except the run with the given number.
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

// ForgetRun drops a run that was removed from the history.
func (ns *Table) ForgetRun(run int) { delete(ns.earlier, run) }

// repeatsPart reports whether a run repeats a part of the run that it resumes.
func repeatsPart(req history.Request) bool { return req.Again != nil && req.Resumes != 0 }

// RepeatedScope reads the scope of the run of which another run repeats a part. It returns nil if there is none, or if it
// cannot be read. It reads files and must not be called on the loop.
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
