package workfile

import (
	"context"
	"fmt"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/graph/difference"
	"wf/graphml"
)

// A restore gives the workfile the definition that it had at the start of a run. It is an edit like others: it changes values,
// adds nodes and edges, and removes some. So comments and drawings stay, statuses stay, and undo restores every byte.

// frozenGraphs reads the workflows that restores need, by run. It is called on any goroutine but the loop's.
func (f *File) frozenGraphs(ctx context.Context, req api.EditRequest) (map[string]*graph.Graph, error) {
	frozen := map[string]*graph.Graph{}
	for _, e := range req.Edits {
		if e.Op != api.OpRestore || frozen[e.Run] != nil {
			continue
		}
		data, err := f.cfg.Host.Frozen(ctx, e.Run)
		if err != nil {
			return nil, err
		}
		_, g, _, err := graphml.Parse(data, limits())
		if err != nil {
			return nil, parseError("the workfile of run "+e.Run, err)
		}
		frozen[e.Run] = g
	}
	return frozen, nil
}

// restore turns the present workflow into that of a run.
func (b *editBuilder) restore(e api.Edit) error {
	d := difference.Of(b.f.g, b.frozen[e.Run])
	edit, anew := d.Edit()
	if len(edit.Ops) == 0 {
		b.note("the workfile has the definition of run " + e.Run + " already")
		return nil
	}
	text := "restored the definition of run " + e.Run
	if counts := countChanges(d); counts != "" { // otherwise only spellings differ
		text += ": " + counts
	}
	if err := b.apply(edit, text); err != nil {
		return err
	}
	if anew > 0 {
		b.note(plural(anew, "node") + " added at the end of the file; wf runs show " + e.Run + " --workfile prints the file as it was")
	}
	return nil
}

// countChanges returns a summary of a difference.
func countChanges(d *difference.Difference) string {
	var parts []string
	count := func(noun string, counts [3]int) {
		for i, how := range []string{"added", "changed", "removed"} {
			if counts[i] > 0 {
				parts = append(parts, plural(counts[i], noun)+" "+how)
			}
		}
	}
	var nodes, edges [3]int
	for _, n := range d.Nodes {
		nodes[changeOf(n.Before == nil, n.After == nil)]++
	}
	for _, e := range d.Edges {
		edges[changeOf(e.Before == nil, e.After == nil)]++
	}
	count("node", nodes)
	count("edge", edges)
	for _, v := range d.Graph {
		parts = append(parts, v.Name)
	}
	if d.Moved > 0 {
		parts = append(parts, plural(d.Moved, "position"))
	}
	return strings.Join(parts, ", ")
}

// changeOf returns the index of a kind of change in the counts of countChanges.
func changeOf(added, removed bool) int {
	switch {
	case added:
		return 0
	case removed:
		return 2
	}
	return 1
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
