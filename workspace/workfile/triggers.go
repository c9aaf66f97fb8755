package workfile

import (
	"wf/graph"
	"wf/trigger"
)

// A Trigger is a line of an attribute on.
type Trigger struct {
	trigger.Line
	NodeName string // handle of the node; "" for the graph
	Inside   bool   // the node is inside a sub-flow, where no run can begin
}

// Triggers are the triggers of a workfile.
type Triggers struct {
	ID, Path string // see ID
	Lines    []Trigger
	OnBusy   string // the attribute on_busy of the graph; "" if it has none
}

// ReadTriggers reads the triggers of the workfile at path, which is absolute.
func ReadTriggers(path string) (Triggers, error) {
	id, real, err := ID(path)
	if err != nil {
		return Triggers{}, err
	}
	g, err := ReadGraph(real)
	if err != nil {
		return Triggers{}, err
	}
	onBusy, _ := g.Attr("on_busy")
	return Triggers{id, real, triggersOf(g), onBusy}, nil
}

func triggersOf(g *graph.Graph) (list []Trigger) {
	text, _ := g.Attr(trigger.Attr)
	for _, line := range trigger.Read("", text) {
		list = append(list, Trigger{Line: line})
	}
	handles := graph.Handles(g)
	for _, n := range g.Nodes() {
		if text, has := n.Attr(trigger.Attr); has {
			for _, line := range trigger.Read(n.ID, text) {
				list = append(list, Trigger{line, handles.Of(n), n.Home() != nil})
			}
		}
	}
	return list
}
