package tui

// groupEdit is the heading of edits in the help.
const groupEdit = "Edit"

// editActions are the keys that change the workfile.
func editActions() []action {
	return []action{
		{groupEdit, []string{"a"}, "add", "add a node after the marked ones or the selection; ctrl-n: after nothing", "add", atDrawing, isNow, act((*model).addNode)},
		{groupEdit, []string{"c"}, "connect", "draw an edge from what is marked or selected to a node; Tab: non-blocking", "", atDrawing, isNow, act((*model).connectTo)},
		{groupEdit, []string{"D", "delete"}, "delete", "delete nodes or edges; it asks which, and whether to join the neighbours", "", atDrawing, isNow, act((*model).deleteMenu)},
		{groupEdit, []string{"e"}, "edit commands", "edit the commands of the marked nodes or the selection in $EDITOR", "edit", atMain, isNow, ask((*model).editCommands)},
		{groupEdit, []string{"E"}, "node form", "change name, command, group and attributes of the node", "", atMain, isNow, ask((*model).nodeForm)},
		{groupEdit, []string{"b"}, "conditions", "say under which condition an edge of the node fires", "", atDrawing, isNow, act((*model).conditions)},
		{groupEdit, []string{"w"}, "wrapper", "change the wrapper of all commands, from presets if you like", "", atDrawing, isNow, act((*model).wrapper)},
		{groupEdit, []string{"u", "ctrl+z"}, "undo", "take your latest edit of the workfile back", "", atDrawing, isNow, ask((*model).undo)},
		{groupEdit, []string{"ctrl+r", "ctrl+y"}, "redo", "make again the edit that you undid last", "", atDrawing, isNow, ask((*model).redo)},
		{groupEdit, nil, "chain", "connect the marked nodes one after the other, in the order of the file", "", atMain, isNow, ask((*model).chain)},
		{groupEdit, nil, "set status", "say that nodes are done, failed or have not run; nothing is run", "", atMain, isNow, act((*model).statusMenu)},
		{groupEdit, nil, "open workfile", "open a workfile by its name", "", atFile | atHome, nil, act((*model).openPrompt)},
		{groupEdit, nil, "save as", "copy the workfile with all its changes, and open the copy", "", atMain, isNow, act((*model).saveAsPrompt)},
	}
}
