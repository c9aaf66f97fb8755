package tui

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/logview"
	"wf/tui/words"
)

// A side is the pane beside the drawing: the log of the selection, or the reasons for its state. On the log page the
// log fills the screen.
type side struct {
	log      logview.View
	why      inspector
	inspect  bool // show the reasons instead of the log
	chosen   chosenExecution
	searches []string // earlier search terms, newest last
}

// A chosenExecution is the execution that the user chose instead of the latest.
type chosenExecution struct {
	node      string
	execution int
}

// follow shows the current selection in the pane. It is called after each message and sends a request only if the
// selection or its state has changed.
func (s *side) follow(doc *document, ws *client.Workspace, whole bool, decisions map[string]int, ascii bool) tea.Msg {
	if s.inspect && !whole {
		return s.why.explain(doc, decisions)
	}
	s.log.Hint = doc.logHint(ascii)
	return messages{s.log.Show(ws, s.target(doc, whole)), s.log.More()}
}

// follow shows the current selection in the side pane.
func (m *model) follow() tea.Cmd {
	if !m.link.connected() || m.doc.nothingOpen() || m.page != mainPage && m.page != logPage {
		return nil
	}
	return m.handle(m.side.follow(&m.doc, m.link.ws, m.page == logPage, m.inquirer.decided, m.opt.ASCII))
}

// logHint returns what the pane shows while there is no log.
func (d *document) logHint(ascii bool) string {
	if hint := d.innerHint(ascii); hint != "" {
		return hint
	}
	nodes := d.picture.nodes()
	switch {
	case len(nodes) == 1 && fromFile(&d.flow, nodes[0]):
		return "it has not run here: its state came with the file"
	case len(nodes) > 1:
		return "none of these nodes runs or has failed"
	}
	return "it has not run yet"
}

// target returns the nodes whose log to show. On the whole screen these are the marked nodes or the selection; for a
// stage, its failed and running nodes.
func (s *side) target(doc *document, whole bool) logview.Target {
	t := logview.Target{Run: doc.earlierNumber()}
	marked := doc.picture.markedNodes()
	if in := doc.picture.innerOf(); in != nil && !(whole && len(doc.picture.marked) > 0) {
		doc.picture.addInner(&t, in)
	} else {
		nodes := doc.picture.nodes()
		if whole && len(marked) > 0 {
			nodes = marked
		}
		doc.addNodes(&t, nodes)
	}
	if len(t.Nodes) == 1 && t.Nodes[0] == s.chosen.node {
		t.Execution = s.chosen.execution
	} else if len(t.Nodes) == 1 {
		t.Execution = doc.earlier.executionIn(t.Nodes[0])
	}
	return t
}

// addNodes adds the nodes that have a log to the target.
func (d *document) addNodes(t *logview.Target, nodes []int) {
	f := d.shown()
	for _, i := range nodes {
		n := &f.Nodes[i]
		quiet := len(nodes) > 1 && len(d.picture.marked) == 0 && n.State != api.StateFailed && n.State != api.StateRunning
		if n.SubFlow == "" && f.Outer(i) && !quiet {
			addTarget(t, n)
		}
	}
}

// addTarget adds a node to the target if it has output and there is room.
func addTarget(t *logview.Target, n *api.NodeStatus) {
	if hasOutput(n.State) && len(t.Nodes) < logview.MaxSources {
		t.Nodes, t.Names = append(t.Nodes, n.ID), append(t.Names, n.Name)
		t.Started += fmt.Sprint(n.Run, "/", n.Executions, " ")
	}
}

// hasOutput reports whether the latest execution of a node in this state has output.
func hasOutput(s api.State) bool {
	switch s {
	case api.StateRunning, api.StateOK, api.StateFailed, api.StateCancelled, api.StateKept, api.StateRetrying:
		return true
	}
	return false
}

// scroll scrolls the pane by n lines.
func (s *side) scroll(n int, whole bool) {
	if s.inspect && !whole {
		s.why.scroll(n)
		return
	}
	s.log.Scroll(n)
}

// scrollPages scrolls the pane by n screenfuls.
func (s *side) scrollPages(n int, whole bool) {
	if s.inspect && !whole {
		s.why.scroll(n * s.why.height)
		return
	}
	s.log.ScrollPages(n)
}

// scrollEnd scrolls the pane to its end or its start.
func (s *side) scrollEnd(end, whole bool) {
	switch {
	case s.inspect && !whole && end:
		s.why.top = len(s.why.lines)
	case s.inspect && !whole:
		s.why.top = 0
	case end:
		s.log.ToEnd()
	default:
		s.log.ToStart()
	}
}

