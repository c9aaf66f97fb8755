package planning

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
	"wf/scheduler"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/workfile"
)

// Check lists the problems of the workfile, with line numbers.
func (pl *Planner) Check(ctx context.Context) (api.Check, error) {
	if err := pl.File.RenewWarnings(ctx); err != nil {
		return api.Check{}, err
	}
	var folder workFolder
	var tables namedTables
	var around foundSurroundings
	c, err := loop.Ask(ctx, pl.Loop, func() (api.Check, error) {
		folder, tables = pl.workFolder(), tablesOf(pl)
		c := pl.check()
		pl.checkShell(&c)
		around = checkSurroundings(pl, &c)
		return c, nil
	})
	if err != nil {
		return c, err
	}
	folder.check(&c)
	tables.check(&c)
	around.check(&c)
	return c, nil
}

// CheckLoaded is like Check, for a workfile whose loop does not run.
func (pl *Planner) CheckLoaded() api.Check {
	c := pl.check()
	pl.checkShell(&c)
	pl.workFolder().check(&c)
	tablesOf(pl).check(&c)
	checkSurroundings(pl, &c).check(&c)
	return c
}

// check lists the problems that can be found without looking for programs.
func (pl *Planner) check() api.Check {
	c := api.Check{Schema: api.SchemaCheck, OK: true, Nodes: len(pl.File.Graph().Nodes()), Edges: len(pl.File.Graph().Edges()),
		Problems: []api.Problem{}}
	if pl.File.Unreadable() != "" {
		addProblem(&c, api.Problem{Severity: "error", Code: "unreadable", Message: pl.File.Unreadable()})
	}
	f, problems := flow.Read(pl.File.Graph())
	more := map[string]int{}
	for _, p := range append(graph.Check(pl.File.Graph()), problems...) {
		if more[p.Code]++; more[p.Code] <= problemsPerCode {
			addProblem(&c, pl.problem(p))
		} else if p.Severity == graph.Error {
			c.OK = false
		}
	}
	for _, code := range slices.Sorted(maps.Keys(more)) {
		if n := more[code] - problemsPerCode; n > 0 {
			addProblem(&c, api.Problem{Severity: "warning", Code: code, Message: fmt.Sprintf("%d more of this kind are not shown", n)})
		}
	}
	for _, p := range pl.parserWarnings() {
		addProblem(&c, p)
	}
	pl.executors().check(&c, f)
	pl.checkWrapper(&c)
	pl.checkNotify(&c)
	pl.checkTriggers(&c)
	checkHooks(pl, &c, f)
	checkFiles(pl, &c)
	return c
}

// problemsPerCode bounds how many problems of one kind are listed.
const problemsPerCode = 1000

// checkShell adds a problem if the shell of the workfile does not exist. If this process has no
// PATH, as in the daemon, it skips a shell without a path: each run brings its own PATH and is checked again.
func (pl *Planner) checkShell(c *api.Check) {
	program, _ := pl.File.Graph().Attr("shell")
	path := os.Getenv("PATH")
	if path == "" && !strings.Contains(program, "/") {
		return
	}
	if err := shell.Check(program, []string{"PATH=" + path}, pl.Folder()); err != nil {
		addProblem(c, api.Problem{Severity: "error", Code: "shell", Line: pl.File.Document().GraphAttrLine("shell"), Message: err.Error()})
	}
}

func addProblem(c *api.Check, p api.Problem) {
	if p.Severity == "error" {
		c.OK = false
	}
	c.Problems = append(c.Problems, p)
}

