package tui

import (
	tea "charm.land/bubbletea/v2"

	"wf/tui/drawing"
)

// act makes the function of an action from a method that needs no key and returns no command.
func act(do func(*model)) func(*model, string) tea.Msg {
	return func(m *model, _ string) tea.Msg {
		do(m)
		return nil
	}
}

// give makes the function of an action from a method that needs no key.
func give(do func(*model) tea.Msg) func(*model, string) tea.Msg {
	return func(m *model, _ string) tea.Msg { return do(m) }
}

// hasFile reports whether there is a drawing.
func hasFile(m *model) bool { return !m.doc.nothingOpen() }

// isDisconnected reports whether the client has stopped looking for the daemon.
func isDisconnected(m *model) bool { return m.link != nil && m.link.ended != nil }

// isRunning reports whether a run is active.
func isRunning(m *model) bool { return m.doc.running() }

// inList reports whether the view is the list, and inGraph whether it is the graph.
func inList(m *model) bool  { return hasFile(m) && m.doc.picture.view == drawing.List }
func inGraph(m *model) bool { return hasFile(m) && m.doc.picture.view == drawing.Chart }

// isNow reports whether the workfile is shown as it is now, not as an earlier run left it.
func isNow(m *model) bool { return hasFile(m) && m.doc.earlier == nil }

// showsLog reports whether the side pane, or the whole screen, shows the log.
func showsLog(m *model) bool { return m.page == logPage || !m.side.inspect }

func moveActions() []action {
	lines := atSide | atLog
	return []action{
		{groupMove, []string{"up", "down", "left", "right", "k", "j", "h", "l"}, "move", "move the selection", "", atDrawing, hasFile,
			func(m *model, key string) tea.Msg { m.doc.move(arrow(key)); return nil }},
		{groupMove, []string{"pgup", "pgdown", "ctrl+u", "ctrl+d"}, "move a page", "move by a page", "", atDrawing, hasFile,
			func(m *model, key string) tea.Msg { m.doc.movePage(key); return nil }},
		{groupMove, []string{"home", "end", "g", "G"}, "move to an end", "go to the beginning or the end", "", atDrawing, hasFile,
			func(m *model, key string) tea.Msg { m.doc.moveEnd(key); return nil }},
		{groupMove, []string{"enter"}, "open", "open a stage or a sub-flow, answer what waits, or go to the log", "open", atDrawing, hasFile, give((*model).enter)},
		{groupMove, []string{"backspace"}, "close", "close the stage, sub-flow or instance that the selection is in", "", atDrawing, hasFile, give(func(m *model) tea.Msg { return m.doc.picture.closeHere(m.doc.shown()) })},
		{groupMove, []string{"n", "N"}, "next failure", "go to the next failed node, or the one before", nextHint, atDrawing, hasFile,
			func(m *model, key string) tea.Msg { return m.doc.nextFailed(key == "n") }},
		{groupMove, []string{"#"}, "instance by number", "go to an instance of a sub-flow by its number", "", atDrawing, inSubFlow, give(func(m *model) tea.Msg { return m.doc.instancePrompt() })},
		{groupMove, []string{"p", "P"}, "parent, child", "go to what leads to the node, or to what it leads to", "", atDrawing, hasFile,
			func(m *model, key string) tea.Msg { return m.doc.relative(key == "P") }},
		{groupMove, []string{"tab", "shift+tab"}, "other pane", "give the keys to the other pane", "", atMain, nil, act(func(m *model) { m.panes.other() })},
		{groupMove, []string{"1", "2"}, "pane by number", "give the keys to the drawing (1) or to the pane beside it (2)", "", atMain, nil,
			func(m *model, key string) tea.Msg { m.panes.active = pane(key[0] - '1'); return nil }},
		{groupMove, []string{"up", "down", "k", "j"}, "scroll", "scroll a line", "", lines, nil,
			func(m *model, key string) tea.Msg { m.side.scroll(lineStep(key), m.page == logPage); return nil }},
		{groupMove, []string{"pgup", "pgdown", "space", "ctrl+u", "ctrl+d"}, "scroll a page", "scroll a page", "", lines, nil,
			func(m *model, key string) tea.Msg { m.side.scrollPages(lineStep(key), m.page == logPage); return nil }},
		{groupMove, []string{"home", "end", "g", "G"}, "scroll to an end", "go to the beginning, or to the end and follow", "", lines, nil,
			func(m *model, key string) tea.Msg {
				m.side.scrollEnd(key == "end" || key == "G", m.page == logPage)
				return nil
			}},
	}
}

