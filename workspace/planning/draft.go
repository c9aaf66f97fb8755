package planning

import (
	"context"
	"errors"
	"fmt"
	"os"
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
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/params"
	"wf/workspace/runstate"
)

// changedSince returns notes for a resume about edits since the resumed run: failed commands that were changed, and
// succeeded commands that were changed but are kept.
func (r *Draft) changedSince(nodes *nodestate.Table) []string {
	if r.Request.Mode != api.ModeResume {
		return nil
	}
	var mended, kept []string
	for i := range r.Nodes {
		n, live := &r.Nodes[i], r.LiveNode(i)
		rec := nodes.Record(live)
		if rec == nil || rec.Command == "" || live.Container || rec.Command == runstate.LineOf(&r.State, n.ID, n.Command) {
			continue
		}
		if live.Status == graph.Ran {
			kept = append(kept, n.Name)
		} else {
			mended = append(mended, n.Name)
		}
	}
	var notes []string
	if len(mended) > 0 {
		notes = append(notes, "changed since they ran: the commands of "+api.Several(mended, 5))
	}
	if len(kept) > 0 {
		notes = append(notes, "changed after they succeeded, and kept: "+api.Several(kept, 5)+" (wf run --nodes '"+kept[0]+"+' runs "+kept[0]+" and what follows)")
	}
	return notes
}

// withDefaults adds values from req.Defaults that neither the request nor the workfile sets.
func (pl *Planner) withDefaults(req api.RunRequest) api.RunRequest {
	d := req.Defaults
	if d == nil {
		return req
	}
	if req.Jobs == nil && !pl.hasText("jobs") {
		req.Jobs = d.Jobs
	}
	// An empty wrapper is also a setting: it means no wrapper.
	if req.Wrapper == nil && !slices.ContainsFunc([]string{"wrapper", "prefix", "suffix"}, pl.has) {
		req.Wrapper = d.Wrapper
	}
	return req
}

// has reports whether the graph has an attribute, even an empty one.
func (pl *Planner) has(attr string) bool {
	_, ok := pl.File.Graph().Attr(attr)
	return ok
}

func (pl *Planner) hasText(attr string) bool {
	text, _ := pl.File.Graph().Attr(attr)
	return strings.TrimSpace(text) != ""
}

// Draft is a run that has not started.
type Draft struct {
	*nodestate.Run
	notes   []string // for the user, before the run starts
	secrets []string // environment variables with the secret parameters
}

// defaultGraceMS is the time between TERM and KILL, in milliseconds (docs/semantics.md, Stopping).
const defaultGraceMS = 10_000

// Draft determines the scope of a run and refuses a run that cannot work. It changes nothing. If there is
// nothing to resume, it returns neither a draft nor an error.
func (pl *Planner) Draft(client string, req api.RunRequest) (*Draft, api.RunAccepted, error) {
	of, err := profiled(pl, req)
	if err != nil {
		return nil, api.RunAccepted{Mode: req.Mode}, err
	}
	d, acc, err := newDraft(of, client, req)
	if d != nil && of != pl {
		d.Link(pl.File.Graph())
	}
	return d, acc, err
}

func newDraft(pl *Planner, client string, req api.RunRequest) (*Draft, api.RunAccepted, error) {
	acc := api.RunAccepted{Mode: req.Mode, Total: pl.Nodes.Count(pl.Nodes.Blocked()).Total()}
	scope, err := pl.scope(req)
	if errors.Is(err, scheduler.ErrNothingToResume) {
		return nil, acc, nil
	}
	if err != nil {
		return nil, acc, err
	}
	req, scope, note, err := pl.withOwnParams(req, scope)
	if err != nil {
		return nil, acc, err
	}
	if err := pl.admit(scope, req); err != nil {
		return nil, acc, err
	}
	r, err := pl.build(scope, client, req)
	if err != nil {
		return nil, acc, err
	}
	pl.tells(r, req)
	if err := addHooks(pl, r, req); err != nil {
		return nil, acc, err
	}
	acc.Mode, acc.Nodes, acc.Failed = r.Request.Mode, r.Sched.Total(), len(scope.Failed)
	acc.Resumes, acc.Notes = history.RunID(r.Request.Resumes), append(r.changedSince(pl.Nodes), r.notes...)
	if acc.Mode == api.ModeResume {
		acc.FromFile = pl.Nodes.CountFromFile(scope.Nodes)
	}
	if note != "" {
		acc.Notes = append(acc.Notes, note)
	}
	return r, acc, nil
}

