package tui

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/words"
)

// A decide sends the same decision about several questions. then, if not nil, gets the first error, or nil.
type decide struct {
	about    []api.Approval
	decision api.Decision
	then     func(error) tea.Msg
}

// send sends the decisions to the daemon, up to the first error. own is the open workfile.
func (d decide) send(parent context.Context, l *link, in *inbox, own, user string) tea.Cmd {
	if !l.connected() {
		return nil
	}
	d.decision.User = user
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, requestTime)
		defer cancel()
		made := 0
		var failure error
		for _, a := range d.about {
			if failure = sendDecision(ctx, l.client, l.ws, own, a, d.decision); failure != nil {
				break
			}
			made++
		}
		return answer{nil, func() tea.Msg {
			in.marked = nil
			return d.answered(made, failure)
		}}
	}
}

// answered reports the decisions that were made.
func (d decide) answered(made int, failure error) tea.Msg {
	var msgs messages
	if made > 0 {
		msgs = append(msgs, notice{words.Decided(d.decision.Approved) + " " + askedNames(d.about[:made]), false})
	}
	if failure != nil {
		msgs = append(msgs, failed{failure})
	}
	if d.then != nil {
		msgs = append(msgs, d.then(failure))
	}
	return append(msgs, approvalsChanged{})
}

// sendDecision sends a decision to the workfile that it is for: the open one, or another.
func sendDecision(ctx context.Context, c *client.Client, ws *client.Workspace, own string, about api.Approval, d api.Decision) error {
	d.Node, d.Run = about.Node, about.Run
	if about.Workfile != own {
		var err error
		if ws, err = c.Open(ctx, about.Workfile); err != nil {
			return err
		}
	}
	_, err := ws.Decide(ctx, d)
	return err
}

// approve opens the form for questions. chosen is the choice that is already made, or -1.
func approve(about []api.Approval, chosen int) tea.Msg {
	if len(about) == 0 {
		return nil
	}
	return openDialog{newApprovalForm(about, chosen)}
}

// reject asks for the reason, and then for a confirmation.
func (m menus) reject(about []api.Approval) tea.Msg {
	if len(about) == 0 {
		return nil
	}
	return openDialog{&dialog.Prompt{Label: "reject " + askedNames(about) + ", because:", Enter: func(comment string) tea.Msg {
		return openDialog{&dialog.Menu{Title: "Reject " + askedNames(about) + "?", Choices: []dialog.Choice{
			{Key: "n", Label: "no"},
			{Key: "y", Label: "yes: the node fails", Detail: m.decideCommand("reject", about, comment), Do: decide{about, api.Decision{Comment: comment}, nil}},
		}}}
	}}}
}

// askedNames names the nodes that an answer is for.
func askedNames(about []api.Approval) string {
	if len(about) == 1 {
		return about[0].Name
	}
	return words.Plural(len(about), "node")
}

// decideCommand returns the command that gives the same answer for one node.
func (m menus) decideCommand(command string, about []api.Approval, comment string) string {
	if len(about) != 1 || about[0].Workfile != m.doc.flow.Status.Workfile {
		return ""
	}
	args := []string{about[0].Name}
	if comment != "" {
		args = append(args, "--comment", comment)
	}
	return m.line.of(command, args...)
}

// answer asks for the answer to the question of the selected node; it returns nil if the node asks nothing.
func (m menus) answer(v *inbox) tea.Msg {
	n := m.doc.selectedNode()
	if n == nil || m.doc.earlier != nil || n.Wait == nil || n.Wait.Kind != api.WaitApproval {
		return nil
	}
	a := v.ofNode(n)
	if a == nil {
		return nil
	}
	about := []api.Approval{*a}
	choices := []dialog.Choice{{Key: "w", Label: "decide nothing now"}}
	for k, c := range a.Choices {
		key := ""
		if k < 9 {
			key = fmt.Sprint(k + 1)
		}
		choices = append(choices, dialog.Choice{Key: key, Label: words.Outcome(c), Detail: m.line.of("approve", "--set", "case="+c.Case, a.Name), Do: approve(about, k)})
	}
	approves, rejects := outcomes(&m.doc.flow, *a)
	if !a.NeedsCase {
		choices = append(choices, dialog.Choice{Key: "y", Label: "approve" + approves, Detail: m.decideCommand("approve", about, ""), Do: approve(about, -1)})
	}
	return openDialog{&dialog.Menu{Title: cells.Clip(plain.Line(a.Text), 60, m.ascii), Choices: append(choices,
		dialog.Choice{Key: "x", Label: "reject" + rejects, Detail: m.decideCommand("reject", about, ""), Do: m.reject(about)},
		dialog.Choice{Key: "l", Label: "look at the log", Do: showLog{}},
	)}}
}

// outcomes describes what an approval and a rejection start, from the edges of the node that asks: ": leads to ship".
// They are "" for a node of another workfile.
func outcomes(f *runview.Workfile, a api.Approval) (approves, rejects string) {
	i := f.NodeOf(a.Node)
	if i < 0 || a.Workfile != f.Status.Workfile {
		return "", ""
	}
	var yes, no []string
	for _, e := range f.Out[i] {
		edge := &f.Edges[e]
		name := runview.LocalName(f.Nodes[edge.To].Name)
		switch kind, _, _ := strings.Cut(edge.When, ":"); kind {
		case "case", "exit": // only an answer or a command can choose it
		case "failure":
			no = append(no, name)
		case "done":
			yes, no = append(yes, name), append(no, name)
		default: // an expression may refuse it
			yes = append(yes, name)
		}
	}
	if strings.TrimSpace(f.Nodes[i].Command) != "" {
		approves = ": its command runs, then"
	}
	if len(yes) == 0 {
		approves = strings.TrimSuffix(approves, ", then")
	} else {
		approves = cmp.Or(approves, ":") + " leads to " + words.NameList(yes, 8)
	}
	rejects = ": the node fails"
	if len(no) > 0 {
		rejects = ": leads to " + words.NameList(no, 8)
	}
	return approves, rejects
}
