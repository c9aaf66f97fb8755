package runner

import (
	"slices"

	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/shell"
	"wf/executor/wire"
)

// look takes the candidates of one moment.
func (s *search) look() (*candidates, error) {
	all, err := proc.ReadTable()
	if err != nil {
		return nil, err
	}
	c := &candidates{}
	for _, p := range all.All {
		if (s.parent == 0 || p.Parent == s.parent) && p.Born >= s.since && !s.known[p.PID] {
			s.sort(c, p)
		}
	}
	return c, nil
}

// sort puts one child of the parent where it belongs.
func (s *search) sort(c *candidates, p proc.Process) {
	if p.Dead {
		// One that never got to its program has not run: exec was refused, or it died before.
		if !p.BeforeExec && p.Session == p.PID {
			c.zombies = append(c.zombies, p)
		}
		return
	}
	env := proc.Environment(p.PID)
	m := rundir.MarkerOf(env)
	_, isRunner := shell.Value(env, wire.HandoverVariable)
	switch {
	case p.BeforeExec: // it still shows the environment of the runner, which has no marker
		c.unsettled = c.unsettled || m.Node == ""
	case p.Session != p.PID:
	case m == s.marker && m.Node != "":
		c.marked = append(c.marked, p)
	case m.Run != "" || isRunner: // of another execution, or another run
	default:
		c.blank = c.blank || !slices.ContainsFunc(env, func(v string) bool { return v != "" })
		c.unmarked = append(c.unmarked, p)
	}
}
