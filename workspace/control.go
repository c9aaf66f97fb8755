package workspace

import (
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// job returns the job of an execution.
func (r *run) job(i, execution int, line string) executor.Job {
	n := &r.Nodes[i]
	id := executor.ID{Node: i, Execution: execution}
	env := []string{"WF_NODE_ID=" + n.ID, "WF_NODE_NAME=" + n.Name, "WF_EXECUTION=" + history.RunID(execution),
		"WF_OUTPUT=" + runstate.OutputFile(r.Dir, id)}
	return executor.Job{ID: id, Shell: r.Request.Shell, Command: line, Env: append(env, r.Sched.Environment(i)...), Merge: r.Merges(i)}
}
