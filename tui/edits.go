package tui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/plain"
	"wf/tui/words"
)

// An editQueue keeps edits in order: it sends each one after the answer to the one before, so that edits and undos
// happen in the order of the key presses.
type editQueue struct {
	busy    bool      // a request is being sent
	waiting []tea.Msg // requests made in the meantime
}

// inTurn carries out a request after the answer to the previous one.
func (m *model) inTurn(request tea.Msg) tea.Cmd {
	if m.edits.busy {
		m.edits.waiting = append(m.edits.waiting, request)
		return nil
	}
	cmd := m.handle(request)
	if cmd == nil {
		return nil
	}
	m.edits.busy = true
	return func() tea.Msg {
		msg := cmd()
		return answer{nil, func() tea.Msg {
			m.edits.busy = false
			if len(m.edits.waiting) == 0 {
				return msg
			}
			next := m.edits.waiting[0]
			m.edits.waiting = m.edits.waiting[1:]
			return messages{msg, inTurn{next}}
		}}
	}
}

// request returns the request that sends an edit. An error is passed to then, or shown if then is nil.
func (e edit) request() tea.Msg {
	then := e.then
	if then == nil {
		then = func(r edited) tea.Msg {
			if r.err != nil {
				return failed{r.err}
			}
			return editText("", r.result)
		}
	}
	r := ask(func(ctx context.Context, ws *client.Workspace) (api.EditResult, error) {
		return ws.Edit(ctx, api.EditRequest{Edits: e.edits})
	}, func(r api.EditResult) tea.Msg { return then(edited{r, nil}) })
	r.fail = func(err error) tea.Msg { return then(edited{err: err}) }
	return r
}

// fetch requests the original texts of nodes; the displayed texts were made safe for a terminal.
func fetch(ids []string, then func([]api.NodeStatus) tea.Msg) tea.Msg {
	return ask(func(ctx context.Context, ws *client.Workspace) (api.NodeList, error) {
		return ws.Select(ctx, ids)
	}, func(list api.NodeList) tea.Msg { return then(list.Nodes) })
}

// editText describes the result of an edit; the text starts with before.
func editText(before string, r api.EditResult) notice {
	text := before + editWords(r.Text)
	for _, note := range r.Notes {
		text += "; " + note
	}
	return notice{text, len(r.Notes) > 0}
}

// undo undoes the latest edit of this user, from any client.
func undo() tea.Msg {
	return inTurn{ask(func(ctx context.Context, ws *client.Workspace) (api.EditResult, error) { return ws.Undo(ctx) },
		func(r api.EditResult) tea.Msg { return editText("undid: ", r) })}
}

// redo repeats the edit that was undone last.
func redo() tea.Msg {
	return inTurn{ask(func(ctx context.Context, ws *client.Workspace) (api.EditResult, error) { return ws.Redo(ctx) },
		func(r api.EditResult) tea.Msg { return editText("redid: ", r) })}
}

// othersEdits reports the edits of other clients.
func othersEdits(b batch, own *client.Client) tea.Msg {
	var msgs messages
	for _, ev := range b.edits {
		if ev.Client != "" && own != nil && ev.Client == own.ID() {
			continue
		}
		switch ev.Op {
		case "edit":
			msgs = append(msgs, notice{authorOf(ev) + " " + editWords(ev.Message), false})
		case "undo":
			msgs = append(msgs, notice{authorOf(ev) + " undid: " + editWords(ev.Message), false})
		case "redo":
			msgs = append(msgs, notice{authorOf(ev) + " redid: " + editWords(ev.Message), false})
		case "reload":
			msgs = append(msgs, notice{"another program changed the workfile", false})
		}
	}
	return msgs
}

// compare asks how the workfile differs from the graph that the current run started with. The answer is only used
// while the run is active.
func (d *document) compare() tea.Msg {
	if !d.running() {
		d.changed = changed{}
		return nil
	}
	run := d.flow.Current().Run
	return ask(func(ctx context.Context, ws *client.Workspace) (int, error) {
		detail, err := ws.Analysis(ctx, run)
		if err != nil || detail.Analysis == nil {
			return 0, nil // its journal is incomplete, so there is nothing to compare with
		}
		return countChanges(detail.Analysis.Changes), nil
	}, func(n int) tea.Msg {
		d.changed = changed{run, n}
		return nil
	})
}

// editedSince returns the heading about edits during a run, or "" if there are none.
func (d *document) editedSince() string {
	c := d.changed
	if c.n == 0 || d.earlier != nil || d.flow.Run(c.run) == nil {
		return ""
	}
	return "edited since run " + c.run + " began: " + words.Plural(c.n, "change") + " (next run)"
}

// chain connects the marked nodes one after the other, in the order of the file.
func (d *document) chain() tea.Msg {
	nodes := d.picture.markedNodes()
	var edits []api.Edit
	for i := 1; i < len(nodes); i++ {
		from, to := nodes[i-1], nodes[i]
		if d.flow.Between(from, to) >= 0 {
			continue
		}
		if path := d.flow.Path(to, from); path != nil {
			return notice{"nothing was connected: " + cycleText(&d.flow, append(path, to)), true}
		}
		edits = append(edits, api.Edit{Op: api.OpAddEdge, Source: d.flow.Nodes[from].ID, Target: d.flow.Nodes[to].ID})
	}
	if len(edits) == 0 {
		return notice{"mark two nodes or more that are not connected yet", false}
	}
	return edit{edits, nil}
}

// A changed is the number of differences from the graph that a run started with.
type changed struct {
	run string // "" = not known
	n   int
}

// isConflict reports whether another client has changed the same thing meanwhile.
func isConflict(err error) bool {
	var refused *api.Error
	return errors.As(err, &refused) && refused.Code == api.CodeConflict
}

// editTexts shortens the daemon's descriptions of edits.
var editTexts = [][2]string{{"set name of ", "renamed "}, {"set label of ", "changed the command of "}, {"set group of ", "regrouped "}}

// longEdits is the maximum number of parts of an edit that are named.
const longEdits = 3

// editWords returns the daemon's description of an edit, shortened.
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

// authorOf returns the name of the author of another client's edit.
func authorOf(ev api.Event) string {
	switch {
	case ev.User != "":
		return plain.Line(ev.User)
	case ev.Client != "":
		return "client " + plain.Line(ev.Client)
	}
	return "somebody"
}

// countChanges counts nodes, edges and attributes that differ.
func countChanges(c *api.Changes) int {
	if c == nil {
		return 0
	}
	return len(c.Commands) + len(c.Added) + len(c.Removed) + len(c.EdgesAdded) + len(c.EdgesRemoved) + len(c.EdgesRetyped) + len(c.Attributes)
}

// longCycle is the maximum number of nodes of a cycle that are named.
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
