package runstate

import (
	"wf/executor/shell"
	"wf/workspace/history"
)

// SurroundingsOf returns the surroundings of a node, nil if they are those of the run.
func SurroundingsOf(r *State, i int) *history.Surroundings {
	if len(r.Request.Surroundings) == 0 {
		return nil
	}
	return SurroundingsOfID(r, r.Sched.Template(i))
}

// SurroundingsOfID is SurroundingsOf for the id of a node in the workfile.
func SurroundingsOfID(r *State, id string) *history.Surroundings {
	if r.surroundings == nil && len(r.Request.Surroundings) > 0 {
		r.surroundings = map[string]*history.Surroundings{}
		for k := range r.Request.Surroundings {
			s := &r.Request.Surroundings[k]
			for _, id := range s.Nodes {
				r.surroundings[id] = s
			}
		}
	}
	return r.surroundings[id]
}

// LineOf returns the command line for a command of a node in the workfile.
func LineOf(r *State, id, command string) string {
	if s := SurroundingsOfID(r, id); s != nil && s.Wrapper != nil {
		return shell.Line(*s.Wrapper, command)
	}
	return shell.Line(r.Request.Wrapper, command)
}
