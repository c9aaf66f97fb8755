package tui

import (
	"context"
	"errors"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/editor"
	"wf/tui/words"
)

// errEmpty rejects an empty text.
var errEmpty = errors.New("the text is empty: nothing was changed")

// A draft is a text on its way through the user's editor. Until it is saved it lies in a file.
type draft struct {
	title string
	text  string // what the editor opens, and later what it left
	path  string // "" until it has been written
	save  func(text string) tea.Cmd
	// back takes a text back that could not be written to disk; nil where it still stands somewhere.
	back func()
}

// written says that a draft lies on disk, or why not.
type written struct {
	path string
	err  error
}

// edit opens the editor on a draft, and passes the text that it leaves to the draft's save.
func (m *model) edit(d *draft) tea.Cmd {
	dir, text, path := m.opt.Drafts, d.text, d.path
	return func() tea.Msg {
		w := written{path: path}
		if path == "" {
			w.path, w.err = editor.Write(dir, text)
		} else {
			w.err = os.WriteFile(path, []byte(text), 0o600)
		}
		return answer{func(m *model) tea.Cmd {
			if w.err != nil {
				if d.back != nil {
					d.back()
				}
				m.fail(w.err)
				return nil
			}
			d.path = w.path
			return m.runEditor(d)
		}}
	}
}

// runEditor gives the terminal to the editor.
func (m *model) runEditor(d *draft) tea.Cmd {
	cmd := editor.Command(m.ctx, m.opt.Editor, d.path)
	cmd.Env, cmd.Dir = m.opt.Env, m.opt.Dir
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		text, readErr := os.ReadFile(d.path)
		return answer{func(m *model) tea.Cmd {
			switch {
			case readErr != nil:
				m.fail(readErr)
				return nil
			case err != nil:
				d.text = string(text)
				return m.reject(d, errors.New("the editor failed: "+m.opt.Editor+": "+err.Error()))
			}
			d.text = editor.Bare(string(text))
			return d.save(d.text)
		}}
	})
}

// reject asks what to do with a text that could not be saved. Enter opens the editor again, with the reason
// above the text; Esc keeps the file.
func (m *model) reject(d *draft, why error) tea.Cmd {
	reason := words.Error(why)
	var lines []cells.Span
	for _, line := range cells.Wrap(reason, max(20, min(m.width, 100)-6)) {
		lines = append(lines, cells.Span{Text: line})
	}
	m.open(&dialog.Sheet{Title: "Not saved: " + d.title, Lines: lines, At: 1, Choices: []dialog.Choice{
		{Key: "k", Label: "leave it: the text is kept", Detail: "", Do: func() tea.Cmd { return m.keep(d) }},
		{Key: "e", Label: "edit again", Detail: "", Do: func() tea.Cmd {
			d.text = editor.Annotate(editor.Bare(d.text), reason)
			return m.edit(d)
		}},
	}})
	return nil
}

// keep shows where the text of a draft lies.
func (m *model) keep(d *draft) tea.Cmd {
	m.say("nothing was saved; the text is kept in "+d.path, false)
	return nil
}

// remove deletes the file of a draft.
func (d *draft) remove() tea.Cmd {
	path := d.path
	return func() tea.Msg {
		if err := os.Remove(path); err != nil {
			return failed{err}
		}
		return told{}
	}
}

// editCommands opens the commands of the marked nodes, otherwise of the selection, in the editor.
func (m *model) editCommands() tea.Cmd {
	nodes := m.objects()
	if len(nodes) == 0 {
		return nil
	}
	title := "the command of " + m.called(nodes)
	if len(nodes) > 1 {
		title = "the commands of " + m.called(nodes)
	}
	return m.fetch(m.ids(nodes), func(m *model, now []api.NodeStatus) tea.Cmd {
		if len(now) == 0 {
			return nil
		}
		return m.editBuffer(editor.NewBuffer(now, len(now) == 1), title)
	})
}

// fetch asks for nodes as they are in the workfile; the texts that are shown have been made fit for a
// terminal.
func (m *model) fetch(ids []string, then func(*model, []api.NodeStatus) tea.Cmd) tea.Cmd {
	return request(m, func(ctx context.Context, ws *client.Workspace) (api.NodeList, error) {
		return ws.Select(ctx, ids)
	}, func(m *model, list api.NodeList) tea.Cmd { return then(m, list.Nodes) })
}

