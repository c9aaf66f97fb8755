package tui

import (
	"fmt"
	"strings"
)

// A function is one of the two editors of Python Workforce and what there is for it here: actions of the
// registry, or something else, or the reason why not.
type function struct {
	editor  string // Tk, web, or both
	what    string
	actions []string // names of actions
	note    string
}

// parity lists every function of the Tk and the web editor of Python Workforce.
var parity = []function{
	{"both", "see nodes, edges and statuses, live", []string{"view"}, "statuses are signs and colours, marks on edges too; non-blocking edges are dashed"},
	{"both", "add a node", []string{"add"}, "it comes after the selection, or after nothing"},
	{"both", "edit a command, several lines", []string{"edit commands", "node form"}, "in `$EDITOR`"},
	{"web", "one request per key stroke", nil, "not here: an edit is what was saved, and can be undone as one"},
	{"both", "delete the selection", []string{"delete"}, "it asks first; more than five nodes need a typed yes"},
	{"both", "connect two nodes, blocking", []string{"connect"}, ""},
	{"Tk", "connect two nodes, non-blocking", []string{"connect"}, "Tab in its prompt"},
	{"Tk", "connect the selection in sequence", []string{"chain"}, "in the order of the file: a terminal's marks have no order"},
	{"Tk", "delete the edges of the selection", []string{"delete"}, "the line \"only … edges\""},
	{"Tk", "clear status and log of the selection, or of all", []string{"clear state"}, ""},
	{"web", "set the status of a node", []string{"set status"}, "done, failed, none; \"queued\" and \"running\" would claim what is not so"},
	{"both", "run the selection, or all", []string{"run"}, ""},
	{"both", "stop all runs", []string{"stop"}, "one node or one run, too"},
	{"both", "show the log of a node", []string{"whole log", "open"}, "it follows; the Tk window does not"},
	{"Tk", "copy the log", []string{"copy the log"}, "through the terminal (OSC 52), over SSH too"},
	{"Tk", "select everything in the log", []string{"save", "pager"}, "a terminal selects with Shift-drag"},
	{"Tk", "edit the wrapper, with presets", []string{"wrapper"}, "the same nine presets"},
	{"Tk", "edit the list of presets", nil, "not here: wrappers that one uses often are settings (`wf help config`), for all workfiles or beside one"},
	{"both", "open a workfile, recent workfiles", []string{"open workfile", "home"}, ""},
	{"Tk", "open a workspace of another machine", nil, "not here: a daemon serves one user on one machine; `ssh HOST wf` is the way there"},
	{"both", "save as", []string{"save as"}, ""},
	{"Tk", "save", nil, "not needed: an edit is in the file when it is said to be done"},
	{"Tk", "table of active runs", []string{"home", "runs"}, "all workfiles at home, runs of this one with H"},
	{"Tk", "table of connected clients, status of the server", nil, "`wf server ls`, `wf server status`: they are about all workfiles"},
	{"both", "select one, several, none", []string{"mark", "unmark all", "filter"}, ""},
	{"both", "select by a rectangle", []string{"filter", "mark"}, "not here: drawings of terminals scroll; a filter and marks of a whole stage do it"},
	{"both", "move nodes", nil, "not here: places in a terminal are computed, and places in the file belong to graphical editors; `wf edit set NODE x 100`"},
	{"both", "pan", []string{"move", "move a page"}, "the drawing follows the selection; the wheel scrolls"},
	{"both", "zoom, fit", []string{"zoom", "fit"}, ""},
	{"web", "minimap", []string{"overview", "zoom"}, "in a corner of graphs that do not fit; the last zoom has one cell for each node"},
	{"both", "context menu", []string{"commands"}, "right click"},
	{"Tk", "leave", []string{"leave"}, "runs go on"},
	{"web", "undo on refusal (optimistic updates)", nil, "not needed: what is shown is what the daemon has said"},
	{"neither", "undo, redo", []string{"undo", "redo"}, ""},
}

// parityTable returns the part of docs/tui.md about the editors of Python Workforce.
func parityTable() string {
	keys := registry()
	var b strings.Builder
	b.WriteString("## The editors of Python Workforce\n\nEach function of its Tk and its web editor, and what does the same here or why nothing does.\n\n" +
		"| editor | function | here | |\n|---|---|---|---|\n")
	for _, f := range parity {
		var here []string
		for _, name := range f.actions {
			for i := range keys {
				if a := &keys[i]; a.name == name {
					here = append(here, "`"+strings.TrimSpace(docKeys(a))+"`")
					break
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.editor, f.what, strings.Join(here, " "), f.note)
	}
	return b.String()
}
