package workfile

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/executor/shell"
	"wf/graph"
	"wf/graph/attribute"
)

// Edit applies a list of edits, or none of them, and returns when they are in the file. If the file cannot be written at
// present, the result contains a note and the edits wait in the workspace.
func (f *File) Edit(ctx context.Context, by api.Author, req api.EditRequest) (api.EditResult, error) {
	var origin []byte
	if slices.ContainsFunc(req.Edits, func(e api.Edit) bool { return e.Key == "results" || e.Op == api.OpRestore || e.Op == api.OpText }) {
		origin = f.origin()
	}
	frozen, err := f.frozenGraphs(ctx, req)
	if err != nil {
		return api.EditResult{}, err
	}
	return f.edited(ctx, by, func() (api.EditResult, error) {
		before := f.statuses.results
		res, err := f.edit(by, req, frozen)
		f.statuses.resultsEdited(before, origin, &res)
		return res, err
	})
}

func (f *File) edit(by api.Author, req api.EditRequest, frozen map[string]*graph.Graph) (api.EditResult, error) {
	if err := f.cfg.Host.Refusal(); err != nil {
		return api.EditResult{}, err
	}
	b := editBuilder{f: f, frozen: frozen}
	// Edits of one request may name each other's nodes, so each is applied before the next is read. A failure reverts all of
	// them.
	for _, e := range req.Edits {
		if err := b.edit(e); err != nil {
			b.rollBack()
			f.handles = nil
			return api.EditResult{}, err
		}
	}
	b.warn()
	if len(b.done) > 0 {
		f.edits.commit(b.entry(by))
	}
	return api.EditResult{Added: b.added, Text: strings.Join(b.texts, "; "), Notes: b.notes}, nil
}

// editBuilder applies the edits of one request to the graph and collects the ops that undo them.
type editBuilder struct {
	f       *File
	frozen  map[string]*graph.Graph // the workflows that restores need, by run
	inverse []graph.Op              // in the order of the edits
	done    []graph.Op
	again   []redoOp
	touched []part
	added   []string
	texts   []string
	notes   []string
	known   map[string]bool // problems of the control flow before the structure was edited; nil if it was not
}

var editors = map[string]func(*editBuilder, api.Edit) error{
	api.OpAddNode:    (*editBuilder).addNode,
	api.OpRemoveNode: (*editBuilder).removeNodes,
	api.OpGroup:      func(b *editBuilder, e api.Edit) error { return grouping{b}.group(e) },
	api.OpUngroup:    func(b *editBuilder, e api.Edit) error { return grouping{b}.ungroup(e) },
	api.OpMove:       func(b *editBuilder, e api.Edit) error { return grouping{b}.move(e) },
	api.OpAddEdge:    (*editBuilder).addEdge,
	api.OpRemoveEdge: (*editBuilder).removeEdge,
	api.OpEdgeType:   (*editBuilder).edgeType,
	api.OpSetEdge:    (*editBuilder).setEdge,
	api.OpUnsetEdge:  (*editBuilder).unsetEdge,
	api.OpSet:        (*editBuilder).set,
	api.OpUnset:      (*editBuilder).unset,
	api.OpStatus:     (*editBuilder).status,
	api.OpSetGraph:   (*editBuilder).setGraph,
	api.OpUnsetGraph: (*editBuilder).unsetGraph,
	api.OpRestore:    (*editBuilder).restore,
	api.OpByFiles:    (*editBuilder).connectByFiles,
	api.OpText:       (*editBuilder).text,
}

func (b *editBuilder) edit(e api.Edit) error {
	f, ok := editors[e.Op]
	if !ok {
		return api.Invalid("unknown edit %q", e.Op)
	}
	return f(b, e)
}

func (b *editBuilder) apply(op graph.Op, text string) error {
	again, touched := portable(b.f.g, op), partsOf(b.f.g, op)
	inverse, done, err := b.f.g.Apply(op)
	if err != nil {
		return api.Invalid("%s", err)
	}
	b.inverse, b.done = append(b.inverse, inverse), append(b.done, done)
	b.again, b.touched = append(b.again, again...), append(b.touched, touched...)
	if text != "" { // otherwise the op is a part of an edit that has a text
		b.texts = append(b.texts, text)
	}
	switch op.(type) {
	case graph.AddEdge, graph.RemoveEdge, graph.MoveEdge, graph.SetEdge: // no handle depends on edges
	default:
		b.f.handles = nil
	}
	return nil
}

