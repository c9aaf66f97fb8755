package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/cmd/wf/report"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/executor"
	"wf/graph/attribute"
)

// completionTime limits how long completion waits for the daemon.
const completionTime = 500 * time.Millisecond

// completeAttribute offers the attributes that users can set on an element, each with its meaning.
func completeAttribute(on attribute.Element) completer {
	return func(c *completion) { c.offerAttributes(on, "") }
}

// offerAttributes offers the attributes of an element, each with a suffix.
func (c *completion) offerAttributes(on attribute.Element, suffix string) {
	for a := range attribute.On(on) {
		if a.Settable() && a.Name != "edge_type" { // wf edit type sets that
			c.offer(a.Name+suffix, a.Meaning)
		}
	}
}

// completeSetting offers attributes of elements as KEY=, and after KEY= the values.
func completeSetting(on attribute.Element) completer {
	return func(c *completion) {
		if last := len(c.args) - 1; last >= 0 && attribute.Find(on, c.args[last]) != nil {
			completeValue(c) // KEY VALUE
		} else if key, named := c.cut(); named {
			c.offerValues(key)
		} else {
			c.offerAttributes(on, "=")
		}
	}
}

// completeValue offers values of the attribute before it, or the words of a status.
func completeValue(c *completion) {
	switch {
	case c.cmd.Name() == "status":
		completeWords([]string{"ran", "fail"})(c)
	case len(c.args) > 0:
		c.offerValues(c.args[len(c.args)-1])
	}
}

// completeExecutor offers this machine and the executors of the configuration.
func completeExecutor(c *completion) {
	completeWords(append([]string{executor.LocalEngine}, engineNames(c.e)...))(c)
}

// completeProfile offers the profiles of the workfile and of the user.
func completeProfile(c *completion) {
	path := c.e.workfileOf(c.cmd, c.args)
	_, trust, _ := settings.Files(&c.e.Console, path)
	completeWords(settings.RunProfileNames(&c.e.Console, trust, path))(c)
}

// offerValues offers the values of an attribute.
func (c *completion) offerValues(key string) {
	switch key {
	case "when":
		completeCondition(c)
		return
	case "executor":
		completeExecutor(c)
		return
	}
	var words []string
	for a := range attribute.All() {
		if a.Name == key && a.Settable() {
			words = a.Words
		}
	}
	completeWords(words)(c)
}

// completeCondition offers the conditions of edges. One that ends in a colon needs more text.
func completeCondition(c *completion) {
	completeWords(attribute.Find(attribute.Edge, "when").Words)(c)
	c.more = len(c.offers) == 1 && strings.HasSuffix(c.offers[0].text, ":")
}

// completeReport offers the kinds of reports, and after KIND= the files.
func completeReport(c *completion) {
	if _, named := c.cut(); named {
		completeFile(c)
		return
	}
	for _, kind := range report.Kinds() {
		c.offer(kind+"=", "")
	}
}

// completeParam offers the parameters of the workfile, and after NAME= the choices.
func completeParam(c *completion, p *daemon.Peek) {
	defer c.limit(len(c.offers))
	name, named := c.cut()
	for _, param := range p.Params() {
		switch {
		case !named:
			c.offer(param.Name+"=", param.Help)
		case param.Name == name:
			completeParamValue(c, param)
		}
	}
}

// completeParamValue offers the values of a parameter that are known without running anything.
func completeParamValue(c *completion, p api.Param) {
	switch {
	case len(p.Choices) > 0:
		completeWords(p.Choices)(c)
	case p.Type == "bool":
		completeWords([]string{"true", "false"})(c)
	case p.Type == "path":
		completeFile(c)
	}
}

// completeWaiting offers the nodes that wait for a person, if a daemon has the workfile open.
func completeWaiting(c *completion) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	ws, done := c.e.opened(ctx, c.e.workfileOf(c.cmd, c.args))
	if ws == nil {
		return
	}
	defer done()
	defer c.limit(len(c.offers))
	list, err := ws.Approvals(ctx)
	if err != nil {
		return
	}
	for _, a := range list.Approvals {
		c.offer(a.Name, shortHint("run "+a.Run+": "+a.Text))
	}
}

// completeWorkfile offers folders and files with the name of a workfile. The first word is usually a command, and a
// folder beside commands would suppress the space after the command.
func completeWorkfile(c *completion) {
	c.offerFiles(workfileName)
	beginsCommand := func(name string) bool { return strings.HasPrefix(name, c.word) }
	if !c.cmd.HasParent() && (c.word == "" || slices.ContainsFunc(commandNames(c.cmd), beginsCommand)) {
		c.offers, c.more = slices.DeleteFunc(c.offers, offer.isFolder), false
	}
}

// completeFile offers folders and files.
func completeFile(c *completion) { c.offerFiles(func(string) bool { return true }) }

// offerFiles offers folders, with a slash at the end, and files whose names satisfy wanted.
func (c *completion) offerFiles(wanted func(name string) bool) {
	defer c.limit(len(c.offers))
	dir, start := filepath.Split(c.word)
	entries, _ := os.ReadDir(c.e.Abs(dir))
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case !strings.HasPrefix(name, start), strings.HasPrefix(name, ".") && start == "":
		case isFolder(filepath.Join(c.e.Abs(dir), name), entry):
			c.offer(dir+name+"/", "")
		case wanted(name):
			c.offer(dir+name, "")
		}
	}
	c.more = slices.ContainsFunc(c.offers, offer.isFolder)
}

func (o offer) isFolder() bool { return strings.HasSuffix(o.text, "/") }

// isFolder says whether an entry is a folder, or a link to one.
func isFolder(path string, entry os.DirEntry) bool {
	if entry.Type()&os.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
