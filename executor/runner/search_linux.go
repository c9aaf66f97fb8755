package runner

import (
	"slices"

	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/shell"
	"wf/executor/wire"
)

// look returns the candidates at this moment.
func (s *search) look() (*candidates, error) {
	all, err := proc.ReadTable()
	if err != nil {
		return nil, err
	}
	c := &candidates{}
	for _, p := range all.All {
		if (s.parent == 0 || p.Parent == s.parent) && p.StartTicks >= s.since && !s.known[p.PID] {
			s.sort(c, p)
		}
	}
	return c, nil
}

// sort adds p to the candidates if it can be the child.
func (s *search) sort(c *candidates, p proc.Process) {
	if p.Dead {
		// A process that ended before exec has not run the command: exec failed, or the process was killed.
		if !p.BeforeExec && p.Session == p.PID {
			c.zombies = append(c.zombies, p)
		}
		return
	}
	env := proc.Environment(p.PID)
	m := rundir.MarkerOf(env)
	_, isRunner := shell.Value(env, wire.HandoverVariable)
	switch {
	case p.BeforeExec: // it still has the environment of the runner, which contains no marker
		c.unsettled = c.unsettled || m.Node == ""
	case p.Session != p.PID:
	case m == s.marker && m.Node != "":
		c.marked = append(c.marked, p)
	case m.Run != "" || isRunner: // it belongs to another execution or another run
	default:
		c.blank = c.blank || !slices.ContainsFunc(env, func(v string) bool { return v != "" })
		c.unmarked = append(c.unmarked, p)
	}
}
