package convert

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// assign puts classes into bundles: two of them into one if each item of one waits for the same item of the other.
func (r *makeReader) assign(classes []*makeClass) {
	for _, n := range r.nodes {
		n.class = nil
	}
	for _, c := range classes {
		c.bundle = &makeBundle{items: c.items, classes: []*makeClass{c}}
		for i, n := range c.nodes {
			n.class, n.item = c, c.items[i]
		}
	}
	for _, c := range classes {
		for _, before := range c.nodes[0].after {
			other := before.class
			if other == nil || other.bundle == c.bundle || !sameItems(other.items, c.items) || !c.follows(other) {
				continue
			}
			joined := other.bundle
			for _, moved := range c.bundle.classes {
				moved.bundle = joined
				joined.classes = append(joined.classes, moved)
			}
		}
	}
}

// follows reports whether each node waits for the one of another class with the same item, and for no other of that class.
func (c *makeClass) follows(other *makeClass) bool {
	for _, n := range c.nodes {
		count := 0
		for _, before := range n.after {
			if before.class == other {
				count++
				if before.item != n.item {
					return false
				}
			}
		}
		if count != 1 {
			return false
		}
	}
	return true
}

func sameItems(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// bundle returns the bundle of a node, nil if it stays a node.
func (n *makeNode) bundle() *makeBundle {
	if n.class == nil {
		return nil
	}
	return n.class.bundle
}

// uneven returns a bundle whose nodes have different neighbours outside, or nil.
func (r *makeReader) uneven(classes []*makeClass) *makeBundle {
	for _, c := range classes {
		want := map[*makeNode]bool{}
		for i, n := range c.nodes {
			count := 0
			for _, before := range n.after {
				if before.bundle() == c.bundle {
					continue
				}
				if count++; i == 0 {
					want[before] = true
				} else if !want[before] {
					return c.bundle
				}
			}
			if count != len(want) {
				return c.bundle
			}
		}
	}
	for _, n := range r.nodes {
		waits := map[*makeClass]int{}
		for _, before := range n.after {
			if before.class != nil && before.bundle() != n.bundle() {
				waits[before.class]++
			}
		}
		for c, count := range waits {
			if count != len(c.nodes) {
				return c.bundle
			}
		}
	}
	for _, c := range classes { // within a bundle, items may only wait for themselves
		for _, n := range c.nodes {
			for _, before := range n.after {
				if before.bundle() == c.bundle && (before.class == c || !c.follows(before.class)) {
					return c.bundle
				}
			}
		}
	}
	return nil
}

// cyclic returns a bundle that would wait for itself through nodes outside, or nil.
func (r *makeReader) cyclic() *makeBundle {
	type vertex any
	vertexOf := func(n *makeNode) vertex {
		if b := n.bundle(); b != nil {
			return b
		}
		return n
	}
	before := map[vertex][]vertex{}
	for _, n := range r.nodes {
		for _, m := range n.after {
			if from, to := vertexOf(m), vertexOf(n); from != to {
				before[to] = append(before[to], from)
			}
		}
	}
	state := map[vertex]int{} // 1 = on the path, 2 = done
	var path []vertex
	var visit func(v vertex) *makeBundle
	visit = func(v vertex) *makeBundle {
		state[v] = 1
		path = append(path, v)
		for _, w := range before[v] {
			if state[w] == 1 {
				for i := len(path) - 1; i >= 0; i-- {
					if b, ok := path[i].(*makeBundle); ok {
						return b
					}
				}
			}
			if state[w] == 0 {
				if b := visit(w); b != nil {
					return b
				}
			}
		}
		path = path[:len(path)-1]
		state[v] = 2
		return nil
	}
	for _, n := range r.nodes {
		if v := vertexOf(n); state[v] == 0 {
			if b := visit(v); b != nil {
				return b
			}
		}
	}
	return nil
}

// nameBundles names containers after the last of their recipes, and adds notes about them.
func (r *makeReader) nameBundles(classes []*makeClass) {
	taken := map[string]bool{}
	for _, n := range r.nodes {
		taken[n.id] = true
	}
	named := map[*makeBundle]bool{}
	for _, c := range classes {
		if named[c.bundle] {
			continue
		}
		named[c.bundle] = true
		last := c.bundle.classes[len(c.bundle.classes)-1]
		if last.name == "%" { // the targets have no common start or end
			last.name = programName(last.command)
		}
		c.bundle.id = last.name
		for i := 2; taken[c.bundle.id]; i++ {
			c.bundle.id = fmt.Sprintf("%s-%d", last.name, i)
		}
		taken[c.bundle.id] = true
		inner := map[string]bool{}
		for _, c := range c.bundle.classes {
			c.inner = strings.Trim(strings.ReplaceAll(path.Base(c.name), "%", ""), "-_.")
			if c.inner == "" {
				c.inner = "run"
			}
			for base, i := c.inner, 2; inner[c.inner]; i++ {
				c.inner = fmt.Sprintf("%s-%d", base, i)
			}
			inner[c.inner] = true
		}
		r.b.note("%s: targets that differ in one word are the instances of %s, a sub-flow with foreach, for %s (--flat keeps each target as a node)",
			c.at, c.bundle.id, listed(c.items))
	}
}

// programName returns the name of the program that a command starts.
func programName(command string) string {
	for word := range strings.FieldsSeq(command) {
		if name := path.Base(word); instanceName.Get().MatchString(name) && name != "set" && !strings.HasPrefix(name, "-") {
			return name
		}
	}
	return "targets"
}

// emitBundle adds the container of a bundle and the nodes in it.
func (r *makeReader) emitBundle(b *makeBundle) {
	items, _ := json.Marshal(b.items) // texts only
	line := r.line(b.classes[0].nodes[0].job)
	container := r.b.node(b.id, line)
	container.Container, container.NoCommand = true, false
	setAttr(container, "foreach", string(items))
	for _, c := range b.classes {
		n := r.b.node(b.innerID(c), r.line(c.nodes[0].job))
		n.Name, n.Parent = c.inner, b.id
		setCommand(n, c.command)
	}
	for _, c := range b.classes {
		for _, before := range c.nodes[0].after {
			if before.bundle() == b {
				r.b.edge(b.innerID(before.class), b.innerID(c), link{}, r.line(c.nodes[0].job))
			}
		}
	}
}

func (b *makeBundle) innerID(c *makeClass) string { return b.id + "/" + c.inner }
