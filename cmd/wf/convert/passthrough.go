package convert

// A drawing is nodes and edges by id, before it is decided which of them become nodes of the workflow.
type drawing struct {
	ids    []string // in order
	before map[string][]string
}

// drawn returns the nodes and edges that another reader has collected.
func drawn(b *builder) drawing {
	d := drawing{before: map[string][]string{}}
	for i := range b.wf.Nodes {
		d.ids = append(d.ids, b.wf.Nodes[i].ID)
	}
	for _, e := range b.ends {
		from, to := b.wf.Nodes[e.From].ID, b.wf.Nodes[e.To].ID
		d.before[to] = append(d.before[to], from)
	}
	return d
}

// kept returns which kept nodes a node waits for, also through nodes that are not kept.
func (d drawing) kept(id string, keep func(string) bool) (ids []string) {
	seen := map[string]bool{}
	todo := d.before[id]
	for len(todo) > 0 {
		next := todo[0]
		if todo = todo[1:]; seen[next] {
			continue
		}
		if seen[next] = true; keep(next) {
			ids = append(ids, next)
		} else {
			todo = append(todo[:len(todo):len(todo)], d.before[next]...)
		}
	}
	return ids
}
