package tui

import (
	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/drawing"
)

// act makes the function of an action from a method that needs no key and returns no command.
func act(do func(*model)) func(*model, string) tea.Cmd {
	return func(m *model, _ string) tea.Cmd {
		do(m)
		return nil
	}
}

// ask makes the function of an action from a method that needs no key.
func ask(do func(*model) tea.Cmd) func(*model, string) tea.Cmd {
	return func(m *model, _ string) tea.Cmd { return do(m) }
}

// hasFile reports whether there is a drawing.
func hasFile(m *model) bool { return !m.nothingOpen() }

// inGraph reports whether the view is the graph.
func inGraph(m *model) bool { return hasFile(m) && m.picture.view == drawing.Layers }

// isNow reports whether the workfile is shown as it is now, not as an earlier run left it.
func isNow(m *model) bool { return hasFile(m) && m.past == nil }

// inspects and showsLog report what the side pane shows.
func inspects(m *model) bool { return m.page == mainPage && m.inspect }
func showsLog(m *model) bool { return m.page == logPage || !m.inspect }

func moveActions() []action {
	lines := atSide | atLog
	return []action{
		{groupMove, []string{"up", "down", "left", "right", "k", "j", "h", "l"}, "move", "move the selection", "", atDrawing, hasFile,
			func(m *model, key string) tea.Cmd { m.move(arrow(key)); return nil }},
		{groupMove, []string{"pgup", "pgdown", "ctrl+u", "ctrl+d"}, "move a page", "move by a page", "", atDrawing, hasFile,
			func(m *model, key string) tea.Cmd { m.movePage(key); return nil }},
		{groupMove, []string{"home", "end", "g", "G"}, "move to an end", "go to the beginning or the end", "", atDrawing, hasFile,
			func(m *model, key string) tea.Cmd { m.moveEnd(key); return nil }},
		{groupMove, []string{"enter"}, "open", "open a stage or a sub-flow, answer what waits, or go to the log", "open", atDrawing, hasFile, act((*model).enter)},
		{groupMove, []string{"n", "N"}, "next failure", "go to the next failed node, or the one before", "next failed", atDrawing, hasFile,
			func(m *model, key string) tea.Cmd { m.nextFailed(key == "n"); return nil }},
		{groupMove, []string{"#"}, "instance by number", "go to an instance of a sub-flow by its number", "", atDrawing, inSubFlow, act((*model).instancePrompt)},
		{groupMove, []string{"p", "P"}, "parent, child", "go to what leads to the node, or to what it leads to", "", atDrawing, hasFile,
			func(m *model, key string) tea.Cmd { m.relative(key == "P"); return nil }},
		{groupMove, []string{"tab", "shift+tab"}, "other pane", "give the keys to the other pane", "", atMain, nil, act((*model).otherPane)},
		{groupMove, []string{"1", "2"}, "pane by number", "give the keys to the drawing (1) or to the pane beside it (2)", "", atMain, nil,
			func(m *model, key string) tea.Cmd { m.toPane(key); return nil }},
		{groupMove, []string{"up", "down", "k", "j"}, "scroll", "scroll a line", "", lines, nil,
			func(m *model, key string) tea.Cmd { m.scroll(lineStep(key)); return nil }},
		{groupMove, []string{"pgup", "pgdown", "space", "ctrl+u", "ctrl+d"}, "scroll a page", "scroll a page", "", lines, nil,
			func(m *model, key string) tea.Cmd { m.scrollPages(lineStep(key)); return nil }},
		{groupMove, []string{"home", "end", "g", "G"}, "scroll to an end", "go to the beginning, or to the end and follow", "", lines, nil,
			func(m *model, key string) tea.Cmd { m.scrollEnd(key == "end" || key == "G"); return nil }},
	}
}

