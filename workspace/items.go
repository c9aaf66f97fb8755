package workspace

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/expression"
)

// eventItem returns the item of the node of an event.
func (ns *nodeTable) eventItem(run, node string) string {
	for _, r := range ns.runs {
		if r.ID == run {
			if i, in := r.Sched.Index(node); in && i >= r.OuterNodes() {
				return r.ItemOf(i)
			}
		}
	}
	return ""
}

// itemsOf returns the items of a sub-flow, given its path with numbers: of an active run, else of the latest one.
func (ns *nodeTable) itemsOf(n *graph.Node, path string) []any {
	id := path
	if n.Home() == nil {
		id = n.ID
	}
	for _, r := range ns.runs {
		if i, in := r.Sched.Index(id); in {
			return r.Sched.Items(i)
		}
	}
	return ns.before[id].Items
}

// numbered replaces the items in a path by the numbers of the instances: sample[4]/align for sample[S5]/align. Other texts
// stay as they are.
func (ns *nodeTable) numbered(path string) string {
	if !strings.Contains(path, "[") {
		return path
	}
	parts := strings.Split(path, "/")
	var home *graph.Node
	for k, part := range parts {
		name, which, isInstance := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		n := ns.member(home, name)
		if n == nil || !isInstance {
			break
		}
		if strings.Trim(which, "0123456789-*") != "" {
			within := strings.Join(append(parts[:k:k], name), "/")
			for number, item := range ns.itemsOf(n, within) {
				if scheduler.ItemName(item) == which || expression.Format(item) == which {
					parts[k] = instancePath(name, number)
					break
				}
			}
		}
		home = n
	}
	return strings.Join(parts, "/")
}

// pathNamer is the inverse of numbered, for many paths of runs that are over.
type pathNamer struct {
	nodes *nodeTable
	known map[string]pastFlow // by the path of a sub-flow, with numbers
}

// pastFlow is a sub-flow on the path to an instance.
type pastFlow struct {
	node  *graph.Node
	words []string // for its instances
}

// flow finds a sub-flow by its path and the sub-flow that contains it.
func (p *pathNamer) flow(home *graph.Node, path, name string) pastFlow {
	f, known := p.known[path]
	if !known {
		if f.node = p.nodes.member(home, name); f.node != nil {
			f.words = scheduler.ItemNames(p.nodes.itemsOf(f.node, path))
		}
		if p.known == nil {
			p.known = map[string]pastFlow{}
		}
		p.known[path] = f
	}
	return f
}

// named returns a path with items in place of numbers.
func (p *pathNamer) named(path string) string {
	parts := strings.Split(path, "/")
	var home *graph.Node
	end := 0 // of the current part, in the path
	for k, part := range parts {
		name, which, isInstance := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		if !isInstance {
			break
		}
		f := p.flow(home, path[:end+len(name)], name)
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

// nameInstances gives executions in instances their names. Items may have changed since, so an item is used only if the
// execution has recorded it.
func (w *Workspace) nameInstances(ctx context.Context, list []api.Execution) error {
	if !slices.ContainsFunc(list, func(x api.Execution) bool { return isPath(x.Node) }) {
		return nil
	}
	names, err := ask(ctx, w, func(w *Workspace) ([]string, error) {
		namer, names := &pathNamer{nodes: w.nodes}, make([]string, len(list))
		for k, x := range list {
			if isPath(x.Node) && x.Inputs != nil && x.Inputs.Item != nil {
				names[k] = namer.named(x.Node)
			}
		}
		return names, nil
	})
	if err != nil {
		return err
	}
	for k := range list {
		if word := scheduler.ItemName(itemText(&list[k])); word != "" && strings.Contains(names[k], "["+word+"]/") {
			list[k].Name = names[k]
		}
	}
	return nil
}

// itemText is the item of an execution.
func itemText(x *api.Execution) any {
	if x.Inputs == nil || x.Inputs.Item == nil {
		return nil
	}
	return *x.Inputs.Item
}

// nothingSelected returns the error for selectors that are right but name no node that a run could start with. It names the
// instances in the states that the selectors name.
func (ns *nodeTable) nothingSelected(selectors []string) error {
	e := &api.Error{Code: api.CodeUnknownNode, Message: strings.Join(selectors, ",") + " selects no node", Fix: "wf ls lists all"}
	var names []string
	for part := range strings.SplitSeq(strings.Join(selectors, ","), ",") {
		if state, ok := strings.CutPrefix(strings.TrimSpace(part), "s:"); ok {
			for _, n := range ns.instancesIn(state) {
				names = append(names, n.Name)
			}
		}
	}
	if len(names) > 0 {
		e.Why = "of the instances of sub-flows it would be " + api.Several(names, 5) + "; name them, if a run shall repeat them"
	}
	return e
}