func askActions() []action {
	return []action{
		{groupRun, []string{"A"}, "approvals", "show what waits for a person, in this workfile and in others", approvalsHint, atAll &^ (atHelp | atInbox), nil, give((*model).showInbox)},
		{groupAsk, []string{"y"}, "approve", "approve what is marked or selected, with values and a comment", "approve", atInbox, someWait, give(func(m *model) tea.Msg { return approve(m.inbox.objects(), -1) })},
		{groupAsk, []string{"x"}, "reject", "reject what is marked or selected; it asks for a reason and a confirmation", "reject", atInbox, someWait, give(func(m *model) tea.Msg { return m.menus().reject(m.inbox.objects()) })},
		{groupAsk, []string{"space"}, "mark what waits", "mark the question, or remove its mark, for y and x", "mark", atInbox, someWait, act(func(m *model) { m.inbox.mark() })},
		{groupAsk, []string{"enter"}, "look at what waits", "go to the node in its drawing", "open", atInbox, someWait, give((*model).choose)},
		{groupAsk, []string{"up", "down", "k", "j", "pgup", "pgdown", "home", "end", "g", "G"}, "move among what waits", "move the selection", "", atInbox, nil,
			func(m *model, key string) tea.Msg { m.inbox.move(key); return nil }},
		{groupAsk, []string{"esc", "A"}, "leave the approvals", "go back", "back", atInbox, nil, act(func(m *model) { m.page = m.inbox.back })},
	}
}

func runActions() []action {
	return []action{
		{groupRun, []string{"r"}, "run", "choose what to run: marked nodes, the selection and around it, everything", "run", atMain, isNow, give(func(m *model) tea.Msg { return m.menus().run() })},
		{groupRun, []string{"R"}, "resume", "run again what failed and what waited for it", resumeHint, atMain, isNow, give(func(m *model) tea.Msg { return m.menus().resume() })},
		{groupRun, []string{"X"}, "failures", "show what failed, grouped by how the outputs end", failuresHint, atMain | atLog, hasFile, give(showDigest)},
		{groupRun, []string{"x"}, "stop", "stop the node, the run or all runs; it asks first", "stop", atMain | atLog, isRunning, give(func(m *model) tea.Msg { return m.menus().stop() })},
		{groupRun, []string{"space"}, "mark", "mark the selection, or remove its mark, for r, L and edits", "mark", atDrawing, isNow, act(func(m *model) { m.doc.mark() })},
		{groupRun, nil, "unmark all", "remove all marks", "", atMain, hasFile, act(func(m *model) { m.doc.picture.unmarkAll() })},
		{groupRun, nil, "clear state", "remove statuses and outputs of nodes; it asks first which", "", atMain, isNow, give(func(m *model) tea.Msg { return m.menus().reset() })},
		{groupRun, []string{"@"}, "command", "show and copy the command that does the same as this screen", "", atMain | atLog, hasFile, give(func(m *model) tea.Msg { return copied(m.equivalent()+"   (copied)", m.equivalent()) })},
	}
}

