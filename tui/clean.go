package tui

import (
	"wf/api"
	"wf/tui/plain"
)

// clean makes the texts of a batch safe for a terminal, because texts from the daemon may contain anything.
func (b *batch) clean() {
	if b.snapshot != nil {
		cleanStatus(&b.snapshot.Status)
	}
	for i := range b.events {
		cleanEvent(&b.events[i])
	}
	for id, ev := range b.nodes {
		if ev.Wait != nil || ev.Engine != nil {
			ev.Wait, ev.Engine = cleanWait(ev.Wait), cleanEngine(ev.Engine)
			b.nodes[id] = ev
		}
	}
}

func cleanStatus(s *api.Status) {
	s.Problem = plain.Line(s.Problem)
	for i := range s.Runs {
		s.Runs[i].Held = plain.Line(s.Runs[i].Held)
	}
	cleanNodes(s.Nodes)
	cleanEdges(s.Edges)
}

func cleanEvent(ev *api.Event) {
	if ev.Type == api.RunHeld || ev.Type == api.FileProblem {
		ev.Message = plain.Line(ev.Message)
	}
	cleanNodes(ev.Changed)
	cleanEdges(ev.Edges)
}

func cleanNodes(nodes []api.NodeStatus) {
	for i := range nodes {
		nodes[i] = clean(nodes[i])
	}
}

func cleanEdges(edges []api.EdgeStatus) {
	for i := range edges {
		edges[i].When = plain.Line(edges[i].When)
	}
}

// clean returns a node with texts that are safe for a terminal.
func clean(n api.NodeStatus) api.NodeStatus {
	n.Name, n.Group, n.Command, n.Item = plain.Line(n.Name), plain.Line(n.Group), plain.Text(n.Command), plain.Line(n.Item)
	n.Wait, n.Engine = cleanWait(n.Wait), cleanEngine(n.Engine)
	if n.Instances != nil {
		for i := range n.Instances.Notable {
			n.Instances.Notable[i].Item = plain.Line(n.Instances.Notable[i].Item)
		}
	}
	return n
}

// cleanEngine returns a job at an engine with texts that are safe for a terminal.
func cleanEngine(j *api.EngineJob) *api.EngineJob {
	if j == nil {
		return nil
	}
	return &api.EngineJob{Executor: plain.Line(j.Executor), ID: plain.Line(j.ID), State: plain.Line(j.State), Why: plain.Line(j.Why), Host: plain.Line(j.Host)}
}

// cleanWait returns a wait with a text that is safe for a terminal.
func cleanWait(w *api.Wait) *api.Wait {
	if w == nil {
		return nil
	}
	return &api.Wait{Kind: w.Kind, Until: w.Until, Text: plain.Text(w.Text)}
}
