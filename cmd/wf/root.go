package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/tui/words"
)

// execute runs the command of args.
func execute(e *env, args []string) error {
	if len(args) > 0 && args[0] == lineCommand {
		return completeLine(e, args[1:])
	}
	args, done, err := elsewhere(e, args)
	if done || err != nil {
		return err
	}
	root := newRootWith(e, commandsOf(args))
	root.SetArgs(args)
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	if isCompletion(args) {
		addCompletion(root, e)
	}
	return root.ExecuteContext(context.Background())
}

// newRoot builds the tree of all commands.
func newRoot(e *env) *cobra.Command { return newRootWith(e, everyCommand) }

// newRootWith builds the tree of the commands that wanted selects; see addCommands.
func newRootWith(e *env, wanted func(command) bool) *cobra.Command {
	cobra.EnableCommandSorting = false // keep the order of commandList
	root := &cobra.Command{
		Use:   "wf [FILE]",
		Short: "Run graphs of shell commands",
		Long: `wf runs workfiles: GraphML files whose nodes are shell commands and whose edges are
dependencies. Independent nodes run in parallel, in a daemon that starts by itself and
keeps runs going when the terminal is closed. Without a command, or with a file alone, wf
opens the terminal interface, which runs nothing by itself.`,
		Example: `  wf new --from-lines < commands.txt    create ./Workfile, one command per line
  wf run                                run it; after a failure: continue
  wf status                             show the state
  wf logs --failed                      show the output of failed nodes
  wf run --nodes align+                 run align and everything after it again
  wf runs                               list earlier runs
  wf help recipes                       what to type when`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          func(cmd *cobra.Command, args []string) error { return runRoot(e, cmd, args) },
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			e.ofRun, e.command = cmd.Annotations[ofRun] != "", cmd.CommandPath()
			if asked, _ := cmd.Flags().GetBool("version"); asked || unconfigured(cmd) {
				return nil
			}
			return e.configure(cmd, args)
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.Flags().Bool("version", false, "print the version")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { showHelp(cmd.OutOrStdout(), cmd, e.helpWidth()) })
	root.PersistentFlags().Var(&choice{&e.Color, settings.ColorWords}, "color", "colour: auto, always or never")
	root.PersistentFlags().Var(&choice{&e.Palette, settings.PaletteWords}, "palette", "colours of the terminal interface: auto, dark, light, colorblind, 16 or none")
	_ = root.PersistentFlags().MarkHidden("palette") // nobody types it twice: it is a setting, and in wf help keys
	root.PersistentFlags().String("host", "", "work on another `MACHINE`: ssh://user@machine, or a name of wf host")
	root.PersistentFlags().BoolVar(&e.ASCII, "ascii", false, "draw with ASCII only")
	root.AddGroup(
		&cobra.Group{ID: groupRun, Title: "Run"},
		&cobra.Group{ID: groupInspect, Title: "Inspect"},
		&cobra.Group{ID: groupEdit, Title: "Edit"},
		&cobra.Group{ID: groupServer, Title: "Daemon and program"},
	)
	addCommands(root, e, wanted)
	return root
}

// runRoot runs wf without a command: it opens the terminal interface.
func runRoot(e *env, cmd *cobra.Command, args []string) error {
	if asked, _ := cmd.Flags().GetBool("version"); asked {
		return printVersion(e)
	}
	if len(args) > 0 {
		if _, err := os.Stat(e.Abs(args[0])); errors.Is(err, fs.ErrNotExist) || strings.HasPrefix(args[0], "-") {
			return unknownWord("unknown command or file", args[0], append(commandNames(cmd), e.filesBeside(args[0])...), "wf --help")
		}
	}
	if len(args) > 1 {
		return exit.Usage("one workfile at a time: %s", strings.Join(args, " "))
	}
	if why := e.tuiImpossible(); why != "" {
		file := ""
		if len(args) > 0 {
			file = " " + words.Quote(args[0])
		}
		return &exit.Failure{Status: exit.BadUsage, What: "the terminal interface cannot be shown: " + why,
			Why: "nothing was run", Fix: "wf run" + file + ", wf status" + file + ", or wf --help"}
	}
	path, err := e.tuiFile(first(args))
	if err != nil {
		return err
	}
	return e.openTUI(cmd.Context(), path)
}

// noun completes a command that only groups others: without arguments it shows its help, and an unknown sub-command is
// an error.
func noun(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(verbs...)
	if cmd.RunE == nil {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	cmd.Args = nounArgs
	return cmd
}

// nounArgs refuses unknown sub-commands.
func nounArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0], "command")
	}
	return nil
}

// unknownCommand returns the error for an unknown word, with similar names.
func unknownCommand(cmd *cobra.Command, word, kind string) error {
	return unknownWord("unknown "+kind, word, commandNames(cmd), cmd.CommandPath()+" --help")
}

// commandNames returns the names and aliases of the sub-commands of cmd.
func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(append(names, sub.Name()), sub.Aliases...)
		}
	}
	return names
}

// nargs demands between least and most arguments; most < 0 means any number.
func nargs(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		what := ""
		switch {
		case len(args) < least:
			what = "too few arguments"
		case most >= 0 && len(args) > most:
			what = "too many arguments: " + strings.Join(args[most:], " ")
		default:
			return nil
		}
		return &exit.Failure{Status: exit.BadUsage, What: what, Where: "usage: " + cmd.UseLine(), Fix: cmd.CommandPath() + " --help"}
	}
}
