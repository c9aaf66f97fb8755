package main

import (
	"slices"
	"strings"
	"time"

	"wf/api"
)

// waitingNode is a node that waits for something else than a slot.
type waitingNode struct {
	name string // safe to print
	wait api.Wait
}

// ofInstance says whether a name is the path of a node in an instance of a sub-flow: align[3]/trim.
func ofInstance(name string) bool {
	end := strings.Index(name, "]/")
	return end > 0 && strings.LastIndexByte(name[:end], '[') > 0
}

// skip notes that no path leads to a node any more. It returns the stage that this finished, if any.
func (b *board) skip(ev api.Event) *stage {
	delete(b.queued, ev.Node)
	_, ran := b.done[ev.Node]
	if ran || b.skipped[ev.Node] {
		return nil
	}
	b.skipped[ev.Node] = true
	b.ahead.ended(ev.Node)
	return b.stageOf[ev.Node].end(ev)
}

// waits counts what waits: for a person, for its next attempt, for a moment or a pool.
func (b *board) waits() (people, retries, others int) {
	for _, n := range b.waiting {
		switch n.wait.Kind {
		case api.WaitApproval:
			people++
		case api.WaitRetry:
			retries++
		default:
			others++
		}
	}
	return people, retries, others
}

// asked are the nodes that wait for a person, by name.
func (b *board) asked() []string {
	var names []string
	for _, n := range b.waiting {
		if n.wait.Kind == api.WaitApproval {
			names = append(names, n.name)
		}
	}
	slices.Sort(names)
	return names
}

// soonest is the moment at which the first of what waits goes on by itself; zero if nothing does.
func (b *board) soonest() time.Time {
	var first time.Time
	for _, n := range b.waiting {
		if u := n.wait.Until; u != nil && (first.IsZero() || u.Before(first)) {
			first = *u
		}
	}
	return first
}
