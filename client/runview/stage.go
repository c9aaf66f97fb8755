package runview

import (
	"strings"
	"time"

	"wf/api"
)

// A Stage is a step of a large run, as people see it: the nodes of a group, or nodes whose names
// differ only in their numbers, like align_S001 and align_S002.
type Stage struct {
	Name                 string
	Total, ended, Failed int
	First, Last          time.Time // of the ends seen
}

// stagesOf assigns the nodes of a run to stages, and returns the stages that are already finished.
func stagesOf(o api.RunOutlook, done map[string]int, failed map[string]bool) (of map[string]*Stage, finished []*Stage) {
	of = make(map[string]*Stage, len(o.Nodes))
	byName := map[string]*Stage{}
	var order []*Stage
	for _, n := range o.Nodes {
		if n.State == api.StateOK && n.Executions == 0 {
			continue
		}
		name := StageName(n.Name, n.Group)
		s := byName[name]
		if s == nil {
			s = &Stage{Name: name}
			byName[name] = s
			order = append(order, s)
		}
		of[n.Node] = s
		s.Total++
		if _, ended := done[n.Node]; ended {
			s.ended++
		}
		if failed[n.Node] {
			s.Failed++
		}
	}
	for _, s := range order {
		if s.ended == s.Total {
			finished = append(finished, s)
		}
	}
	return of, finished
}

// end notes that a node of s has ended for the first time, and returns s when it was the last. The
// stage may be nil.
func (s *Stage) end(ev api.Event) *Stage {
	if s == nil {
		return nil
	}
	start := ev.Time
	if ev.DurationMS != nil {
		start = start.Add(-time.Duration(*ev.DurationMS) * time.Millisecond)
	}
	if s.First.IsZero() || start.Before(s.First) {
		s.First = start
	}
	s.Last = ev.Time
	if ev.Type == api.NodeFailed {
		s.Failed++
	}
	if s.ended++; s.ended < s.Total {
		return nil
	}
	return s
}

// StageName returns the group of a node; without one, its name without the parts at the end that
// contain a digit.
func StageName(name, group string) string {
	if group != "" {
		return group
	}
	for {
		i := strings.LastIndexAny(name, "_-.~ ")
		if i <= 0 || !strings.ContainsAny(name[i:], "0123456789") {
			break
		}
		name = name[:i]
	}
	if short := strings.TrimRight(name, "0123456789"); short != "" {
		return short
	}
	return name
}
