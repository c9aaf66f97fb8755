package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/definition"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/report"
	"wf/tui/editor"
	"wf/tui/plain"
	"wf/tui/words"
)

// textEditOptions are the flags of edit text.
type textEditOptions struct {
	editorOptions
	from   string
	dryRun bool
}

func newEditText(e *env) *cobra.Command {
	o := &textEditOptions{}
	cmd := &cobra.Command{
		Use:   "text [FILE]",
		Short: "Edit a workfile as text in an editor",
		Long: `Text opens the text of the workfile, as wf text prints it, in $VISUAL, or else $EDITOR, or else vi,
and saves what you changed as one edit, which wf edit undo takes back. wf shows the differences and
asks before it saves them; --yes saves without asking. What the text does not show stays as it is:
drawings, comments, statuses, data of other programs. New nodes are placed near their neighbours.

A mistake comes back into the editor as a comment above its line. A node with another name and the
same content is renamed; if its content has changed, too, add the line renamed: OLD. Changes that
others make meanwhile are merged, or named as a conflict. Your text is never lost: until it is saved
it stays in a file, which every error names. Comments in the text are not saved.

With --from, the text is read from a file, or "-" for standard input, and no editor is opened.`,
		Example: `  wf edit text
  wf edit text night.wf
  EDITOR='code --wait' wf edit text
  wf edit text --from new.yaml --dry-run
  sed s/v1/v2/ old.yaml | wf edit text --from - --yes`,
		Args: nargs(0, 1),
	}
	fileFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "save without asking")
	cmd.Flags().StringVar(&o.from, "from", "", "read the new text from this `TEXT`, - for standard input, instead of opening an editor")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the differences, and change nothing")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := fileArg(cmd, &o.file, args); err != nil {
			return err
		}
		if !o.yes && !o.dryRun && (o.from == "-" || !(e.ErrTTY && isTerminal(e.Stdin))) {
			why := "standard input or standard error is not a terminal"
			return &exit.Failure{Status: exit.BadUsage, What: "cannot ask whether to save", Why: why, Fix: "add --yes, or --dry-run to see the differences"}
		}
		return e.open(cmd.Context(), o.file, o.edit)
	}
	return cmd
}

// edit lets the user change the text, and saves it.
func (o *textEditOptions) edit(ctx context.Context, e *env, s *target) error {
	src, err := readSource(ctx, e, s.Path)
	if err != nil {
		return err
	}
	src.name = e.rel(s.Path)
	d := &textEditing{e: e, s: s, o: o}
	if d.from, err = src.version(e); err != nil {
		return err
	}
	if d.before, err = d.from.Text(); err != nil {
		return &exit.Failure{Status: exit.BadWorkfile, What: "there is no text of " + plain.Line(src.name), Why: err.Error()}
	}
	if o.from != "" {
		return d.given(ctx)
	}
	if err := d.write(); err != nil {
		return err
	}
	return d.loop(ctx)
}

// A textEditing is a workfile that is edited as a text.
type textEditing struct {
	e      *env
	s      *target
	o      *textEditOptions
	from   *definition.Version
	before []byte // its text
	path   string // of the text that is edited
	notes  annotations
}

// given saves a text that the user has already.
func (d *textEditing) given(ctx context.Context) error {
	var data []byte
	var err error
	name := d.o.from
	if name == "-" {
		name = "standard input"
		data, err = io.ReadAll(d.e.Stdin)
	} else {
		data, err = os.ReadFile(d.e.Abs(name))
	}
	if err != nil {
		return &exit.Failure{Status: exit.BadUsage, What: "cannot read " + plain.Line(name), Why: exit.Obstacle(err)}
	}
	after, err := definition.Edited(d.from, data)
	if err != nil {
		return (&source{name, data}).mistake(d.e, err)
	}
	_, err = d.offer(ctx, data, after)
	return err
}

// write writes the text and its schema into a folder of their own.
func (d *textEditing) write() error {
	dirs, err := d.e.folders()
	if err != nil {
		return err
	}
	d.path, err = editor.WriteFolder(editor.Folder(dirs.State), map[string][]byte{textName: d.before, definition.SchemaFile: definition.Schema()}, textName)
	if err != nil {
		return &exit.Failure{Status: exit.Daemon, What: "cannot write the text to edit", Where: dirs.State, Why: exit.Obstacle(err)}
	}
	return nil
}

// textName is the name of the file that is edited.
const textName = "workfile.yaml"