// A commandEdit is the commands of nodes in the editor.
type commandEdit struct {
	draft
	buffer *editor.Buffer
	wanted []string
	shown  bool // the changes are shown before they are saved: there are several nodes
}

// editBuffer opens a buffer of commands.
func (m *model) editBuffer(b *editor.Buffer, title string) tea.Cmd {
	e := &commandEdit{buffer: b, shown: len(b.Commands()) > 1}
	e.title, e.text = title, b.Text(b.Commands())
	e.save = func(text string) tea.Cmd {
		wanted, err := e.buffer.Parse(text)
		if err != nil {
			return m.reject(&e.draft, err)
		}
		e.wanted = wanted
		edits, _ := e.buffer.Edits(wanted)
		switch {
		case len(edits) == 0:
			m.say("no changes", false)
			return e.remove()
		case e.shown:
			m.review(e, len(edits))
			return nil
		}
		return m.saveCommands(e)
	}
	return m.edit(&e.draft)
}

// review shows what an edited text changes, and asks whether to save it.
func (m *model) review(e *commandEdit, n int) {
	m.open(&dialog.Sheet{Title: "Save " + words.Plural(n, "command") + "?",
		Lines: styled(e.buffer.Changes("before", "after", e.buffer.Commands(), e.wanted)),
		Choices: []dialog.Choice{
			{Key: "n", Label: "no: the text is kept", Detail: "", Do: func() tea.Cmd { return m.keep(&e.draft) }},
			{Key: "y", Label: "yes, save", Detail: "", Do: func() tea.Cmd { return m.saveCommands(e) }},
			{Key: "e", Label: "edit again", Detail: "", Do: func() tea.Cmd { return m.edit(&e.draft) }},
		}})
}

// saveCommands makes the edits of a text, all or none.
func (m *model) saveCommands(e *commandEdit) tea.Cmd {
	edits, _ := e.buffer.Edits(e.wanted)
	return m.send(edits, func(m *model, r edited) tea.Cmd {
		switch {
		case isConflict(r.err):
			return m.showConflict(e, edits, r.err)
		case r.err != nil:
			return m.reject(&e.draft, r.err)
		}
		m.sayEdit("", r.result)
		return e.remove()
	})
}

// showConflict shows how the edited commands have changed in the workfile, beside the changes that were to be
// saved. Editing again begins from the new workfile.
func (m *model) showConflict(e *commandEdit, edits []api.Edit, why error) tea.Cmd {
	var ids []string
	for _, edit := range edits {
		ids = append(ids, edit.Nodes...)
	}
	return request(m, func(ctx context.Context, ws *client.Workspace) (*api.NodeList, error) {
		list, err := ws.Select(ctx, ids)
		if err != nil {
			return nil, nil // one of the nodes is gone, or the daemon: then the conflict is told as it is
		}
		return &list, nil
	}, func(m *model, now *api.NodeList) tea.Cmd {
		if now == nil {
			return m.reject(&e.draft, why)
		}
		since := e.buffer.Since(now.Nodes)
		theirs := e.buffer.Changes("before", "now", e.buffer.Commands(), since.Commands())
		mine := e.buffer.Changes("before", "yours", e.buffer.Commands(), e.wanted)
		again := func() tea.Cmd {
			var note strings.Builder
			note.WriteString(words.Error(why) + "\n")
			for _, line := range theirs {
				note.WriteString(line.Text + "\n")
			}
			e.buffer, e.shown = since, true
			e.text = editor.Annotate(editor.Bare(e.text), note.String())
			return m.edit(&e.draft)
		}
		m.open(&dialog.Sheet{Title: words.Error(why), Lines: styled(append(theirs, mine...)), Choices: []dialog.Choice{
			{Key: "n", Label: "save nothing: your text is kept", Detail: "", Do: func() tea.Cmd { return m.keep(&e.draft) }},
			{Key: "e", Label: "edit your text again", Detail: "", Do: again},
		}})
		return nil
	})
}

// styled gives the lines of a comparison their styles.
func styled(lines []editor.Line) []cells.Span {
	styles := map[editor.LineKind]cells.Style{editor.Heading: cells.Strong, editor.Removed: cells.Bad, editor.Added: cells.Good}
	spans := make([]cells.Span, len(lines))
	for i, line := range lines {
		spans[i] = cells.Span{Text: line.Text, Style: styles[line.Kind]}
	}
	return spans
}
