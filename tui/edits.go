package tui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/words"
)

// An editState is the state of edits besides the workfile.
type editState struct {
	changed changed
	paths   []string  // that were entered here, newest last
	busy    bool      // a request is on its way
	waiting []tea.Cmd // requests that people made meanwhile
}

// A changed is the number of differences from the graph that a run began with.
type changed struct {
	run string // "" = not known
	n   int
}

// An edited is the result of an edit. After an error, forms and texts stay open.
type edited struct {
	result api.EditResult
	err    error
}

// isConflict reports whether somebody else has changed the same thing meanwhile.
func isConflict(err error) bool {
	var refused *api.Error
	return errors.As(err, &refused) && refused.Code == api.CodeConflict
}

// send makes all edits or none, and passes the result to then.
func (m *model) send(edits []api.Edit, then func(*model, edited) tea.Cmd) tea.Cmd {
	return m.inOrder(request(m, func(ctx context.Context, ws *client.Workspace) (edited, error) {
		result, err := ws.Edit(ctx, api.EditRequest{Edits: edits})
		return edited{result, err}, nil
	}, then))
}

// inOrder sends a request after the answer to the one before, so that edits and undos happen in the order of
// the keys.
func (m *model) inOrder(request tea.Cmd) tea.Cmd {
	switch {
	case request == nil:
		return nil
	case m.editing.busy:
		m.editing.waiting = append(m.editing.waiting, request)
		return nil
	}
	m.editing.busy = true
	return func() tea.Msg {
		msg := request()
		return answer{func(m *model) tea.Cmd {
			m.editing.busy = false
			cmd := m.handle(msg)
			if len(m.editing.waiting) == 0 {
				return cmd
			}
			next := m.editing.waiting[0]
			m.editing.waiting = m.editing.waiting[1:]
			return tea.Batch(cmd, m.inOrder(next))
		}}
	}
}

// change makes edits and shows the result.
func (m *model) change(edits []api.Edit) tea.Cmd {
	return m.send(edits, func(m *model, e edited) tea.Cmd {
		if e.err != nil {
			m.fail(e.err)
			return nil
		}
		m.sayEdit("", e.result)
		return nil
	})
}

// sayEdit shows what an edit did.
func (m *model) sayEdit(before string, r api.EditResult) {
	text := before + editWords(r.Text)
	for _, note := range r.Notes {
		text += "; " + note
	}
	m.say(text, len(r.Notes) > 0)
}

// editTexts are replacements for the words of the daemon about edits.
var editTexts = [][2]string{{"set name of ", "renamed "}, {"set label of ", "changed the command of "}, {"set group of ", "regrouped "}}

// longEdits is the most parts of an edit that are named.
const longEdits = 3

// editWords returns what an edit did, with the daemon's text shortened.
func editWords(text string) string {
	parts := strings.Split(text, "; ")
	for i, part := range parts {
		for _, w := range editTexts {
			if rest, ok := strings.CutPrefix(part, w[0]); ok {
				parts[i] = w[1] + rest
			}
		}
	}
	if more := len(parts) - longEdits; more > 0 {
		parts = append(parts[:longEdits], "and "+words.Plural(more, "more change"))
	}
	return strings.Join(parts, ", ")
}

// heard shows the edits of other clients, and asks what they mean for a run.
func (m *model) heard(b batch) tea.Cmd {
	for _, ev := range b.edits {
		if ev.Client != "" && m.link.client != nil && ev.Client == m.link.client.ID() {
			continue
		}
		switch ev.Op {
		case "edit":
			m.say(who(ev)+" "+editWords(ev.Message), false)
		case "undo":
			m.say(who(ev)+" undid: "+editWords(ev.Message), false)
		case "redo":
			m.say(who(ev)+" did again: "+editWords(ev.Message), false)
		case "reload":
			m.say("another program changed the workfile", false)
		}
	}
	if b.snapshot == nil {
		return nil
	}
	return m.compare()
}

// who names the author of an edit of another client.
func who(ev api.Event) string {
	switch {
	case ev.User != "":
		return plain.Line(ev.User)
	case ev.Client != "":
		return "client " + plain.Line(ev.Client)
	}
	return "somebody"
}

// compare asks how the workfile differs from the graph that the current run began with. It matters only while
// the run is going.
func (m *model) compare() tea.Cmd {
	if len(m.flow.Status.Runs) == 0 {
		m.editing.changed = changed{}
		return nil
	}
	run := m.flow.Current().Run
	return request(m, func(ctx context.Context, ws *client.Workspace) (int, error) {
		d, err := ws.Analysis(ctx, run)
		if err != nil || d.Analysis == nil {
			return 0, nil // its record is not whole: then nothing can be said, and nothing is
		}
		return countChanges(d.Analysis.Changes), nil
	}, func(m *model, n int) tea.Cmd {
		m.editing.changed = changed{run, n}
		return nil
	})
}

