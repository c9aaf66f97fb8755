package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/cmd/wf/exit"
	"wf/graph/timespan"
)

// Limits of the width of help, in columns: lines longer than maxHelp are hard to read, and narrower than minHelp
// there is no useful layout.
const (
	maxHelp = 100
	minHelp = 40

	flagColumns = 60 // the least width for flags and their descriptions side by side
)

// showHelp prints the help of a command: usage, examples, description, sub-commands and flags. It uses no template,
// because a template would take most of the time of the command.
func showHelp(w io.Writer, cmd *cobra.Command, width int) {
	width = min(max(width, minHelp), maxHelp)
	cmd.Flags().SortFlags = false // keep the order in which they were added
	fmt.Fprintf(w, "%s\n\nUsage:\n", fill(cmd.Short, "", width))
	if cmd.Runnable() {
		fmt.Fprintf(w, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND\n", cmd.CommandPath())
	}
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(w, "\nAlias: %s\n", strings.Join(cmd.Aliases, ", "))
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.Long != "" {
		fmt.Fprintf(w, "\n%s\n", wrap(cmd.Long, width))
	}
	showCommands(w, cmd)
	if !cmd.HasParent() {
		showTopics(w, width)
	}
	showFlags(w, "Flags", cmd.LocalFlags(), width)
	showFlags(w, "Flags of every command", cmd.InheritedFlags(), width)
}

// showCommands lists the sub-commands of cmd by their groups.
func showCommands(w io.Writer, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	groups := cmd.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, group := range groups {
		fmt.Fprintf(w, "\n%s:\n", group.Title)
		for _, sub := range cmd.Commands() {
			if sub.GroupID == group.ID && (sub.IsAvailableCommand() || sub.Name() == "help") {
				fmt.Fprintf(w, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
}

// showTopics lists the topics of wf help.
func showTopics(w io.Writer, width int) {
	var names []string
	for _, t := range topics() {
		names = append(names, t.name)
	}
	fmt.Fprintf(w, "\nMore help:\n%s\n", fill("wf help COMMAND, or about "+strings.Join(names, ", "), "  ", width))
}

func showFlags(w io.Writer, title string, flags *pflag.FlagSet, width int) {
	if !flags.HasAvailableFlags() {
		return
	}
	text := flags.FlagUsagesWrapped(width)
	if width < flagColumns {
		text = stackFlags(flags.FlagUsages(), width)
	}
	fmt.Fprintf(w, "\n%s:\n%s\n", title, strings.TrimRight(text, "\n"))
}

// stackFlags puts the description of each flag below it, for terminals without room for two columns. Each line of
// usages has a flag, blanks and a description.
func stackFlags(usages string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(usages) {
		flag := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(flag)]
		flag, does, _ := strings.Cut(flag, "  ")
		fmt.Fprintf(&b, "%s%s\n%s\n", indent, flag, fill(does, strings.Repeat(" ", 10), width))
	}
	return b.String()
}

// wrap fits text to width columns. It fills paragraphs and keeps indented lines and titles in capitals.
func wrap(text string, width int) string {
	var out, paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, fill(strings.Join(paragraph, " "), "", width))
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if line != "" && line[0] != ' ' && !isTitle(line) {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		out = append(out, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// isTitle says whether a line of a help text is a title.
func isTitle(line string) bool { return line != "" && line[0] != ' ' && line == strings.ToUpper(line) }

// fill breaks text into lines of at most width columns that begin with indent.
func fill(text, indent string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		length := len([]rune(word))
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+length > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += length
	}
	return b.String()
}

// newHelp replaces the help command of cobra, which treats a typo like no argument.
func newHelp(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND | TOPIC]",
		Example: `  wf help run
  wf help edit add-node
  wf help exit-codes`,
		Annotations: map[string]string{completesWith: "HELP..."},
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			for i, word := range args {
				if t, found := topicNamed(word); found && len(args) == 1 {
					_, err := fmt.Fprint(e.Stdout, wrap(t.text(), e.helpWidth())+"\n")
					return err
				}
				below, _, err := about.Find([]string{word})
				if err != nil || below == about {
					return unknownHelp(about, args[i])
				}
				about = below
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// unknownHelp returns the error for a word that is neither a sub-command of about nor a topic.
func unknownHelp(about *cobra.Command, word string) error {
	if about.HasParent() {
		return unknownCommand(about, word, "command")
	}
	names := commandNames(about)
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return unknownWord("unknown command or topic", word, names, "wf --help")
}

// helpWidth returns the width of help: COLUMNS, or else the width of the terminal.
func (e *env) helpWidth() int {
	width, err := strconv.Atoi(e.Get("COLUMNS"))
	if err != nil || width <= 0 {
		width = e.OutWidth()
	}
	if width == 0 {
		width = 80
	}
	return min(max(width, minHelp), maxHelp)
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

// Type returns the name of the value in help; the words themselves are in the text of the flag.
func (c *choice) Type() string { return "WORD" }

// Set sets the value to a word of the command line.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.allowed, word) {
		return exit.Usage("must be one of %s", strings.Join(c.allowed, ", "))
	}
	*c.value = word
	return nil
}

// A timeValue is the value of a flag that is a duration. It may contain days.
type timeValue time.Duration

var _ pflag.Value = (*timeValue)(nil)

// timeVar adds a flag that is a duration.
func timeVar(f *pflag.FlagSet, value *time.Duration, name string, builtin time.Duration, usage string) {
	*value = builtin
	f.Var((*timeValue)(value), name, usage)
}

// String returns the default as help shows it; help omits "0".
func (v *timeValue) String() string {
	if v == nil || *v == 0 {
		return "0"
	}
	return time.Duration(*v).String()
}

// Type returns the name of the value in help, if the text of the flag has none.
func (v *timeValue) Type() string { return "duration" }

// Set parses the text of the command line or of a setting.
func (v *timeValue) Set(text string) error {
	d, err := timespan.Parse(text)
	if err == nil {
		*v = timeValue(d)
	}
	return err
}

// millis returns the value of a duration flag in milliseconds, or nil if the flag was not given.
func millis(flags *pflag.FlagSet, name string, d time.Duration) *int64 {
	if !flags.Changed(name) {
		return nil
	}
	ms := d.Milliseconds()
	return &ms
}
