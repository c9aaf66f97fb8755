package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/alike"
	"wf/client/runview"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/tail"
	"wf/tui/words"
)

// groupDigest is the heading of the digest of failures in the help.
const groupDigest = "Failures"

// Limits of the digest: outputs that are read, and the time for reading them.
const (
	mostTails  = 500
	digestTime = 60 * time.Second
)

// A digest is the screen that groups the failed nodes of a run by the ends of their outputs.
type digest struct {
	dialog.List // of groups
	run         string
	known       bool
	failed      []failedNode
	groups      []alike.Group
	example     int   // position in the selected group of the node whose output is shown
	unread      int   // failures whose output was not read
	lines       []int // by row of the latest screen: its group, or -1
	log         bool  // the log on the whole screen was opened from here
}

// A failedNode is a node that failed, as the digest shows it.
type failedNode struct {
	id, name string
	cause    string
	tail     tail.Tail
}

// digestActions are the keys of the digest.
func digestActions() []action {
	some := func(m *model) bool { return len(m.digest.groups) > 0 }
	now := func(m *model) bool { return some(m) && m.doc.earlier == nil }
	return []action{
		{groupDigest, []string{"R"}, "run a group again", "run the nodes that failed alike again; it asks which and what follows them", "run again", atDigest, now, give(func(m *model) tea.Msg { return m.digest.again(m.menus()) })},
		{groupDigest, []string{"e"}, "edit a group", "edit the commands of the nodes that failed alike in $EDITOR", "edit", atDigest, now, give(func(m *model) tea.Msg { return m.digest.edit(&m.doc) })},
		{groupDigest, []string{"L", "s"}, "log of the example", "show the log of the example on the whole screen", "log", atDigest, some, give(readExample)},
		{groupDigest, []string{"enter"}, "go to the example", "go to the example in the drawing", "open", atDigest, some, give((*model).choose)},
		{groupDigest, []string{"left", "right", "h", "l"}, "other example", "show the output of another node of the group", "", atDigest, some,
			func(m *model, key string) tea.Msg { m.digest.otherExample(key == "right" || key == "l"); return nil }},
		{groupDigest, []string{"up", "down", "k", "j", "pgup", "pgdown", "home", "end", "g", "G"}, "move among groups", "move the selection", "", atDigest, nil,
			func(m *model, key string) tea.Msg { m.digest.move(key); return nil }},
		{groupDigest, []string{"esc", "X"}, "leave the failures", "go back to the drawing", "back", atDigest, nil, act(func(m *model) { m.page = mainPage })},
	}
}

// move selects a group.
func (v *digest) move(key string) {
	was := v.At
	if v.Move(key); v.At != was {
		v.example = 0
	}
}

// otherExample shows the next or the previous member of the selected group.
func (v *digest) otherExample(next bool) {
	n := len(v.groups[v.At].Members)
	if next {
		v.example = (v.example + 1) % n
	} else {
		v.example = (v.example + n - 1) % n
	}
}

// showDigest opens the digest of the run that is shown.
func showDigest(m *model) tea.Msg {
	run := shownRun(&m.doc)
	if run == nil {
		return notice{"nothing has run yet", false}
	}
	m.page = digestPage
	return m.digest.load(&m.doc, run.Run)
}

// shownRun returns the run whose states are on the screen, or nil.
func shownRun(d *document) *api.RunSummary {
	if d.earlier != nil {
		return &d.earlier.detail.RunSummary
	}
	return d.flow.Current()
}

// load asks for the failures of a run and for the ends of their outputs.
func (v *digest) load(doc *document, run string) tea.Msg {
	*v = digest{run: run}
	type found struct {
		failed []failedNode
		groups []alike.Group
		unread int
	}
	refused := refusedNodes(doc.shown(), run)
	r := ask(func(ctx context.Context, ws *client.Workspace) (f found, err error) {
		detail, err := ws.Run(ctx, run)
		if err != nil {
			return f, err
		}
		var like []alike.Failure
		for _, x := range runview.FailedExecutions(detail) {
			one := failedNode{id: x.Node, name: plain.Line(x.Name), cause: words.Cause(x.Reason, x.ExitCode, x.Signal, x.Message)}
			if len(f.failed) < mostTails {
				if one.tail, err = tail.Read(ctx, ws, client.LogQuery{Node: x.Node, Run: run, Execution: x.Execution}); err != nil && ctx.Err() != nil {
					return f, err
				}
			} else {
				f.unread++
			}
			f.failed = append(f.failed, one)
			like = append(like, alike.Failure{Name: one.name, Cause: one.cause, Command: x.Command, Tail: one.tail.Lines})
			delete(refused, x.Node)
		}
		for _, id := range sortedKeys(refused) {
			f.failed = append(f.failed, refused[id])
			like = append(like, alike.Failure{Name: refused[id].name, Cause: refused[id].cause})
		}
		f.groups = alike.Groups(like)
		return f, nil
	}, func(f found) tea.Msg {
		if v.run == run {
			v.failed, v.groups, v.unread, v.known = f.failed, f.groups, f.unread, true
		}
		return nil
	})
	r.limit = digestTime
	r.fail = func(err error) tea.Msg {
		v.known = true
		return failed{err}
	}
	return r
}

