package workspace

import (
	"fmt"

	"wf/api"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// skippedSentence names the nodes that went another way.
func (r *runState) skippedSentence(i int) string {
	deciders := r.names(r.sched.Deciders(i))
	if len(deciders) == 0 {
		return "It was skipped: no path leads to it."
	}
	return fmt.Sprintf("It was skipped: no path leads to it, since %s went another way.", some(deciders, 8))
}

// explainWays says which edges of a node that chooses have been taken, and which not.
func (r *runState) explainWays(why *api.Why, i int) {
	ways := r.sched.Branches(i)
	if ways == nil {
		return
	}
	var taken, not []string
	for _, way := range ways {
		_, target := r.sched.EdgeEnds(way.Edge)
		s := api.Way{To: r.nodes[target].name, When: way.When.String(), Taken: way.Taken}
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
		why.Text = append(why.Text, "None of its edges was taken: "+some(not, 8)+".")
	case len(not) == 0:
		why.Text = append(why.Text, "It went to "+some(taken, 8)+".")
	default:
		why.Text = append(why.Text, "It went to "+some(taken, 8)+"; not taken: "+some(not, 8)+".")
	}
	if note := r.unmatched(i); note != "" {
		why.Text = append(why.Text, "Note: "+note+".")
	}
}

// unmatched is the note about a node that has put out a case for which it has no edge; "" for any other one.
func (r *runState) unmatched(i int) string {
	if r.flow == nil {
		return ""
	}
	value, given, unmatched := r.sched.Unmatched(i)
	if !unmatched {
		return ""
	}
	var cases []string
	for _, way := range r.sched.Branches(i) {
		if way.When != nil && way.When.Kind == flow.OnCase {
			cases = append(cases, way.When.Case)
		}
	}
	if !given {
		return "it put out no case, so none of its edges for cases was taken (" + some(cases, 8) + ")"
	}
	return fmt.Sprintf("no edge is for the case %q that it put out (its edges are for %s)", expression.Format(value), some(cases, 8))
}

// joinSentence says which marks a join was decided with.
func (r *runState) joinSentence(i int, c scheduler.Cause) string {
	sources := some(r.sources(c.Edges), 8)
	if all := r.sched.Incoming(i); len(c.Edges) < all && r.sched.DecidesEarly(i) {
		return fmt.Sprintf("It was activated by its join: %d of %d edges to it had fired, from %s.", len(c.Edges), all, sources)
	}
	return "It was activated when everything it waits for was done: " + sources + "."
}

// cancelSentence says why a node was cancelled: a stop, a time limit, a join or a failure.
func (r *runState) cancelSentence(i int) string {
	subflow, cut := r.sched.CutBy(i)
	switch {
	case cut == scheduler.CutTimeout:
		return "the time of " + r.nodes[subflow].name + ", which it is part of, was up"
	case cut == scheduler.CutFailure:
		return "another node in " + r.nodes[subflow].name + " failed, which has on_failure=cancel"
	case cut == scheduler.CutLoser:
		return "it is part of " + r.nodes[subflow].name + ", which only a join needed that had been decided"
	case r.wasStopped || r.req.FailFast:
		return r.stopSentence()
	case cut == scheduler.CutOther:
		return "somebody stopped " + r.nodes[subflow].name + ", which it is part of, with wf stop --node"
	}
	return r.stopSentence()
}

// mostNotes bounds the notes of a run of each kind.
const mostNotes = 20

// endNotes returns remarks about a run that is over, such as a case that matches no edge.
func (r *run) endNotes() []string { return append(r.unmatchedNotes(), r.leftoverNotes()...) }

// unmatchedNotes names the nodes that have put out a case for which they have no edge.
func (r *runState) unmatchedNotes() (notes []string) {
	if r.flow == nil {
		return nil
	}
	more := 0
	for i := range r.nodes {
		switch note := r.unmatched(i); {
		case note == "":
		case len(notes) == mostNotes:
			more++
		default:
			notes = append(notes, r.nodes[i].name+": "+note)
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%d more nodes have put out a case for which they have no edge", more))
	}
	return notes
}
