package workspace

import (
	"context"
	"errors"
	"fmt"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
)

// Plan tells what a run would do, in an order in which it could happen. It touches nothing.
func (w *Workspace) Plan(ctx context.Context, req api.RunRequest) (api.Plan, error) {
	return ask(ctx, w, func(w *Workspace) (api.Plan, error) {
		plan := api.Plan{Schema: api.SchemaPlan, Mode: req.Mode, Total: w.runnable(), Steps: []api.PlanStep{}}
		if err := w.usable(); err != nil {
			return plan, err
		}
		req.AcceptDrawing = true // looking needs no yes
		scope, err := w.scope(req)
		if errors.Is(err, scheduler.ErrNothingToResume) {
			return plan, nil
		}
		if err != nil {
			return plan, err
		}
		r, err := w.build(scope, "", req)
		if err != nil {
			return plan, err
		}
		plan.Mode, plan.Resumes, plan.Wrapper, plan.Jobs = r.req.Mode, runID(r.req.Resumes), r.req.Wrapper, r.req.Jobs
		w.planSteps(&plan, r)
		w.planNotes(&plan, scope)
		return plan, nil
	})
}

// planSteps plays the run through with every command succeeding once. A loop is not followed
// further: its nodes are listed where they first run.
func (w *Workspace) planSteps(plan *api.Plan, r *run) {
	seen := make([]bool, len(r.nodes))
	var queue []scheduler.Effect
	take := func(effects []scheduler.Effect) {
		for _, ef := range effects {
			if ef.Kind == scheduler.Execute {
				queue = append(queue, ef)
			}
		}
	}
	take(r.sched.Step(scheduler.Event{Kind: scheduler.Begin}))
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		first := !seen[x.Node]
		if first {
			seen[x.Node] = true
			plan.Steps = append(plan.Steps, w.planStep(r, x.Node))
		}
		take(r.sched.Step(scheduler.Event{Kind: scheduler.Dispatched, Node: x.Node}))
		take(r.sched.Step(scheduler.Event{Kind: scheduler.Finished, Node: x.Node, Execution: x.Execution,
			OK: first, Reason: string(api.ReasonExit)}))
	}
	for i := range r.nodes {
		if !seen[i] && r.nodes[i].node.Status == graph.Ran && plan.Mode == api.ModeResume {
			plan.Kept++
		}
	}
}

func (w *Workspace) planStep(r *run, i int) api.PlanStep {
	n := &r.nodes[i]
	step := api.PlanStep{Node: n.id, Name: n.name, Command: n.label, Line: executor.Line(r.req.Wrapper, n.label)}
	for _, e := range n.node.In {
		_, in := r.sched.Index(e.Source.ID)
		switch {
		case in && e.Source != n.node:
			step.After = appendNew(step.After, w.handle(e.Source))
		case !in && e.Type == graph.Blocking && e.Source.Runnable():
			step.Ignored = appendNew(step.Ignored, w.handle(e.Source))
		}
	}
	step.Why = planReason(r, i, step)
	return step
}

func planReason(r *run, i int, step api.PlanStep) string {
	ex := r.sched.Explain(i)
	switch {
	case r.req.Mode == api.ModeResume && r.nodes[i].node.Status == graph.Failed:
		return "it failed"
	case r.req.Mode == api.ModeResume && ex.Cause.Kind == scheduler.CauseResume:
		return "what it waits for has run, it has not"
	case len(step.After) == 0:
		return "nothing in the selection comes before it"
	}
	return "what it waits for is in the run"
}

func appendNew(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

// planNotes says what a person should know before the run.
func (w *Workspace) planNotes(plan *api.Plan, scope scheduler.Scope) {
	if w.doc.FromDrawing() {
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