func askActions() []action {
	return []action{
		{groupRun, []string{"A"}, "approvals", "show what waits for a person, in this workfile and in others", approvalsHint, atAll &^ (atHelp | atInbox), nil, ask((*model).showInbox)},
		{groupAsk, []string{"y"}, "approve", "say yes to what is marked or selected, with values and a comment", "approve", atInbox, someWait, act(func(m *model) { m.approve(m.inbox.objects()) })},
		{groupAsk, []string{"x"}, "reject", "say no to what is marked or selected; it asks why, and then again", "reject", atInbox, someWait, act(func(m *model) { m.rejectApprovals(m.inbox.objects()) })},
		{groupAsk, []string{"space"}, "mark what waits", "mark it, or take its mark off, for y and x", "mark", atInbox, someWait, act((*model).markApproval)},
		{groupAsk, []string{"enter"}, "look at what waits", "go to the node in its drawing", "open", atInbox, someWait, ask((*model).openApproval)},
		{groupAsk, []string{"up", "down", "k", "j", "pgup", "pgdown", "home", "end", "g", "G"}, "move among what waits", "move the selection", "", atInbox, nil,
			func(m *model, key string) tea.Cmd { m.moveInbox(key); return nil }},
		{groupAsk, []string{"esc", "A"}, "leave the approvals", "go back", "back", atInbox, nil, act(func(m *model) { m.page = m.inbox.back })},
	}
}

func runActions() []action {
	return []action{
		{groupRun, []string{"r"}, "run", "choose what to run: marked nodes, the selection and around it, everything", "run", atMain, isNow, act((*model).runMenu)},
		{groupRun, []string{"R"}, "resume", "run again what failed and what waited for it", resumeHint, atMain, isNow, ask(func(m *model) tea.Cmd { return m.startRun(nil, api.ModeResume) })},
		{groupRun, []string{"x"}, "stop", "stop the node, the run or all runs; it asks first", "stop", atMain | atLog, (*model).running, act((*model).stopMenu)},
		{groupRun, []string{"space"}, "mark", "mark the selection, or take its mark off, for r, L and edits", "mark", atDrawing, isNow, act((*model).mark)},
		{groupRun, nil, "unmark all", "take all marks off", "", atMain, hasFile, act(func(m *model) { m.picture.forget() })},
		{groupRun, nil, "clear state", "forget statuses and outputs of nodes; it asks first which", "", atMain, isNow, act((*model).resetMenu)},
		{groupRun, []string{"@"}, "command", "show and copy the command that does the same as this screen", "", atMain | atLog, hasFile, ask((*model).command)},
	}
}

func lookActions() []action {
	return []action{
		{groupLook, []string{"v"}, "view", "change between stages, graph and list", "view", atMain, hasFile, act((*model).nextView)},
		{groupLook, []string{"z"}, "zoom", "give nodes of the graph more room or less: name, time, command, one cell", "", atMain, inGraph, act((*model).nextZoom)},
		{groupLook, []string{"0"}, "fit", "show all of the graph at once, as far as that can be", "", atMain, inGraph, act(func(m *model) { m.picture.fit() })},
		{groupLook, []string{"O"}, "overview", "show or hide the overview of a graph that does not fit", "", atMain, inGraph, act(func(m *model) { m.plainView = !m.plainView })},
		{groupLook, []string{"/"}, "filter", "show only some nodes: words, s:failed, g:align, +x, x+, dur>1m, ! negates", "filter", atDrawing, hasFile, act((*model).filterPrompt)},
		{groupLook, []string{"f"}, "only failed", "show only what failed; again: only what runs; again: all", "", atDrawing, hasFile, act((*model).nextQuick)},
		{groupLook, []string{"esc"}, "back", "clear the filter, or leave a past run", "", atMain, hasFile, act((*model).escape)},
		{groupLook, []string{"i"}, "inspector", "say why the node is as it is, beside the drawing", "why", atMain, hasFile, ask((*model).showInspector)},
		{groupLook, []string{"l"}, "log", "show the log beside the drawing", "", atSide, hasFile, act(func(m *model) { m.inspect = false })},
		{groupLook, []string{"L"}, "whole log", "show the log on the whole screen: of the marked nodes, else of the selection", "log", atMain, hasFile, act((*model).showLog)},
		{groupLook, []string{"s"}, "log of the selection", "the same as L, as in Python Workforce", "", atDrawing, hasFile, act((*model).showLog)},
		{groupLook, []string{"+", "_"}, "size", "give the pane with the keys the whole screen, or take it back", "", atMain, hasFile, act(func(m *model) { m.zoomed = !m.zoomed })},
		{groupLook, []string{"y"}, "copy the command", "copy the command of the node to the clipboard", "", atDrawing, hasFile, ask((*model).copyCommand)},
	}
}

