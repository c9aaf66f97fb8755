package web

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/web/drawing"
)

// A view is what one page shows of a workfile. It belongs to the goroutine of its WebSocket. It applies events with the
// rules of runview, which all clients share, and tells the page only what has changed since the last message.
type view struct {
	file string
	ws   *client.Workspace
	now  func() time.Time

	flow   runview.Workfile
	wanted string            // number of the earlier run that the page wants to see; "" = the present state
	past   *runview.Workfile // the states that it left; nil = the present state is shown
	run    *api.RunSummary   // of past
	graph  *drawing.Graph
	made   int // flow.Structure of graph
	look   *drawing.Look

	// What the page has.
	sentGraph int // flow.Structure
	sentRows  []row
	sentWays  []int
	sentFlow  []byte
	drawn     bool

	asks  bool // the approvals may have changed
	inner map[string]bool
}

// apply applies a frame of the daemon. It reports whether the view needs a new snapshot.
func (v *view) apply(f api.Frame) (structure bool) {
	structure, inner := v.flow.ApplyFrame(f)
	for _, name := range inner {
		v.touch(name)
	}
	v.asks = v.asks || f.Snapshot != nil || len(inner) > 0
	for i := range f.Events {
		switch ev := &f.Events[i]; ev.Type {
		case api.NodeWaiting, api.NodeDecided, api.RunStarted, api.RunStopping, api.RunComplete:
			v.asks = true
		}
		if k, known := v.flow.Index[f.Events[i].Node]; known && v.flow.Nodes[k].SubFlow != "" {
			v.touch(v.flow.Nodes[k].Name)
		}
	}
	return structure
}

func (v *view) touch(subFlow string) {
	if v.inner == nil {
		v.inner = map[string]bool{}
	}
	v.inner[subFlow] = true
}

// mostSubFlows bounds the sub-flows of an inquiry; the next one has the others.
const mostSubFlows = 50

// inquiry returns the ids of the sub-flows whose instances have changed, which no event summarizes.
func (v *view) inquiry() (ids []string) {
	for name := range v.inner {
		if len(ids) == mostSubFlows {
			break
		}
		delete(v.inner, name)
		if i := v.flow.SubFlowNamed(name); i >= 0 {
			ids = append(ids, v.flow.Nodes[i].ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// shown returns the states that the page shows.
func (v *view) shown() *runview.Workfile {
	if v.past != nil {
		return v.past
	}
	return &v.flow
}

// show takes the states of the run that the page wants. If they cannot be had, the present ones are shown.
func (v *view) show(ctx context.Context) error {
	v.past, v.run = nil, nil
	if v.wanted == "" || !v.flow.Known {
		return nil
	}
	detail, err := v.ws.Run(ctx, v.wanted)
	if err != nil {
		v.wanted = ""
		return err
	}
	left := runview.LeftBy(&v.flow, detail)
	v.past, v.run = &left, &detail.RunSummary
	return nil
}

// news returns what the page does not have yet, or nil.
func (v *view) news() *message {
	if !v.flow.Known {
		return nil
	}
	f, m := v.shown(), &message{}
	if v.sentGraph != v.flow.Structure || len(v.sentRows) != len(f.Nodes) || len(v.sentWays) != len(f.Edges) {
		m.Graph = graphOf(f)
		v.sentGraph, v.drawn = v.flow.Structure, false
		v.sentRows, v.sentWays = make([]row, len(f.Nodes)), make([]int, len(f.Edges))
	}
	if v.look != nil && !v.drawn {
		m.Drawing, v.drawn = v.draw(), true
	}
	now := v.now()
	for i := range f.Nodes {
		if r := rowOf(i, &f.Nodes[i], now); r != v.sentRows[i] {
			v.sentRows[i] = r
			m.Rows = append(m.Rows, r)
		}
	}
	for i := range f.Edges {
		if way := wayOf(&f.Edges[i]); way != v.sentWays[i] {
			v.sentWays[i] = way
			m.Ways = append(m.Ways, [2]int{i, way})
		}
	}
	state := v.state(now)
	if data, err := json.Marshal(state); err == nil && string(data) != string(v.sentFlow) {
		v.sentFlow, m.Flow = data, state
	}
	m.Asks, v.asks = v.asks, false
	if m.Graph == nil && m.Drawing == nil && m.Rows == nil && m.Ways == nil && m.Flow == nil && !m.Asks {
		return nil
	}
	return m
}

func (v *view) draw() *drawing.Picture {
	if v.graph == nil || v.made != v.flow.Structure {
		v.graph, v.made = drawing.New(&v.flow), v.flow.Structure
	}
	return v.graph.Draw(*v.look)
}

// state returns the state of the workfile.
func (v *view) state(now time.Time) *flowMessage {
	s := &v.flow.Status
	m := &flowMessage{File: v.file, ID: v.ws.ID, Problem: s.Problem, Active: s.Runs, Queued: s.Queued}
	if m.Active == nil {
		m.Active = []api.RunSummary{}
	}
	if m.Shown = v.flow.Current(); v.past != nil {
		m.Shown, m.Past = v.run, v.run.Run
	}
	switch run := m.Shown; {
	case run == nil:
		m.Counts = v.flow.Count("")
	case run.Ended != nil || v.past != nil:
		m.Counts = run.Counts
	default:
		m.Counts = v.flow.Count(run.Run)
		m.Counts.Idle += max(0, run.Nodes-m.Counts.Total()) // nodes that no event has named yet
		if m.Held = run.Held; m.Held == "" && run.Short != nil {
			m.Held = run.Short.Why
		}
		if left, known := v.flow.Remaining(run, now); known {
			m.LeftMS = left.Round(time.Second).Milliseconds()
		}
	}
	return m
}
