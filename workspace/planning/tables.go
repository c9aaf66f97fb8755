package planning

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/flow"
	"wf/workspace/table"
)

// mostTables bounds how many tables a plan or a check reads.
const mostTables = 100

// A tableFile identifies a table.
type tableFile struct{ file, key string }

// foreseenTables are the tables of a plan. The forecast runs on the loop and the tables are read beside it, so a plan is made
// again as long as it asks for tables that were not read.
type foreseenTables struct {
	folder string
	read   map[tableFile]rows
	wanted map[tableFile]int // the most rows; tables that the latest plan asked for
	notes  []string          // of the latest plan
}

// rows are the rows of a table, or why there are none.
type rows struct {
	items []any
	err   error
}

// begin forgets what an earlier plan has asked for.
func (t *foreseenTables) begin(folder string) {
	t.folder, t.wanted, t.notes = folder, map[tableFile]int{}, nil
}

// rows returns what is known of a table of a sub-flow, which is called name; nil = it is unknown.
func (t *foreseenTables) rows(name string, source scheduler.Table) []any {
	id := tableFile{source.File, source.Key}
	known, read := t.read[id]
	switch {
	case !read && len(t.read)+len(t.wanted) < mostTables:
		t.wanted[id] = source.MaxRows
	case !read:
		t.notes = append(t.notes, fmt.Sprintf("the instances of %s are not known: a plan reads at most %d tables", name, mostTables))
	case known.err != nil:
		t.notes = append(t.notes, fmt.Sprintf("the instances of %s are not known: %v", name, known.err))
	}
	return known.items
}

// readWanted reads the tables that the latest plan has asked for. It returns false if there are none. It waits for the disk, so
// it must not be called on a loop that runs.
func (t *foreseenTables) readWanted() bool {
	if t.read == nil {
		t.read = map[tableFile]rows{}
	}
	for id, most := range t.wanted {
		items, err := table.Read(t.folder, id.file, table.Limits{Key: id.key, MaxRows: most})
		t.read[id] = rows{items, err}
	}
	return len(t.wanted) > 0
}

// namedTables are the tables that a workfile names, for a check. The goroutine of the request reads them, not the loop.
type namedTables struct {
	folder string
	list   []namedTable
}

type namedTable struct {
	source scheduler.Table
	place  api.Problem // of the attribute
}

// tablesOf returns the first tables that the workfile names.
func tablesOf(pl *Planner) namedTables {
	t := namedTables{folder: filepath.Dir(pl.Path)}
	most := flow.DefaultInstances
	text, _ := pl.File.Graph().Attr("max_instances")
	if number, err := strconv.Atoi(text); err == nil && number > 0 {
		most = number
	}
	for _, n := range pl.File.Graph().Nodes() {
		file, key, ok := flow.TableOf(n)
		if !ok {
			continue
		}
		if t.list = append(t.list, namedTable{
			source: scheduler.Table{File: file, Key: key, MaxRows: max(1, most/max(1, n.Children()))},
			place:  pl.problem(graph.Problem{Code: "table", Nodes: []string{n.ID}, Edge: -1, Attr: graph.AttrForeach}),
		}); len(t.list) == mostTables {
			break
		}
	}
	return t
}

// check adds the mistakes of the tables. A table that does not exist is a warning: a command of the run may write it.
func (t namedTables) check(c *api.Check) {
	for _, named := range t.list {
		_, err := table.Read(t.folder, named.source.File, table.Limits{Key: named.source.Key, MaxRows: named.source.MaxRows})
		if err == nil {
			continue
		}
		p := named.place
		p.Severity, p.Message = "error", "foreach: "+err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			p.Severity = "warning"
		}
		addProblem(c, p)
	}
}