func logActions() []action {
	lines := atSide | atLog
	return []action{
		{groupLog, []string{"/"}, "search", "search all of the log: a regular expression; capitals count if there are any", "search", lines, showsLog, act((*model).searchPrompt)},
		{groupLog, []string{"n", "N"}, "next match", "go to the next line that matches, or the one before, anywhere in the output", "", lines, showsLog,
			func(m *model, key string) tea.Cmd { return m.sayNote(m.log.Next(key == "n")) }},
		{groupLog, []string{"&"}, "matching lines only", "show only matching lines of this log, or all again", "", lines, showsLog, ask((*model).onlyMatches)},
		{groupLog, []string{"w"}, "wrap", "cut long lines, or wrap them again", "wrap", lines, showsLog, act(func(m *model) { m.log.Cut = !m.log.Cut })},
		{groupLog, []string{"s"}, "stream", "show standard output, standard error or both", "", lines, showsLog, act(func(m *model) { m.sayNote(m.log.NextStream(), nil) })},
		{groupLog, []string{"[", "]"}, "execution", "show the execution before, or after", "", lines, showsLog,
			func(m *model, key string) tea.Cmd { m.otherExecution(key == "]"); return nil }},
		{groupLog, []string{"o"}, "pager", "open the whole log in the pager", "", lines, showsLog, ask((*model).openPager)},
		{groupLog, []string{"W"}, "save", "save the whole log as a file", "", lines, showsLog, act((*model).savePrompt)},
		{groupLog, []string{"y"}, "copy the log", "copy the end of the log to the clipboard", "", lines, showsLog, ask((*model).copyLog)},
		{groupLog, []string{"esc"}, "close", "go back to the drawing", "back", atLog, nil, act(func(m *model) { m.page = mainPage })},
	}
}

func listActions() []action {
	lists := atRuns | atHome
	return []action{
		{groupList, []string{"H"}, "runs", "show what ran before", "", atMain | atLog, hasFile, ask((*model).showRuns)},
		{groupList, []string{"~"}, "home", "show recent workfiles and what runs", "", atFile, nil, ask((*model).goHome)},
		{groupList, []string{"up", "down", "k", "j", "pgup", "pgdown", "home", "end", "g", "G"}, "move in the list", "move the selection", "", lists, nil,
			func(m *model, key string) tea.Cmd { m.list().Move(key); return nil }},
		{groupList, []string{"enter"}, "look at the run", "show the workfile as this run left it", "open", atRuns, nil, ask((*model).openRun)},
		{groupList, []string{"enter"}, "open the workfile", "open this workfile", "open", atHome, nil, ask((*model).openRecent)},
		{groupList, []string{"esc"}, "back", "go back to the drawing", "back", lists, func(m *model) bool { return m.link != nil }, act(func(m *model) { m.page = mainPage })},
	}
}

func generalActions() []action {
	return []action{
		{groupAll, []string{"?"}, "help", "show the keys of this screen", "help", atAll &^ atHelp, nil, act((*model).showHelp)},
		{groupAll, []string{"esc", "?", "enter", "q"}, "close the help", "go back", "back", atHelp, nil, act(func(m *model) { m.page = m.back })},
		{groupAll, []string{"up", "down", "k", "j", "pgup", "pgdown", "space", "home", "end", "g", "G"}, "scroll the help", "scroll", "", atHelp, nil,
			func(m *model, key string) tea.Cmd { m.help.move(key); return nil }},
		{groupAll, []string{":"}, "commands", "find an action by its name", "commands", atAll &^ atHelp, nil, act((*model).palette)},
		{groupAll, []string{"m"}, "mouse", "leave the mouse to the terminal, or take it back", "", atAll, nil, act(func(m *model) { m.mouse = !m.mouse })},
		{groupAll, []string{"ctrl+l"}, "redraw", "draw the screen anew", "", atAll, nil, func(*model, string) tea.Cmd { return tea.ClearScreen }},
		{groupAll, nil, "suspend", "give the terminal back to the shell; fg comes back", "", atAll, nil, func(*model, string) tea.Cmd { return tea.Suspend }},
		{groupAll, []string{"C"}, "connect", "connect to the daemon again, starting one if need be", "connect", atAll, (*model).disconnected, ask((*model).reconnect)},
		{groupAll, []string{"q", "ctrl+c"}, "leave", "leave; runs go on", "leave", atAll, nil, act((*model).leave)},
		{groupAll, []string{"Q"}, "leave and stop", "stop what runs, then leave; it asks first", "", atMain | atLog, (*model).running, act((*model).leaveMenu)},
	}
}
