package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/graph/attribute"
)

// A completion collects the completions of a partly typed word.
type completion struct {
	e      *env
	cmd    *cobra.Command
	args   []string // the arguments before the word
	before string   // the beginning of the word, which stays as it is
	word   string   // the rest, which is completed

	offers  []offer
	hint    string // for people, shown above the offers; "" for none
	more    bool   // more may follow in the same word: no space after it
	ordered bool   // the shell keeps the order of the offers
}

// An offer is one completion: the whole word, without a flag and equals sign before it.
type offer struct{ text, hint string }

// A completer adds the completions of a kind of value. If anything fails, it adds none and prints no error, because the
// user is in the middle of a line. It never starts a daemon.
type completer func(c *completion)

// completesWith annotates a command whose arguments are completed as other words than its usage line has.
const completesWith = "completes"

// maxCompletions is how many completions of one kind are offered: a shell that asks "display all 5000?" is no help.
const maxCompletions = 200

// completers maps the words that usage lines and flags have for their values to their completers.
func completers() map[string]completer {
	return map[string]completer{
		"FILE":     completeWorkfile,
		"NODE":     ofWorkfile(completeNode),
		"SRC":      ofWorkfile(completeNode),
		"DST":      ofWorkfile(completeNode),
		"SEL":      completeSelector,
		"RUN":      completeRun,
		"RUNORNOW": completeRunOrNow,
		"KEY":      completeAttribute(attribute.Node),
		"EDGEKEY":  completeAttribute(attribute.Edge),
		"GRAPHKEY": completeAttribute(attribute.Graph),
		"VALUE":    completeValue,

		"KEY=VALUE":      completeSetting(attribute.Node),
		"EDGEKEY=VALUE":  completeSetting(attribute.Edge),
		"GRAPHKEY=VALUE": completeSetting(attribute.Graph),

		"CONDITION":   completeCondition,
		"KIND=FILE":   completeReport,
		"CONTAINER":   ofWorkfile(completeContainer),
		"WAITING":     completeWaiting,
		"PARAM=VALUE": ofWorkfile(completeParam),
		"NODE=RESULT": ofWorkfile(completeMock),
		"JSONFILE":    completeFile,
		"ENVFILE":     completeFile,
		"TYPE":        completeWords(edgeTypes),
		"EXECUTOR":    completeExecutor,
		"PROFILE":     completeProfile,
		"SHELL":       completeWords(shells),
		"MACHINE":     completeMachine,
		"PATH":        completeFile,
		"DIR":         func(c *completion) { c.offerFiles(func(string) bool { return false }) },
		"HELP":        completeHelp,
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
		names := argNames(cmd.Use)
		if other := cmd.Annotations[completesWith]; other != "" {
			names = strings.Fields(other)
		}
		cmd.ValidArgsFunction = completeArgs(known, names).function(e)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			how := completeFlag(known, f)
			_, f.Usage = pflag.UnquoteUsage(f) // shells show it as it is
			// An error means that another function is registered already; that one is kept.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, how.function(e))
		})
	}
}

// function returns the completer as a function for cobra.
func (how completer) function(e *env) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		c := &completion{e: e, cmd: cmd, args: args, word: word}
		how(c)
		var found []cobra.Completion
		for _, o := range safeOffers(c.offers) {
			found = append(found, cobra.CompletionWithDesc(o.text, o.hint))
		}
		if c.hint != "" {
			found = cobra.AppendActiveHelp(found, c.hint)
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if c.more {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		if c.ordered {
			directive |= cobra.ShellCompDirectiveKeepOrder
		}
		return found, directive
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

// completeArgs completes arguments by their names. A last name that ends in dots may be repeated.
func completeArgs(known map[string]completer, names []string) completer {
	return func(c *completion) {
		at := len(c.args)
		if last := len(names) - 1; at > last && last >= 0 && strings.HasSuffix(names[last], "...") {
			at = last
		}
		if at >= len(names) {
			return
		}
		if how := known[strings.TrimSuffix(names[at], "...")]; how != nil {
			how(c)
		}
	}
}

// completeFlag completes the value of a flag: one of its words, or by the name of the value.
func completeFlag(known map[string]completer, f *pflag.Flag) completer {
	if choice, ok := f.Value.(*choice); ok {
		return completeWords(choice.allowed)
	}
	name, _ := pflag.UnquoteUsage(f)
	if how := known[name]; how != nil {
		return how
	}
	return completeWords(nil)
}

// completeWords offers fixed words.
func completeWords(words []string) completer {
	return func(c *completion) {
		for _, word := range words {
			c.offer(word, "")
		}
	}
}

// completeHelp offers commands, sub-commands and topics.
func completeHelp(c *completion) {
	about := c.cmd.Root()
	for _, arg := range c.args {
		below, _, err := about.Find([]string{arg})
		if err != nil || below == about {
			return
		}
		about = below
	}
	for _, sub := range about.Commands() {
		if !sub.Hidden {
			c.offer(sub.Name(), sub.Short)
		}
	}
	for _, t := range topics() {
		if len(c.args) == 0 {
			c.offer(t.name, t.short)
		}
	}
}

// offer adds a completion if it begins with the word.
func (c *completion) offer(text, hint string) {
	if strings.HasPrefix(text, c.word) {
		c.offers = append(c.offers, offer{c.before + text, hint})
	}
}

// limit drops all but the first maxCompletions of the offers that were added since there were n.
func (c *completion) limit(n int) { c.offers = c.offers[:min(len(c.offers), n+maxCompletions)] }

// keep moves the first n bytes of the word to the part that stays as it is.
func (c *completion) keep(n int) { c.before, c.word = c.before+c.word[:n], c.word[n:] }

// cut splits a word like KEY=VALUE for the completion of the value. It reports false, and offers may be followed by more,
// if the word has no equals sign yet.
func (c *completion) cut() (key string, found bool) {
	key, _, found = strings.Cut(c.word, "=")
	if c.more = !found; found {
		c.keep(len(key) + 1)
	}
	return key, found
}
