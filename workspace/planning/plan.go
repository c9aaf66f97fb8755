package planning

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/params"
	"wf/workspace/runstate"
	"wf/workspace/secrets"
	"wf/workspace/workfile"
)

// Plan returns the steps of a run in a possible order. It changes nothing.
func (pl *Planner) Plan(ctx context.Context, req api.RunRequest) (api.Plan, error) {
	plan, files, err := foresee(ctx, pl, req)
	if err == nil {
		files.judge(ctx, pl.Memory, req.NoCache, &plan)
	}
	return plan, err
}

// foresee returns the plan of a run, and the nodes in it that declare outputs.
func foresee(ctx context.Context, pl *Planner, req api.RunRequest) (plan api.Plan, files foreseenFiles, err error) {
	var tables foreseenTables
	req = withProfileParams(req)
	file := pl.File // pl may become a planner for a copy, which is not kept up to date
	pl, err = workfile.Ask(ctx, file, func() (*Planner, error) { return profiled(pl, req) })
	if err == nil {
		req, err = withFiles(ctx, pl, req)
	}
	if err != nil {
		return plan, nil, err
	}
	ask := func() (api.Plan, error) { return pl.plan(req, &tables, &files) }
	plan, err = workfile.Ask(ctx, file, ask)
	for err == nil && tables.readWanted() {
		plan, err = workfile.Ask(ctx, file, ask)
	}
	if err == nil {
		err = pl.checkWorkFolder(ctx)
	}
	return plan, files, err
}

// PlanLoaded is like Plan, for a workfile whose loop does not run.
func (pl *Planner) PlanLoaded(req api.RunRequest) (api.Plan, error) {
	var tables foreseenTables
	req = withProfileParams(req)
	pl, err := profiled(pl, req)
	if err != nil {
		return api.Plan{}, err
	}
	set, _ := readSurroundings(pl)
	req.Files = set.ReadFiles()
	var files foreseenFiles
	plan, err := pl.plan(req, &tables, &files)
	for err == nil && tables.readWanted() {
		plan, err = pl.plan(req, &tables, &files)
	}
	if err == nil {
		files.judge(context.Background(), pl.Memory, req.NoCache, &plan)
		err = pl.workFolder().refusal(pl.File)
	}
	return plan, err
}

func (pl *Planner) plan(req api.RunRequest, tables *foreseenTables, files *foreseenFiles) (api.Plan, error) {
	tables.begin(filepath.Dir(pl.Path))
	*files = nil
	plan := api.Plan{Schema: api.SchemaPlan, Mode: req.Mode, Total: pl.Nodes.CountRunnable(), Steps: []api.PlanStep{}}
	if err := pl.Usable(); err != nil {
		return plan, err
	}
	var err error
	if req.Params, err = params.Exact(req.Params); err != nil {
		return plan, api.Invalid("the parameters: %v", err)
	}
	req.Params = pl.withResumed(req)
	scope, err := pl.scope(req)
	if errors.Is(err, scheduler.ErrNothingToResume) {
		return plan, nil
	}
	if err != nil {
		return plan, err
	}
	req, scope, note, err := pl.withOwnParams(req, scope)
	if err != nil {
		return plan, err
	}
	if err := pl.executable(scope); err != nil {
		return plan, err
	}
	r, err := pl.build(scope, "", req)
	if err != nil {
		return plan, err
	}
	if err := planHooks(pl, &plan, r, req); err != nil {
		return plan, err
	}
	if err := pl.makeDry(r, scope, req.Env, tables); err != nil {
		return plan, err
	}
	plan.Mode, plan.Resumes, plan.Wrapper, plan.Jobs, plan.NoLimit = r.Request.Mode, history.RunID(r.Request.Resumes), r.Request.Wrapper, r.Request.Jobs, r.Request.NoLimit
	p := forecast{Planner: pl, r: r, plan: &plan, files: files, seen: make([]int, len(pl.File.Graph().Nodes())), steps: map[string]int{}, maybe: map[string]string{}}
	if p.reasons, err = pl.planReasons(req, scope); err != nil {
		return plan, err
	}
	p.addSteps()
	if again := r.Request.Again; again != nil {
		plan.Notes = append(plan.Notes, "of it only "+api.Several(again, 8)+": all else stays as it is")
	}
	plan.Notes = append(append(plan.Notes, r.notes...), tables.notes...)
	if n := pl.Nodes.CountFromFile(scope.Nodes); n > 0 && plan.Mode == api.ModeResume {
		plan.Notes = append(plan.Notes, fmt.Sprintf("the status of %d nodes came with the file, not from a run here", n))
	}
	if note != "" {
		plan.Notes = append(plan.Notes, note)
	}
	pl.planNotes(&plan, scope, req)
	secrets.Hide(&plan, r.masksOf(req.Env))
	return plan, nil
}