// loop opens the editor until the text is saved or the user gives up.
func (d *textEditing) loop(ctx context.Context) error {
	last := d.before
	for {
		if err := d.e.runEditor(ctx, d.path); err != nil {
			return d.kept(err)
		}
		data, err := os.ReadFile(d.path)
		if err != nil {
			return &exit.Failure{Status: exit.Daemon, What: "cannot read the text that was edited", Why: exit.Obstacle(err)}
		}
		data = d.notes.strip(data)
		if bytes.Equal(data, d.before) || len(bytes.TrimSpace(data)) == 0 {
			d.remove()
			fmt.Fprintln(d.e.Stderr, "no changes")
			return nil
		}
		after, err := definition.Edited(d.from, data)
		if err != nil {
			if err := d.again(data, last, err); err != nil {
				return err
			}
			last = data
			continue
		}
		done, err := d.offer(ctx, data, after)
		if err != nil {
			return d.kept(err)
		}
		if done {
			d.remove()
			return nil
		}
	}
}

// again puts mistakes into the text as comments, so that the editor shows them. It gives up if nobody can correct them, or if
// the text is the same as the last time.
func (d *textEditing) again(data, last []byte, wrong error) error {
	failure := (&source{textName, data}).mistake(d.e, wrong)
	if d.o.yes || bytes.Equal(data, last) {
		if err := os.WriteFile(d.path, data, 0o600); err != nil {
			return err
		}
		return d.kept(failure)
	}
	mistakes := definition.Mistakes(wrong)
	fmt.Fprintf(d.e.Stderr, "%s %s: the editor opens again\n", d.e.ErrPaint().Bad("error:"), words.Plural(len(mistakes), "mistake"))
	return os.WriteFile(d.path, d.notes.add(data, mistakes), 0o600)
}

// offer shows the differences and saves them if the user agrees. done is false if the user wants to edit again.
func (d *textEditing) offer(ctx context.Context, data []byte, after *definition.Version) (done bool, err error) {
	diff := definition.Compare(d.from, after)
	if len(diff.Nodes)+len(diff.Edges)+len(diff.Graph) == 0 {
		fmt.Fprintln(d.e.Stderr, "no changes")
		return true, nil
	}
	shown := api.WorkfileDiff{Before: d.e.rel(d.s.Path), After: "your text", Definition: diff}
	if d.o.dryRun {
		return true, report.Definition(d.e.Stdout, d.e.OutPaint(), shown)
	}
	if err := report.Definition(d.e.Stderr, d.e.ErrPaint(), shown); err != nil {
		return false, err
	}
	ask := editing{e: d.e, yes: d.o.yes}
	switch ask.ask("save? [y]es, [e]dit again, [n]o: ") {
	case 'e':
		if d.o.from != "" {
			return true, &exit.Failure{Status: exit.BadUsage, What: "nothing was saved", Fix: "edit " + words.Quote(d.o.from) + ", then call wf again"}
		}
		return false, nil
	case 'n':
		fmt.Fprintln(d.e.Stderr, "nothing was saved")
		return true, nil
	case 'y':
		was := string(d.before)
		result, err := d.s.Workspace.Edit(ctx, api.EditRequest{Edits: []api.Edit{{Op: api.OpText, Value: string(data), Was: &was}}})
		if err != nil {
			return false, err
		}
		fmt.Fprintln(d.e.Stderr, changes(result.Text))
		for _, note := range result.Notes {
			fmt.Fprintf(d.e.Stderr, "note: %s\n", plain.Line(d.e.Advice(note)))
		}
		if result.Unsaved {
			return true, exit.With(exit.BadWorkfile)
		}
		return true, nil
	}
	return false, &exit.Failure{Status: exit.BadUsage, What: "there was no answer: nothing was saved"}
}

// remove removes the text with its folder.
func (d *textEditing) remove() {
	if d.path != "" {
		os.RemoveAll(filepath.Dir(d.path))
	}
}

// kept adds the path of the text to an error. It removes a text that was not changed.
func (d *textEditing) kept(err error) error {
	if d.path == "" {
		return err
	}
	f := exit.Describe(err)
	f.Status = exit.Status(err)
	if text, readErr := os.ReadFile(d.path); readErr == nil && bytes.Equal(text, d.before) {
		d.remove()
		return &f
	}
	if f.Where != "" {
		f.Where += "\n"
	}
	f.Where += "your text is kept in " + d.path
	return &f
}
