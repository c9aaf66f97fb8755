package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/tui/editor"
	"wf/tui/plain"
	"wf/tui/words"
)

// editorOptions are the flags of the edits that open an editor.
type editorOptions struct {
	editOptions
	yes bool
}

const editorHelp = `The editor is $VISUAL, or else $EDITOR, or else vi. wf shows the changes and asks before it
saves them; --yes saves without asking. Text is never lost: until it is saved it stays in a file,
which every error names. If another user or program changed a node meanwhile, nothing is saved
and both changes are shown.`

func newEditNodes(e *env) *cobra.Command {
	return editorCommand(e, false, &cobra.Command{
		Use:   "nodes SEL...",
		Short: "Edit the commands of several nodes in an editor",
		Long:  "Nodes opens the commands of all selected nodes as one text. " + editorHelp,
		Example: `  wf edit nodes 'align_*'
  EDITOR="sed -i s/v1/v2/" wf edit nodes '*' --yes`,
		Args: nargs(1, -1),
	})
}

func newEditLabel(e *env) *cobra.Command {
	return editorCommand(e, true, &cobra.Command{
		Use:     "label NODE",
		Short:   "Edit the command of a node in an editor",
		Long:    "Label opens the bare command of a node as a text. " + editorHelp,
		Example: `  wf edit label align`,
		Args:    nargs(1, 1),
	})
}

func editorCommand(e *env, bare bool, cmd *cobra.Command) *cobra.Command {
	o := &editorOptions{}
	fileFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "save without asking")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !o.yes && !(e.ErrTTY && isTerminal(e.Stdin)) {
			return &exit.Failure{Status: exit.BadUsage, What: "cannot ask whether to save", Why: "standard input or standard error is not a terminal",
				Fix: "add --yes"}
		}
		return e.open(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error { return o.edit(ctx, e, s, args, bare) })
	}
	return cmd
}

func (o *editorOptions) edit(ctx context.Context, e *env, s *target, selectors []string, bare bool) error {
	list, err := s.Workspace.Select(ctx, selectors)
	if err != nil {
		return err
	}
	if bare && len(list.Nodes) != 1 {
		return exit.Usage("%s selects %s, and only one can be edited: wf edit nodes edits several", words.Quote(selectors[0]), words.Plural(len(list.Nodes), "node"))
	}
	b := editor.NewBuffer(list.Nodes, bare)
	path, err := e.writeBuffer(b.Text(b.Commands()))
	if err != nil {
		return err
	}
	d := &editing{e: e, s: s, b: b, path: path, yes: o.yes}
	return d.run(ctx)
}

// isTerminal says whether r is a terminal.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// writeBuffer writes a text to a file that outlives this program.
func (e *env) writeBuffer(text string) (path string, err error) {
	dirs, err := e.folders()
	if err != nil {
		return "", err
	}
	dir := editor.Folder(dirs.State)
	if path, err = editor.Write(dir, text); err != nil {
		return "", &exit.Failure{Status: exit.Daemon, What: "cannot write the text to edit", Where: dir, Why: exit.Obstacle(err)}
	}
	return path, nil
}

// An editing is a text that is edited and then saved to the workfile.
type editing struct {
	e    *env
	s    *target
	b    *editor.Buffer
	path string
	yes  bool
}

// run opens the editor until the text is saved or the user gives up.
func (d *editing) run(ctx context.Context) error {
	for {
		wanted, err := d.edit(ctx)
		if err == nil {
			edits, names := d.b.Edits(wanted)
			if len(edits) == 0 {
				os.Remove(d.path)
				fmt.Fprintln(d.e.Stderr, "no changes")
				return nil
			}
			d.show("before", "after", wanted)
			switch d.ask("save " + words.Plural(len(edits), "command") + "? [y]es, [e]dit again, [n]o: ") {
			case 'y':
				return d.save(ctx, edits, names)
			case 'n':
				os.Remove(d.path)
				fmt.Fprintln(d.e.Stderr, "nothing was saved")
				return nil
			case 'e':
				continue
			}
			return d.kept(&exit.Failure{Status: exit.BadUsage, What: "there was no answer: nothing was saved"})
		}
		var wrong *exit.Failure
		if d.yes || !errors.As(err, &wrong) || wrong.Status != exit.BadUsage {
			return d.kept(err)
		}
		fmt.Fprintf(d.e.Stderr, "%s %s\n", d.e.ErrPaint().Bad("error:"), indent(err.Error()))
		if d.ask("[e]dit again, [n]o: ") != 'e' {
			return d.kept(&exit.Failure{Status: exit.BadUsage, What: "nothing was saved"})
		}
	}
}