// makeDry gives a draft a scheduler that can forecast.
func (pl *Planner) makeDry(r *Draft, scope scheduler.Scope, env []string, tables *foreseenTables) error {
	opt, err := runstate.Options(r.Request, r.Flow, r.Prior, r.withParams(env))
	if err != nil {
		return api.Internal("the run cannot be planned", err)
	}
	scope.Nodes, opt.Dry = outerFirst(scope.Nodes), true
	opt.ReadTable = func(node int, t scheduler.Table) []any { return tables.rows((&forecast{r: r}).handleOf(node), t) }
	if r.Sched, err = scheduler.NewRun(pl.File.Graph(), scope, opt); err != nil {
		return pl.runError(err)
	}
	return nil
}

// forecast converts a forecast of the scheduler to a plan.
type forecast struct {
	*Planner
	r       *Draft
	plan    *api.Plan
	files   *foreseenFiles
	reasons reasoner
	seen    []int             // by position: the last step that names the node
	steps   map[string]int    // for instances: the index of their common step
	maybe   map[string]string // id → name of sub-flows that may start again
}

// addSteps adds the steps: one for each node of the outer flow, and common ones for the nodes of instances.
func (p *forecast) addSteps() {
	r := p.r
	expected := r.Sched.Forecast(clock.Now().UnixNano())
	present := r.Sched.Current()
	ran := make([]bool, r.Sched.NodeCount())
	all := p.instances(present)
	for _, x := range expected {
		if !present[x.Node] {
			continue
		}
		if ran[x.Node] = true; x.MayRestart {
			p.maybe[r.Sched.Template(x.Node)] = everyInstance(p.handleOf(x.Node))
		}
		if x.Node < len(r.Nodes) {
			p.outerStep(x)
			p.noteFiles(x, len(p.plan.Steps)-1)
		} else {
			p.noteFiles(x, p.innerStep(x, all))
		}
	}
	p.hidden()
	p.count(ran, present)
	p.beyond(ran)
}

// outerStep adds the step of a node of the workfile.
func (p *forecast) outerStep(x scheduler.Expected) {
	p.step(x.Node)
	last := &p.plan.Steps[len(p.plan.Steps)-1]
	if m, mocked := p.r.Sched.Mocked(x.Node); mocked {
		last.Mock = &api.Mock{Nodes: last.Name, Skip: m.Skip, Exit: m.Exit, Outputs: m.Outputs}
	}
	if p.r.Request.Again != nil {
		last.Reason, last.Of, last.Why = api.PlanSelected, "", "holds what is repeated"
	}
	if !x.Certain {
		last.Reason, last.Of = api.PlanConditional, p.conditions(x)
		last.Why = conditionWhy(last.Of)
	}
}

