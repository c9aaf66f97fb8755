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

// A draft is a text that is being edited in the user's editor. It is in a file until it is saved.
type draft struct {
	title string
	text  string // the text for the editor, and afterwards the edited text
	path  string // "" until it has been written
	save  func(text string) tea.Msg
	back  tea.Msg // shows the text again if it cannot be written to disk; nil = the text is still elsewhere
}

// A compose opens the editor on a draft and passes the edited text to the draft's save.
type compose struct{ *draft }

// A rejected asks what to do with a draft that could not be saved.
type rejected struct {
	*draft
	why error
}

// compose writes a draft to disk and opens the editor.
func (o *Options) compose(ctx context.Context, d *draft) tea.Cmd {
	dir, text, path := o.Drafts, d.text, d.path
	return func() tea.Msg {
		var err error
		if path == "" {
			path, err = editor.Write(dir, text)
		} else {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		return answer{nil, func() tea.Msg {
			if err != nil {
				return messages{d.back, failed{err}}
			}
			d.path = path
			return o.runEditor(ctx, d)
		}}
	}
}

// runEditor gives the terminal to the editor.
func (o *Options) runEditor(ctx context.Context, d *draft) tea.Cmd {
	cmd := editor.Command(ctx, o.Editor, d.path)
	cmd.Env, cmd.Dir = o.Env, o.Dir
	name := o.Editor
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		text, readErr := os.ReadFile(d.path)
		return answer{nil, func() tea.Msg {
			switch {
			case readErr != nil:
				return failed{readErr}
			case err != nil:
				d.text = string(text)
				return rejected{d, errors.New("the editor failed: " + name + ": " + err.Error())}
			}
			d.text = editor.Bare(string(text))
			return d.save(d.text)
		}}
	})
}

// sheet asks what to do. Enter opens the editor again, with the reason above the text; Esc keeps the file.
func (r rejected) sheet(width int) *dialog.Sheet {
	reason := words.Error(r.why)
	return &dialog.Sheet{Title: "Not saved: " + r.title, Lines: wrapped(reason, min(width, 100)-6), At: 1, Choices: []dialog.Choice{
		{Key: "k", Label: "leave it: the text is kept", Do: r.keep()},
		{Key: "e", Label: "edit again", Do: later(func() tea.Msg {
			r.text = editor.Annotate(editor.Bare(r.text), reason)
			return compose{r.draft}
		})},
	}}
}

// keep shows the path of a draft's file.
func (d *draft) keep() tea.Msg {
	return notice{"nothing was saved; the text is kept in " + d.path, false}
}

// remove deletes the file of a draft.
func (d *draft) remove() tea.Msg {
	path := d.path
	return tea.Cmd(func() tea.Msg {
		if err := os.Remove(path); err != nil {
			return failed{err}
		}
		return nil
	})
}

// editCommands opens the commands of the marked nodes or of the selection in the editor.
func (d *document) editCommands() tea.Msg { return editCommandsOf(d, d.objects()) }

// editCommandsOf opens the commands of nodes in the editor.
func editCommandsOf(d *document, nodes []int) tea.Msg {
	if len(nodes) == 0 {
		return nil
	}
	title := "the command of " + d.called(nodes)
	if len(nodes) > 1 {
		title = "the commands of " + d.called(nodes)
	}
	return fetch(d.flow.IDs(nodes), func(now []api.NodeStatus) tea.Msg {
		if len(now) == 0 {
			return nil
		}
		return newCommandEdit(editor.NewBuffer(now, len(now) == 1), title)
	})
}

// A commandEdit is the commands of nodes in the editor.
type commandEdit struct {
	draft
	buffer *editor.Buffer
	wanted []string
	shown  bool // show the changes before saving: several nodes are edited
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

// newCommandEdit opens a buffer of commands in the editor.
func newCommandEdit(b *editor.Buffer, title string) tea.Msg {
	e := &commandEdit{buffer: b, shown: len(b.Commands()) > 1}
	e.title, e.text = title, b.Text(b.Commands())
	e.draft.save = func(text string) tea.Msg {
		wanted, err := e.buffer.Parse(text)
		if err != nil {
			return rejected{&e.draft, err}
		}
		e.wanted = wanted
		edits, _ := e.buffer.Edits(wanted)
		switch {
		case len(edits) == 0:
			return messages{notice{"no changes", false}, e.remove()}
		case e.shown:
			return openDialog{e.review(len(edits))}
		}
		return e.send()
	}
	return compose{&e.draft}
}

// review shows what an edited text changes, and asks whether to save it.
func (e *commandEdit) review(n int) *dialog.Sheet {
	return &dialog.Sheet{Title: "Save " + words.Plural(n, "command") + "?",
		Lines: styled(e.buffer.Changes("before", "after", e.buffer.Commands(), e.wanted)),
		Choices: []dialog.Choice{
			{Key: "n", Label: "no: the text is kept", Do: e.keep()},
			{Key: "y", Label: "yes, save", Do: later(e.send)},
			{Key: "e", Label: "edit again", Do: compose{&e.draft}},
		}}
}

// send sends the edits of a text: all of them apply, or none.
func (e *commandEdit) send() tea.Msg {
	edits, _ := e.buffer.Edits(e.wanted)
	return edit{edits, func(r edited) tea.Msg {
		switch {
		case isConflict(r.err):
			return e.conflict(edits, r.err)
		case r.err != nil:
			return rejected{&e.draft, r.err}
		}
		return messages{editText("", r.result), e.remove()}
	}}
}

// conflict shows how other edits changed the commands in the workfile, beside the changes that the user wants to
// save. Editing again starts from the current workfile.
func (e *commandEdit) conflict(edits []api.Edit, why error) tea.Msg {
	var ids []string
	for _, one := range edits {
		ids = append(ids, one.Nodes...)
	}
	return ask(func(ctx context.Context, ws *client.Workspace) (*api.NodeList, error) {
		list, err := ws.Select(ctx, ids)
		if err != nil {
			return nil, nil // a node was deleted or the daemon is gone: show the conflict without the current commands
		}
		return &list, nil
	}, func(now *api.NodeList) tea.Msg {
		if now == nil {
			return rejected{&e.draft, why}
		}
		since := e.buffer.Since(now.Nodes)
		theirs := e.buffer.Changes("before", "now", e.buffer.Commands(), since.Commands())
		mine := e.buffer.Changes("before", "yours", e.buffer.Commands(), e.wanted)
		again := func() tea.Msg {
			var note strings.Builder
			note.WriteString(words.Error(why) + "\n")
			for _, line := range theirs {
				note.WriteString(line.Text + "\n")
			}
			e.buffer, e.shown = since, true
			e.text = editor.Annotate(editor.Bare(e.text), note.String())
			return compose{&e.draft}
		}
		return openDialog{&dialog.Sheet{Title: words.Error(why), Lines: styled(append(theirs, mine...)), Choices: []dialog.Choice{
			{Key: "n", Label: "save nothing: your text is kept", Do: e.keep()},
			{Key: "e", Label: "edit your text again", Do: later(again)},
		}}}
	})
}
