package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
)

// recordTime is the minimum time between two requests for the executions of an active run.
const recordTime = 2 * time.Second

// A record has all executions of the run that is shown, as far as they are known here, and its critical path. It is requested only while
// something on the screen needs it. The zero value is empty.
type record struct {
	run     string
	version int // how much of the run it has: see versionOf
	asked   time.Time
	busy    bool

	execs    map[string][]api.Execution // by node: its executions but those of instances, in order
	inner    map[string]span            // by sub-flow: from the first start to the last end in its instances
	critical map[string]bool            // nodes of the critical path, and sub-flows that have one; nil = unknown
}

// A span is a time between two times. A zero end means that it goes on.
type span struct{ from, to time.Time }

// next returns a request for what has happened since the latest answer, or nil.
func (r *record) next(doc *document, now time.Time) tea.Msg {
	if e := doc.earlier; e != nil && e.detail.Analysis != nil {
		if r.run != e.run || r.version != recorded {
			*r = recordOf(e.detail)
			r.version = recorded
		}
		return nil
	}
	run := shownRun(doc)
	if run == nil || r.busy {
		return nil
	}
	version := versionOf(doc.shown(), run)
	if r.run == run.Run && (r.version == version || r.version == recorded || now.Sub(r.asked) < recordTime && version != recorded) {
		return nil
	}
	r.busy, r.asked = true, now
	number := run.Run
	q := ask(func(ctx context.Context, ws *client.Workspace) (api.RunDetail, error) {
		return ws.Analysis(ctx, number)
	},
		func(d api.RunDetail) tea.Msg {
			*r = recordOf(d)
			r.version, r.asked = version, now
			return nil
		})
	q.fail = func(error) tea.Msg { // the run was removed, or the daemon is gone, which is said elsewhere
		*r = record{run: number, version: version, asked: now}
		return answer{nil, func() tea.Msg { return nil }}
	}
	return q
}

// recorded is the version of a run that has ended.
const recorded = -1

// versionOf returns a number that changes with each start and each end of an execution of a run.
func versionOf(f *runview.Workfile, run *api.RunSummary) int {
	if run.Ended != nil {
		return recorded
	}
	n := 0
	for i := range f.Nodes {
		if f.Nodes[i].Run == run.Run {
			n += 2 * f.Nodes[i].Executions
			if f.Nodes[i].State == api.StateRunning {
				n--
			}
			if in := f.Nodes[i].Instances; in != nil {
				n += in.Nodes.Ended() + in.Begun
			}
		}
	}
	return max(n, 0)
}

// recordOf makes a record from the details of a run.
func recordOf(d api.RunDetail) record {
	r := record{run: d.Run, execs: map[string][]api.Execution{}, inner: map[string]span{}}
	for _, x := range d.Execs {
		name, inner := runview.SubFlowOf(x.Node)
		if !inner {
			x.Command = "" // long, and not needed
			r.execs[x.Node] = append(r.execs[x.Node], x)
			continue
		}
		if x.Started == nil {
			continue
		}
		s, known := r.inner[name]
		if !known || x.Started.Before(s.from) {
			s.from = *x.Started
		}
		if end := endOf(&x); end.IsZero() || known && s.to.IsZero() {
			s.to = time.Time{}
		} else if end.After(s.to) {
			s.to = end
		}
		r.inner[name] = s
	}
	if d.Analysis != nil {
		r.critical = map[string]bool{}
		for _, step := range d.Analysis.Critical {
			r.critical[step.Node] = true
			if name, inner := runview.SubFlowOf(step.Node); inner {
				r.critical[name] = true
			}
		}
	}
	return r
}

// endOf returns when an execution ended; zero = it goes on.
func endOf(x *api.Execution) time.Time {
	switch {
	case x.Ended != nil:
		return *x.Ended
	case x.Started != nil && x.DurationMS != nil:
		return x.Started.Add(time.Duration(*x.DurationMS) * time.Millisecond)
	}
	return time.Time{}
}

// isCritical reports whether a node is on the critical path.
func (r *record) isCritical(n *api.NodeStatus) bool {
	return r.critical[n.ID] || n.SubFlow != "" && r.critical[n.Name]
}
