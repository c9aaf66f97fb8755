package planning

import (
	"fmt"

	"wf/api"
	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/uptodate"
	"wf/workspace/workfile"
)

// The codes of problems with declared files.
const (
	codePaths  = "bad-path"      // error
	codeShared = "shared-output" // warning
	codeLink   = "missing-edge"  // warning
)

// checkFiles adds the problems of declared inputs and outputs.
func checkFiles(pl *Planner, c *api.Check) {
	any, found := false, 0
	add := func(severity, code, attr, message string, nodes ...*graph.Node) {
		if found++; found > problemsPerCode {
			return
		}
		var ids []string
		for _, n := range nodes {
			ids = append(ids, n.ID)
		}
		p := api.Problem{Severity: severity, Code: code, Message: message, Nodes: pl.Nodes.Names(ids)}
		p.Line = pl.File.Document().NodeAttrLine(nodes[len(nodes)-1].ID, attr)
		addProblem(c, p)
	}
	for _, n := range pl.File.Graph().Nodes() {
		inputs, outputs := flow.DeclaredFiles(n)
		any = any || outputs != ""
		for _, f := range [...]struct{ attr, text string }{{"inputs", inputs}, {"outputs", outputs}} {
			if f.text == "" || expression.HasTemplate(f.text) {
				continue
			}
			if err := uptodate.CheckPaths(uptodate.Paths(f.text), f.attr == "inputs"); err != nil {
				add("error", codePaths, f.attr, fmt.Sprintf("node %s: %s: %v", pl.File.Handle(n), f.attr, err), n)
			}
		}
	}
	if !any {
		return
	}
	links := workfile.LinksByFiles(pl.File.Graph())
	for _, s := range links.Shared {
		text := fmt.Sprintf("nodes %s and %s have the same output %s, so each run of one spoils what the other has made", pl.File.Handle(s.First), pl.File.Handle(s.Second), s.Path)
		if s.First == s.Second {
			text = fmt.Sprintf("node %s: all its instances have the same output %s; write ${{ item }} or ${{ index }} into it", pl.File.Handle(s.First), s.Path)
			add("warning", codeShared, "outputs", text, s.First)
			continue
		}
		add("warning", codeShared, "outputs", text, s.First, s.Second)
	}
	for _, l := range links.Missing {
		text := fmt.Sprintf("node %s reads %s, which node %s makes, and no edge leads there", pl.File.Handle(l.Reader), l.Path, pl.File.Handle(l.Maker))
		if l.From != nil {
			text += fmt.Sprintf("; wf edit add-edge %s %s, or wf edit connect --by-files for all", pl.File.Handle(l.From), pl.File.Handle(l.To))
		}
		add("warning", codeLink, "inputs", text, l.Maker, l.Reader)
	}
	if more := found - problemsPerCode; more > 0 {
		addProblem(c, api.Problem{Severity: "warning", Code: codeLink, Message: fmt.Sprintf("%d more problems of declared files are not shown", more)})
	}
}
