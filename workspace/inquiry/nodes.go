package inquiry

import (
	"context"
	"slices"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/graph/attribute"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/workfile"
)

// nameInstances sets the names of executions in instances. The items may have changed since then, so it uses an item only if
// the execution has recorded it.
func (q *Reader) nameInstances(ctx context.Context, list []api.Execution) error {
	if !slices.ContainsFunc(list, func(x api.Execution) bool { return nodestate.IsPath(x.Node) }) {
		return nil
	}
	keys := make([]string, len(list))
	names, err := loop.Ask(ctx, q.loop, func() ([]string, error) {
		namer, names := &nodestate.PathNamer{Nodes: q.nodes}, make([]string, len(list))
		for k, x := range list {
			if nodestate.IsPath(x.Node) && x.Inputs != nil && x.Inputs.Item != nil {
				names[k], keys[k] = namer.Name(x.Node), namer.Key(x.Node)
			}
		}
		return names, nil
	})
	if err != nil {
		return err
	}
	for k := range list {
		if word := scheduler.ItemName(itemOf(&list[k]), keys[k]); word != "" && strings.Contains(names[k], "["+word+"]/") {
			list[k].Name = names[k]
		}
	}
	return nil
}

// itemOf returns the item of an execution.
func itemOf(x *api.Execution) any {
	if x.Inputs == nil || x.Inputs.Item == nil {
		return nil
	}
	if text := *x.Inputs.Item; strings.HasPrefix(text, "{") {
		if row, err := expression.Decode([]byte(text)); err == nil {
			return row // of a table
		}
	}
	return *x.Inputs.Item
}

// Select resolves selectors to nodes.
func (q *Reader) Select(ctx context.Context, selectors []string) (api.NodeList, error) {
	return workfile.Ask(ctx, q.file, func() (api.NodeList, error) {
		list := api.NodeList{Schema: api.SchemaNodes, Nodes: []api.NodeStatus{}, Problem: q.file.Unreadable()}
		nodes := q.file.Graph().Nodes()
		if len(selectors) > 0 {
			var plain []string
			for _, s := range instanceTerms(selectors) {
				if state, ok := strings.CutPrefix(s, "s:"); ok {
					list.Nodes = append(list.Nodes, q.nodes.InstancesInState(state)...)
				}
				if found, ok := q.nodes.SelectInstances(s); ok {
					list.Nodes = append(list.Nodes, found...)
					continue
				}
				plain = append(plain, s)
			}
			if plain == nil {
				return list, nil
			}
			var err error
			if nodes, err = q.file.Select(plain); err != nil {
				return list, q.nodes.ExplainInstances(err, plain)
			}
		}
		blocked := q.nodes.Blocked()
		for _, n := range nodes {
			s := q.nodes.NodeStatus(n, blocked[n.Pos()])
			s.Attrs = ownAttrs(n)
			s.Outputs = q.knownOutputs(n)
			list.Nodes = append(list.Nodes, s)
		}
		return list, nil
	})
}

// ownAttrs returns the attributes of a node that people edit, except its command and its position, and attributes that look
// misspelled.
func ownAttrs(n *graph.Node) map[string]string {
	attrs := map[string]string{}
	for a := range attribute.On(attribute.Node) {
		if value, has := n.Attr(a.Name); has && a.Settable() && a.Name != "label" && a.Name != "x" && a.Name != "y" {
			attrs[a.Name] = value
		}
	}
	for name, value := range n.Extra {
		if attribute.Judge(attribute.Node, name) != nil {
			attrs[name] = value
		}
	}
	if len(attrs) == 0 {
		return nil
	}
	return attrs
}

// instanceTerms returns the terms of selectors that name instances, or states that instances can have.
func instanceTerms(selectors []string) (terms []string) {
	for _, s := range selectors {
		if strings.Contains(s, ",") && (strings.Contains(s, "]") || strings.Contains(s, "s:")) {
			for part := range strings.SplitSeq(s, ",") {
				terms = append(terms, strings.TrimSpace(part))
			}
			continue
		}
		terms = append(terms, s)
	}
	return terms
}

// Approvals lists the nodes that wait for a person, the longest waiting first.
func (q *Reader) Approvals(ctx context.Context) (api.ApprovalList, error) {
	return loop.Ask(ctx, q.loop, func() (api.ApprovalList, error) {
		list := api.ApprovalList{Schema: api.SchemaApprovals, Approvals: []api.Approval{}}
		for _, r := range q.nodes.Runs {
			list.Approvals = append(list.Approvals, r.Approvals()...)
		}
		slices.SortStableFunc(list.Approvals, func(a, b api.Approval) int { return a.Since.Compare(b.Since) })
		return list, nil
	})
}
