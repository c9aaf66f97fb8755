package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/executor/procattr"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/flow"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/params"
	"wf/workspace/runstate"
)

// defaultGraceMS is the time from TERM to KILL, in milliseconds (docs/semantics.md, Stopping).
const defaultGraceMS = 10_000

// StartRun starts a run (docs/semantics.md, Scope) and returns when the run has a number and its first nodes are activated.
func (w *Workspace) StartRun(ctx context.Context, client string, req api.RunRequest) (api.RunAccepted, error) {
	if err := w.file.Refresh(ctx); err != nil {
		return api.RunAccepted{}, err
	}
	if req.Env == nil { // an executor takes nil for "the environment that it has already"
		req.Env = []string{}
	}
	err := w.checkWorkFolder(ctx)
	if err != nil {
		return api.RunAccepted{}, err
	}
	if req.Params, err = params.Exact(req.Params); err != nil {
		return api.RunAccepted{}, api.Invalid("the parameters: %v", err)
	}
	if err = w.checkRepeat(ctx, req); err != nil {
		return api.RunAccepted{}, err
	}
	if err = badWorld(req.World); err != nil {
		return api.RunAccepted{}, err
	}
	if req.Params, err = w.resolveParams(ctx, req); err != nil {
		return api.RunAccepted{}, err
	}
	if acc, found, err := w.startedBefore(ctx, req); found || err != nil {
		return acc, err
	}
	return await(ctx, w, func(w *Workspace, reply func(api.RunAccepted, error)) {
		w.start(&pendingStart{ctx: ctx, client: client, req: req, reply: reply})
	})
}

// newRun chooses the scope of a run and refuses what cannot run. It changes nothing. A nil run without an error means that
// there is nothing to resume.
func (w *Workspace) newRun(client string, req api.RunRequest) (*run, api.RunAccepted, error) {
	acc := api.RunAccepted{Mode: req.Mode, Total: w.nodes.Count(w.nodes.Blocked()).Total()}
	if err := w.mayBegin(); err != nil {
		return nil, acc, err
	}
	scope, err := w.scope(req)
	if errors.Is(err, scheduler.ErrNothingToResume) {
		return nil, acc, nil
	}
	if err != nil {
		return nil, acc, err
	}
	req, scope, note, err := w.withOwnParams(req, scope)
	if err != nil {
		return nil, acc, err
	}
	if err := w.admit(scope, req); err != nil {
		return nil, acc, err
	}
	r, err := w.build(scope, client, req)
	if err != nil {
		return nil, acc, err
	}
	acc.Mode, acc.Nodes, acc.Failed = r.Request.Mode, r.Sched.Total(), len(scope.Failed)
	acc.Resumes, acc.Notes = history.RunID(r.Request.Resumes), append(r.changedSince(w), r.notes...)
	if from := w.moved(); from != "" {
		acc.Notes = append(acc.Notes, "looks like "+from+" was moved here: wf mv "+filepath.Base(from)+" "+filepath.Base(w.path)+" would have brought its history")
	}
	if acc.Mode == api.ModeResume {
		acc.FromFile = w.nodes.CountFromFile(scope.Nodes)
	}
	if note != "" {
		acc.Notes = append(acc.Notes, note)
	}
	return r, acc, nil
}

// usable returns an error while no run may start: the workspace closes, or the file on disk is not the one in memory.
func (w *Workspace) usable() error {
	if w.closing {
		return errClosed()
	}
	if len(w.untaken) > 0 {
		return &api.Error{Code: api.CodeInternal, Message: "the records of run " + history.RunID(w.untaken[0]) + " cannot be read at present",
			Where: w.store.Dir(w.untaken[0]), Why: w.file.Problem(), Fix: "wf tries again by itself; that run may still be going"}
	}
	if w.file.Unreadable() != "" {
		return &api.Error{Code: api.CodeWorkfile, Message: "the workfile cannot be used", Where: w.path,
			Why: w.file.Unreadable(), Fix: "mend or restore the file; wf notices by itself"}
	}
	return nil
}

