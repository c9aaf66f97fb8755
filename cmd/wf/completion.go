package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func newCompletion(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script of a shell",
		Long: `Completion prints a script for bash, zsh, fish or powershell. Once it is loaded, the tab key
knows commands, flags and their values, the nodes of the workfile, groups and runs. It reads the
files itself and never starts the daemon. The script for bash needs the package bash-completion.`,
		Example: `  wf completion bash > ~/.local/share/bash-completion/completions/wf
  wf completion zsh > "${fpath[1]}/_wf"
  wf completion fish > ~/.config/fish/completions/wf.fish
  source <(wf completion bash)          in this shell only`,
		Args: nargs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return bashCompletion(root, e.stdout)
			case "zsh":
				return root.GenZshCompletion(e.stdout)
			case "fish":
				return root.GenFishCompletion(e.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(e.stdout)
			}
			return unknownWord("unknown shell", args[0], shells, "wf completion --help")
		},
	}
	return cmd
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

// bashCompletion is the script of cobra, with the one change that lists need: bash quotes a comma
// as "\,", which cobra compares with what was typed, so that after a comma nothing would ever match
// (spf13/cobra#2334). In our words a comma needs no quotes.
func bashCompletion(root *cobra.Command, w io.Writer) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	var changed strings.Builder
	for line := range strings.Lines(script.String()) {
		changed.WriteString(line)
		text := strings.TrimSpace(line)
		indent := line[:strings.Index(line, text)]
		switch {
		case strings.HasPrefix(text, `printf -v comp "%q"`):
			changed.WriteString(indent + `comp=${comp//\\,/,}` + "\n")
		case strings.HasPrefix(text, `COMPREPLY[0]=$(printf "%q"`):
			changed.WriteString(indent + `COMPREPLY[0]=${COMPREPLY[0]//\\,/,}` + "\n")
		}
	}
	_, err := io.WriteString(w, changed.String())
	return err
}
