package workspace

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/executor/shell"
	"wf/graph"
	"wf/graphml"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// Check lists what is wrong with the workfile, with lines.
func (w *Workspace) Check(ctx context.Context) (api.Check, error) {
	if err := w.file.RenewWarnings(ctx); err != nil {
		return api.Check{}, err
	}
	var folder workFolder
	c, err := ask(ctx, w, func(w *Workspace) (api.Check, error) {
		folder = w.workFolder()
		c := w.check()
		w.checkShell(&c)
		return c, nil
	})
	if err != nil {
		return c, err
	}
	folder.check(&c)
	return c, nil
}

// check is Check without looking for programs.
func (w *Workspace) check() api.Check {
	c := api.Check{Schema: api.SchemaCheck, OK: true, Nodes: len(w.file.Graph().Nodes()), Edges: len(w.file.Graph().Edges()),
		Problems: []api.Problem{}}
	if w.file.Unreadable() != "" {
		addProblem(&c, api.Problem{Severity: "error", Code: "unreadable", Message: w.file.Unreadable()})
	}
	_, problems := flow.Read(w.file.Graph())
	more := map[string]int{}
	for _, p := range append(graph.Check(w.file.Graph()), problems...) {
		if more[p.Code]++; more[p.Code] <= problemsPerCode {
			addProblem(&c, w.problem(p))
		} else if p.Severity == graph.Error {
			c.OK = false
		}
	}
	for _, code := range slices.Sorted(maps.Keys(more)) {
		if n := more[code] - problemsPerCode; n > 0 {
			addProblem(&c, api.Problem{Severity: "warning", Code: code, Message: fmt.Sprintf("%d more of this kind are not shown", n)})
		}
	}
	for _, p := range w.oddities() {
		addProblem(&c, p)
	}
	w.checkWrapper(&c)
	return c
}

// problemsPerCode bounds how many problems of one kind are listed.
const problemsPerCode = 1000

// checkShell adds a problem if the shell of the workfile does not exist. The daemon has no PATH to look in, but each run brings its
// own and is checked again.
func (w *Workspace) checkShell(c *api.Check) {
	program, _ := w.file.Graph().Attr("shell")
	path := os.Getenv("PATH")
	if path == "" && !strings.Contains(program, "/") {
		return
	}
	if err := shell.Check(program, []string{"PATH=" + path}, w.cwd()); err != nil {
		addProblem(c, api.Problem{Severity: "error", Code: "shell", Line: w.file.Document().GraphAttrLine("shell"), Message: err.Error()})
	}
}

func addProblem(c *api.Check, p api.Problem) {
	if p.Severity == "error" {
		c.OK = false
	}
	c.Problems = append(c.Problems, p)
}

// oddities returns what the reader of the file found odd, without what edits have corrected since.
func (w *Workspace) oddities() []api.Problem {
	var list []api.Problem
	for _, x := range w.file.Warnings() {
		if x.Attr != "" && w.hasAttr(x) {
			continue
		}
		p := api.Problem{Severity: "warning", Code: x.Code, Line: x.Line, Message: x.Message}
		if x.Severe {
			p.Severity = "error"
		}
		list = append(list, p)
	}
	return list
}

// hasAttr reports whether the element of a warning has the attribute by now, or is gone.
func (w *Workspace) hasAttr(x graphml.Warning) (has bool) {
	switch {
	case x.Node != "":
		if n := w.file.Graph().Node(x.Node); n != nil {
			_, has = n.Attr(x.Attr)
			return has
		}
		return true
	case x.Edge >= 0:
		if e := w.file.Graph().Edge(x.Edge); e != nil {
			_, has = e.Attr(x.Attr)
			return has
		}
		return true
	}
	_, has = w.file.Graph().Attr(x.Attr)
	return has
}

// problem describes a finding about the graph with handles and lines.
func (w *Workspace) problem(p graph.Problem) api.Problem {
	out := api.Problem{Severity: "warning", Code: p.Code, Message: p.Message, Nodes: w.nodes.Names(p.Nodes)}
	if p.Severity == graph.Error {
		out.Severity = "error"
	}
	switch {
	case p.Edge >= 0:
		out.Line = w.file.Document().EdgeAttrLine(p.Edge, p.Attr)
	case len(p.Nodes) > 0:
		out.Line = w.file.Document().NodeAttrLine(p.Nodes[0], p.Attr)
	case p.Attr != "":
		out.Line = w.file.Document().GraphAttrLine(p.Attr)
	}
	if out.Line > 0 {
		out.Line += p.Line
	}
	if p.Code == "cycle" && len(out.Nodes) > 0 {
		out.Message = "blocking edges form a cycle: " + strings.Join(append(out.Nodes[:len(out.Nodes):len(out.Nodes)], out.Nodes[0]), " -> ")
	}
	return out
}

// checkWrapper adds a problem if the wrapper would not execute commands as they are meant.
func (w *Workspace) checkWrapper(c *api.Check) {
	program, _ := w.file.Graph().Attr("shell")
	if p := shell.CheckWrapper(w.file.Wrapper(), program); p != nil {
		line := w.file.Document().GraphAttrLine("wrapper")
		addProblem(c, api.Problem{Severity: "error", Code: "wrapper", Line: line, Message: workfile.WrapperMessage(p)})
	}
}

// executesCommands sets the wrapper of a run. It refuses a wrapper or shell that would not execute commands as they are meant.
// asked means that the request sets the wrapper, not the settings.
func (w *Workspace) executesCommands(r *history.Request, req api.RunRequest, asked bool) error {
	if req.Wrapper != nil {
		r.Wrapper = *req.Wrapper
	}
	if err := w.findShell(r.Shell, req.Env); err != nil {
		return err
	}
	return w.fitWrapper(r.Wrapper, r.Shell, asked, req.Wrapper != nil)
}

// fitWrapper refuses a wrapper that would not execute commands as they are meant. asked: the request sets it; brought: it comes with
// the request, from a flag or from the settings.
func (w *Workspace) fitWrapper(wrapper, program string, asked, brought bool) error {
	p := shell.CheckWrapper(wrapper, program)
	if p == nil {
		return nil
	}
	e := &api.Error{Code: api.CodeWorkfile, Message: p.Message, Why: p.Why, Where: w.file.Where(w.file.Document().GraphAttrLine("wrapper"))}
	if brought {
		e.Code, e.Where = api.CodeInvalid, ""
	}
	switch {
	case p.Correct == "":
	case asked:
		e.Fix = "--wrapper " + shell.Quote(p.Correct)
	case brought:
		e.Fix = "it comes from the settings (wf doctor shows where); there: wrapper = " + strconv.Quote(p.Correct)
	default:
		e.Fix = "wf edit wrapper " + shell.Quote(p.Correct)
	}
	return e
}

// findShell refuses a run without a shell that can execute its commands. A plan has no environment of its own and uses ours.
func (w *Workspace) findShell(program string, env []string) error {
	if program == "" {
		return nil
	}
	if env == nil {
		env = []string{"PATH=" + os.Getenv("PATH")}
	}
	err := shell.Check(program, env, w.cwd())
	if err == nil {
		return nil
	}
	return &api.Error{Code: api.CodeWorkfile, Message: "the shell of the workfile cannot execute its commands", Why: err.Error(),
		Where: w.file.Where(w.file.Document().GraphAttrLine("shell")), Fix: "wf edit set-graph shell 'bash -euo pipefail', for example"}
}