func (w *Workspace) scope(req api.RunRequest) (scheduler.Scope, error) {
	sreq := scheduler.Request{Explicit: len(req.Nodes) > 0, LastScope: w.lastScope,
		Active:  func(n *graph.Node) bool { return w.nodes.RunOf(n) != nil },
		Handled: func(n *graph.Node) bool { return w.nodes.Prior[n.ID].Handled && w.nodes.Prior[n.ID].Status == n.Status },
		Due:     func(n *graph.Node) bool { return w.nodes.Prior[n.ID].Due && w.nodes.Prior[n.ID].Status == n.Status }}
	switch req.Mode {
	case api.ModeFresh:
		sreq.Mode = scheduler.Fresh
	case api.ModeResume:
		sreq.Mode = scheduler.Resume
	case "":
	default:
		return scheduler.Scope{}, api.Invalid("unknown mode %q (fresh, resume)", req.Mode)
	}
	var err error
	if sreq.Explicit {
		if blank(req.Nodes) {
			return scheduler.Scope{}, api.Invalid("the selection is empty: it names no node")
		}
		again, holders, err := w.nodes.InstancePaths(req.Nodes)
		if err != nil {
			return scheduler.Scope{}, err
		}
		if again != nil {
			return w.scopeAgain(req, sreq, again, holders)
		}
		if sreq.Selected, err = w.file.Select(req.Nodes); err != nil {
			return scheduler.Scope{}, err
		}
		if len(sreq.Selected) == 0 {
			return scheduler.Scope{}, w.nodes.NothingSelected(req.Nodes)
		}
	}
	if err := w.between(req, &sreq); err != nil {
		return scheduler.Scope{}, err
	}
	if len(req.Exclude) > 0 {
		if sreq.Excluded, err = w.file.Select(req.Exclude); err != nil {
			return scheduler.Scope{}, err
		}
	}
	return scheduler.Choose(w.file.Graph(), sreq)
}

// blank reports whether selectors contain nothing, as an unset variable of a script does. It would be a run of nothing, which
// succeeds.
func blank(selectors []string) bool {
	return strings.Trim(strings.Join(selectors, ","), ", \t\r\n") == ""
}

// lastScope returns the scope of the last run of a node.
func (w *Workspace) lastScope(id string) ([]string, bool) {
	e, known := w.nodes.Earlier(w.nodes.Latest[id].Run)
	return e.Scope, known && e.Scope != nil
}

// admit refuses a scope that overlaps an active run, needs the user's consent, or contains what cannot be executed.
func (w *Workspace) admit(scope scheduler.Scope, req api.RunRequest) error {
	for _, r := range w.runs {
		var shared []string
		for _, n := range scope.Nodes {
			if _, in := r.Sched.Index(n.ID); in {
				shared = append(shared, w.file.Handle(n))
			}
		}
		if len(shared) > 0 {
			return &api.Error{Code: api.CodeConflict, Run: r.ID, Nodes: shared,
				Message: fmt.Sprintf("run %s is going and covers %s", r.ID, api.Several(shared, 5)),
				Fix:     fmt.Sprintf("wf attach %s watches it, wf stop %s ends it", r.ID, r.ID)}
		}
	}
	if w.onlyDrawn() && !req.AcceptDrawing {
		return &api.Error{Code: api.CodeWorkfile, Where: w.path,
			Message: "the commands of this workfile are texts of a drawing (yEd labels)",
			Why:     "a drawing is not always a workflow: running it needs an explicit yes once",
			Fix:     "look at wf plan, then: wf run --accept-drawing"}
	}
	return w.executable(scope)
}

// onlyDrawn reports whether the commands are only texts of a drawing that the user has not accepted yet. A workfile that has run
// on this machine was accepted.
func (w *Workspace) onlyDrawn() bool {
	return w.file.Document().FromDrawing() && !slices.ContainsFunc(w.file.Graph().Nodes(), func(n *graph.Node) bool { return w.nodes.LastRun(n) > 0 })
}