// edit runs the editor on the text and reads the result.
func (d *editing) edit(ctx context.Context) ([]string, error) {
	if err := d.e.runEditor(ctx, d.path); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(d.path)
	if err != nil {
		return nil, &exit.Failure{Status: exit.Daemon, What: "cannot read the text that was edited", Why: exit.Obstacle(err)}
	}
	return d.parse(string(text))
}

// kept adds the path of the text to an error. It removes a text that was not changed.
func (d *editing) kept(err error) error {
	f := exit.Describe(err)
	f.Status = exit.Status(err)
	if text, readErr := os.ReadFile(d.path); readErr == nil && string(text) == d.b.Text(d.b.Commands()) {
		os.Remove(d.path)
		return &f
	}
	if f.Where != "" {
		f.Where += "\n"
	}
	f.Where += "your text is kept in " + d.path
	return &f
}

// ask asks a question and returns the first letter of the answer: 'y' with --yes, 0 if there is no answer.
func (d *editing) ask(question string) byte {
	if d.yes {
		return 'y'
	}
	in := bufio.NewReader(d.e.Stdin)
	for {
		fmt.Fprint(d.e.Stderr, question)
		line, err := in.ReadString('\n')
		if line = strings.ToLower(strings.TrimSpace(line)); line != "" && strings.Contains("yen", line[:1]) {
			return line[0]
		}
		if err != nil {
			fmt.Fprintln(d.e.Stderr)
			return 0
		}
	}
}

// save makes the edits, all or none.
func (d *editing) save(ctx context.Context, edits []api.Edit, names []string) error {
	result, err := d.s.Workspace.Edit(ctx, api.EditRequest{Edits: edits})
	if exit.IsCode(err, api.CodeConflict) {
		d.showConflict(ctx, edits)
	}
	if err != nil {
		return d.kept(err)
	}
	os.Remove(d.path)
	fmt.Fprintf(d.e.Stderr, "changed %s: %s\n", words.Plural(len(names), "command"), words.NameList(names, 6))
	for _, note := range result.Notes {
		fmt.Fprintf(d.e.Stderr, "note: %s\n", plain.Line(d.e.Advice(note)))
	}
	return nil
}

// showConflict shows how other clients changed the edited commands meanwhile.
func (d *editing) showConflict(ctx context.Context, edits []api.Edit) {
	var ids []string
	for _, edit := range edits {
		ids = append(ids, edit.Nodes...)
	}
	now, err := d.s.Workspace.Select(ctx, ids)
	if err != nil {
		return // the caller reports the conflict
	}
	fmt.Fprintln(d.e.Stderr, "what others changed meanwhile:")
	d.show("before", "now", d.b.Since(now.Nodes).Commands())
}

// show prints the differences between the commands and another version of them.
func (d *editing) show(from, to string, after []string) {
	p := d.e.ErrPaint()
	for _, line := range d.b.Changes(from, to, d.b.Commands(), after) {
		text := line.Text
		switch line.Kind {
		case editor.Heading:
			text = p.Strong(text)
		case editor.Removed:
			text = p.SGR("31", text)
		case editor.Added:
			text = p.SGR("32", text)
		}
		fmt.Fprintln(d.e.Stderr, text)
	}
}

// parse parses an edited text. A mistake in it is a usage error.
func (d *editing) parse(text string) ([]string, error) {
	wanted, err := d.b.Parse(text)
	if err != nil {
		return nil, &exit.Failure{Status: exit.BadUsage, What: err.Error()}
	}
	return wanted, nil
}

// runEditor opens a file in the user's editor and waits for its end. Only the editor handles Ctrl-C meanwhile.
func (e *env) runEditor(ctx context.Context, path string) error {
	program := editor.Choose(e.Get)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(interrupts)
	cmd := editor.Command(ctx, program, path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.Stdin, e.Stdout, e.Stderr
	cmd.Dir, cmd.Env = e.Dir, e.Environ
	if err := cmd.Run(); err != nil {
		return &exit.Failure{Status: exit.Daemon, What: "the editor failed: " + program, Why: err.Error(), Fix: "set EDITOR to an editor that works here"}
	}
	return nil
}