func (b *editBuilder) rollBack() {
	for i := len(b.inverse) - 1; i >= 0; i-- {
		if _, _, err := b.f.g.Apply(b.inverse[i]); err != nil {
			panic("internal error: edit roll back: " + err.Error())
		}
	}
}

func (b *editBuilder) entry(by api.Author) edit {
	undo := make([]graph.Op, len(b.inverse))
	for i, op := range b.inverse {
		undo[len(undo)-1-i] = op
	}
	return edit{undo: graph.Batch{Ops: undo}, done: graph.Batch{Ops: b.done}, again: b.again,
		text: strings.Join(b.texts, "; "), by: by, touched: b.touched}
}

func (b *editBuilder) addNode(e api.Edit) error {
	if err := checkText("label", e.Label); err != nil {
		return err
	}
	if err := b.checkName(e.Name, nil); err != nil {
		return err
	}
	var before []*graph.Node
	for _, name := range e.After {
		n, err := b.f.Find(name)
		if err != nil {
			return err
		}
		before = append(before, n)
	}
	spec := graph.NodeSpec{ID: graph.NewID(), Key: graph.NewKey, Name: e.Name, Label: e.Label, HasLabel: true}
	text := "added node " + quoteShort(e.Label)
	if e.Container {
		spec.Label, spec.HasLabel, spec.Container = "", false, true
		text = "added container " + quoteShort(e.Name)
	}
	parent, err := b.container(e.In)
	if err != nil {
		return err
	}
	spec.X, spec.Y = place(e, before)
	if err := b.apply(graph.AddNode{Node: spec, Parent: parent}, text); err != nil {
		return err
	}
	b.added = append(b.added, spec.ID)
	for _, n := range before {
		if err := b.connect(n, b.f.g.Node(spec.ID), e); err != nil {
			return err
		}
	}
	return b.setNode(b.f.g.Node(spec.ID), e.Set)
}