func lookActions() []action {
	return []action{
		{groupLook, []string{"v"}, "view", "change between graph and list", "view", atMain, hasFile, give(func(m *model) tea.Msg { return m.doc.nextView() })},
		{groupLook, []string{"z"}, "zoom", "draw the graph in another size: boxes, names, short names, signs, stages", "", atMain, inGraph, give(func(m *model) tea.Msg { return m.doc.picture.nextZoom() })},
		{groupLook, []string{"t"}, "path", "light the path of the selection, or show all lines alike", "", atDrawing, inGraph, give(func(m *model) tea.Msg { return m.doc.picture.nextLens() })},
		{groupLook, []string{"0"}, "fit", "show all of the graph at once, in the largest form that fits", "", atMain, inGraph, act(func(m *model) { m.doc.picture.fit() })},
		{groupLook, []string{"O"}, "overview", "show or hide the overview of a graph that does not fit", "", atMain, inGraph, act(func(m *model) { m.panes.noOverview = !m.panes.noOverview })},
		{groupLook, []string{"T"}, "tint", "colour nodes by their time; again: by the critical path; again: by neither", "", atMain, hasFile, give(nextTint)},
		{groupLook, []string{"t"}, "times", "show or hide the strip of times beside the list", "", atDrawing, inList, give(toggleStrip)},
		{groupLook, []string{"/"}, "filter", "show only some nodes: words, s:failed, g:align, +x, x+, dur>1m, ! negates", "filter", atDrawing, hasFile, give(func(m *model) tea.Msg { return m.doc.filterPrompt() })},
		{groupLook, []string{"f"}, "only failed", "show only what failed; again: only what runs; again: all", "", atDrawing, hasFile, act(func(m *model) { m.doc.nextQuick() })},
		{groupLook, []string{"esc"}, "back", "clear the filter, or leave an earlier run", "", atMain, hasFile, act((*model).escape)},
		{groupLook, []string{"i"}, "inspector", "explain the state of the node, beside the drawing", "why", atMain, hasFile, act(func(m *model) { m.side.inspect, m.side.why.top = !m.side.inspect, 0 })},
		{groupLook, []string{"l"}, "log", "show the log beside the drawing", "", atSide, hasFile, act(func(m *model) { m.side.inspect = false })},
		{groupLook, []string{"L"}, "whole log", "show the log of the marked nodes or the selection on the whole screen", "log", atMain, hasFile, give(func(*model) tea.Msg { return showPage{logPage} })},
		{groupLook, []string{"s"}, "log of the selection", "the same as L, as in Python Workforce", "", atDrawing, hasFile, give(func(*model) tea.Msg { return showPage{logPage} })},
		{groupLook, []string{"+", "_"}, "size", "give the pane with the keys the whole screen, or take it back", "", atMain, hasFile, act(func(m *model) { m.panes.zoomed = !m.panes.zoomed })},
		{groupLook, []string{"F"}, followName, "let the selection follow what runs, then what failed; moving it ends that", followHint, atMain | atLog, hasFile, give(toggleFollowing)},
		{groupLook, []string{"y"}, "copy the command", "copy the command of the node to the clipboard", "", atDrawing, hasFile, give(func(m *model) tea.Msg { return m.doc.copyCommand() })},
	}
}

func logActions() []action {
	lines := atSide | atLog
	return []action{
		{groupLog, []string{"/"}, "search", "search all of the log: a regular expression; capitals count if there are any", "search", lines, showsLog, give(func(m *model) tea.Msg { return m.side.searchPrompt() })},
		{groupLog, []string{"n", "N"}, "next match", "go to the next line that matches, or the one before, anywhere in the output", "", lines, showsLog,
			func(m *model, key string) tea.Msg { return noted(m.side.log.Next(key == "n")) }},
		{groupLog, []string{"&"}, "matching lines only", "show only matching lines of this log, or all again", "", lines, showsLog, give(func(m *model) tea.Msg { return m.side.onlyMatches() })},
		{groupLog, []string{"w"}, "wrap", "cut long lines, or wrap them again", "wrap", lines, showsLog, act(func(m *model) { m.side.log.Cut = !m.side.log.Cut })},
		{groupLog, []string{"t"}, "line times", "show or hide when each line was written, right to about a second", "", lines, showsLog, give(toggleLineTimes)},
		{groupLog, []string{"s"}, "stream", "show standard output, standard error or both", "", lines, showsLog, give(func(m *model) tea.Msg { return noted(m.side.log.NextStream(), nil) })},
		{groupLog, []string{"[", "]"}, "execution", "show the execution before, or after", "", lines, showsLog,
			func(m *model, key string) tea.Msg { return m.side.otherExecution(&m.doc, key == "]") }},
		{groupLog, []string{"o"}, "pager", "open the whole log in the pager", "", lines, showsLog, give(func(m *model) tea.Msg { return openPager(m.ctx, m.side.whole(m.link), &m.opt) })},
		{groupLog, []string{"W"}, "save", "save the whole log as a file", "", lines, showsLog, give(func(m *model) tea.Msg { return m.side.savePrompt(m.ctx, m.side.whole(m.link), m.opt.Dir) })},
		{groupLog, []string{"y"}, "copy the log", "copy the end of the log to the clipboard", "", lines, showsLog, give(func(m *model) tea.Msg { return m.side.copy() })},
		{groupLog, []string{"esc"}, "close", "go back to the drawing", "back", atLog, nil, act(leaveLog)},
	}
}