// otherExecution shows the next or the previous execution.
func (s *side) otherExecution(doc *document, next bool) tea.Msg {
	info, ok := s.log.Info()
	if !ok {
		return notice{"several nodes are shown, each with its latest execution", false}
	}
	of := info.Execution
	if n := doc.selectedNode(); n != nil {
		of = max(of, n.Executions)
	}
	at := info.Execution - 1
	if next {
		at = info.Execution + 1
	}
	if at >= 1 && at <= of {
		s.chosen = chosenExecution{s.log.Target().Nodes[0], at}
	} else {
		at = info.Execution
	}
	return notice{fmt.Sprintf("execution %d of %d", at, of), false}
}

// searchPrompt asks for a search term.
func (s *side) searchPrompt() tea.Msg {
	p := &dialog.Prompt{Label: "/", Line: dialog.Line{Max: dialog.LongestWord}, History: &s.searches}
	p.Enter = func(text string) tea.Msg {
		s.log.Search(text)
		if text == "" {
			return notice{"the search has ended", false}
		}
		return noted(s.log.Next(!s.log.Following())) // start at the end with the latest match
	}
	return openDialog{p}
}

// noted shows a note of the log and runs its command.
func noted(n logview.Note, cmd tea.Cmd) tea.Msg {
	return messages{notice{n.Text, n.Bad}, cmd}
}

// toggleLineTimes shows or hides when each line of the log was written.
func toggleLineTimes(m *model) tea.Msg {
	m.side.log.Times = !m.side.log.Times
	if m.side.log.Times {
		return notice{"the times of the lines are right to about a second", false}
	}
	return notice{"the times of the lines are hidden", false}
}

// onlyMatches shows only the matching lines of the log, or all lines again. It asks for a search term if there is
// none.
func (s *side) onlyMatches() tea.Msg {
	if !s.log.Searching() {
		return s.searchPrompt()
	}
	return noted(s.log.ToggleOnly())
}

// copyBytes is the maximum number of bytes to copy: terminals accept no more.
const copyBytes = 64 << 10

// copy copies the end of the log to the clipboard.
func (s *side) copy() tea.Msg {
	text := s.log.Text()
	what := words.Plural(len(text), "byte")
	if len(text) > copyBytes {
		text = text[len(text)-copyBytes:]
		what = "the last 64 KB"
	}
	return messages{notice{"copied " + what + " of the log", false}, tea.SetClipboard(text)}
}

// whole returns the complete log that is shown.
func (s *side) whole(l *link) logview.Whole {
	if !l.connected() {
		return logview.Whole{}
	}
	return s.log.Whole(l.ws)
}

// openPager shows a complete log in the user's pager.
func openPager(ctx context.Context, w logview.Whole, opt *Options) tea.Msg {
	if w.Empty() {
		return failed{logview.ErrNoLog}
	}
	r, out := io.Pipe()
	go func() { out.CloseWithError(w.WriteTo(ctx, out, true)) }() // ends with the pager, because that closes r
	cmd := exec.Command("/bin/sh", "-c", opt.Pager)
	cmd.Env, cmd.Stdin = opt.Env, r
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		r.Close()
		if err != nil {
			return notice{"pager: " + err.Error(), true}
		}
		return notice{}
	})
}

// savePrompt asks for a file name and saves a complete log. It does not overwrite files.
func (s *side) savePrompt(ctx context.Context, w logview.Whole, dir string) tea.Msg {
	name := "wf.log"
	if names := s.log.Target().Names; len(names) == 1 {
		name = filepath.Base(names[0]) + ".log"
	}
	return openDialog{&dialog.Prompt{Label: "save as:", Line: dialog.NewLine(name), Enter: func(name string) tea.Msg {
		if name == "" {
			return nil
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return tea.Cmd(func() tea.Msg {
			size, err := w.Save(ctx, path)
			if err != nil {
				return failed{err}
			}
			return notice{"saved " + words.Plural(int(size), "byte") + " as " + path, false}
		})
	}}}
}

// drawLog draws the log as a whole screen.
func (s *side) drawLog(a cells.Area, doc *document, now time.Time) {
	title := logTitle(s.log.Target().Names, doc.selectedNode(), now)
	if info, ok := s.log.Info(); ok && info.Execution > 1 {
		title += fmt.Sprintf("  execution %d", info.Execution)
	}
	a.Put(0, 0, cells.Clip(title, a.Width, a.ASCII()), cells.Strong)
	s.log.Draw(a.Part(0, 1, a.Width, a.Height-1))
}

// logTitle names the nodes whose logs are shown, and the state of the selected one.
func logTitle(names []string, n *api.NodeStatus, now time.Time) string {
	title := strings.Join(names, ", ")
	switch {
	case n == nil:
	case title == "":
		return n.Name + "  " + detail(n, now)
	case len(names) == 1 && names[0] == n.Name:
		return title + "  " + detail(n, now)
	}
	return title
}
