package workfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/api"
	"wf/graph"
	"wf/graphml"
)

// contents is everything that a graph says, apart from the order, which a node that comes back after
// the file was read again may lose.
func (f *File) contents() string {
	var lines []string
	for _, n := range f.g.Nodes() {
		in := ""
		if n.Parent != nil {
			in = n.Parent.ID
		}
		lines = append(lines, fmt.Sprintf("node %s in %q %q %q %v", n.ID, in, n.Label, n.Name, n.Extra))
	}
	for _, e := range f.g.Edges() {
		lines = append(lines, fmt.Sprintf("edge %s %s %s", e.Source.ID, e.Target.ID, e.Type))
	}
	attrs := f.g.Attrs()
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		lines = append(lines, "graph "+name+"="+attrs[name])
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// randomEdit makes an edit, or a refused one, which changes nothing.
func randomEdit(t *rapid.T, f *File, by api.Author) {
	nodes := f.g.Nodes()
	node := func(name string) string {
		if len(nodes) == 0 {
			return "nobody"
		}
		return nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, name)].ID
	}
	e := api.Edit{Op: rapid.SampledFrom([]string{api.OpAddNode, api.OpRemoveNode, api.OpAddEdge, api.OpRemoveEdge, api.OpEdgeType,
		api.OpSet, api.OpUnset, api.OpSetGraph, api.OpGroup, api.OpUngroup, api.OpMove}).Draw(t, "op")}
	containers := []string{""}
	for _, n := range nodes {
		if n.Container {
			containers = append(containers, n.ID)
		}
	}
	container := rapid.SampledFrom(containers)
	switch e.Op {
	case api.OpGroup:
		for range rapid.IntRange(1, 3).Draw(t, "members") {
			e.Nodes = append(e.Nodes, node("member"))
		}
		if rapid.Bool().Draw(t, "repeats") {
			e.Set = []api.Setting{{Key: "times", Value: "2"}}
		}
	case api.OpUngroup:
		e.Nodes = []string{container.Draw(t, "container")}
	case api.OpMove:
		e.Nodes, e.In = []string{node("node")}, container.Draw(t, "into")
	case api.OpAddNode:
		e.Label, e.After, e.In = "new", []string{node("after")}, container.Draw(t, "in")
	case api.OpRemoveNode:
		e.Nodes = []string{node("node")}
	case api.OpAddEdge, api.OpRemoveEdge, api.OpEdgeType:
		e.Source, e.Target = node("source"), node("target")
		if edges := f.g.Edges(); e.Op != api.OpAddEdge && len(edges) > 0 {
			edge := edges[rapid.IntRange(0, len(edges)-1).Draw(t, "edge")]
			e.Source, e.Target = edge.Source.ID, edge.Target.ID
		}
		e.Type = rapid.SampledFrom([]string{"blocking", "non-blocking"}).Draw(t, "type")
		if e.Op != api.OpAddEdge {
			e.Edge = rapid.SampledFrom([]string{"", "1", "2", api.EveryEdge}).Draw(t, "which")
		}
	case api.OpSet, api.OpUnset:
		e.Nodes, e.Key = []string{node("node")}, rapid.SampledFrom([]string{"label", "note"}).Draw(t, "key")
		e.Value = rapid.StringMatching(`[a-z]{0,3}`).Draw(t, "value")
	default:
		e.Key, e.Value = "wrapper", rapid.StringMatching(`[a-z]{0,3}`).Draw(t, "value")
	}
	f.edit(by, api.EditRequest{Edits: []api.Edit{e}}, nil)
}

// reopen closes a bare workspace and opens the file that it leaves, with the note of its edits. Without
// such a note nothing stores the file from before the runs, so reopen first writes the statuses of that time into it.
func reopen(t *rapid.T, f *File, statuses map[string]graph.Status) *File {
	if len(f.edits.undo)+len(f.edits.redo) == 0 {
		putStatuses(f, statuses)
	}
	f.PublishStatuses()
	data, err := json.Marshal(f.edits.kept())
	if err != nil {
		t.Fatal(err)
	}
	again := bareFile(t, bytes.Join(f.doc.Render(), nil))
	note := &keptEdits{}
	if err := json.Unmarshal(data, note); err != nil {
		t.Fatal(err)
	}
	if len(note.Undo)+len(note.Redo) == 0 {
		return again
	}
	if rapid.Bool().Draw(t, "a run first") {
		randomStatus(t, again)
		again.PublishStatuses()
	}
	r, err := note.resume(again.doc.Base(), nodeIDs(again.g))
	again.edits.takeUp(note, r, err)
	if again.edits.lost != "" {
		t.Fatalf("reopened: %s", again.edits.lost)
	}
	return again
}

