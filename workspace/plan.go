package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
)

// Plan tells what a run would do, in an order in which it could happen. It touches nothing.
func (w *Workspace) Plan(ctx context.Context, req api.RunRequest) (api.Plan, error) {
	plan, err := askNow(ctx, w, func(w *Workspace) (api.Plan, error) { return w.plan(req) })
	if err == nil {
		err = w.checkWorkFolder(ctx)
	}
	return plan, err
}

func (w *Workspace) plan(req api.RunRequest) (api.Plan, error) {
	plan := api.Plan{Schema: api.SchemaPlan, Mode: req.Mode, Total: w.runnable(), Steps: []api.PlanStep{}}
	if err := w.usable(); err != nil {
		return plan, err
	}
	req.Params = w.withResumed(req)
	scope, err := w.scope(req)
	if errors.Is(err, scheduler.ErrNothingToResume) {
		return plan, nil
	}
	if err != nil {
		return plan, err
	}
	if err := w.executable(scope); err != nil {
		return plan, err
	}
	r, err := w.build(scope, "", req)
	if err != nil {
		return plan, err
	}
	if err := w.planInstances(r, req); err != nil {
		return plan, err
	}
	plan.Mode, plan.Resumes, plan.Wrapper, plan.Jobs, plan.NoLimit = r.req.Mode, runID(r.req.Resumes), r.req.Wrapper, r.req.Jobs, r.req.NoLimit
	p := planner{w: w, r: r, plan: &plan, seen: make([]int, len(w.g.Nodes()))}
	if p.mocks, err = w.mocks(req.Mocks); err != nil {
		return plan, err
	}
	if p.reasons, err = w.planReasons(req, scope); err != nil {
		return plan, err
	}
	p.play()
	if again := r.req.Again; again != nil {
		plan.Notes = append(plan.Notes, "of it only "+some(again, 8)+": all else stays as it is")
	}
	plan.Notes = append(plan.Notes, r.notes...)
	w.planNotes(&plan, scope, req)
	return plan, nil
}

// planner plays a run through.
type planner struct {
	w       *Workspace
	r       *run
	plan    *api.Plan
	reasons reasoner
	seen    []int // by position: the step that has named the node last
	mocks   map[string]scheduler.Mock
}

// play lists the steps, every command succeeding once. A loop is not followed further: its nodes are
// listed where they first run.
func (p *planner) play() {
	r := p.r
	ran := make([]bool, len(r.nodes))
	before := make([]graph.Status, len(r.nodes))
	for i := range r.nodes {
		before[i] = r.sched.Status(i)
	}
	var queue []scheduler.Effect
	at := now().UnixNano()
	take := func(effects []scheduler.Effect) {
		for _, ef := range effects {
			switch ef.Kind {
			case scheduler.Execute:
				queue = append(queue, ef)
			case scheduler.Waiting:
				queue = append(queue, ef)
			case scheduler.NodeChanged:
				if ef.Mocked && !ran[ef.Node] {
					ran[ef.Node] = true
					p.step(ef.Node)
				}
			}
		}
	}
	take(r.sched.Step(scheduler.Event{Kind: scheduler.Begin, At: at}))
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		if x.Kind == scheduler.Waiting {
			switch x.Wait { // a plan assumes that everybody agrees, and that time passes
			case scheduler.WaitApproval:
				if kind, _, _ := r.sched.Waits(x.Node); kind != scheduler.WaitApproval {
					continue // a join has cancelled it meanwhile
				}
				take(r.sched.Step(scheduler.Event{Kind: scheduler.Decided, Node: x.Node, OK: true, At: at}))
			case scheduler.WaitTime, scheduler.WaitRetry:
				at = max(at, x.At)
				take(r.sched.Step(scheduler.Event{Kind: scheduler.Tick, At: at}))
			}
			continue
		}
		if !r.sched.Wants(x.Node, x.Execution) {
			continue
		}
		first := !ran[x.Node]
		if first {
			ran[x.Node] = true
			p.step(x.Node)
		}
		take(r.sched.Step(scheduler.Event{Kind: scheduler.Dispatched, Node: x.Node}))
		take(r.sched.Step(scheduler.Event{Kind: scheduler.Finished, Node: x.Node, Execution: x.Execution,
			OK: first, Reason: string(api.ReasonCancelled)}))
	}
	for i := range r.nodes {
		if !ran[i] && before[i] == graph.Ran && p.plan.Mode == api.ModeResume {
			p.plan.Kept++
		}
	}
	p.conditional(ran, before)
	p.beyond(ran)
}

// mocked is how a node ends that the request says is not executed; nil for others.
func (p *planner) mocked(id string) *api.Mock {
	m, asked := p.mocks[id]
	if !asked {
		return nil
	}
	return &api.Mock{Nodes: p.w.handle(p.w.g.Node(id)), Skip: m.Skip, Exit: m.Exit, Outputs: m.Outputs}
}