// place returns the position of a new node: the one that the client gives, otherwise to the right of the nodes before it,
// otherwise none.
func place(e api.Edit, before []*graph.Node) (x, y string) {
	if e.X != nil && e.Y != nil {
		return number(*e.X), number(*e.Y)
	}
	placed := false
	var right, top float64
	for _, n := range before {
		if nx, ny, ok := n.Position(); ok && (!placed || nx > right) {
			right, top, placed = nx, ny, true
		}
	}
	if !placed {
		return "", ""
	}
	return number(right + 200), number(top)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (b *editBuilder) removeNodes(e api.Edit) error {
	nodes, err := b.f.Select(e.Nodes)
	if err != nil {
		return err
	}
	for i := len(nodes) - 1; i >= 0; i-- { // children come after their containers
		if err := b.apply(graph.RemoveNode{ID: nodes[i].ID}, "removed node "+b.f.Handle(nodes[i])); err != nil {
			return err
		}
	}
	return nil
}

func (b *editBuilder) ends(e api.Edit) (src, dst *graph.Node, err error) {
	if src, err = b.f.Find(e.Source); err != nil {
		return nil, nil, err
	}
	dst, err = b.f.Find(e.Target)
	return src, dst, err
}

func (b *editBuilder) addEdge(e api.Edit) error {
	src, dst, err := b.ends(e)
	if err != nil {
		return err
	}
	if len(b.f.g.EdgesBetween(src, dst)) > 0 {
		return api.Invalid("an edge %s -> %s exists already", b.f.Handle(src), b.f.Handle(dst))
	}
	return b.connect(src, dst, e)
}

// connect adds an edge, with the type, the condition and the attributes of an edit.
func (b *editBuilder) connect(src, dst *graph.Node, e api.Edit) error {
	word, err := edgeWord(e.Type)
	if err != nil {
		return err
	}
	if src == dst && word != graph.NonBlocking.String() {
		b.note("a blocking edge of a node to itself is a cycle: wf run will refuse it")
	}
	op := graph.AddEdge{Key: graph.NewKey, ID: graph.NewID(), HasID: true, Source: src.ID, Target: dst.ID, Type: word, HasType: true}
	var list []api.Setting
	if e.When != "" {
		list = append(list, api.Setting{Key: "when", Value: e.When})
	}
	if e.Op == api.OpAddEdge {
		list = append(list, e.Set...)
	}
	for _, s := range list {
		if err := b.checkEdgeKey(s.Key); err != nil {
			return err
		}
		if err := checkText(s.Key, s.Value); err != nil {
			return err
		}
		if op.Extra == nil {
			op.Extra = map[string]string{}
		}
		op.Extra[s.Key] = s.Value
	}
	return b.apply(op, fmt.Sprintf("added edge %s -> %s", b.f.Handle(src), b.f.Handle(dst)))
}

func edgeWord(text string) (string, error) {
	t, known := graph.ParseEdgeType(text)
	if !known {
		return "", api.Invalid("unknown edge type %q (blocking, non-blocking)", text)
	}
	return t.String(), nil
}

// noEdge returns the error about two nodes without an edge between them, or with one only in the other direction.
func (b *editBuilder) noEdge(src, dst *graph.Node, name string) error {
	err := &api.Error{Code: api.CodeInvalid, Message: "no edge " + name, Fix: "wf graph shows the edges"}
	if len(b.f.g.EdgesBetween(dst, src)) > 0 {
		err.Why = "there is one from " + b.f.Handle(dst) + " to " + b.f.Handle(src)
	}
	return err
}

func (b *editBuilder) removeEdge(e api.Edit) error {
	edges, name, err := b.between(e)
	for _, edge := range edges {
		if err := b.apply(graph.RemoveEdge{Key: edge.Key}, "removed edge "+name); err != nil {
			return err
		}
	}
	return err
}

func (b *editBuilder) edgeType(e api.Edit) error {
	word, err := edgeWord(e.Type)
	if err != nil {
		return err
	}
	edges, name, err := b.between(e)
	for _, edge := range edges {
		op := graph.SetEdge{Key: edge.Key, Attr: "edge_type", Value: word}
		if err := b.apply(op, fmt.Sprintf("made edge %s %s", name, word)); err != nil {
			return err
		}
	}
	return err
}

func (b *editBuilder) set(e api.Edit) error {
	nodes, err := b.f.Select(e.Nodes)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := b.checkWas(e, n); err != nil {
			return err
		}
		if err := b.setNode(n, settings(e)); err != nil {
			return err
		}
	}
	return nil
}

// checkWas refuses an edit of a value that has changed since its author read it.
func (b *editBuilder) checkWas(e api.Edit, n *graph.Node) error {
	now, _ := n.Attr(e.Key)
	return unchanged(e, now, " of node "+b.f.Handle(n), b.f.Handle(n))
}

// unchanged returns an error if the value that an edit expects is not the present one. of names what has the value.
func unchanged(e api.Edit, now, of string, nodes ...string) error {
	if e.Was == nil || *e.Was == now {
		return nil
	}
	return &api.Error{Code: api.CodeConflict, Nodes: nodes, Message: "the " + e.Key + of + " was changed by somebody else meanwhile",
		Why: "it is now " + quoteShort(now)}
}

func (b *editBuilder) unset(e api.Edit) error {
	if err := b.checkKey(e.Key); err != nil {
		return err
	}
	return b.onNodes(e, func(n *graph.Node) (graph.Op, string, error) {
		if err := b.checkWas(e, n); err != nil {
			return nil, "", err
		}
		return graph.SetNode{ID: n.ID, Attr: e.Key, Remove: true}, "removed " + e.Key + " of " + b.f.Handle(n), nil
	})
}

func (b *editBuilder) checkKey(key string) error {
	switch {
	case key == "status":
		return &api.Error{Code: api.CodeInvalid, Message: "status is not set like other attributes", Fix: "wf edit status NODE VALUE"}
	case key == "" || strings.ContainsFunc(key, isControl):
		return api.Invalid("%q is not a name of an attribute", key)
	}
	return nil
}

