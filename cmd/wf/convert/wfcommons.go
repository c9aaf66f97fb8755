package convert

import (
	"cmp"
	"strconv"
	"strings"

	"wf/api"
)

// readWfCommons reads a workflow in the format of WfCommons, 1.3 to 1.6: the tasks of
// workflow.specification (from 1.5 on) or of workflow itself (before), joined by parents and children. The
// command of a task is its program with its arguments, if they were recorded. The duration of a task
// becomes the attribute runtime, in seconds.
func readWfCommons(b *builder, data []byte) {
	root := parseJSON(data)
	workflow := root.field("workflow")
	if workflow == nil || workflow.fields == nil {
		fail(root.line, "it contains no workflow: it is not an instance of WfCommons")
	}
	if version := root.field("schemaVersion"); version != nil && !knownWfFormat[version.text] {
		fail(version.line, "version %s of the format is not known: 1.3 to 1.6 are read", version.text)
	}
	r := &wfReader{b: b, ids: map[string]string{}, runs: map[string]*jsonNode{}}
	for _, t := range workflow.field("execution").field("tasks").list() {
		r.runs[t.field("id").string()] = t
	}
	tasks := workflow.field("specification").field("tasks")
	if tasks == nil {
		tasks = workflow.field("tasks")
	}
	if tasks == nil || tasks.fields != nil || tasks.text != "" {
		fail(workflow.line, "there is no list of tasks in workflow.specification nor in workflow")
	}
	for _, t := range tasks.items {
		r.task(t)
	}
	for i, t := range tasks.items {
		r.edges(t, b.wf.Nodes[i].ID)
	}
	if missing := r.withoutCommand(); missing > 0 && b.opt.Command == "" {
		b.note("%d of %d tasks were recorded without a command", missing, len(tasks.items))
	}
}

var knownWfFormat = map[string]bool{"1.3": true, "1.4": true, "1.5": true, "1.6": true}

type wfReader struct {
	b    *builder
	ids  map[string]string    // of tasks, by id and by name
	runs map[string]*jsonNode // the entries of workflow.execution, by id
}

func (r *wfReader) withoutCommand() (n int) {
	for i := range r.b.wf.Nodes {
		if r.b.wf.Nodes[i].NoCommand {
			n++
		}
	}
	return n
}

func (r *wfReader) task(t *jsonNode) {
	name := t.field("name").string()
	id := cmp.Or(t.field("id").string(), name)
	if id == "" {
		fail(t.line, "a task has neither id nor name")
	}
	if _, twice := r.b.at[id]; twice {
		fail(t.line, "a second task is called %q", id)
	}
	n := r.b.node(id, t.line)
	r.ids[id] = id
	if _, taken := r.ids[name]; !taken {
		r.ids[name] = id // old versions name parents
	}
	run := r.runs[id]
	for _, source := range []*jsonNode{t, run} {
		if n.NoCommand {
			r.command(n, source.field("command"))
		}
	}
	r.runtime(n, t, run)
}

// command joins program and arguments as they were recorded: arguments are pieces of a command line with
// their own quotes ("--cpu-work 5000" is one of them), not words.
func (r *wfReader) command(n *api.NewNode, c *jsonNode) {
	program, arguments := c.field("program").string(), c.field("arguments")
	if program == "" {
		return
	}
	if arguments.string() != "" {
		fail(arguments.line, "the arguments of task %s are not a list", n.ID)
	}
	pieces := []string{program}
	for _, a := range arguments.list() {
		pieces = append(pieces, a.string())
	}
	setCommand(n, strings.Join(pieces, " "))
}

// runtime stores how long the task took.
func (r *wfReader) runtime(n *api.NewNode, sources ...*jsonNode) {
	for _, source := range sources {
		for _, key := range []string{"runtimeInSeconds", "runtime"} {
			text := source.field(key).string()
			if f, err := strconv.ParseFloat(text, 64); err == nil && f > 0 && n.Attrs == nil {
				n.Attrs = map[string]string{"runtime": strconv.FormatFloat(f, 'f', -1, 64)}
			}
		}
	}
}

// edges joins a task with its parents and children, which may be listed at either end or at both.
func (r *wfReader) edges(t *jsonNode, id string) {
	for _, side := range []string{"parents", "children"} {
		for _, item := range t.field(side).list() {
			other, ok := r.ids[item.string()]
			if !ok {
				fail(item.line, "task %s: %s names %q, which is not a task", id, side, item.string())
			}
			from, to := other, id
			if side == "children" {
				from, to = id, other
			}
			r.b.edge(from, to, link{}, item.line)
		}
	}
}
