package workspace

import (
	"slices"

	"wf/executor"
)

// gates are the jobs of a fake executor that come after others, as a runner keeps them.
type gates struct {
	none bool // the executor knows no gates
	shut []executor.Job
	ok   map[executor.ID]bool // what has succeeded
}

// admit returns the job if it may start.
func (g *gates) admit(j executor.Job) []executor.Job {
	if slices.ContainsFunc(j.After, func(id executor.ID) bool { return !g.ok[id] }) {
		g.shut = append(g.shut, j)
		return nil
	}
	return []executor.Job{j}
}

// release reports whether j was shut in and comes again with nothing to wait for.
func (g *gates) release(j executor.Job) bool { return len(j.After) == 0 && g.drop(j.ID) }

// drop forgets a job that is shut in.
func (g *gates) drop(id executor.ID) bool {
	n := len(g.shut)
	g.shut = slices.DeleteFunc(g.shut, func(j executor.Job) bool { return j.ID == id })
	return len(g.shut) < n
}

// over notes an end and returns the jobs that may start now.
func (g *gates) over(id executor.ID, exit executor.Exit) (open []executor.Job) {
	if exit != (executor.Exit{}) {
		return nil
	}
	if g.ok == nil {
		g.ok = map[executor.ID]bool{}
	}
	g.ok[id] = true
	shut := g.shut
	g.shut = nil
	for _, j := range shut {
		open = append(open, g.admit(j)...)
	}
	return open
}
