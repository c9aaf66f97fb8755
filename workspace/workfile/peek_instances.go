package workfile

import (
	"path/filepath"
	"strconv"

	"wf/scheduler"
	"wf/scheduler/flow"
	"wf/workspace/table"
)

// Instances returns what stands in brackets in the paths of the instances of a sub-flow, as far as the workfile and its tables
// tell: names, or numbers where an item makes no name. It waits for the disk.
func (p *Peek) Instances(id string) []string {
	n := p.g.Node(id)
	if n == nil {
		return nil
	}
	var items []any
	file, key, isTable := flow.TableOf(n)
	if isTable {
		items, _ = table.Read(filepath.Dir(p.Path), file, table.Limits{Key: key, MaxRows: flow.DefaultInstances})
	} else if f, _ := flow.Read(p.g); f.Node(n) != nil && f.Node(n).Sub != nil {
		items = f.Node(n).Sub.List
	}
	names := scheduler.ItemNames(items, key)
	for k, name := range names {
		if name == "" {
			names[k] = strconv.Itoa(k)
		}
	}
	return names
}
