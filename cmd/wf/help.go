package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/cmd/wf/exit"
	"wf/graph/timespan"
)

// Bounds of the width of help, in columns: lines longer than maxHelp are hard to read, and in
// fewer than minHelp nothing could be laid out.
const (
	maxHelp = 100
	minHelp = 40

	flagColumns = 60 // from here on flags and what they do stand side by side
)

// showHelp prints the help of a command: how to call it, examples, what it does, what is below it
// and its flags, in this order. It is written by hand because it is asked for more often than
// anything else: a template costs most of the time that the command takes.
func showHelp(w io.Writer, cmd *cobra.Command, width int) {
	width = min(max(width, minHelp), maxHelp)
	cmd.Flags().SortFlags = false // they were added in the order of their use
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

// showCommands lists the commands below cmd, by their groups where there are any.
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

// showTopics lists what wf help knows besides the commands.
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

// stackFlags puts what a flag does below it, for terminals without room for two columns. In usages
// every flag has a line, with blanks between it and what it does.
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

// wrap fits text to width columns. Paragraphs are filled anew; a line that is indented, or a title
// in capitals, stays as it is.
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

// isTitle says whether a line of a help text is the title of a part of it.
func isTitle(line string) bool { return line != "" && line[0] != ' ' && line == strings.ToUpper(line) }

// fill puts the words of text into lines of at most width columns that begin with indent.
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

// newHelp replaces the help command of cobra, which takes a typo for no argument.
func newHelp(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command or a topic",
		Example: `  wf help run
  wf help edit add-node
  wf help exit-codes`,
		ValidArgsFunction: completeHelp,
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

// unknownHelp is the error for a word that is no command below about, nor a topic.
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

// helpWidth is how wide help may be: what COLUMNS says, else the terminal.
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
	return exit.Usage("must be one of %s", strings.Join(c.allowed, ", "))
}

// A timeValue is the value of a flag that is a span of time. Days may be in it.
type timeValue time.Duration

var _ pflag.Value = (*timeValue)(nil)

// timeVar adds such a flag.
func timeVar(f *pflag.FlagSet, value *time.Duration, name string, builtin time.Duration, usage string) {
	*value = builtin
	f.Var((*timeValue)(value), name, usage)
}

// String is how the help shows a default; it shows no "0".
func (v *timeValue) String() string {
	if v == nil || *v == 0 {
		return "0"
	}
	return time.Duration(*v).String()
}

// Type is what the help calls the value where the text of the flag has no word for it.
func (v *timeValue) Type() string { return "duration" }

// Set takes the text of the command line or of a setting.
func (v *timeValue) Set(text string) error {
	d, err := timespan.Parse(text)
	if err == nil {
		*v = timeValue(d)
	}
	return err
}

// millis is a duration flag as the wire has it: nil when the flag was not given.
func millis(flags *pflag.FlagSet, name string, d time.Duration) *int64 {
	if !flags.Changed(name) {
		return nil
	}
	ms := d.Milliseconds()
	return &ms
}
