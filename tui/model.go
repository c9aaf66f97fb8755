package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/words"
)

// A page is one of the screens.
type page uint8

const (
	mainPage page = iota
	logPage
	runsPage
	homePage
	helpPage
	inboxPage
	digestPage
)

// A model is the state of the interface: the connection, the open workfile, the screens. It routes keys and messages
// to the screen or dialog that they are for, and carries out the messages that these return. Only Update and the
// functions that it calls change it.
type model struct {
	opt      Options
	keys     []action
	ctx      context.Context // of requests; cancelled when the interface ends
	cancel   context.CancelFunc
	clock    func() time.Time
	now      time.Time
	quitting bool // the user is leaving
	ticking  bool // a tick will arrive
	stale    bool // the drawing is not up to date; View updates it

	term  window
	page  page
	link  *link // nil: no workfile is open
	doc   document
	panes panes
	side  side
	screens
	inquirer   inquirer
	edits      editQueue
	paths      pathHistory
	savedViews viewMemory

	dialogs []dialog.Dialog
	toast   toast
}

// Screens are the pages besides the drawing and the log.
type screens struct {
	runs   runsScreen
	home   homeScreen
	help   helpScreen
	inbox  inbox
	digest digest
}

// A window is the state of the terminal: its size, its capabilities and the latest screen.
type window struct {
	width, height int
	screen        cells.Grid
	areas         areas      // of the latest screen, for the mouse
	spots         []hintSpot // of the latest screen
	look          terminalLook
	mouse         bool // the interface receives mouse events; otherwise the terminal uses the mouse to select text
	pointer       pointer
}

// A toast is a sentence about what has just happened. The next key, or toastTime, removes it.
type toast struct {
	text  string
	bad   bool
	timed bool // a message that removes it will arrive
	id    int
}

// toastTime is enough to read a toast twice.
const toastTime = 6 * time.Second

func newModel(opt Options) *model {
	m := &model{opt: opt, keys: registry(), clock: time.Now, doc: newDocument(), term: window{mouse: true}}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.now = m.clock()
	if opt.Path == "" {
		m.page = homePage
	}
	return m
}

// close ends all background work.
func (m *model) close() {
	if keep := m.keepView(true); keep != nil {
		keep()
	}
	m.cancel()
	m.side.log.Close()
	m.link.close()
	m.link = nil
}

// Init opens the workfile, or shows home.
func (m *model) Init() tea.Cmd {
	ask := m.opt.askBackground()
	if m.opt.Path == "" {
		return tea.Batch(ask, m.goHome())
	}
	return tea.Batch(ask, m.openFile(m.opt.Path))
}

// goHome shows the home screen. It asks the daemon only if there is a connection.
func (m *model) goHome() tea.Cmd {
	m.page = homePage
	var c *client.Client
	if m.link != nil {
		c = m.link.client
	}
	return m.home.load(m.ctx, m.opt.Recent, c)
}

// openFile opens another workfile.
func (m *model) openFile(path string) tea.Cmd {
	keep := m.keepView(true)
	m.side.log.Close()
	m.link.close() // active runs continue
	m.doc, m.inquirer, m.inbox, m.digest, m.savedViews = newDocument(), inquirer{}, inbox{}, digest{}, viewMemory{}
	m.side = side{searches: m.side.searches}
	m.page, m.panes = mainPage, panes{zoomed: m.panes.zoomed}
	l := &link{path: path}
	m.link = l
	return func() tea.Msg {
		if keep != nil {
			keep()
		}
		return m.connect(l, true)
	}
}

// An opened is the result of opening the workfile of asked: a link or an error.
type opened struct {
	asked *link
	link  *link
	err   error
	view  SavedView // the stored view of the workfile
}

// connect opens a workfile. If start is set it starts a daemon when there is none. It runs in another goroutine and
// does not change the model.
func (m *model) connect(asked *link, start bool) tea.Msg {
	f := newFeed()
	c, err := m.opt.Connect(m.ctx, start, f.lose, f.note)
	if err != nil {
		return opened{asked: asked, err: err}
	}
	ws, err := c.Open(m.ctx, asked.path)
	if err != nil {
		c.Close()
		return opened{asked: asked, err: err}
	}
	f.start(watch(ws))
	return opened{asked, &link{path: asked.path, id: ws.ID, client: c, ws: ws, feed: f}, nil, m.opt.recall(ws.ID)}
}

// refresh updates the drawing from the document.
func (m *model) refresh() {
	m.stale = false
	if d := m.panes.divideFor(m.body(), &m.doc, &m.side).drawing; d.Width > 0 && m.doc.shown().Known {
		m.doc.picture.width, m.doc.picture.height = d.Width, d.Height
	}
	m.doc.lens.ascii = m.opt.ASCII
	m.doc.lens.plan.preview(previewOf(m.dialogs))
	m.doc.refresh(m.now)
}

// clear removes the toast.
func (t *toast) clear() { *t = toast{id: t.id} }

// say shows a toast.
func (m *model) say(text string, bad bool) {
	m.toast = toast{text: plain.Line(text), bad: bad, id: m.toast.id + 1}
}

// fail shows an error as a toast, or in a sheet if it does not fit into the last row, because its end contains the
// remedy.
func (m *model) fail(err error) {
	text := words.Error(err)
	if cells.Columns(text) <= m.term.width-2 || m.term.width < leastWidth {
		m.say(text, true)
		return
	}
	m.open(&dialog.Sheet{Title: "That did not work", Lines: wrapped(text, min(m.term.width-8, 90)), Choices: []dialog.Choice{{Key: "enter", Label: "close"}}})
}

// wrapped breaks a text into lines for a sheet.
func wrapped(text string, width int) (lines []cells.Span) {
	for _, line := range cells.Wrap(text, max(20, width)) {
		lines = append(lines, cells.Span{Text: line})
	}
	return lines
}

// left returns what to report after the interface has ended.
func (m *model) left() Left {
	if m.link == nil || m.doc.nothingOpen() {
		return Left{}
	}
	l := Left{Path: m.link.path}
	run := m.doc.flow.Current()
	if run == nil || !m.doc.running() && m.doc.seen != run.Run {
		return l
	}
	l.Run, l.Active = run.Run, m.doc.running()
	l.Done, l.Of = progressOf(m.doc.runCounts(run))
	return l
}

// progressOf returns the number of ended nodes of a run and the number of all its nodes.
func progressOf(c api.Counts) (done, of int) {
	return c.Ended(), c.Total() - c.Kept
}