// parserWarnings returns the warnings of the parser, without those that edits have corrected since.
func (pl *Planner) parserWarnings() []api.Problem {
	var list []api.Problem
	for _, x := range pl.File.Warnings() {
		if x.Attr != "" && pl.hasAttr(x) {
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

// hasAttr reports whether the element of a warning now has the attribute, or was deleted.
func (pl *Planner) hasAttr(x graphml.Warning) (has bool) {
	switch {
	case x.Node != "":
		if n := pl.File.Graph().Node(x.Node); n != nil {
			_, has = n.Attr(x.Attr)
			return has
		}
		return true
	case x.Edge >= 0:
		if e := pl.File.Graph().Edge(x.Edge); e != nil {
			_, has = e.Attr(x.Attr)
			return has
		}
		return true
	}
	_, has = pl.File.Graph().Attr(x.Attr)
	return has
}

// problem converts a problem of the graph for clients, with handles and line numbers.
func (pl *Planner) problem(p graph.Problem) api.Problem {
	out := api.Problem{Severity: "warning", Code: p.Code, Message: p.Message, Nodes: pl.Nodes.Names(p.Nodes)}
	if p.Severity == graph.Error {
		out.Severity = "error"
	}
	switch {
	case p.Edge >= 0:
		out.Line = pl.File.Document().EdgeAttrLine(p.Edge, p.Attr)
	case len(p.Nodes) > 0:
		out.Line = pl.File.Document().NodeAttrLine(p.Nodes[0], p.Attr)
	case p.Attr != "":
		out.Line = pl.File.Document().GraphAttrLine(p.Attr)
	}
	if out.Line > 0 {
		out.Line += p.Line
	}
	if p.Code == "cycle" && len(out.Nodes) > 0 {
		out.Message = "blocking edges form a cycle: " + strings.Join(append(out.Nodes[:len(out.Nodes):len(out.Nodes)], out.Nodes[0]), " -> ")
	}
	return out
}

// checkWrapper adds a problem if the wrapper would not execute commands correctly.
func (pl *Planner) checkWrapper(c *api.Check) {
	program, _ := pl.File.Graph().Attr("shell")
	if p := shell.CheckWrapper(pl.File.Wrapper(), program); p != nil {
		line := pl.File.Document().GraphAttrLine("wrapper")
		addProblem(c, api.Problem{Severity: "error", Code: "wrapper", Line: line, Message: workfile.WrapperMessage(p)})
	}
}

// executesCommands sets the wrapper of a run. It refuses a wrapper or shell that would not execute commands correctly. asked
// means that the request itself sets the wrapper, not the user's settings.
func (pl *Planner) executesCommands(r *history.Request, req api.RunRequest, asked bool) error {
	if req.Wrapper != nil {
		r.Wrapper = *req.Wrapper
	}
	if err := pl.findShell(r.Shell, req.Env); err != nil {
		return err
	}
	return pl.fitWrapper(r.Wrapper, r.Shell, asked, req.Wrapper != nil)
}

// fitWrapper refuses a wrapper that would not execute commands correctly. asked means that a flag sets it, brought that a
// flag or the user's settings set it.
func (pl *Planner) fitWrapper(wrapper, program string, asked, brought bool) error {
	p := shell.CheckWrapper(wrapper, program)
	if p == nil {
		return nil
	}
	e := &api.Error{Code: api.CodeWorkfile, Message: p.Message, Why: p.Why, Where: pl.File.Where(pl.File.Document().GraphAttrLine("wrapper"))}
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

// findShell refuses a run if there is no shell for its commands. A plan has no environment of its own and uses that of this
// process.
func (pl *Planner) findShell(program string, env []string) error {
	if program == "" {
		return nil
	}
	if env == nil {
		env = []string{"PATH=" + os.Getenv("PATH")}
	}
	err := shell.Check(program, env, pl.Folder())
	if err == nil {
		return nil
	}
	return &api.Error{Code: api.CodeWorkfile, Message: "the shell of the workfile cannot execute its commands", Why: err.Error(),
		Where: pl.File.Where(pl.File.Document().GraphAttrLine("shell")), Fix: "wf edit set-graph shell 'bash -euo pipefail', for example"}
}

// servable refuses a run if a command needs more units of a pool than can become free: the size of the pool minus the units
// that the callers of the run hold until it ends. Mocked nodes need no units.
func (pl *Planner) servable(f *flow.Flow, nodes []*graph.Node, mocks map[string]scheduler.Mock, held map[string]int) error {
	if pl.Pools == nil || f == nil || f.Plain() {
		return nil
	}
	for _, n := range nodes {
		rules := f.Node(n)
		if rules == nil {
			continue
		}
		if _, mocked := mocks[n.ID]; mocked {
			continue
		}
		for _, use := range rules.Pool {
			size := pl.Pools.Size(use.Name)
			if use.Units <= size-held[use.Name] {
				continue
			}
			name := pl.File.Handle(n)
			e := &api.Error{Code: api.CodeWorkfile, Nodes: []string{name}, Where: pl.File.Where(pl.File.Document().NodeLine(n.ID)),
				Message: fmt.Sprintf("node %s needs %s:%d, and the size of pool %s is %d", name, use.Name, use.Units, use.Name, size),
				Fix:     fmt.Sprintf("wf server pools %s=%d, or wf edit set %s pool %s:N with less", use.Name, use.Units, name, use.Name)}
			if use.Units <= size {
				e.Why = fmt.Sprintf("the command that starts this run holds %d of it until the run is over", held[use.Name])
				e.Fix = fmt.Sprintf("wf server pools %s=%d, or let the command that runs %s need less", use.Name, use.Units+held[use.Name], pl.Path)
			}
			return e
		}
	}
	return nil
}