// executable refuses nodes that cannot be executed according to graph.Check.
func (w *Workspace) executable(scope scheduler.Scope) error {
	in := make(map[string]bool, len(scope.Nodes))
	for _, n := range scope.Nodes {
		in[n.ID] = true
	}
	for _, p := range graph.Check(w.file.Graph()) {
		if p.Severity != graph.Error || p.Code == "cycle" {
			continue // the scheduler checks the cycles within the scope
		}
		if len(p.Nodes) > 0 && !in[p.Nodes[0]] {
			continue
		}
		e := &api.Error{Code: api.CodeWorkfile, Message: p.Message, Nodes: p.Nodes, Fix: "wf check shows all problems"}
		if len(p.Nodes) > 0 {
			e.Where = w.file.Where(w.file.Document().NodeLine(p.Nodes[0]))
		}
		return e
	}
	return nil
}

// build makes a run with its own copy of everything it needs.
func (w *Workspace) build(scope scheduler.Scope, client string, req api.RunRequest) (*run, error) {
	req, asked := w.withDefaults(req), req.Wrapper != nil
	activations, err := w.number("max_activations", 0)
	if err != nil {
		return nil, err
	}
	instances, err := w.number("max_instances", flow.DefaultInstances)
	if err != nil {
		return nil, err
	}
	const unsaid = -1
	jobs, err := w.number("jobs", unsaid)
	if err != nil {
		return nil, err
	}
	if req.Jobs != nil {
		if jobs = *req.Jobs; jobs < 0 {
			return nil, api.Invalid("jobs is %d: 0 or more is needed", jobs)
		}
	}
	f, unread, err := w.readFlow()
	if err != nil {
		return nil, err
	}
	r := newRun()
	r.notes = unread
	r.Request = history.Request{
		Workspace: w.id, Workfile: w.path, Mode: modeWord(scope.Mode), Selection: req.Nodes, Exclude: req.Exclude,
		Until: req.Until, From: req.From,
		All: scope.All, Wrapper: w.file.Wrapper(), Cwd: w.cwd(), Jobs: max(0, jobs), NoLimit: jobs == 0, FailFast: req.FailFast,
		TimeoutMS: req.TimeoutMS, GraceMS: defaultGraceMS, MaxActivations: activations, MaxInstances: instances,
		Client: client, Key: req.Key, Failed: len(scope.Failed), User: req.User, Version: w.cfg.Version, Time: clock.Now(),
	}
	var holders []*graph.Node
	if r.Request.Again, holders, err = w.nodes.InstancePaths(req.Nodes); err != nil {
		return nil, err
	}
	r.Request.World = req.World
	if c := req.Caller; c != nil {
		r.Request.Caller = &history.Caller{Workfile: c.Workfile, Run: c.Run, Node: c.Node, Execution: c.Execution, Held: c.Held}
	}
	r.Request.Host, _ = os.Hostname() // "" if the machine has no name
	r.Request.Shell, _ = w.file.Graph().Attr("shell")
	r.Request.Output = w.streams().String()
	if err := w.executesCommands(&r.Request, req, asked); err != nil {
		return nil, err
	}
	if req.GraceMS != nil {
		r.Request.GraceMS = max(0, *req.GraceMS)
	}
	for _, n := range append(holders, scope.Failed...) {
		r.Request.Resumes = max(r.Request.Resumes, w.nodes.LastRun(n))
	}
	if err := w.control(r, f, scope, req); err != nil {
		return nil, err
	}
	scope.Nodes = outerFirst(scope.Nodes)
	opt, err := runstate.Options(r.Request, f, r.Prior, append(req.Env[:len(req.Env):len(req.Env)], r.secrets...))
	if err != nil {
		return nil, api.Internal("the run cannot begin", err)
	}
	r.Flow = opt.Flow
	if r.Sched, err = scheduler.NewRun(w.file.Graph(), scope, opt); err != nil {
		return nil, w.runError(err)
	}
	r.notes = append(r.notes, w.outsideNotes(r, f, scope.Nodes)...)
	w.freeze(r, scope.Nodes)
	return r, nil
}

// badWorld checks the process attributes of a request.
func badWorld(world []byte) error {
	if _, err := procattr.Parse(world); err != nil {
		return api.Invalid("world: %v", err)
	}
	return nil
}

