package activerun

import (
	"context"
	"slices"
	"strings"

	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/tracing"
)

// OpenExecutor starts the executor of the run, or connects to it again. Its reports reach the loop in order.
func (r *Run) OpenExecutor(dir string, number int, env []string) (executor.Session, error) {
	q := r.Request
	q.Run = number // a new run has got it just now
	if env != nil {
		env = r.environment(env, dir, number)
	}
	return r.host.Executor.Open(context.Background(), executor.Spec{
		Dir: dir, Run: q.Identity(), Cwd: r.Request.Cwd, Env: env, Attributes: r.Request.World,
		Report: func(list []executor.Report) {
			r.host.searchReports(dir, list)
			r.host.Loop.Post(func() { r.handleReports(list) })
		},
	})
}

// environment returns the environment of the commands of the run with a folder and a number, which it may have got just now.
func (r *Run) environment(env []string, dir string, number int) []string {
	q := r.Request
	q.Run = number
	vars := append([]string{"WF_WORKFILE=" + r.host.Path, "WF_RUN_ID=" + history.RunID(number)}, r.Sched.ParamVariables()...)
	if q.Trace != nil {
		ids := q.TraceIDs()
		vars = append(vars, tracing.ParentVariable+"="+ids.Parent(ids.Root))
	}
	return override(env, append(vars, q.TriggerVariables(dir)...))
}

// traceParent returns the variable with the span of an execution, for what its command traces; "" if the run is not traced.
func (r *Run) traceParent(node string, execution int) string {
	if r.Request.Trace == nil {
		return ""
	}
	if r.spans == nil {
		r.spans = new(r.Request.TraceIDs())
	}
	return tracing.ParentVariable + "=" + r.spans.Parent(r.spans.Execution(node, execution))
}

// override replaces variables of an environment. Each name must occur only once, because some programs read the first
// occurrence.
func override(env, vars []string) []string {
	set := make(map[string]bool, len(vars))
	for _, v := range vars {
		key, _, _ := strings.Cut(v, "=")
		set[key] = true
	}
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		key, _, _ := strings.Cut(v, "=")
		return set[key]
	})
	return append(env, vars...)
}

// Launch starts the run after its folder and its executor were prepared.
func (r *Run) Launch(hist *history.Run, sess executor.Session) {
	r.Request, r.Dir = hist.Request(), hist.Dir()
	r.masks = r.host.Secrets.Live(r.Dir)
	r.journal.hist, r.sess, r.Number, r.ID, r.Phase = hist, sess, hist.Number(), history.RunID(hist.Number()), runstate.Active
	r.Sched.SetID(r.ID)
	r.Sched.SetTriggerBody(r.Request.Trigger.BodyPath(r.Dir))
	resumed, _ := r.host.Nodes.Earlier(r.Request.Resumes)
	r.host.Nodes.NoteRun(r.Request, resumed.Scope)
	r.slotShare.join()
	r.notices.begin()
	r.firstStep()
	r.notices.started()
	r.accepted(nil)
	r.nesting.reportToCaller()
	if r.stopping.stopEarly != nil {
		r.stopping.Stop(*r.stopping.stopEarly, r.Request.Client, nil)
	}
}

// Refuse answers the requests for a run that cannot start.
func (r *Run) Refuse(err error) { r.accepted(err) }
