package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/graph/pattern"
	"wf/tui/plain"
	"wf/tui/words"
	"wf/workspace/history"
)

// maxHint limits the hint beside a node, in characters.
const maxHint = 50

func shortHint(text string) string { return console.Paint{}.Clip(plain.Line(text), maxHint) }

// ofWorkfile returns a completer that reads the workfile of the typed line.
func ofWorkfile(how func(*completion, *daemon.Peek)) completer {
	return func(c *completion) {
		if p, err := daemon.PeekAt(c.e.workfileOf(c.cmd, c.args)); err == nil {
			how(c, p)
		}
	}
}

// completeNode offers the nodes of the workfile, except those that are on the line already, and nodes of instances.
func completeNode(c *completion, p *daemon.Peek) {
	c.offerNodes(p, "", c.args)
	c.offerInstances(p)
}

// completeSelector completes the part after the last comma: nodes, states and groups. A + before the word is
// kept, and a + is offered after a complete node name.
func completeSelector(c *completion) {
	c.more = true
	ofWorkfile((*completion).offerSelectors)(c)
}

func (c *completion) offerSelectors(p *daemon.Peek) {
	comma := strings.LastIndexByte(c.word, ',') + 1
	taken := strings.FieldsFunc(c.word[:comma], func(r rune) bool { return r == ',' })
	c.keep(comma)
	if strings.HasPrefix(c.word, "+") {
		c.keep(1)
		c.offerNodes(p, "", taken)
		return
	}
	if strings.Contains(c.word, "[") {
		c.offerInstances(p)
		return
	}
	c.offerNodes(p, "", taken)
	if c.word == "" {
		c.hint = "+NODE: with everything before it; NODE+: with everything after it; s:STATE; g:GROUP"
		return
	}
	if slices.ContainsFunc(p.Nodes, func(n api.NodeStatus) bool { return !n.Container && plainName(n) == c.word }) {
		c.offer(c.word+"+", "and everything after it")
	}
	for _, state := range []api.State{api.StateFailed, api.StateBlocked, api.StateCancelled, api.StateOK,
		api.StateRunning, api.StateQueued, api.StateWaiting, api.StateRetrying, api.StateSkipped, api.StateIdle} {
		c.offer("s:"+string(state), "every node that is "+string(state))
	}
	c.offerGroups(p)
}

// offerNodes offers the nodes that are not in taken, in file order, each with a suffix.
func (c *completion) offerNodes(p *daemon.Peek, suffix string, taken []string) {
	defer c.limit(len(c.offers))
	for _, n := range p.Nodes {
		if name := plainName(n); !n.Container && name != "" && !slices.Contains(taken, name) {
			c.offer(name+suffix, shortHint(n.Command))
		}
	}
}

// offerGroups offers the groups and containers of the workfile as selectors.
func (c *completion) offerGroups(p *daemon.Peek) {
	defer c.limit(len(c.offers))
	var names []string
	for _, n := range p.Nodes {
		name := n.Group
		if n.Container {
			name = n.Name
		}
		if text := "g:" + name; name != "" && text == words.Quote(text) {
			names = append(names, text)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		c.offer(name, "every node of the group")
	}
}

// instancePrefix matches the path of an instance, up to the slash, and instanceOpen a path up to the bracket before the name or
// number of an instance.
var (
	instancePrefix = pattern.Of(`^(?:.*/)?([^/]+)\[[^][/]+\]/`)
	instanceOpen   = pattern.Of(`^(?:.*/)?([^][/]+)\[`)
)

// offerInstances offers paths of instances: a sub-flow with an opening bracket, then the names of its instances, and after a
// complete instance its nodes.
func (c *completion) offerInstances(p *daemon.Peek) {
	defer c.limit(len(c.offers))
	within := ""
	if path := instancePrefix.Get().FindStringSubmatch(c.word); path != nil {
		at := slices.IndexFunc(p.Nodes, func(n api.NodeStatus) bool { return n.SubFlow != "" && n.Name == path[1] })
		if at < 0 {
			return
		}
		within = p.Nodes[at].ID
		c.keep(len(path[0]))
	}
	if path := instanceOpen.Get().FindStringSubmatch(c.word); path != nil {
		c.offerItems(p, path[0], path[1])
		return
	}
	for _, n := range p.Nodes {
		name, hint := plainName(n), n.Command
		if n.Parent != within || !strings.HasPrefix(name, c.word) || name == "" || n.SubFlow == "" && within == "" {
			continue
		}
		if n.SubFlow != "" {
			name, hint, c.more = name+"[", n.SubFlow, true
		}
		c.offer(name, shortHint(hint))
	}
}

// offerItems offers the instances of a sub-flow. typed is its path with the opening bracket.
func (c *completion) offerItems(p *daemon.Peek, typed, subFlow string) {
	at := slices.IndexFunc(p.Nodes, func(n api.NodeStatus) bool { return n.SubFlow != "" && n.Name == subFlow })
	if at < 0 {
		return
	}
	c.keep(len(typed))
	for _, name := range p.Instances(p.Nodes[at].ID) {
		if strings.HasPrefix(name+"]", c.word) {
			c.offer(name+"]", "")
		}
	}
	c.more = true
}

// completeContainer offers the containers of the workfile.
func completeContainer(c *completion, p *daemon.Peek) {
	defer c.limit(len(c.offers))
	for _, n := range p.Nodes {
		if name := plainName(n); n.Container && name != "" {
			c.offer(name, "")
		}
	}
}

// completeMock offers nodes, and after NODE= the forms of a result.
func completeMock(c *completion, p *daemon.Peek) {
	if _, named := c.cut(); named {
		completeWords([]string{"exit:0", "exit:1", "@"})(c)
	} else {
		c.offerNodes(p, "=", nil)
	}
	c.more = true
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

// completeRun offers the runs of the workfile from its history, newest first.
func completeRun(c *completion) {
	c.ordered = true
	state := settings.FoldersOf(&c.e.Console).State
	id, err := daemon.WorkfileID(c.e.workfileOf(c.cmd, c.args))
	if err != nil || state == "" {
		return
	}
	list, err := history.At(filepath.Join(state, "workspaces", id)).Newest(maxCompletions)
	if err != nil {
		return
	}
	for _, run := range list {
		if number := strconv.Itoa(run.Request.Run); !slices.Contains(c.args, number) {
			c.offer(number, runHint(run, time.Now()))
		}
	}
}

// completeRunOrNow is completeRun with the word for the workfile as it is now.
func completeRunOrNow(c *completion) {
	completeRun(c)
	if !slices.Contains(c.args, api.DiffNow) {
		c.offer(api.DiffNow, "the workfile as it is now")
	}
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