func listActions() []action {
	lists := atRuns | atHome
	return []action{
		{groupList, []string{"H"}, "runs", "show what ran before", "", atMain | atLog, hasFile, give(func(m *model) tea.Msg { m.page = runsPage; return m.runs.load() })},
		{groupList, []string{"~"}, "home", "show recent workfiles and what runs", "", atFile, nil, give(func(m *model) tea.Msg { return m.goHome() })},
		{groupList, []string{"up", "down", "k", "j", "pgup", "pgdown", "home", "end", "g", "G"}, "move in the list", "move the selection", "", lists, nil,
			func(m *model, key string) tea.Msg { m.list().Move(key); return nil }},
		{groupList, []string{"enter"}, "look at the run", "show the workfile as this run left it", "open", atRuns, nil, give((*model).choose)},
		{groupList, []string{"enter"}, "open the workfile", "open this workfile", "open", atHome, nil, give((*model).choose)},
		{groupList, []string{"esc"}, "back", "go back to the drawing", "back", lists, func(m *model) bool { return m.link != nil }, act(func(m *model) { m.page = mainPage })},
	}
}

func generalActions() []action {
	return []action{
		{groupAll, []string{"?"}, "help", "explain the signs on this screen, and its keys", "help", atAll &^ atHelp, nil, act((*model).showHelp)},
		{groupAll, []string{"esc", "?", "enter", "q"}, "close the help", "go back", "back", atHelp, nil, act(func(m *model) { m.page = m.help.back })},
		{groupAll, []string{"up", "down", "k", "j", "pgup", "pgdown", "space", "home", "end", "g", "G"}, "scroll the help", "scroll", "", atHelp, nil,
			func(m *model, key string) tea.Msg { m.help.Move(key); return nil }},
		{groupAll, []string{":"}, "commands", "find an action by its name", "commands", atAll &^ atHelp, nil, act((*model).palette)},
		{groupAll, []string{"m"}, "mouse", "leave the mouse to the terminal, or take it back", "", atAll, nil, act(func(m *model) { m.term.mouse = !m.term.mouse })},
		{groupAll, []string{"ctrl+l"}, "redraw", "draw the screen again", "", atAll, nil, func(*model, string) tea.Msg { return tea.ClearScreen }},
		{groupAll, nil, "suspend", "give the terminal back to the shell; fg comes back", "", atAll, nil, func(*model, string) tea.Msg { return tea.Suspend }},
		{groupAll, []string{"C"}, "connect", "connect to the daemon again; starts one if there is none", "connect", atAll, isDisconnected, give(func(m *model) tea.Msg { return m.reconnect() })},
		{groupAll, []string{"q", "ctrl+c"}, "leave", "leave; runs go on", "leave", atAll, nil, give(func(*model) tea.Msg { return leave{} })},
		{groupAll, []string{"Q"}, "leave and stop", "stop what runs, then leave; it asks first", "", atMain | atLog, isRunning, give(func(m *model) tea.Msg { return m.menus().leave() })},
	}
}

// enter opens what is folded, answers what waits, or goes to the log of a node.
func (m *model) enter() tea.Msg {
	if menu := m.menus().answer(&m.inbox); menu != nil {
		return menu
	}
	if m.doc.picture.openInner(m.doc.shown()) || m.doc.picture.toggle() {
		return nil
	}
	return showLog{}
}

// escape undoes one thing that hides a part of the workfile of now: zoom, filter, earlier run.
func (m *model) escape() {
	switch {
	case m.panes.zoomed:
		m.panes.zoomed = false
	case m.panes.active == sidePane:
		m.panes.active = drawingPane
	case m.doc.filter.text != "" || m.doc.quick != 0:
		m.doc.filter, m.doc.quick = filter{}, 0
	default:
		m.doc.leaveEarlier()
	}
}
