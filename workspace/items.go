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

// knownItems are the words for the items of the sub-flow whose instances a run has made last.
type knownItems struct {
	subflow int
	first   *any // of the items: another activation has others
	words   []string
}

// itemWordsOf returns the words for the instances of a sub-flow of the run.
func (r *runState) itemWordsOf(subflow int) []string {
	items := r.sched.Items(subflow)
	if len(items) == 0 {
		return nil
	}
	if k := &r.words; k.first != &items[0] || k.subflow != subflow || len(k.words) != len(items) {
		r.words = knownItems{subflow, &items[0], scheduler.ItemNames(items)}
	}
	return r.words.words
}

// shownName is what people call a node of an instance: its path, with items in place of numbers.
func (r *runState) shownName(i int, path string) string {
	subflow, instance, ok := r.sched.Instance(i)
	at := strings.LastIndex(path, "]/")
	open := strings.LastIndexByte(path[:max(at, 0)], '[')
	if !ok || open < 0 {
		return path
	}
	head, number := path[:open], path[open+1:at]
	if subflow >= r.outer() && subflow < len(r.nodes) {
		head = r.nodes[subflow].name
	}
	if words := r.itemWordsOf(subflow); instance < len(words) && words[instance] != "" {
		number = words[instance]
	}
	if head == path[:open] && number == path[open+1:at] {
		return path
	}
	return head + "[" + number + path[at:]
}

// itemOf is the item of the instance that a node lies in, as text; "" if there is none.
func (r *runState) itemOf(i int) string {
	subflow, instance, ok := r.sched.Instance(i)
	if !ok {
		return ""
	}
	if items := r.sched.Items(subflow); instance < len(items) {
		return expression.Format(items[instance])
	}
	return ""
}

// eventItem is itemOf for the node of an event.
func (w *Workspace) eventItem(run, node string) string {
	for _, r := range w.runs {
		if r.id == run {
			if i, in := r.sched.Index(node); in && i >= r.outer() {
				return r.itemOf(i)
			}
		}
	}
	return ""
}

// itemsOf returns the items of a sub-flow, by its path with numbers: of a run that goes on, else of the
// latest one.
func (w *Workspace) itemsOf(n *graph.Node, path string) []any {
	id := path
	if n.Home() == nil {
		id = n.ID
	}
	for _, r := range w.runs {
		if i, in := r.sched.Index(id); in {
			return r.sched.Items(i)
		}
	}
	return w.before[id].Items
}

// numbered replaces the items in a path by the numbers of the instances:
// sample[4]/align for sample[S5]/align. What is no such path stays as it is.
func (w *Workspace) numbered(path string) string {
	if !strings.Contains(path, "[") {
		return path
	}
	parts := strings.Split(path, "/")
	var home *graph.Node
	for k, part := range parts {
		name, which, isInstance := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		n := w.member(home, name)
		if n == nil || !isInstance {
			break
		}
		if strings.Trim(which, "0123456789-*") != "" {
			within := strings.Join(append(parts[:k:k], name), "/")
			for number, item := range w.itemsOf(n, within) {
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
	w     *Workspace
	known map[string]pastFlow // by the path of a sub-flow, with numbers
}

// pastFlow is a sub-flow on the way to an instance.
type pastFlow struct {
	node  *graph.Node
	words []string // for its instances
}

// flow finds a sub-flow by its path and the one that it lies in.
func (p *pathNamer) flow(home *graph.Node, path, name string) pastFlow {
	f, known := p.known[path]
	if !known {
		if f.node = p.w.member(home, name); f.node != nil {
			f.words = scheduler.ItemNames(p.w.itemsOf(f.node, path))
		}
		if p.known == nil {
			p.known = map[string]pastFlow{}
		}
		p.known[path] = f
	}
	return f
}

// named is a path with items in place of numbers.
func (p *pathNamer) named(path string) string {
	parts := strings.Split(path, "/")
	var home *graph.Node
	end := 0 // of the part at hand, in the path
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

// nameInstances gives executions in instances their names. Items of today are those of then only if the
// execution says so.
func (w *Workspace) nameInstances(ctx context.Context, list []api.Execution) error {
	if !slices.ContainsFunc(list, func(x api.Execution) bool { return isPath(x.Node) }) {
		return nil
	}
	names, err := ask(ctx, w, func(w *Workspace) ([]string, error) {
		namer, names := &pathNamer{w: w}, make([]string, len(list))
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

// nothingSelected says that selectors are right and name no node that a run could begin with, and which
// instances are in the states that they name.
func (w *Workspace) nothingSelected(selectors []string) error {
	e := &api.Error{Code: api.CodeUnknownNode, Message: strings.Join(selectors, ",") + " selects no node", Fix: "wf ls lists all"}
	var names []string
	for part := range strings.SplitSeq(strings.Join(selectors, ","), ",") {
		if state, ok := strings.CutPrefix(strings.TrimSpace(part), "s:"); ok {
			for _, n := range w.instancesIn(state) {
				names = append(names, n.Name)
			}
		}
	}
	if len(names) > 0 {
		e.Why = "of the instances of sub-flows it would be " + some(names, 5) + "; name them, if a run shall repeat them"
	}
	return e
}
