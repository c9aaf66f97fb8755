package main

import (
	"strings"
	"time"

	"wf/api"
	"wf/tui/plain"
)

// A stage is what people see as one step of a large run: the nodes of a group, else those whose names
// differ only in what counts them, like align_S001 and align_S002.
type stage struct {
	name                 string
	total, ended, failed int
	first, last          time.Time // of the ends seen
}

// stagesOf sorts the nodes that are to run into stages, and says which are finished already.
func stagesOf(o api.RunOutlook, done map[string]int, failed map[string]bool) (of map[string]*stage, finished []*stage) {
	of = make(map[string]*stage, len(o.Nodes))
	byName := map[string]*stage{}
	var order []*stage
	for _, n := range o.Nodes {
		if n.State == api.StateOK && n.Executions == 0 {
			continue
		}
		name := stageName(n)
		s := byName[name]
		if s == nil {
			s = &stage{name: name}
			byName[name] = s
			order = append(order, s)
		}
		of[n.Node] = s
		s.total++
		if _, ended := done[n.Node]; ended {
			s.ended++
		}
		if failed[n.Node] {
			s.failed++
		}
	}
	for _, s := range order {
		if s.ended == s.total {
			finished = append(finished, s)
		}
	}
	return of, finished
}

// end notes that a node of s has ended for the first time, and returns s when it was the last. A nil
// stage knows nothing.
func (s *stage) end(ev api.Event) *stage {
	if s == nil {
		return nil
	}
	begun := ev.Time
	if ev.DurationMS != nil {
		begun = begun.Add(-time.Duration(*ev.DurationMS) * time.Millisecond)
	}
	if s.first.IsZero() || begun.Before(s.first) {
		s.first = begun
	}
	s.last = ev.Time
	if ev.Type == api.NodeFailed {
		s.failed++
	}
	if s.ended++; s.ended < s.total {
		return nil
	}
	return s
}

// stageName is the group of a node, else its name without the parts at the end that hold a digit.
func stageName(n api.NodeOutlook) string {
	if n.Group != "" {
		return plain.Line(n.Group)
	}
	name := plain.Line(n.Name)
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