// randomStatus is what a run does to the file.
func randomStatus(t *rapid.T, f *File) {
	for _, n := range f.g.Nodes() {
		if s := rapid.SampledFrom([]graph.Status{graph.Idle, graph.Ran, graph.Failed}).Draw(t, "status"); s != n.Status {
			f.g.SetStatus(n, s)
			f.disk.touch(n, changedStatus)
		}
	}
}

func putStatuses(f *File, statuses map[string]graph.Status) {
	for _, n := range f.g.Nodes() {
		if s := statuses[n.ID]; s != n.Status {
			f.g.SetStatus(n, s)
			f.disk.touch(n, changedStatus)
		}
	}
}

// Two users edit, undo and redo, with runs in between, and the workfile is closed and opened any number of times. After all
// undos the file has its first bytes again.
func TestUndoIsExact(t *testing.T) {
	files := filesOfAll(t)
	names := rapid.SampledFrom(slices.Sorted(maps.Keys(files)))
	rapid.Check(t, func(t *rapid.T) { undoIsExact(t, files[names.Draw(t, "file")]) })
}

func undoIsExact(t *rapid.T, file []byte) {
	f := bareFile(t, file)
	statuses := map[string]graph.Status{}
	for _, n := range f.g.Nodes() {
		statuses[n.ID] = n.Status
	}
	who := rapid.SampledFrom([]api.Author{ada, bob})
	for range rapid.IntRange(1, 14).Draw(t, "steps") {
		by := who.Draw(t, "who")
		switch rapid.IntRange(0, 9).Draw(t, "step") {
		case 0, 1:
			turnOwn(t, f, "undo", by)
		case 2:
			turnOwn(t, f, "redo", by)
		case 3, 4:
			f = reopen(t, f, statuses)
		case 5:
			randomStatus(t, f)
			f.PublishStatuses()
		default:
			randomEdit(t, f, by)
		}
	}
	f = reopen(t, f, statuses)
	for len(f.edits.undo) > 0 {
		if by := who.Draw(t, "who"); !turnOwn(t, f, "undo", by) {
			turnOwn(t, f, "undo", f.edits.undo[len(f.edits.undo)-1].by) // which is always possible
		}
		if rapid.IntRange(0, 3).Draw(t, "close") == 0 {
			f = reopen(t, f, statuses)
		}
	}
	putStatuses(f, statuses)
	f.PublishStatuses()
	got := bytes.Join(f.doc.Render(), nil)
	at := 0
	for at < min(len(got), len(file)) && got[at] == file[at] {
		at++
	}
	if !bytes.Equal(got, file) {
		t.Fatalf("taken back, the file differs at byte %d: %.200q, not %.200q", at, got[at:], file[at:])
	}
}

// filesOfAll are files of all kinds of programs, small enough to be edited at random.
func filesOfAll(t *testing.T) map[string][]byte {
	nodes := []graphml.NewNode{{ID: "a", Label: "x"}, {ID: "b", Label: "y"}, {ID: "c", Label: "z"}}
	edges := []graphml.NewEdge{{Source: "a", Target: "b"}, {Source: "a", Target: "b"}, {Source: "b", Target: "c"}, {Source: "c", Target: "c"}}
	ours, err := graphml.CreateGraph(nodes, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"ours": ours}
	for _, dir := range []string{"graphml-cases", "graphml-corpus", "workfiles/python-workforce"} {
		paths, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", dir, "*.graphml*"))
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, _, err := graphml.Parse(data, graphml.Limits{}); err == nil && len(data) < 1<<14 {
				files[filepath.Base(path)] = data
			}
		}
	}
	return files
}