// build returns a draft with its own copy of everything it needs.
func (pl *Planner) build(scope scheduler.Scope, client string, req api.RunRequest) (*Draft, error) {
	req, asked := pl.withDefaults(req), req.Wrapper != nil
	activations, err := pl.number("max_activations", 0)
	if err != nil {
		return nil, err
	}
	instances, err := pl.number("max_instances", flow.DefaultInstances)
	if err != nil {
		return nil, err
	}
	jobs, err := jobsOf(pl, req)
	if err != nil {
		return nil, err
	}
	f, unread, err := pl.ReadFlow()
	if err != nil {
		return nil, err
	}
	r := &Draft{Run: &nodestate.Run{}, notes: append(unread, pl.profileNotes...)}
	r.Request = history.Request{
		Workspace: pl.ID, Workfile: pl.Path, Mode: modeWord(scope.Mode), Selection: req.Nodes, Exclude: req.Exclude,
		Until: req.Until, From: req.From,
		All: scope.All, Wrapper: pl.File.Wrapper(), Cwd: pl.Folder(), Jobs: max(0, jobs), NoLimit: jobs == 0, FailFast: req.FailFast, NoCache: req.NoCache,
		TimeoutMS: req.TimeoutMS, GraceMS: defaultGraceMS, MaxActivations: activations, MaxInstances: instances,
		Client: client, Key: req.Key, Failed: len(scope.Failed), User: req.User, Version: pl.Version, Time: clock.Now(),
	}
	var holders []*graph.Node
	if r.Request.Again, holders, err = pl.Nodes.InstancePaths(req.Nodes); err != nil {
		return nil, err
	}
	r.Request.Profile = pl.profile
	r.Request.World, r.Request.Caller = req.World, callerOf(req)
	r.Request.Host, _ = os.Hostname() // "" if the machine has no name
	r.Request.Shell, _ = pl.File.Graph().Attr("shell")
	r.Request.Output = pl.streams().String()
	if err := pl.executesCommands(&r.Request, req, asked); err != nil {
		return nil, err
	}
	if req.GraceMS != nil {
		r.Request.GraceMS = max(0, *req.GraceMS)
	}
	for _, n := range append(holders, scope.Failed...) {
		r.Request.Resumes = max(r.Request.Resumes, pl.Nodes.LastRun(n))
	}
	r.Request.Trigger, r.Request.TriggerFiles = pl.triggerOf(req, r.Request.Resumes)
	if err := pl.executors().use(&r.Request, f, scope.Nodes, req); err != nil {
		return nil, err
	}
	if err := surround(pl, &r.Request, f, scope.Nodes, req, asked); err != nil {
		return nil, err
	}
	if err := pl.control(r, f, scope, req); err != nil {
		return nil, err
	}
	if err := r.useSecrets(f, req.Env); err != nil {
		return nil, err
	}
	scope.Nodes = outerFirst(scope.Nodes)
	opt, err := runstate.Options(r.Request, f, r.Prior, r.withParams(req.Env))
	if err != nil {
		return nil, api.Internal("the run cannot begin", err)
	}
	r.Flow = opt.Flow
	if r.Sched, err = scheduler.NewRun(pl.File.Graph(), scope, opt); err != nil {
		return nil, pl.runError(err)
	}
	r.notes = append(r.notes, pl.outsideNotes(r, f, scope.Nodes)...)
	pl.freeze(r, scope.Nodes)
	return r, nil
}

