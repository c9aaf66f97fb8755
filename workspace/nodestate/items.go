package nodestate

import (
	"strconv"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/expression"
)

// ItemOf returns the item of the instance that contains the node of an event; "" if there is none.
func (ns *Table) ItemOf(run, node string) string {
	for _, r := range ns.Runs {
		if r.ID == run {
			if i, in := r.Sched.Index(node); in && i >= r.OuterNodes() {
				return r.ItemOf(i)
			}
		}
	}
	return ""
}

// itemsOf returns the items of a sub-flow, whose path contains numbers, and the column that names them: those of the active run,
// otherwise those of the latest run.
func (ns *Table) itemsOf(n *graph.Node, path string) (items []any, key string) {
	id := path
	if n.Home() == nil {
		id = n.ID
	}
	for _, r := range ns.Runs {
		if i, in := r.Sched.Index(id); in {
			return r.Sched.Items(i), r.Sched.ItemKey(i)
		}
	}
	return ns.Prior[id].Items, ns.Prior[id].Key
}

// Numbered replaces items in a path by instance numbers: sample[S5]/align becomes sample[4]/align. It returns other texts
// unchanged.
func (ns *Table) Numbered(path string) string {
	if !strings.Contains(path, "[") {
		return path
	}
	return ns.InstanceOf(path)
}

// InstanceOf is Numbered, and also adds the numbers that names of other workfiles' nodes lack: align/trim becomes align[0]/trim.
func (ns *Table) InstanceOf(path string) string {
	parts := strings.Split(path, "/")
	var home *graph.Node
	for k, part := range parts {
		name, which, isInstance := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		n := ns.Member(home, name)
		if n != nil && !isInstance && n.Once() && k < len(parts)-1 {
			parts[k], home = instancePath(name, 0), n
			continue
		}
		if n == nil || !isInstance {
			break
		}
		if strings.Trim(which, "0123456789-*") != "" {
			within := strings.Join(append(parts[:k:k], name), "/")
			items, key := ns.itemsOf(n, within)
			for number, item := range items {
				if scheduler.ItemName(item, key) == which || itemText(item, key) == which {
					parts[k] = instancePath(name, number)
					break
				}
			}
		}
		home = n
	}
	return strings.Join(parts, "/")
}

// itemText returns how a user can write an item in a path.
func itemText(item any, key string) string {
	if text, ok := scheduler.ItemText(item, key); ok {
		return text
	}
	return expression.Format(item)
}

// PathNamer is the inverse of Numbered, for many paths of runs that are over.
type PathNamer struct {
	Nodes *Table
	known map[string]subFlow // by the path of a sub-flow, with numbers
}

// subFlow is a sub-flow on the path to an instance.
type subFlow struct {
	node  *graph.Node
	words []string // names of its instances
	key   string   // the column of the items that they are made from; "" = none
}

// flow returns the sub-flow with a name, in the sub-flow home and with the given path.
func (p *PathNamer) flow(home *graph.Node, path, name string) subFlow {
	f, known := p.known[path]
	if !known {
		if f.node = p.Nodes.Member(home, name); f.node != nil {
			items, key := p.Nodes.itemsOf(f.node, path)
			f.words, f.key = scheduler.ItemNames(items, key), key
		}
		if p.known == nil {
			p.known = map[string]subFlow{}
		}
		p.known[path] = f
	}
	return f
}

// Key returns the column that names the instances of the innermost sub-flow of a path; "" if none does.
func (p *PathNamer) Key(path string) string {
	p.Name(path)
	return p.known[path[:max(strings.LastIndexByte(path, '['), 0)]].key
}

// Name returns a path with items in place of instance numbers.
func (p *PathNamer) Name(path string) string {
	parts := strings.Split(path, "/")
	var home *graph.Node
	end := 0 // of the current part, in the path
	for k, part := range parts {
		name, which, isInstance := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		if !isInstance {
			break
		}
		f := p.flow(home, path[:end+len(name)], name)
		if f.node != nil && f.node.Once() {
			parts[k] = name
		}
		if number, err := strconv.Atoi(which); err == nil && number < len(f.words) && f.words[number] != "" {
			parts[k] = name + "[" + f.words[number] + "]"
		}
		if home = f.node; home == nil {
			break
		}
		end += len(part) + 1
	}
	return strings.Join(parts, "/")
}

// NothingSelected returns the error for valid selectors that name no node which a run could start with. If they name states,
// the error lists the instances in these states.
func (ns *Table) NothingSelected(selectors []string) error {
	e := &api.Error{Code: api.CodeUnknownNode, Message: strings.Join(selectors, ",") + " selects no node", Fix: "wf ls lists all"}
	var names []string
	for part := range strings.SplitSeq(strings.Join(selectors, ","), ",") {
		if state, ok := strings.CutPrefix(strings.TrimSpace(part), "s:"); ok {
			for _, n := range ns.InstancesInState(state) {
				names = append(names, n.Name)
			}
		}
	}
	if len(names) > 0 {
		e.Why = "of the instances of sub-flows it would be " + api.Several(names, 5) + "; name them, if a run shall repeat them"
	}
	return e
}
