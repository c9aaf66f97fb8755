package tui

import tea "charm.land/bubbletea/v2"

// groupEdit is the heading of edits in the help.
const groupEdit = "Edit"

// editActions are the keys that change the workfile.
func editActions() []action {
	return []action{
		{groupEdit, []string{"M"}, "container", "make a container or a loop of the marked nodes or the selection", containerHint, atDrawing, isNow, give(func(m *model) tea.Msg { return m.menus().makeContainer() })},
		{groupEdit, []string{"a"}, "add", "add a node after the marked ones or the selection; ctrl-n: after nothing", "add", atDrawing, isNow, give(func(m *model) tea.Msg { return m.doc.addNode() })},
		{groupEdit, []string{"c"}, "connect", "draw an edge from what is marked or selected to a node; Tab: non-blocking", "", atDrawing, isNow, give(func(m *model) tea.Msg { return m.doc.connectTo() })},
		{groupEdit, []string{"D", "delete"}, "delete", "delete nodes or edges; it asks which, and whether to join the neighbours", "", atDrawing, isNow, give(func(m *model) tea.Msg { return m.menus().delete() })},
		{groupEdit, []string{"e"}, "edit commands", "edit the commands of the marked nodes or the selection in $EDITOR", "edit", atMain, isNow, give(func(m *model) tea.Msg { return m.doc.editCommands() })},
		{groupEdit, []string{"E"}, "node form", "change name, command, group and attributes of the node", "", atMain, isNow, give(func(m *model) tea.Msg { return m.doc.nodeForm() })},
		{groupEdit, nil, "ungroup", "dissolve the container around the selection; its nodes stay", "", atMain, isNow, give(func(m *model) tea.Msg { return m.menus().ungroup() })},
		{groupEdit, nil, "move", "move the marked nodes or the selection into a container, or out of theirs", "", atMain, isNow, give(func(m *model) tea.Msg { return m.menus().moveNodes() })},
		{groupEdit, []string{"b"}, "conditions", "set the condition under which an edge of the node fires", "", atDrawing, isNow, give(func(m *model) tea.Msg { return m.menus().conditions() })},
		{groupEdit, []string{"w"}, "wrapper", "change the wrapper of all commands, from presets if you like", "", atDrawing, isNow, give(func(m *model) tea.Msg { return m.doc.wrapper() })},
		{groupEdit, []string{"u", "ctrl+z"}, "undo", "take your latest edit of the workfile back", "", atDrawing, isNow, give(func(*model) tea.Msg { return undo() })},
		{groupEdit, []string{"ctrl+r", "ctrl+y"}, "redo", "repeat the edit that you undid last", "", atDrawing, isNow, give(func(*model) tea.Msg { return redo() })},
		{groupEdit, nil, "chain", "connect the marked nodes one after the other, in the order of the file", "", atMain, isNow, give(func(m *model) tea.Msg { return m.doc.chain() })},
		{groupEdit, nil, "set status", "mark nodes as done, failed or not run, without running anything", "", atMain, isNow, give(func(m *model) tea.Msg { return m.menus().status() })},
		{groupEdit, nil, "open workfile", "open a workfile by its name", "", atFile | atHome, nil, give(func(m *model) tea.Msg { return m.paths.open(m.opt.Dir) })},
		{groupEdit, nil, "save as", "copy the workfile with all its changes, and open the copy", "", atMain, isNow, give(func(m *model) tea.Msg { return m.paths.saveAs(m.opt.Dir) })},
	}
}