// countChanges counts nodes, edges and attributes that differ.
func countChanges(c *api.Changes) int {
	if c == nil {
		return 0
	}
	return len(c.Commands) + len(c.Added) + len(c.Removed) + len(c.EdgesAdded) + len(c.EdgesRemoved) + len(c.EdgesRetyped) + len(c.Attributes)
}

// editedSince returns the heading about edits during a run, or "".
func (m *model) editedSince() string {
	c := m.editing.changed
	if c.n == 0 || m.past != nil || m.flow.Run(c.run) == nil {
		return ""
	}
	return "edited since run " + c.run + " began: " + words.Plural(c.n, "change") + " (next run)"
}

// undo takes back the latest edit of this user, and redo makes it again, from whatever client it came.
func (m *model) undo() tea.Cmd {
	return m.turn("undid: ", func(ctx context.Context, ws *client.Workspace) (api.EditResult, error) { return ws.Undo(ctx) })
}

func (m *model) redo() tea.Cmd {
	return m.turn("did again: ", func(ctx context.Context, ws *client.Workspace) (api.EditResult, error) { return ws.Redo(ctx) })
}

func (m *model) turn(said string, ask func(context.Context, *client.Workspace) (api.EditResult, error)) tea.Cmd {
	return m.inOrder(request(m, ask, func(m *model, r api.EditResult) tea.Cmd {
		m.sayEdit(said, r)
		return nil
	}))
}

// objects returns the nodes that an edit is about: the marked ones, otherwise those of the selection.
func (m *model) objects() []int {
	if marked := m.picture.markedNodes(); len(marked) > 0 {
		return marked
	}
	return m.picture.nodes()
}

// called names nodes: one by its handle, several by their number.
func (m *model) called(nodes []int) string {
	if len(nodes) == 1 {
		return m.flow.Nodes[nodes[0]].Name
	}
	return words.Plural(len(nodes), "node")
}

// ids returns the ids of nodes.
func (m *model) ids(nodes []int) []string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = m.flow.Nodes[n].ID
	}
	return list
}

// still returns the nodes with these ids that still exist. Dialogs keep ids because numbers change with edits.
func (m *model) still(ids []string) []int {
	var nodes []int
	for _, id := range ids {
		if i, known := m.flow.Index[id]; known {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// statusMenu asks which status to give nodes without running them.
func (m *model) statusMenu() {
	nodes := m.objects()
	if len(nodes) == 0 {
		return
	}
	ids, name := m.ids(nodes), strings.Join(m.handles(nodes), ",")
	set := func(key, label, value string) dialog.Choice {
		return dialog.Choice{Key: key, Label: label, Detail: m.shell("edit status", name, value), Do: func() tea.Cmd {
			return m.change([]api.Edit{{Op: api.OpStatus, Nodes: ids, Value: value}})
		}}
	}
	m.open(&dialog.Menu{Title: "Status of " + m.called(nodes), Choices: []dialog.Choice{{Key: "n", Label: "as it is", Detail: "", Do: nil},
		set("o", "done: it was done by hand", "ran"), set("f", "failed", "fail"), set("i", "none: it has not run", "")}})
}

// chain connects the marked nodes one after the other, in the order of the file.
func (m *model) chain() tea.Cmd {
	nodes := m.picture.markedNodes()
	var edits []api.Edit
	for i := 1; i < len(nodes); i++ {
		from, to := nodes[i-1], nodes[i]
		if m.flow.Between(from, to) >= 0 {
			continue
		}
		if path := m.flow.Path(to, from); path != nil {
			m.say("nothing was connected: "+cycleText(&m.flow, append(path, to)), true)
			return nil
		}
		edits = append(edits, api.Edit{Op: api.OpAddEdge, Source: m.flow.Nodes[from].ID, Target: m.flow.Nodes[to].ID})
	}
	if len(edits) == 0 {
		m.say("mark two nodes or more that are not connected yet", false)
		return nil
	}
	return m.change(edits)
}

// longCycle is the most nodes of a cycle that are named.
const longCycle = 6

// cycleText returns the names of a cycle; its first node is also its last.
func cycleText(f *runview.Workfile, path []int) string {
	var names []string
	for i, n := range path {
		if len(path) > longCycle && i == longCycle-2 {
			names = append(names, "…")
		}
		if len(path) <= longCycle || i < longCycle-2 || i == len(path)-1 {
			names = append(names, f.Nodes[n].Name)
		}
	}
	return "a cycle: " + strings.Join(names, " -> ")
}
