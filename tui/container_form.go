package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/graph/attribute"
	"wf/tui/dialog"
	"wf/tui/words"
)

// A containerForm asks for the name of a new container of nodes, and how they are repeated.
type containerForm struct {
	form
	doc   *document
	nodes []string // ids
}

// containerFields are the fields of the form besides the name. At most one has a text.
var containerFields = []string{"foreach", "times", "while", "until"}

// formNames is how many nodes the title of the form names.
const formNames = 6

// makeContainer asks for a container of the marked nodes or the selection.
func (m menus) makeContainer() tea.Msg {
	d := m.doc
	nodes := d.objects()
	if len(nodes) == 0 {
		return notice{"mark the nodes that the container shall contain, with space", false}
	}
	name := field{label: "name", help: "unique in the workfile; empty: group or loop"}
	name.set("")
	f := &containerForm{doc: d, nodes: d.flow.IDs(nodes)}
	f.name, f.title = "the container", "Container of "+words.NameList(d.flow.Names(nodes), formNames)
	f.enter = "Enter makes it  Esc leaves all as it is"
	f.fields = append(f.fields, name)
	for _, key := range containerFields {
		a := attribute.Find(attribute.SubFlow, key)
		repeat := field{label: fieldLabel(key), key: key, help: a.Meaning, roomy: a.Long}
		repeat.set("")
		f.fields = append(f.fields, repeat)
	}
	return openDialog{f}
}

func (d *containerForm) Key(k tea.KeyPressMsg) dialog.Result {
	switch k.String() {
	case "enter", "ctrl+s":
		return d.make()
	}
	return d.form.Key(k)
}

// make sends the edit. The form stays open until it has been applied.
func (d *containerForm) make() dialog.Result {
	e := d.edit()
	switch {
	case len(e.Set) > 1:
		d.problem = "nodes are repeated in one way: clear " + e.Set[0].Key + " or " + e.Set[1].Key
		return dialog.Result{}
	case len(e.Nodes) == 0:
		return dialog.Result{Close: true, Do: notice{"another client has deleted the nodes", false}}
	}
	return dialog.Then(edit{[]api.Edit{e}, d.made})
}

// edit returns the edit that makes the container of the nodes that still exist.
func (d *containerForm) edit() api.Edit {
	e := api.Edit{Op: api.OpGroup, Name: strings.TrimSpace(d.fields[0].text()), Nodes: d.doc.flow.IDs(d.doc.flow.Find(d.nodes))}
	for i := range d.fields[1:] {
		f := &d.fields[1+i]
		if text := f.text(); strings.TrimSpace(text) != "" {
			e.Set = append(e.Set, api.Setting{Key: f.key, Value: text})
		}
	}
	return e
}

// made handles the result: it closes the form and selects the container, or shows why it was refused.
func (d *containerForm) made(e edited) tea.Msg {
	if e.err != nil {
		d.problem = words.Error(e.err)
		return nil
	}
	d.doc.picture.unmarkAll()
	if len(d.edit().Set) > 0 { // a group is not a node of the drawing
		d.doc.added(e.result)
	}
	return messages{closeDialog{d}, editText("", e.result)}
}

// ungroup dissolves the selected sub-flow, or otherwise the container of the selection.
func (m menus) ungroup() tea.Msg {
	id := ""
	if n := m.doc.editedNode(); n != nil {
		if id = n.Parent; n.Container {
			id = n.ID
		}
	}
	if id == "" {
		return notice{"select a container, or a node in one: its nodes stay when it is dissolved", false}
	}
	return edit{[]api.Edit{{Op: api.OpUngroup, Nodes: []string{id}}}, nil}
}

// moveNodes asks into which container the marked nodes or the selection move, or out of theirs.
func (m menus) moveNodes() tea.Msg {
	d := m.doc
	nodes := d.objects()
	if len(nodes) == 0 {
		return notice{"select or mark the nodes that shall move", false}
	}
	ids, names := d.flow.IDs(nodes), d.flow.Names(nodes)
	moved, nested := map[string]bool{}, true
	for _, n := range nodes {
		moved[d.flow.Nodes[n].ID] = true
		nested = nested && d.flow.Nodes[n].Parent != ""
	}
	to := func(label, in string, args ...string) dialog.Choice {
		return dialog.Choice{Label: label, Detail: m.line.of("edit move", append(names[:len(names):len(names)], args...)...),
			Do: edit{[]api.Edit{{Op: api.OpMove, Nodes: ids, In: in}}, nil}}
	}
	var choices []dialog.Choice
	if nested {
		choices = append(choices, to("out of the container", "", "--out"))
	}
	for _, g := range d.flow.Groups {
		choices = append(choices, to("into "+g.Name, g.ID, "--into", g.Name))
	}
	for i := range d.flow.Nodes {
		if n := &d.flow.Nodes[i]; n.Container && !moved[n.ID] {
			choices = append(choices, to("into "+n.Name, n.ID, "--into", n.Name))
		}
	}
	if len(choices) == 0 {
		return notice{"there is no container: M makes one of the marked nodes", false}
	}
	return openDialog{dialog.NewChooser("Move "+d.called(nodes), choices)}
}
