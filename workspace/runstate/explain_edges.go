package runstate

import (
	"fmt"

	"wf/api"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// skippedSentence names the nodes that chose another path.
func (r Explainer) skippedSentence(i int) string {
	deciders := r.names(r.Sched.Deciders(i))
	if len(deciders) == 0 {
		return "It was skipped: no path leads to it."
	}
	return fmt.Sprintf("It was skipped: no path leads to it, since %s went another way.", api.Several(deciders, 8))
}

// explainWays lists the conditional edges of a node: those that fired, and those that did not.
func (r Explainer) explainWays(why *api.Why, i int) {
	ways := r.Sched.Branches(i)
	if ways == nil {
		return
	}
	var taken, not []string
	for _, way := range ways {
		_, target := r.Sched.EdgeEnds(way.Edge)
		s := api.Way{To: r.Nodes[target].Name, When: way.When.String(), Taken: way.Taken}
		why.Ways = append(why.Ways, s)
		text := fmt.Sprintf("%s (%s)", s.To, s.When)
		if s.Taken {
			taken = append(taken, text)
		} else {
			not = append(not, text)
		}
	}
	switch {
	case len(taken) == 0:
		why.Text = append(why.Text, "None of its edges was taken: "+api.Several(not, 8)+".")
	case len(not) == 0:
		why.Text = append(why.Text, "It went to "+api.Several(taken, 8)+".")
	default:
		why.Text = append(why.Text, "It went to "+api.Several(taken, 8)+"; not taken: "+api.Several(not, 8)+".")
	}
	if note := r.Unmatched(i); note != "" {
		why.Text = append(why.Text, "Note: "+note+".")
	}
}

// Unmatched returns a note about a node that chose a case without an edge; "" for other nodes.
func (r *State) Unmatched(i int) string {
	if r.Flow == nil {
		return ""
	}
	value, given, unmatched := r.Sched.Unmatched(i)
	if !unmatched {
		return ""
	}
	var cases []string
	for _, way := range r.Sched.Branches(i) {
		if way.When != nil && way.When.Kind == flow.OnCase {
			cases = append(cases, way.When.Case)
		}
	}
	if !given {
		return "it put out no case, so none of its edges for cases was taken (" + api.Several(cases, 8) + ")"
	}
	return fmt.Sprintf("no edge is for the case %q that it put out (its edges are for %s)", expression.Format(value), api.Several(cases, 8))
}

// joinSentence returns a sentence about the edges that had fired when the join was decided.
func (r Explainer) joinSentence(i int, c scheduler.Cause) string {
	sources := api.Several(r.Sources(c.Edges), 8)
	if all := r.Sched.Incoming(i); len(c.Edges) < all && r.Sched.DecidesEarly(i) {
		return fmt.Sprintf("It was activated by its join: %d of %d edges to it had fired, from %s.", len(c.Edges), all, sources)
	}
	return "It was activated when everything it waits for was done: " + sources + "."
}

// cancelSentence returns a sentence about what cancelled a node: a stop, a time limit, a join or a failure.
func (r Explainer) cancelSentence(i int) string {
	subflow, cut := r.Sched.CutBy(i)
	switch {
	case cut == scheduler.CutTimeout:
		return "the time of " + r.Nodes[subflow].Name + ", which it is part of, was up"
	case cut == scheduler.CutFailure:
		return "another node in " + r.Nodes[subflow].Name + " failed, which has on_failure=cancel"
	case cut == scheduler.CutLoser:
		return "it is part of " + r.Nodes[subflow].Name + ", which only a join needed that had been decided"
	case r.WasStopped || r.Request.FailFast:
		return r.stopSentence()
	case cut == scheduler.CutOther:
		return r.Nodes[subflow].Name + ", which it is part of, was stopped with wf stop --node"
	}
	return r.stopSentence()
}

// MostNotes bounds the notes of each kind about a run.
const MostNotes = 20

// UnmatchedNotes returns notes about the nodes that chose a case without an edge.
func (r *State) UnmatchedNotes() (notes []string) {
	if r.Flow == nil {
		return nil
	}
	more := 0
	for i := range r.Nodes {
		switch note := r.Unmatched(i); {
		case note == "":
		case len(notes) == MostNotes:
			more++
		default:
			notes = append(notes, r.Nodes[i].Name+": "+note)
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%d more nodes have put out a case for which they have no edge", more))
	}
	return notes
}
