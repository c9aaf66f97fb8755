package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/tui/plain"
	"wf/tui/words"
	"wf/workspace/history"
)

// maxCommand limits the part of a command that is shown beside a node, in characters.
const maxCommand = 50

// peek reads the workfile of the typed line. It returns nil if that fails.
func (c *typedLine) peek() *daemon.Peek {
	p, err := daemon.PeekAt(c.e.workfileOf(c.cmd, c.args))
	if err != nil {
		return nil
	}
	return p
}

// completeNode offers the nodes of the workfile, except those that are on the line already.
func completeNode(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	p := c.peek()
	if p == nil {
		return nil, noFiles
	}
	found, open := instancesBeginning(p, word)
	found = append(nodesBeginning(p, word, "", c.args), found...)
	if open {
		return found, noSpace
	}
	return found, noFiles
}

// completeSelector completes the part after the last comma: nodes, states and groups. A + before the word is
// kept, and a + is offered after a complete node name.
func completeSelector(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	p := c.peek()
	if p == nil {
		return nil, noSpace
	}
	comma := strings.LastIndexByte(word, ',') + 1
	before, last := word[:comma], word[comma:]
	taken := strings.FieldsFunc(before, func(r rune) bool { return r == ',' })
	if bare, up := strings.CutPrefix(last, "+"); up {
		return nodesBeginning(p, bare, before+"+", taken), noSpace
	}
	var found []cobra.Completion
	if slices.ContainsFunc(p.Nodes, func(n api.NodeStatus) bool { return !n.Container && plainName(n) == last && last != "" }) {
		found = append(found, cobra.CompletionWithDesc(before+last+"+", "and everything after it"))
	}
	found = append(found, statesBeginning(last, before)...)
	found = append(found, groupsBeginning(p, last, before)...)
	found = append(nodesBeginning(p, last, before, taken), found...)
	if last == "" {
		found = cobra.AppendActiveHelp(found, "+NODE: with everything before it; NODE+: with everything after it; s:STATE; g:GROUP")
	}
	return found, noSpace
}

// nodesBeginning offers the nodes whose name begins with word, in file order, each after prefix.
func nodesBeginning(p *daemon.Peek, word, prefix string, taken []string) []cobra.Completion {
	var found []cobra.Completion
	for _, n := range p.Nodes {
		name := plainName(n)
		if n.Container || name == "" || !strings.HasPrefix(name, word) || slices.Contains(taken, name) {
			continue
		}
		found = append(found, cobra.CompletionWithDesc(prefix+name, console.Paint{}.Clip(plain.Line(n.Command), maxCommand)))
	}
	return limited(found)
}

// plainName returns the handle or the id of a node, whichever first needs no quoting on a command line or in a
// list. It returns "" if both do.
func plainName(n api.NodeStatus) string {
	for _, name := range []string{n.Name, n.ID} {
		if name == words.Quote(name) && !strings.ContainsAny(name, ",+") {
			return name
		}
	}
	return ""
}

// statesBeginning offers states as selectors, if word is not empty.
func statesBeginning(word, prefix string) []cobra.Completion {
	var found []cobra.Completion
	for _, state := range []api.State{api.StateFailed, api.StateBlocked, api.StateCancelled, api.StateOK,
		api.StateRunning, api.StateQueued, api.StateWaiting, api.StateRetrying, api.StateSkipped, api.StateIdle} {
		if text := "s:" + string(state); word != "" && strings.HasPrefix(text, word) {
			found = append(found, cobra.CompletionWithDesc(prefix+text, "every node that is "+string(state)))
		}
	}
	return found
}

// groupsBeginning offers the groups and containers of the workfile as selectors.
func groupsBeginning(p *daemon.Peek, word, prefix string) []cobra.Completion {
	var names []string
	for _, n := range p.Nodes {
		name := n.Group
		if n.Container {
			name = n.Name
		}
		if text := "g:" + name; name != "" && text == words.Quote(text) && word != "" && strings.HasPrefix(text, word) {
			names = append(names, text)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var found []cobra.Completion
	for _, name := range names {
		found = append(found, cobra.CompletionWithDesc(prefix+name, "every node of the group"))
	}
	return limited(found)
}

// completeRun offers the runs of the workfile from its history, newest first.
func completeRun(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ordered := noFiles | cobra.ShellCompDirectiveKeepOrder
	state := settings.FoldersOf(&c.e.Console).State
	id, err := daemon.WorkfileID(c.e.workfileOf(c.cmd, c.args))
	if err != nil || state == "" {
		return nil, ordered
	}
	list, err := history.At(filepath.Join(state, "workspaces", id)).Newest(maxCompletions)
	if err != nil {
		return nil, ordered
	}
	var found []cobra.Completion
	for _, run := range list {
		number := strconv.Itoa(run.Request.Run)
		if strings.HasPrefix(number, word) && !slices.Contains(c.args, number) {
			found = append(found, cobra.CompletionWithDesc(number, runHint(run, time.Now())))
		}
	}
	return found, ordered
}

// runHint describes a run: "2h ago, failed: 3 ok, 1 failed".
func runHint(run history.Summary, now time.Time) string {
	hint := words.Ago(run.Time, now)
	if run.Result == nil {
		return hint + ", active"
	}
	c := run.Result.Counts
	counts := api.Counts{OK: c.OK, Failed: c.Failed, Cancelled: c.Cancelled, Blocked: c.Blocked, Idle: c.Idle, Kept: c.Kept}
	return hint + ", " + words.ResultWord(api.Result(run.Result.Result)) + ": " + strings.Join(words.CountParts(counts, "not reached"), ", ")
}
