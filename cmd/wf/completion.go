package main

import (
	"embed"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newCompletion(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "completion SHELL",
		Long: `Completion prints a script for bash, zsh, fish or powershell. Once it is loaded, the tab key
completes commands, flags and their values, nodes of the workfile, groups and runs. Completion
reads the files itself, never starts the daemon, and executes nothing from the line or a file.`,
		Example: `  wf completion bash > ~/.local/share/bash-completion/completions/wf
  wf completion zsh > "${fpath[1]}/_wf"
  wf completion fish > ~/.config/fish/completions/wf.fish
  source <(wf completion bash)          in this shell only`,
		Args: nargs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(shells, args[0]) {
				return unknownWord("unknown shell", args[0], shells, "wf completion --help")
			}
			script, err := completionScripts.ReadFile("completion/wf." + strings.Replace(args[0], "powershell", "ps1", 1))
			if err != nil {
				panic("internal error: no completion script: " + err.Error())
			}
			_, err = e.Stdout.Write(script)
			return err
		},
	}
	return cmd
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

//go:embed completion
var completionScripts embed.FS
