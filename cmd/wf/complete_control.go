package main

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/report"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/graph/attribute"
	"wf/tui/plain"
)

// completeAttribute offers the attributes that users can set on an element, each with its meaning.
func completeAttribute(on attribute.Element) completer {
	return func(_ *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var found []cobra.Completion
		for a := range attribute.On(on) {
			if a.Settable() && a.Name != "edge_type" && strings.HasPrefix(a.Name, word) { // wf edit type sets that
				found = append(found, cobra.CompletionWithDesc(a.Name, a.Meaning))
			}
		}
		return found, noFiles
	}
}

// completeValue offers values of the attribute before it, or the words of a status.
func completeValue(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	key := ""
	if len(c.args) > 0 {
		key = c.args[len(c.args)-1]
	}
	switch {
	case c.cmd.Name() == "status":
		return completeWords("ran", "fail")(c, word)
	case key == "when":
		return completeCondition(c, word)
	}
	var words []string
	for a := range attribute.All() {
		if a.Name == key && a.Settable() {
			words = a.Words
		}
	}
	return completeWords(words...)(c, word)
}

// completeCondition offers the conditions of edges. One that ends in a colon needs more text.
func completeCondition(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found, directive := completeWords(attribute.Find(attribute.Edge, "when").Words...)(c, word)
	if len(found) == 1 && strings.HasSuffix(found[0], ":") {
		directive = noSpace
	}
	return found, directive
}

// completeReport offers the kinds of reports, and after KIND= the files.
func completeReport(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	kind, path, named := strings.Cut(word, "=")
	if !named {
		found, _ := completeWords(report.Kinds()...)(c, word)
		for i := range found {
			found[i] += "="
		}
		return found, noSpace
	}
	found := filesBeginning(c.e, path, anyName)
	for i := range found {
		found[i] = kind + "=" + found[i]
	}
	return found, filesDirective(found)
}

// completionTime limits how long completion waits for the daemon.
const completionTime = 500 * time.Millisecond

// completeContainer offers the containers of the workfile.
func completeContainer(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	p := c.peek()
	if p == nil {
		return nil, noFiles
	}
	var found []cobra.Completion
	for _, n := range p.Nodes {
		if name := plainName(n); n.Container && name != "" && strings.HasPrefix(name, word) {
			found = append(found, name)
		}
	}
	return limited(found), noFiles
}

// completeWaiting offers the nodes that wait for a person, if a daemon has the workfile open.
func completeWaiting(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	ws, done := c.e.opened(ctx, settings.FoldersOf(&c.e.Console), c.e.workfileOf(c.cmd, c.args))
	if ws == nil {
		return nil, noFiles
	}
	defer done()
	list, err := ws.Approvals(ctx)
	if err != nil {
		return nil, noFiles
	}
	var found []cobra.Completion
	for _, a := range list.Approvals {
		if strings.HasPrefix(a.Name, word) {
			found = append(found, cobra.CompletionWithDesc(a.Name, console.Paint{}.Clip("run "+a.Run+": "+plain.Line(a.Text), maxCommand)))
		}
	}
	return limited(found), noFiles
}

// completeParam offers the parameters of the workfile, and after NAME= the choices.
func completeParam(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	p := c.peek()
	if p == nil {
		return nil, noFiles
	}
	var found []cobra.Completion
	name, _, named := strings.Cut(word, "=")
	for _, param := range p.Params() {
		switch {
		case !named && strings.HasPrefix(param.Name, word):
			found = append(found, cobra.CompletionWithDesc(param.Name+"=", plain.Line(param.Help)))
		case named && param.Name == name:
			for _, choice := range param.Choices {
				if text := name + "=" + choice; strings.HasPrefix(text, word) {
					found = append(found, text)
				}
			}
		}
	}
	if named {
		return limited(found), noFiles
	}
	return limited(found), noSpace
}

// completeMock offers nodes, and after NODE= the forms of a result.
func completeMock(c *typedLine, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	node, result, named := strings.Cut(word, "=")
	var found []cobra.Completion
	if named {
		for _, form := range []string{"exit:0", "exit:1", "@"} {
			if strings.HasPrefix(form, result) {
				found = append(found, node+"="+form)
			}
		}
		return found, noSpace
	}
	p := c.peek()
	if p == nil {
		return nil, noSpace
	}
	for _, n := range nodesBeginning(p, word, "", nil) {
		name, hint, _ := strings.Cut(n, "\t")
		found = append(found, cobra.CompletionWithDesc(name+"=", hint))
	}
	return found, noSpace
}

// instancePrefix matches the path of an instance, up to the slash.
var instancePrefix = regexp.MustCompile(`^(?:.*/)?([^/]+)\[[0-9*]+\]/`)

// instancesBeginning offers paths of instances: a sub-flow with an opening bracket, and after a complete
// instance its nodes. open says that a completion ends with a bracket, so that a number must follow.
func instancesBeginning(p *daemon.Peek, word string) (found []cobra.Completion, open bool) {
	within, prefix := "", ""
	if path := instancePrefix.FindStringSubmatch(word); path != nil {
		prefix = path[0]
		at := slices.IndexFunc(p.Nodes, func(n api.NodeStatus) bool { return n.SubFlow != "" && n.Name == path[1] })
		if at < 0 {
			return nil, false
		}
		within = p.Nodes[at].ID
	}
	for _, n := range p.Nodes {
		name := plainName(n)
		if n.Parent != within || name == "" || !strings.HasPrefix(prefix+name, word) || n.SubFlow == "" && within == "" {
			continue
		}
		hint := n.Command
		if n.SubFlow != "" {
			name, hint, open = name+"[", n.SubFlow, true
		}
		found = append(found, cobra.CompletionWithDesc(prefix+name, console.Paint{}.Clip(plain.Line(hint), maxCommand)))
	}
	return limited(found), open
}
