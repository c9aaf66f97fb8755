package planning

import (
	"context"
	"fmt"
	"slices"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/runstate"
	"wf/workspace/uptodate"
)

// foreseenFiles are the executions of a plan whose nodes declare outputs, in the order of the plan. The forecast runs on the loop
// and the files are looked at beside it.
type foreseenFiles []foreseenExecution

type foreseenExecution struct {
	step  int // position in the plan
	name  string
	task  uptodate.Task
	known bool // the task is known before the run
}

// noteFiles notes the files of an expected execution, which belongs to a step.
func (p *forecast) noteFiles(x scheduler.Expected, step int) {
	sched := p.r.Sched
	if _, mocked := sched.Mocked(x.Node); mocked || !sched.DeclaresOutputs(x.Node) {
		return
	}
	f := foreseenExecution{step: step, name: p.handleOf(x.Node)}
	if !x.Guess && !sched.Open(x.Node) {
		line := runstate.LineOf(&p.r.State, sched.Template(x.Node), p.plan.Steps[step].Command)
		f.task, f.known = runstate.TaskOf(&p.r.State, x.Node, sched.Path(x.Node), line)
	}
	*p.files = append(*p.files, f)
}

// judge looks at the files, and writes into the plan what is found. It waits for the disk, so it must not be called on a loop
// that runs.
func (files foreseenFiles) judge(ctx context.Context, file *uptodate.File, always bool, plan *api.Plan) {
	if len(files) == 0 {
		return
	}
	memory, err := file.Memory()
	if err != nil {
		plan.Notes = append(plan.Notes, fmt.Sprintf("what is up to date is not known: %v", err))
		return
	}
	var changing uptodate.Changing
	executions, others := make([]int, len(plan.Steps)), make([][]string, len(plan.Steps))
	for _, f := range files {
		executions[f.step]++
		text := "its paths or values depend on what the run does"
		switch {
		case !f.known:
		case always:
			text = "--no-cache was given"
		case changing.Reaches(f.task):
			text = "unless what it reads comes out as it was"
		default:
			l, err := memory.Look(ctx, f.task)
			switch {
			case err != nil:
				text = err.Error()
			case l.Success != nil:
				plan.Steps[f.step].UpToDate++
				plan.UpToDate++
				plan.Steps[f.step].Files = l.Success.Text()
				continue
			default:
				text = l.Why
			}
		}
		if f.known {
			changing.Add(f.task)
		}
		if !slices.Contains(others[f.step], text) {
			others[f.step] = append(others[f.step], text)
		}
	}
	for i := range plan.Steps {
		step := &plan.Steps[i]
		switch n := executions[i]; {
		case n == 0 || step.UpToDate == n:
		case step.UpToDate > 0:
			step.Files = fmt.Sprintf("%d of %d up to date; otherwise: %s", step.UpToDate, n, api.Several(others[i], 3))
		default:
			step.Files = api.Several(others[i], 3)
		}
	}
}

// Accept remembers what is there as the results of the selected nodes, as a person says.
func Accept(ctx context.Context, pl *Planner, req api.AcceptRequest) (api.AcceptResult, error) {
	run := req.RunRequest
	run.Mode = api.ModeFresh
	_, files, err := foresee(ctx, pl, run)
	if err != nil {
		return api.AcceptResult{}, err
	}
	if len(files) == 0 {
		return api.AcceptResult{}, api.Invalid("none of these nodes declares outputs, so each run executes them; nothing can be accepted")
	}
	memory, err := pl.Memory.Memory()
	if err != nil {
		return api.AcceptResult{}, api.Internal("what is up to date cannot be read", err)
	}
	for _, f := range files {
		if !f.known {
			return api.AcceptResult{}, api.Invalid("node %s cannot be accepted: its paths or values depend on what the run does", f.name)
		}
		if missing := uptodate.MissingOutputs(f.task.Folder, f.task.Outputs); missing != nil {
			return api.AcceptResult{}, api.Invalid("node %s cannot be accepted: %v", f.name, missing)
		}
	}
	res := api.AcceptResult{Nodes: []string{}}
	for _, f := range files {
		if err := memory.Accept(ctx, f.task, req.User); err != nil {
			return res, api.Invalid("node %s cannot be accepted: %v", f.name, err)
		}
		res.Nodes = append(res.Nodes, f.name)
	}
	if err := memory.Save(); err != nil {
		return res, api.Internal("what was accepted cannot be written", err)
	}
	return res, nil
}
