package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/graph/attribute"
)

// A completer returns the completions of a partly typed word. If anything fails, it returns none and prints
// no error, because the user is in the middle of a line. It never starts a daemon.
type completer func(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective)

// typedLine is the line that is being completed.
type typedLine struct {
	e    *env
	cmd  *cobra.Command
	args []string // the arguments before the word
}

const (
	noFiles = cobra.ShellCompDirectiveNoFileComp
	noSpace = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
)

// completesWith annotates a command whose arguments are completed as other words than its usage line has.
const completesWith = "completes"

// maxCompletions is how many completions are offered: a shell that asks "display all 5000?" is no help.
const maxCompletions = 200

// completers maps the words that usage lines and flags have for their values to their completers.
func completers() map[string]completer {
	return map[string]completer{
		"FILE":     completeWorkfile,
		"NODE":     completeNode,
		"SRC":      completeNode,
		"DST":      completeNode,
		"SEL":      completeSelector,
		"RUN":      completeRun,
		"KEY":      completeAttribute(attribute.Node),
		"EDGEKEY":  completeAttribute(attribute.Edge),
		"GRAPHKEY": completeAttribute(attribute.Graph),
		"VALUE":    completeValue,

		"KEY=VALUE":      completeSetting(attribute.Node),
		"EDGEKEY=VALUE":  completeSetting(attribute.Edge),
		"GRAPHKEY=VALUE": completeSetting(attribute.Graph),

		"CONDITION":   completeCondition,
		"KIND=FILE":   completeReport,
		"CONTAINER":   completeContainer,
		"WAITING":     completeWaiting,
		"PARAM=VALUE": completeParam,
		"NODE=RESULT": completeMock,
		"JSONFILE":    completeFiles(anyName),
		"ENVFILE":     completeFiles(anyName),
		"TYPE":        completeWords("blocking", "non-blocking"),
		"SHELL":       completeWords(shells...),
		"PATH":        completeFiles(anyName),
		"DIR":         completeFiles(func(string) bool { return false }),
	}
}

// isCompletion says whether a shell called wf for completions.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// addCompletion adds completion to every command below root. It chooses completers by the words of the usage
// line and of the flags, so that new commands have completion without further code.
func addCompletion(root *cobra.Command, e *env) {
	known := completers()
	for _, cmd := range shownCommands(root) {
		if cmd.ValidArgsFunction == nil {
			names := argNames(cmd.Use)
			if other := cmd.Annotations[completesWith]; other != "" {
				names = strings.Fields(other)
			}
			cmd.ValidArgsFunction = argCompletion(e, known, names)
		}
		cmd.ValidArgsFunction = gated(cmd.ValidArgsFunction)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			how := flagCompletion(known, f)
			_, f.Usage = pflag.UnquoteUsage(f) // shells show it as it is
			// An error means that another function is registered already; that one is kept.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, gated(func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return how(&typedLine{e, cmd, args}, word)
			}))
		})
	}
}

// gated returns how with its results filtered by gate.
func gated(how cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found, directive := how(cmd, args, word)
		return gate(found), directive
	}
}

// argNames returns the arguments of a usage line ("set NODE KEY VALUE") without brackets.
func argNames(use string) []string {
	var names []string
	for _, word := range strings.Fields(use)[1:] {
		if word = strings.Trim(word, "[]"); word != "|" {
			names = append(names, word)
		}
	}
	return names
}

// argCompletion completes arguments by their names. A last name that ends in dots may be repeated.
func argCompletion(e *env, known map[string]completer, names []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := len(args)
		if last := len(names) - 1; at > last && last >= 0 && strings.HasSuffix(names[last], "...") {
			at = last
		}
		if at >= len(names) {
			return nil, noFiles
		}
		if how := known[strings.TrimSuffix(names[at], "...")]; how != nil {
			return how(&typedLine{e, cmd, args}, word)
		}
		return nil, noFiles
	}
}

// flagCompletion completes the value of a flag: one of its words, or by the name of the value.
func flagCompletion(known map[string]completer, f *pflag.Flag) completer {
	if c, ok := f.Value.(*choice); ok {
		return completeWords(c.allowed...)
	}
	name, _ := pflag.UnquoteUsage(f)
	if how := known[name]; how != nil {
		return how
	}
	return completeWords()
}

// completeWords offers fixed words.
func completeWords(words ...string) completer {
	return func(_ *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var found []cobra.Completion
		for _, w := range words {
			if strings.HasPrefix(w, word) {
				found = append(found, w)
			}
		}
		return found, noFiles
	}
}

// completeHelp offers commands, sub-commands and topics.
func completeHelp(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	about := cmd.Root()
	for _, arg := range args {
		below, _, err := about.Find([]string{arg})
		if err != nil || below == about {
			return nil, noFiles
		}
		about = below
	}
	var found []cobra.Completion
	for _, sub := range about.Commands() {
		if !sub.Hidden && strings.HasPrefix(sub.Name(), word) {
			found = append(found, cobra.CompletionWithDesc(sub.Name(), sub.Short))
		}
	}
	for _, t := range topics() {
		if len(args) == 0 && strings.HasPrefix(t.name, word) {
			found = append(found, cobra.CompletionWithDesc(t.name, t.short))
		}
	}
	return found, noFiles
}

func limited(list []cobra.Completion) []cobra.Completion {
	return list[:min(len(list), maxCompletions)]
}
