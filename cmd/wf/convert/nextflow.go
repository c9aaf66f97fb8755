package convert

import (
	"bytes"
	"strings"

	"wf/graph/pattern"
)

var (
	nextflowDot     = pattern.Of(`^\s*(strict\s+)?digraph\b`)
	nextflowMermaid = pattern.Of(`(?s)<pre class="mermaid"[^>]*>(.*?)</pre>`)
)

// readNextflow reads what nextflow run -with-dag writes: DOT, Mermaid, or a page with a Mermaid chart in it. Processes
// become nodes; channels and operators, which connect them, become edges.
func readNextflow(b *builder, data []byte) {
	inner := newBuilder(Options{})
	if nextflowDot.Get().Match(data) {
		readDot(inner, data)
	} else {
		if m := nextflowMermaid.Get().FindSubmatchIndex(data); m != nil {
			lines := bytes.Count(data[:m[2]], []byte("\n"))
			data = append(bytes.Repeat([]byte("\n"), lines), data[m[2]:m[3]]...)
		}
		readMermaid(inner, data)
	}
	process := nextflowProcesses(inner)
	d := drawn(inner)
	names := map[string]string{}
	taken := map[string]bool{}
	for i, id := range d.ids {
		if !process[id] {
			continue
		}
		name := strings.TrimSpace(inner.wf.Nodes[i].Command)
		if name == "" || inner.wf.Nodes[i].NoCommand {
			name = id
		}
		for taken[name] {
			name += "_2"
		}
		taken[name], names[id] = true, name
		group, _, _ := strings.Cut(inner.wf.Nodes[i].Group, " [")
		b.node(name, inner.lines[i]).Group = strings.TrimSpace(group)
	}
	if len(names) == 0 {
		fail(1, "it contains no process: write it with nextflow run … -with-dag FILE.dot")
	}
	for i, id := range d.ids {
		if !process[id] {
			continue
		}
		for _, before := range d.kept(id, func(other string) bool { return process[other] }) {
			if before != id {
				b.edge(names[before], names[id], link{}, inner.lines[i])
			}
		}
	}
	if b.opt.Command == "" {
		b.note("the file contains no commands: give each node the script of its process, with wf edit set NODE label CMD, or give all of them one with --command")
	}
	b.note("channels became edges: a node waits for whole processes, and runs once, not once for each item; for that, put nodes into a container with foreach")
	if operators := len(d.ids) - len(names); operators > 0 {
		b.note("channels and operators (%d of them) are left out; what they do to values belongs into the commands", operators)
	}
}

// nextflowProcesses returns the ids of processes. Charts of versions before 22.12 have them in [brackets], later ones in
// ([round ones]), and DOT without a shape.
func nextflowProcesses(b *builder) map[string]bool {
	square := false
	for _, shape := range b.shapes {
		square = square || shape == "["
	}
	process := map[string]bool{}
	for _, n := range b.wf.Nodes {
		switch shape := b.shapes[n.ID]; {
		case shape == "", shape == "box", shape == "[":
			process[n.ID] = !n.NoCommand
		case shape == "([", shape == `(["`:
			process[n.ID] = !square
		}
	}
	return process
}
