package workspace

import (
	"context"
	"slices"
	"strings"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
)

// nameInstances gives executions in instances their names. Items may have changed since, so an item is used only if the
// execution has recorded it.
func (w *Workspace) nameInstances(ctx context.Context, list []api.Execution) error {
	if !slices.ContainsFunc(list, func(x api.Execution) bool { return nodestate.IsPath(x.Node) }) {
		return nil
	}
	names, err := loop.Ask(ctx, w.loop, func() ([]string, error) {
		namer, names := &nodestate.PathNamer{Nodes: w.nodes}, make([]string, len(list))
		for k, x := range list {
			if nodestate.IsPath(x.Node) && x.Inputs != nil && x.Inputs.Item != nil {
				names[k] = namer.Name(x.Node)
			}
		}
		return names, nil
	})
	if err != nil {
		return err
	}
	for k := range list {
		if word := scheduler.ItemName(itemText(&list[k])); word != "" && strings.Contains(names[k], "["+word+"]/") {
			list[k].Name = names[k]
		}
	}
	return nil
}

// itemText is the item of an execution.
func itemText(x *api.Execution) any {
	if x.Inputs == nil || x.Inputs.Item == nil {
		return nil
	}
	return *x.Inputs.Item
}
