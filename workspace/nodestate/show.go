package nodestate

import (
	"cmp"

	"wf/graph"
	"wf/scheduler"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// Refold applies the records of an earlier daemon to a run and shows the result in the open workfile. each, if not nil, is
// called before each record; do is called after each change.
func (ns *Table) Refold(r *Run, records []history.Record, each func(history.Record), do func(runstate.Change)) {
	r.Earlier = func(id string) *runstate.Execution { return ns.Latest[id].Execution }
	for _, rec := range records {
		if each != nil {
			each(rec)
		}
		if ev, decides := r.Note(rec); decides {
			r.Step(ev, do)
		}
	}
	r.Link(ns.File.Graph())
	ns.Show(r)
}

// Show sets the statuses and marks of the whole run in the open workfile.
func (ns *Table) Show(r *Run) {
	for i := range r.Nodes {
		ns.Remember(r, i)
		if i < len(r.LiveNodes) {
			ns.ShowStatus(r, i, r.Sched.Status(i))
		}
		if live, rec := r.LiveNode(i), r.Nodes[i].Execution; live != nil && rec != nil && rec.Number > 0 {
			ns.File.Statuses().TouchOutput(live)
		}
	}
	for id, t := range r.Templates {
		if t.Status != graph.Idle || t.Counts != [graph.Statuses]int{} {
			ns.ShowTemplate(r, id, t.Status)
		}
	}
	for j, e := range r.LiveEdges {
		if e != nil {
			ns.File.Graph().SetMark(e, r.Sched.Mark(j))
			ns.File.Statuses().TouchEdge(e)
		}
	}
}

// Remember notes that run r covers its node i. A node that a resume may keep still has the execution of the earlier run.
func (ns *Table) Remember(r *Run, i int) {
	n := &r.Nodes[i]
	m := Latest{Run: r.Number, Execution: cmp.Or(n.Execution, n.Earlier)}
	if m.Execution == nil && (i < r.OuterNodes() || r.Sched.Mode() == scheduler.Resume) {
		m.Execution = ns.Latest[n.ID].Execution
	}
	ns.Latest[n.ID] = m
}

// ShowStatus sets the status of a node in the open workfile.
func (ns *Table) ShowStatus(r *Run, i int, status graph.Status) {
	if n := r.LiveNode(i); n != nil {
		ns.File.Graph().SetStatus(n, status)
		ns.File.Statuses().Touch(n)
	}
}

// ShowTemplate sets the combined status of all instances of a node in the open workfile.
func (ns *Table) ShowTemplate(r *Run, id string, status graph.Status) {
	if n := r.LiveTemplates[id]; n != nil {
		ns.File.Graph().SetStatus(n, status)
		ns.File.Statuses().Know(n)
		ns.File.Statuses().Touch(n)
	}
}
