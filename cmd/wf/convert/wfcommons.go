package convert

import (
	"strconv"
	"strings"

	"wf/api"
)

// readWfCommons reads a workflow in the format of WfCommons, 1.3 to 1.6: the tasks of
// workflow.specification (from 1.5 on) or of workflow itself (before), joined by parents and children. The
// command of a task is its program with its arguments, if they were recorded. The duration of a task
// becomes the attribute runtime, in seconds.
func readWfCommons(b *builder, data []byte) error {
	root, err := parseJSON(data)
	if err != nil {
		return err
	}
	workflow := root.field("workflow")
	if workflow == nil || workflow.fields == nil {
		return errorAt(root.line, "it contains no workflow: it is not an instance of WfCommons")
	}
	if version := root.field("schemaVersion"); version != nil && !knownWfFormat[version.text] {
		return errorAt(version.line, "version %s of the format is not known: 1.3 to 1.6 are read", version.text)
	}
	r := &wfReader{b: b, ids: map[string]string{}}
	r.execution(workflow)
	tasks := workflow.field("specification").field("tasks")
	if tasks == nil {
		tasks = workflow.field("tasks")
	}
	if tasks == nil || tasks.fields != nil || tasks.text != "" {
		return errorAt(workflow.line, "there is no list of tasks in workflow.specification nor in workflow")
	}
	for _, t := range tasks.items {
		if err := r.task(t); err != nil {
			return err
		}
	}
	for i, t := range tasks.items {
		if err := r.edges(t, b.wf.Nodes[i].ID); err != nil {
			return err
		}
	}
	if missing := r.withoutCommand(); missing > 0 && b.opt.Command == "" {
		b.note("%d of %d tasks were recorded without a command", missing, len(tasks.items))
	}
	return nil
}

var knownWfFormat = map[string]bool{"1.3": true, "1.4": true, "1.5": true, "1.6": true}

type wfReader struct {
	b    *builder
	ids  map[string]string    // of tasks, by id and by name
	runs map[string]*jsonNode // the entries of workflow.execution, by id
}

// execution indexes the data that was recorded apart from the tasks.
func (r *wfReader) execution(workflow *jsonNode) {
	r.runs = map[string]*jsonNode{}
	if tasks := workflow.field("execution").field("tasks"); tasks != nil {
		for _, t := range tasks.items {
			r.runs[t.field("id").string()] = t
		}
	}
}

func (r *wfReader) withoutCommand() (n int) {
	for i := range r.b.wf.Nodes {
		if r.b.wf.Nodes[i].NoCommand {
			n++
		}
	}
	return n
}

func (r *wfReader) task(t *jsonNode) error {
	line := t.line
	id := t.field("id").string()
	name := t.field("name").string()
	if id == "" {
		id = name
	}
	if id == "" {
		return errorAt(line, "a task has neither id nor name")
	}
	if _, twice := r.b.at[id]; twice {
		return errorAt(line, "a second task is called %q", id)
	}
	n := r.b.node(id, line)
	r.ids[id] = id
	if _, taken := r.ids[name]; !taken {
		r.ids[name] = id // old versions name parents
	}
	run := r.runs[id]
	for _, source := range []*jsonNode{t, run} {
		command := source.field("command")
		if command == nil || !n.NoCommand {
			continue
		}
		if err := r.command(n, command); err != nil {
			return err
		}
	}
	r.runtime(n, t, run)
	return nil
}

// command joins program and arguments as they were recorded: arguments are pieces of a command line with
// their own quotes ("--cpu-work 5000" is one of them), not words.
func (r *wfReader) command(n *api.NewNode, c *jsonNode) error {
	program, arguments := c.field("program").string(), c.field("arguments")
	if program == "" {
		return nil
	}
	pieces := []string{program}
	if arguments != nil {
		if arguments.items == nil && arguments.text != "" {
			return errorAt(arguments.line, "the arguments of task %s are not a list", n.ID)
		}
		for _, a := range arguments.items {
			pieces = append(pieces, a.string())
		}
	}
	setCommand(n, strings.Join(pieces, " "))
	return nil
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
func (r *wfReader) edges(t *jsonNode, id string) error {
	for _, side := range []string{"parents", "children"} {
		list := t.field(side)
		if list == nil {
			continue
		}
		for _, item := range list.items {
			line := item.line
			other, ok := r.ids[item.string()]
			if !ok {
				return errorAt(line, "task %s: %s names %q, which is not a task", id, side, item.string())
			}
			from, to := other, id
			if side == "children" {
				from, to = id, other
			}
			if err := r.b.edge(from, to, link{}, line); err != nil {
				return err
			}
		}
	}
	return nil
}