// freeze writes the nodes of the run into its request and copies them, so that later edits do not reach it.
func (w *Workspace) freeze(r *run, nodes []*graph.Node) {
	r.Request.Scope = make([]string, len(nodes))
	r.Request.Names = make([]string, len(nodes))
	if r.Request.Outer = r.Sched.NodeCount(); r.Request.Outer == len(nodes) {
		r.Request.Outer = 0
	}
	for i, n := range nodes {
		r.Request.Scope[i], r.Request.Names[i] = n.ID, w.file.Handle(n)
	}
	r.FreezeNodes(w.file.Graph())
	r.Earlier = func(id string) *runstate.Execution { return w.nodes.Latest[id].Execution }
	r.Link(w.file.Graph())
}

// outerFirst sorts the nodes of a scope: those of the outer flow come before those of sub-flows.
func outerFirst(nodes []*graph.Node) []*graph.Node {
	var inner []*graph.Node
	for i, n := range nodes {
		if n.Parent != nil && n.Home() != nil {
			if inner == nil {
				nodes = append(make([]*graph.Node, 0, len(nodes)), nodes[:i]...)
				inner = []*graph.Node{}
			}
			inner = append(inner, n)
			continue
		}
		if inner != nil {
			nodes = append(nodes, n)
		}
	}
	return append(nodes, inner...)
}

func modeWord(m scheduler.Mode) string {
	if m == scheduler.Resume {
		return api.ModeResume
	}
	return api.ModeFresh
}

// number reads a numeric graph attribute.
func (w *Workspace) number(name string, absent int) (int, error) {
	text, ok := w.file.Graph().Attr(name)
	text = strings.TrimSpace(text)
	if !ok || text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, &api.Error{Code: api.CodeWorkfile, Where: w.path,
			Message: fmt.Sprintf("graph attribute %s is %q: a whole number is needed", name, text)}
	}
	return n, nil
}

// cwd returns the folder of the commands: that of the workfile, or the attribute relative to it.
func (w *Workspace) cwd() string {
	dir := filepath.Dir(w.path)
	text, ok := w.file.Graph().Attr("cwd")
	switch {
	case !ok || text == "":
		return dir
	case filepath.IsAbs(text):
		return filepath.Clean(text)
	}
	return filepath.Join(dir, text)
}

// streams returns how the outputs of commands are kept: as the workfile says; otherwise merged, or split if the workfile shows the
// end of each stream.
func (w *Workspace) streams() graph.Output {
	if said := w.file.Graph().Output(); said != graph.OutputUnsaid {
		return said
	}
	if w.file.Statuses().Results() == api.ResultsFile {
		return graph.OutputSplit
	}
	return graph.OutputMerged
}

// runError explains an error of the scheduler in terms of the workfile.
func (w *Workspace) runError(err error) error {
	var cycle *scheduler.CycleError
	var border *scheduler.BorderError
	var empty *scheduler.NoCommandError
	e := &api.Error{Code: api.CodeWorkfile, Message: err.Error(), Where: w.path}
	switch {
	case errors.As(err, &cycle):
		return w.cycleError(cycle)
	case errors.As(err, &border):
		names := w.nodes.Names([]string{border.Source, border.Target})
		e.Nodes, e.Where = names, w.file.Where(w.file.Document().EdgeLine(border.Edge))
		e.Message = fmt.Sprintf("edge %s -> %s crosses the border of a sub-flow", names[0], names[1])
		e.Fix = "connect the sub-flow itself instead"
	case errors.As(err, &empty):
		e.Nodes = w.nodes.Names(empty.Nodes)
		e.Message = fmt.Sprintf("node %s has no command", e.Nodes[0])
		if len(e.Nodes) > 1 {
			e.Message = fmt.Sprintf("the nodes %s have no command", api.Several(e.Nodes, 5))
		}
		e.Where = w.file.Where(w.file.Document().NodeLine(empty.Nodes[0]))
		e.Fix = fmt.Sprintf("wf edit set %s label COMMAND", e.Nodes[0])
	}
	return e
}