// step describes the execution of a node of the outer flow.
func (p *forecast) step(i int) {
	n, live := &p.r.Nodes[i], p.r.LiveNode(i)
	step := api.PlanStep{Node: n.ID, Name: n.Name, Command: n.Command, Line: runstate.LineOf(&p.r.State, n.ID, n.Command), Surroundings: runstate.SurroundingsOfID(&p.r.State, n.ID).Words(),
		State: p.Nodes.State(live, p.reasons.blocked[live.Pos()]), Run: history.RunID(p.Nodes.LastRun(live))}
	round := len(p.plan.Steps) + 1
	for _, e := range live.In {
		_, in := p.r.Sched.Index(e.Source.ID)
		if p.seen[e.Source.Pos()] == round || e.Source == live {
			continue
		}
		switch {
		case in:
			step.After = append(step.After, p.File.Handle(e.Source))
		case e.Type == graph.Blocking && e.Source.Runnable():
			step.Ignored = append(step.Ignored, p.File.Handle(e.Source))
		default:
			continue
		}
		p.seen[e.Source.Pos()] = round
	}
	trigger := ""
	if cause := p.r.Sched.Explain(i).Cause; cause.Kind == scheduler.CauseTrigger {
		trigger = p.r.Sources(cause.Edges)[0]
	}
	step.Approve, _ = live.Attr("approve")
	step.Executor = runstate.ExecutorOf(&p.r.State, i)
	if live.SubFlow() {
		step.SubFlow = subFlowText(live)
	}
	p.reasons.explain(&step, live, trigger)
	p.plan.Steps = append(p.plan.Steps, step)
}

func subFlowText(n *graph.Node) string {
	word := workfile.SubFlowWord(n)
	text, _ := n.Attr(word)
	return word + ": " + text
}

// count counts the nodes of the plan, instances included (see api.Counts), and the nodes that a resume keeps.
func (p *forecast) count(ran, present []bool) {
	listed, rest := map[string]bool{}, 0
	for _, s := range p.plan.Steps {
		if s.Reason == api.PlanInstance || s.Instances > 0 {
			listed[s.Home] = true
		}
	}
	for _, s := range p.plan.Steps {
		units := max(1, s.Instances)
		switch {
		case s.SubFlow != "" && listed[s.Name]:
		case s.Reason == api.PlanConditional:
			p.plan.Conditional += units
		default:
			p.plan.Nodes += units
		}
	}
	for i := range ran {
		switch first, _ := p.r.Sched.Instances(i); {
		case ran[i] || !present[i] || len(first) > 0:
		case p.r.Sched.Kept(i) && p.plan.Mode == api.ModeResume:
			p.plan.Kept++
		default:
			rest++
		}
	}
	for _, n := range p.File.Graph().Nodes() {
		if _, in := p.r.Sched.Index(n.ID); !in && n.Runnable() && n.Home() == nil {
			rest++
		}
	}
	p.plan.Total = p.plan.Nodes + p.plan.Conditional + p.plan.Kept + rest
}

// beyond lists the nodes after the scope, which do not run.
func (p *forecast) beyond(ran []bool) {
	const named = -1
	for i := range p.r.Nodes {
		if !ran[i] {
			continue
		}
		for _, e := range p.r.LiveNode(i).Out {
			t := e.Target
			if _, in := p.r.Sched.Index(t.ID); !in && t.Runnable() && p.seen[t.Pos()] != named {
				p.seen[t.Pos()] = named
				p.plan.Beyond = append(p.plan.Beyond, p.File.Handle(t))
			}
		}
	}
}

// planNotes adds notes that the user should read before the run.
func (pl *Planner) planNotes(plan *api.Plan, scope scheduler.Scope, req api.RunRequest) {
	if pl.onlyDrawn() && !req.AcceptDrawing {
		plan.Notes = append(plan.Notes, "the commands are texts of a drawing: running them needs wf run --accept-drawing once")
	}
	for _, r := range pl.Nodes.Runs {
		for _, n := range scope.Nodes {
			if _, in := r.Sched.Index(n.ID); in {
				plan.Notes = append(plan.Notes, fmt.Sprintf("run %s is active and covers %s: this run would be refused now", r.ID, pl.File.Handle(n)))
				break
			}
		}
	}
}