func (b *editBuilder) status(e api.Edit) error {
	s, known := graph.ParseStatus(e.Value)
	if !known || s == graph.Queued || s == graph.Running {
		return &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("status %q cannot be set", e.Value),
			Fix: "say ran, fail or '': wf edit status NODE ran"}
	}
	return b.onNodes(e, func(n *graph.Node) (graph.Op, string, error) {
		if run := b.f.cfg.Host.RunOf(n); run != "" {
			return nil, "", &api.Error{Code: api.CodeConflict, Run: run, Nodes: []string{b.f.Handle(n)},
				Message: fmt.Sprintf("node %s takes part in run %s", b.f.Handle(n), run), Fix: "wf stop " + run}
		}
		return graph.SetNode{ID: n.ID, Attr: "status", Value: s.String()}, "set status of " + b.f.Handle(n), nil
	})
}

func (b *editBuilder) onNodes(e api.Edit, f func(*graph.Node) (graph.Op, string, error)) error {
	nodes, err := b.f.Select(e.Nodes)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		op, text, err := f(n)
		if err != nil {
			return err
		}
		if err := b.apply(op, text); err != nil {
			return err
		}
	}
	return nil
}

func (b *editBuilder) setGraph(e api.Edit) error {
	if err := b.checkGraphWas(e); err != nil {
		return err
	}
	for _, s := range settings(e) {
		if err := checkText(s.Key, s.Value); err != nil {
			return err
		}
		if err := b.checkAttribute(attribute.Graph, s.Key); err != nil {
			return err
		}
		if err := b.apply(graph.SetGraph{Attr: s.Key, Value: s.Value}, "set "+s.Key); err != nil {
			return err
		}
		if slices.Contains([]string{"wrapper", "prefix", "suffix", "shell"}, s.Key) {
			b.noteWrapper()
		}
	}
	return nil
}

// WrapperMessage describes a problem of a wrapper in one sentence.
func WrapperMessage(p *shell.WrapperProblem) string {
	text := p.Message + ": " + p.Why
	if p.Correct != "" {
		text += "; probably meant: " + p.Correct
	}
	return text
}

// noteWrapper adds a note if runs will refuse the wrapper.
func (b *editBuilder) noteWrapper() {
	program, _ := b.f.g.Attr("shell")
	if p := shell.CheckWrapper(b.f.Wrapper(), program); p != nil {
		b.notes = append(b.notes, "wf run will refuse it: "+WrapperMessage(p))
	}
}

// checkGraphWas is checkWas for an attribute of the graph.
func (b *editBuilder) checkGraphWas(e api.Edit) error {
	now, _ := b.f.g.Attr(e.Key)
	if e.Key == "wrapper" {
		now = b.f.Wrapper() // includes the wrapper in files of Python Workforce
	}
	return unchanged(e, now, "")
}

func (b *editBuilder) unsetGraph(e api.Edit) error {
	if err := b.checkGraphWas(e); err != nil {
		return err
	}
	return b.apply(graph.SetGraph{Attr: e.Key, Remove: true}, "removed "+e.Key)
}

// checkName refuses a name that another node has, or that has another meaning in selectors.
func (b *editBuilder) checkName(name string, of *graph.Node) error {
	if strings.ContainsFunc(name, isControl) {
		return api.Invalid("name %q has control characters", name)
	}
	if sign := graph.SelectorSyntax(strings.TrimSpace(name)); sign != "" {
		return &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("name %q means something else in a selector: it has %q", name, sign),
			Why: "s:STATE, g:GROUP, id:ID, +NODE, NODE+ and commas select nodes", Fix: "choose another name"}
	}
	if other := b.f.g.Node(name); other != nil && other != of {
		return api.Invalid("%q is the id of node %s; choose another name", name, b.f.Handle(other))
	}
	for _, n := range b.f.g.Nodes() {
		if name != "" && n != of && n.Name == name {
			return api.Invalid("another node is named %q already", name)
		}
	}
	return nil
}

// checkText refuses characters that XML cannot contain.
func checkText(what, text string) error {
	bad := func(r rune) bool {
		return isControl(r) && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFD || r == 0xFFFE || r == 0xFFFF
	}
	if i := strings.IndexFunc(text, bad); i >= 0 {
		return &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("%s has a character at byte %d that a workfile cannot hold", what, i),
			Fix: `write control characters with printf, for example "$(printf '\033')"`}
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// quoteShort quotes the start of a text.
func quoteShort(s string) string { return strconv.Quote(short(s)) }

// short returns the start of a text.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:39]) + "…"
	}
	return s
}
