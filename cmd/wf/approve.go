package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// decideOptions are the flags of approve and reject.
type decideOptions struct {
	file, run string
	approved  bool
	set       []string
	values    map[string]any // of set
	comment   string
	by        string
	json      bool
}

func newApprove(e *env) *cobra.Command {
	return decideCommand(e, &decideOptions{approved: true}, &cobra.Command{
		Use: "approve NODE...",
		Long: `Approve lets a node that waits for a person continue. Its command gets each value of --set as
WF_APPROVAL_KEY. The values are also outputs of the node, so edges can test them. The history
keeps who approved, when, why and with which values; wf why and wf runs show print it. A value
whose name suggests a secret (token, password) is shown as ***. NODE may be the path of an
instance (align[3]/check, align[S5]/check), the last name of that path if it is unique among
the waiting nodes, or a pattern: 'align[*]/check', '*'.`,
		Example: `  wf approve deploy
  wf approve deploy --set window=14:00 --comment 'as agreed'
  wf approve 'align[3]/check' --run 42
  wf approve 'align[*]/check' publish`,
	})
}

func newReject(e *env) *cobra.Command {
	return decideCommand(e, &decideOptions{}, &cobra.Command{
		Use: "reject NODE...",
		Long: `Reject makes a node that waits for a person fail, with the reason "rejected". Edges with
when=failure are followed. Without such an edge the node counts as failed, and wf resume runs
it again.`,
		Example: `  wf reject deploy --comment 'not on a Friday'`,
	})
}

// decideCommand adds what approve and reject have in common.
func decideCommand(e *env, o *decideOptions, cmd *cobra.Command) *cobra.Command {
	cmd.Args = nargs(0, -1) // without an argument the error lists what waits
	cmd.Annotations = map[string]string{completesWith: "WAITING"}
	cmd.PreRunE = func(*cobra.Command, []string) (err error) { o.values, err = e.assignments("--set", o.set); return err }
	cmd.RunE = onNodes(e, &o.file, o.decide)
	f := cmd.Flags()
	lookFlag(cmd, &o.file, "f")
	f.StringVar(&o.run, "run", "", "in this `RUN` (default: the only run in which the node waits)")
	f.StringArrayVar(&o.set, "set", nil, "a value for the command and the outputs, `NAME=VALUE` (repeatable)")
	f.StringVar(&o.comment, "comment", "", "a comment for the history")
	f.StringVar(&o.by, "by", "", "the `NAME` of the person who decides (default: $USER); the system user is recorded, too")
	f.BoolVar(&o.json, "json", false, "print the decision as JSON")
	return cmd
}

func (o *decideOptions) decide(ctx context.Context, e *env, s *target, nodes []string) error {
	waiting, err := s.Workspace.Approvals(ctx)
	if err != nil {
		return err
	}
	command := "wf reject"
	if o.approved {
		command = "wf approve"
	}
	picked, err := pickApprovals(waiting.Approvals, nodes, o.run, command, e.fileFix(s.Path))
	if err != nil {
		return err
	}
	for _, a := range picked {
		made, err := s.decide(ctx, a, api.Decision{Approved: o.approved, Values: o.values, Comment: o.comment, User: cmp.Or(o.by, e.User())})
		if err != nil {
			return err
		}
		if o.json {
			if err := console.WriteJSON(e.Stdout, made); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(e.Stderr, "%s %s in run %s\n", words.Decided(o.approved), plain.Line(a.Name), a.Run)
	}
	return nil
}

// pickApprovals returns the approvals that the arguments select, each once. It fails if an argument selects none.
func pickApprovals(waiting []api.Approval, nodes []string, run, command, file string) ([]api.Approval, error) {
	var picked []api.Approval
	add := func(a api.Approval) {
		if !slices.ContainsFunc(picked, func(b api.Approval) bool { return a.Node == b.Node && a.Run == b.Run }) {
			picked = append(picked, a)
		}
	}
	if len(nodes) == 0 {
		nodes = []string{""}
	}
	for _, node := range nodes {
		matched := false
		for _, a := range waiting {
			if strings.Contains(node, "*") && (run == "" || a.Run == run) && (matches(node, a.Name) || matches(node, a.Node)) {
				add(a)
				matched = true
			}
		}
		if matched {
			continue
		}
		a, err := pickApproval(waiting, node, run, command, file)
		if err != nil {
			return nil, err
		}
		add(a)
	}
	return picked, nil
}

// matches says whether pattern, in which * stands for any characters, matches the whole text.
func matches(pattern, text string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	for at := len(first); at <= len(text); at++ {
		if matches(rest, text[at:]) {
			return true
		}
	}
	return false
}

// decide sends the decision about one approval to the daemon.
func (s *target) decide(ctx context.Context, a api.Approval, d api.Decision) (api.DecisionReport, error) {
	d.Node, d.Run = a.Node, a.Run
	if _, err := s.Workspace.Decide(ctx, d); err != nil {
		return api.DecisionReport{}, err
	}
	return api.DecisionReport{Schema: api.SchemaDecision, Approval: a, Decision: api.DecisionMade{Approved: d.Approved,
		By: d.User, Time: time.Now().UTC(), Comment: d.Comment, Values: d.Values}}, nil
}

// assignments parses the NAME=VALUE arguments of a flag. All values are texts.
func (e *env) assignments(flag string, list []string) (map[string]any, error) {
	var values map[string]any
	for _, text := range list {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, exit.Usage("%s %s: must be NAME=VALUE", flag, text)
		}
		value, err := e.valueOf(flag, name, value)
		if err != nil {
			return nil, err
		}
		if values == nil {
			values = map[string]any{}
		}
		values[name] = value
	}
	return values, nil
}

