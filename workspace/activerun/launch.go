package activerun

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// OpenExecutor starts the executor of the run, or connects to it again. Its reports reach the loop in order.
func (r *Run) OpenExecutor(dir string, number int, env []string) (executor.Session, error) {
	if env != nil {
		env = r.environment(env, number)
	}
	return r.host.Executor.Open(context.Background(), executor.Spec{
		Dir: dir, Run: identity(&r.Request, number), Cwd: r.Request.Cwd, Env: env, Attributes: r.Request.World,
		Report: func(list []executor.Report) { r.host.Loop.Post(func() { r.handleReports(list) }) },
	})
}

// environment returns the environment of the commands.
func (r *Run) environment(env []string, number int) []string {
	own := append([]string{"WF_WORKFILE=" + r.host.Path, "WF_RUN_ID=" + history.RunID(number)}, r.Sched.ParamVariables()...)
	return override(env, append(own, r.Request.Trigger.Variables()...))
}

// identity identifies the run among all runs of all machines, see executor.Spec.
func identity(q *history.Request, number int) string {
	unique := q.Key
	if unique == "" { // a client that gives its requests no keys
		unique = strconv.FormatInt(q.Time.UnixNano(), 10)
	}
	return fmt.Sprintf("%s/%d/%s", q.Workspace, number, unique)
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
	r.journal.hist, r.sess, r.Number, r.ID, r.Phase = hist, sess, hist.Number(), history.RunID(hist.Number()), runstate.Active
	r.Sched.SetID(r.ID)
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