// conditional lists what runs only if something goes otherwise than the plan assumes, and what runs in
// each instance of a sub-flow.
func (p *planner) conditional(ran []bool, before []graph.Status) {
	if p.r.flow == nil {
		return
	}
	for i := range ran {
		if !ran[i] && before[i] != graph.Ran && !p.r.sched.Handled(i) {
			p.step(i)
			last := &p.plan.Steps[len(p.plan.Steps)-1]
			last.Reason, last.Of, last.Why = api.PlanConditional, p.conditions(i), "only if "+p.conditions(i)
		}
	}
	for _, id := range p.r.req.Scope[p.r.outer():] {
		n := p.w.g.Node(id)
		home := p.w.handle(n.Home())
		p.plan.Steps = append(p.plan.Steps, api.PlanStep{Node: n.ID, Name: home + "[*]/" + p.r.flow.LocalName(n), Command: n.Label,
			Line: executor.Line(p.r.req.Wrapper, n.Label), Reason: api.PlanInstance, Of: home,
			Why: "in each instance of " + home, State: p.w.state(n, false), Run: runID(p.w.lastRun(n))})
	}
}

// conditions words what the edges into a node fire for.
func (p *planner) conditions(i int) string {
	var parts []string
	for _, e := range p.r.nodes[i].node.In {
		if when, _ := e.Attr("when"); when != "" && when != "success" {
			parts = append(parts, p.w.handle(e.Source)+" "+when)
		}
	}
	if parts == nil {
		return "what leads to it runs"
	}
	return strings.Join(parts, ", ")
}

// planInstances makes a plan stop at sub-flows: what they repeat is known only when they run.
func (w *Workspace) planInstances(r *run, req api.RunRequest) error {
	if r.flow == nil {
		return nil
	}
	mocks, err := w.mocks(req.Mocks)
	if err != nil {
		return err
	}
	if r.req.Again != nil { // the plan names the sub-flow
		r.req.Mode = api.ModeFresh
	}
	for i := range r.nodes {
		if n := r.nodes[i].node; n.SubFlow() {
			if _, asked := mocks[n.ID]; !asked {
				mocks[n.ID] = scheduler.Mock{Skip: true}
			}
		}
	}
	if r.req.Mocks, err = json.Marshal(mocks); err != nil {
		return err
	}
	again := r.req.Again
	r.req.Again = nil
	err = r.reschedule(w.g, true)
	r.req.Again = again
	return err
}

// step describes the execution of a node, at the moment at which it is activated.
func (p *planner) step(i int) {
	n := &p.r.nodes[i]
	step := api.PlanStep{Node: n.id, Name: n.name, Command: n.label, Line: executor.Line(p.r.req.Wrapper, n.label),
		State: p.w.state(n.node, p.reasons.blocked[n.node.Pos()]), Run: runID(p.w.lastRun(n.node))}
	round := len(p.plan.Steps) + 1
	for _, e := range n.node.In {
		_, in := p.r.sched.Index(e.Source.ID)
		if p.seen[e.Source.Pos()] == round || e.Source == n.node {
			continue
		}
		switch {
		case in:
			step.After = append(step.After, p.w.handle(e.Source))
		case e.Type == graph.Blocking && e.Source.Runnable():
			step.Ignored = append(step.Ignored, p.w.handle(e.Source))
		default:
			continue
		}
		p.seen[e.Source.Pos()] = round
	}
	trigger := ""
	if cause := p.r.sched.Explain(i).Cause; cause.Kind == scheduler.CauseTrigger {
		trigger = p.r.sources(cause.Edges)[0]
	}
	step.Mock = p.mocked(n.id)
	step.Approve, _ = n.node.Attr("approve")
	if n.node.SubFlow() {
		word := subFlowWord(n.node)
		text, _ := n.node.Attr(word)
		step.SubFlow = word + ": " + text
	}
	p.reasons.explain(&step, n.node, trigger)
	p.plan.Steps = append(p.plan.Steps, step)
}

// beyond names what comes after the scope and does not run.
func (p *planner) beyond(ran []bool) {
	const named = -1
	for i := range p.r.nodes {
		if !ran[i] {
			continue
		}
		for _, e := range p.r.nodes[i].node.Out {
			t := e.Target
			if _, in := p.r.sched.Index(t.ID); !in && t.Runnable() && p.seen[t.Pos()] != named {
				p.seen[t.Pos()] = named
				p.plan.Beyond = append(p.plan.Beyond, p.w.handle(t))
			}
		}
	}
}

// planNotes says what a person should know before the run.
func (w *Workspace) planNotes(plan *api.Plan, scope scheduler.Scope, req api.RunRequest) {
	if w.doc.FromDrawing() && !req.AcceptDrawing {
		plan.Notes = append(plan.Notes, "the commands are texts of a drawing: running them needs wf run --accept-drawing once")
	}
	for _, r := range w.runs {
		for _, n := range scope.Nodes {
			if _, in := r.sched.Index(n.ID); in {
				plan.Notes = append(plan.Notes, fmt.Sprintf("run %s is going and covers %s: this run would be refused now", r.id, w.handle(n)))
				break
			}
		}
	}
}
