package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpTemplate lays out the help of every command: how to call it, examples, what it does, then
// the commands below it and the flags.
const helpTemplate = `{{.Short}}

Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND{{end}}{{if .Aliases}}

Aliases: {{.NameAndAliases}}{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{with .Long}}

{{. | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}{{$cmds := .Commands}}{{if not .Groups}}

Commands:{{range $cmds}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{range $group := .Groups}}

{{.Title}}:{{range $cmds}}{{if (and (eq .GroupID $group.ID) (or .IsAvailableCommand (eq .Name "help")))}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
`

// newHelp replaces the help command of cobra, which takes a typo for no argument.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			for _, word := range args {
				below, _, err := about.Find([]string{word})
				if err != nil || below == about {
					return unknownCommand(about, word, "command")
				}
				about = below
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// A choice is the value of a flag that takes one of a few words.
type choice struct {
	value   *string
	allowed []string
}

var _ pflag.Value = (*choice)(nil)

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type is how the help names the value; the words themselves are in the text of the flag.
func (c *choice) Type() string { return "WORD" }

// Set takes the word of the command line.
func (c *choice) Set(word string) error {
	for _, allowed := range c.allowed {
		if word == allowed {
			*c.value = word
			return nil
		}
	}
	return usage("must be one of %s", strings.Join(c.allowed, ", "))
}

// millis is a duration flag as the wire has it: nil when the flag was not given.
func millis(flags *pflag.FlagSet, name string, d time.Duration) *int64 {
	if !flags.Changed(name) {
		return nil
	}
	ms := d.Milliseconds()
	return &ms
}
