package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

func newMan(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "man DIR",
		Long: `Man writes one page per command (man1/wf-run.1 and so on) and one page per topic of wf help
(man7/wf-selectors.7 and so on). The same version writes the same bytes.`,
		Example: `  wf man ~/.local/share/man            then: man wf-run`,
		Args:    nargs(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return writeMan(e, cmd.Root(), e.Abs(args[0])) },
	}
}

// writeMan writes the pages and creates missing folders.
func writeMan(e *env, root *cobra.Command, dir string) error {
	pages := map[string]string{}
	for _, cmd := range shownCommands(root) {
		pages[filepath.Join("man1", manName(cmd)+".1")] = commandPage(cmd)
	}
	for _, t := range topics() {
		pages[filepath.Join("man7", "wf-"+t.name+".7")] = topicPage(t)
	}
	for name, text := range pages {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			return &exit.Failure{Status: exit.Daemon, What: "cannot write the manual page " + path, Why: exit.Obstacle(err)}
		}
	}
	fmt.Fprintf(e.Stderr, "wrote %s into %s\n", words.Plural(len(pages), "manual page"), plain.Line(dir))
	return nil
}

// shownCommands returns cmd and all commands below it, except hidden ones.
func shownCommands(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			list = append(list, shownCommands(sub)...)
		}
	}
	return list
}

// manName returns the name of the page of a command: "wf-edit-add-node".
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// commandPage returns the page of a command in man(7) format.
func commandPage(cmd *cobra.Command) string {
	var b strings.Builder
	manHead(&b, manName(cmd), "1", cmd.Short)
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	if cmd.HasExample() {
		fmt.Fprintf(&b, ".SH EXAMPLES\n%s", roffText(cmd.Example))
	}
	if cmd.Long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", roffText(cmd.Long))
	}
	cmd.InitDefaultHelpFlag()
	manFlags(&b, "OPTIONS", cmd.LocalFlags())
	manFlags(&b, "OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	b.WriteString(".SH SEE ALSO\n")
	var see []string
	if cmd.HasParent() {
		see = append(see, manName(cmd.Parent())+"(1)")
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			see = append(see, manName(sub)+"(1)")
		}
	}
	if !cmd.HasParent() {
		for _, t := range topics() {
			see = append(see, "wf-"+t.name+"(7)")
		}
	}
	fmt.Fprintf(&b, "%s\n", roff(strings.Join(see, ", ")))
	return b.String()
}

func topicPage(t topic) string {
	var b strings.Builder
	manHead(&b, "wf-"+t.name, "7", t.short)
	b.WriteString(roffText(t.text()))
	b.WriteString(".SH SEE ALSO\nwf(1)\n")
	return b.String()
}

func manHead(b *strings.Builder, name, section, short string) {
	fmt.Fprintf(b, ".TH %s %s \"\" \"wf %s\" wf\n.SH NAME\n%s \\- %s\n",
		strings.ToUpper(roff(name)), section, roff(version()), roff(name), roff(short))
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		names := "--" + f.Name
		if f.Shorthand != "" {
			names = "-" + f.Shorthand + ", " + names
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
			text += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR \\fI%s\\fR\n%s\n", roff(names), roff(value), roff(text))
	})
}

// roffText formats a help text: it fills paragraphs, makes lines in capitals titles, and keeps indented lines.
func roffText(text string) string {
	var b strings.Builder
	plain := false
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, " "); indented != plain && line != "" {
			if plain = indented; plain {
				b.WriteString(".PP\n.nf\n")
			} else {
				b.WriteString(".fi\n")
			}
		}
		switch {
		case line == "":
			b.WriteString(".PP\n")
		case isTitle(line):
			fmt.Fprintf(&b, ".SH %s\n", roff(line))
		default:
			fmt.Fprintf(&b, "%s\n", roff(line))
		}
	}
	if plain {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// roff escapes text: dashes can be pasted, lines are never roff commands, and characters outside ASCII are written as
// numbers.
func roff(text string) string {
	var b strings.Builder
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		b.WriteString(`\&`)
	}
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > 0x7e:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