// pickApproval returns the approval that a handle, an id or a path names. A run number and a slash may
// stand before it. Errors list the nodes that wait.
func pickApproval(waiting []api.Approval, node, run, command, file string) (api.Approval, error) {
	found := approvalsOf(waiting, node, run)
	if parts := runSlashNode.Get().FindStringSubmatch(node); len(found) == 0 && parts != nil && run == "" {
		found = approvalsOf(waiting, parts[2], parts[1])
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(waiting) == 0:
		return api.Approval{}, &exit.Failure{Status: exit.BadUsage, What: "nothing waits for a person", Fix: "wf status" + file}
	case node == "":
		return api.Approval{}, &exit.Failure{Status: exit.BadUsage, What: "name the node", Why: waitingList(waiting), Fix: command + " " + words.Quote(waiting[0].Name) + file}
	case len(found) > 1:
		if found[0].Node != found[1].Node {
			return api.Approval{}, &exit.Failure{Status: exit.BadUsage, What: fmt.Sprintf("%s means %d nodes that wait for a person: name one, or use a pattern", node, len(found)),
				Why: waitingList(found), Fix: command + " " + words.Quote(found[0].Name) + file}
		}
		return api.Approval{}, &exit.Failure{Status: exit.BadUsage, What: fmt.Sprintf("%s waits for a person in %d runs: name one", node, len(found)),
			Why: waitingList(found), Fix: command + " " + words.Quote(node) + " --run " + found[0].Run + file}
	}
	what := node + " does not wait for a person"
	if run != "" {
		what += " in run " + run
	}
	var names []string
	for _, a := range waiting {
		if a.Name != node && !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	if similar := exit.DidYouMean(node, names); similar != "" {
		what += ": " + similar
	}
	return api.Approval{}, &exit.Failure{Status: exit.BadUsage, What: what, Why: waitingList(waiting), Fix: command + " " + words.Quote(waiting[0].Name) + file}
}

// approvalsOf returns the approvals that node names. It compares node with handles and paths first, then with ids, then
// with the ends of paths, and stops at the first comparison that finds an approval.
func approvalsOf(waiting []api.Approval, node, run string) []api.Approval {
	for _, name := range []func(api.Approval) string{
		func(a api.Approval) string { return a.Name },
		func(a api.Approval) string { return a.Node },
		func(a api.Approval) string { return a.Name[strings.LastIndexByte(a.Name, '/')+1:] },
	} {
		var found []api.Approval
		for _, a := range waiting {
			if node != "" && name(a) == node && (run == "" || a.Run == run) {
				found = append(found, a)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// maxWaiting is how many approvals an error lists.
const maxWaiting = 10

// waitingList describes the waiting approvals, one per line.
func waitingList(waiting []api.Approval) string {
	lines := []string{"waiting:"}
	for i, a := range waiting {
		if i == maxWaiting {
			lines = append(lines, fmt.Sprintf("and %d more: wf approvals", len(waiting)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("  %s in run %s: %s", plain.Line(a.Name), a.Run, plain.Line(a.Text)))
	}
	return strings.Join(lines, "\n")
}

// sortApprovals sorts by waiting time, longest first.
func sortApprovals(list []api.Approval) {
	slices.SortStableFunc(list, func(a, b api.Approval) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Workfile, b.Workfile), cmp.Compare(a.Name, b.Name))
	})
}