// refusedNodes returns the failures without an execution, such as rejections, by id.
func refusedNodes(f *runview.Workfile, run string) map[string]failedNode {
	out := map[string]failedNode{}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.State == api.StateFailed && !n.Handled && n.Run == run && n.SubFlow == "" && f.Outer(i) {
			out[n.ID] = failedNode{id: n.ID, name: n.Name, cause: words.Cause(n.Reason, n.ExitCode, n.Signal, n.Message)}
		}
	}
	return out
}

// members returns the nodes of the selected group.
func (v *digest) members() []failedNode {
	if v.At >= len(v.groups) {
		return nil
	}
	var out []failedNode
	for _, i := range v.groups[v.At].Members {
		out = append(out, v.failed[i])
	}
	return out
}

// shown returns the example of the selected group, or nil.
func (v *digest) shown() *failedNode {
	if v.At >= len(v.groups) {
		return nil
	}
	members := v.groups[v.At].Members
	return &v.failed[members[min(v.example, len(members)-1)]]
}

// choose goes to the example in the drawing.
func (v *digest) choose() tea.Msg {
	if one := v.shown(); one != nil {
		return showNode{one.id}
	}
	return nil
}

// readExample shows the log of the example.
func readExample(m *model) tea.Msg {
	one := m.digest.shown()
	if one == nil {
		return nil
	}
	m.doc.picture.unmarkAll() // otherwise their logs would be shown
	m.doc.reveal(one.id)
	m.digest.log = true
	return showPage{logPage}
}

// leaveLog returns from the log to the screen that opened it.
func leaveLog(m *model) {
	m.page = mainPage
	if m.digest.log {
		m.page, m.digest.log = digestPage, false
	}
}

// again asks how to run the nodes of the selected group again.
func (v *digest) again(m menus) tea.Msg {
	var names []string
	inner := false
	for _, one := range v.members() {
		names = append(names, one.name)
		inner = inner || strings.Contains(one.name, "[")
	}
	list := strings.Join(names, ",")
	what := names[0]
	if len(names) > 1 {
		what = words.Plural(len(names), "node")
	}
	choices := []dialog.Choice{{Key: "n", Label: "nothing"}}
	add := func(key, label, command string, change func(*api.RunRequest)) {
		c := m.choice(key, label, command, change)
		c.Do = messages{showPage{mainPage}, c.Do}
		choices = append(choices, c)
	}
	add("f", "resume: all that failed, and what waited for it", m.line.of("resume"), func(r *api.RunRequest) { r.Mode = api.ModeResume })
	if !inner {
		after := around(names, "", "+")
		add("d", what+" and what follows", m.line.of("run", "--nodes", strings.Join(after, ",")), func(r *api.RunRequest) { r.Nodes = after })
	}
	add("s", "only "+what, m.line.of("run", "--nodes", list), func(r *api.RunRequest) { r.Nodes = names })
	return openDialog{&dialog.Menu{Title: "Run again", Low: true, At: 1, Choices: choices}}
}

// edit opens the commands of the nodes of the selected group in the editor.
func (v *digest) edit(doc *document) tea.Msg {
	var nodes []int
	for _, one := range v.members() {
		i, known := doc.flow.Index[one.id]
		if name, inner := runview.SubFlowOf(one.id); !known && inner {
			if root := doc.flow.SubFlowNamed(name); root >= 0 {
				i = doc.flow.Member(root, one.id)
				known = i >= 0
			}
		}
		if known && !slices.Contains(nodes, i) {
			nodes = append(nodes, i)
		}
	}
	if len(nodes) == 0 {
		return notice{"the workfile has none of these nodes any more", false}
	}
	return editCommandsOf(doc, nodes)
}

// title returns what the digest says about the whole run.
func (v *digest) title() string {
	switch {
	case !v.known:
		return fmt.Sprintf("run %s: reading the ends of the outputs", v.run)
	case len(v.groups) == 0:
		return fmt.Sprintf("run %s: nothing has failed", v.run)
	case len(v.failed) == 1:
		return fmt.Sprintf("run %s: 1 node failed", v.run)
	}
	text := fmt.Sprintf("run %s: %d nodes failed, in %s", v.run, len(v.failed), words.Plural(len(v.groups), "way"))
	if v.unread > 0 {
		text += fmt.Sprintf("; the outputs of %d were not read", v.unread)
	}
	return text
}