// jobsOf returns how many commands of a run may execute at once, 0 for no limit, and a negative number if nobody says it.
func jobsOf(pl *Planner, req api.RunRequest) (int, error) {
	const unsaid = -1
	jobs, err := pl.number("jobs", unsaid)
	if err == nil && req.Jobs != nil {
		if jobs = *req.Jobs; jobs < 0 {
			return 0, api.Invalid("jobs is %d: 0 or more is needed", jobs)
		}
	}
	return jobs, err
}

// Complete checks a request for a run and adds the values of its parameters. It runs the commands that list the choices of
// parameters, so it must not be called on the loop.
func (pl *Planner) Complete(ctx context.Context, req api.RunRequest) (api.RunRequest, error) {
	if req.Env == nil { // for an executor nil means its own environment
		req.Env = []string{}
	}
	req = withProfileParams(req)
	pl, err := loop.Ask(ctx, pl.Loop, func() (*Planner, error) { return profiled(pl, req) })
	if err != nil {
		return req, err
	}
	if err := pl.checkWorkFolder(ctx); err != nil {
		return req, err
	}
	if req, err = withFiles(ctx, pl, req); err != nil {
		return req, err
	}
	if req.Params, err = params.Exact(req.Params); err != nil {
		return req, api.Invalid("the parameters: %v", err)
	}
	if err = pl.checkRepeat(ctx, req); err != nil {
		return req, err
	}
	if err = checkProcessAttributes(req.World); err != nil {
		return req, err
	}
	req.Params, err = pl.resolveParams(ctx, req)
	return req, err
}

// checkProcessAttributes returns an error if the process attributes of a request are invalid.
func checkProcessAttributes(world []byte) error {
	if _, err := procattr.Parse(world); err != nil {
		return api.Invalid("world: %v", err)
	}
	return nil
}

// freeze writes the nodes of the run into its request and copies them, so that later edits do not change the run.
func (pl *Planner) freeze(r *Draft, nodes []*graph.Node) {
	r.Request.Scope = make([]string, len(nodes))
	r.Request.Names = make([]string, len(nodes))
	if r.Request.Outer = r.Sched.NodeCount(); r.Request.Outer == len(nodes) {
		r.Request.Outer = 0
	}
	for i, n := range nodes {
		r.Request.Scope[i], r.Request.Names[i] = n.ID, pl.File.Handle(n)
	}
	r.FreezeNodes(pl.File.Graph())
	r.Earlier = func(id string) *runstate.Execution { return pl.Nodes.Latest[id].Execution }
	r.Link(pl.File.Graph())
}

func callerOf(req api.RunRequest) *history.Caller {
	c := req.Caller
	if c == nil {
		return nil
	}
	return &history.Caller{Workfile: c.Workfile, Run: c.Run, Node: c.Node, Execution: c.Execution, Held: c.Held}
}

func modeWord(m scheduler.Mode) string {
	if m == scheduler.Resume {
		return api.ModeResume
	}
	return api.ModeFresh
}

// number returns a numeric graph attribute, or absent if the graph does not have it.
func (pl *Planner) number(name string, absent int) (int, error) {
	text, ok := pl.File.Graph().Attr(name)
	text = strings.TrimSpace(text)
	if !ok || text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, &api.Error{Code: api.CodeWorkfile, Where: pl.Path,
			Message: fmt.Sprintf("graph attribute %s is %q: a whole number is needed", name, text)}
	}
	return n, nil
}

// streams returns how outputs of commands are kept: as the workfile says, otherwise split if the workfile shows the end of
// each stream, otherwise merged.
func (pl *Planner) streams() graph.Output {
	if said := pl.File.Graph().Output(); said != graph.OutputUnsaid {
		return said
	}
	if pl.File.Statuses().Results() == api.ResultsFile {
		return graph.OutputSplit
	}
	return graph.OutputMerged
}
