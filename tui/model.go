package tui

import (
	"context"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/drawing"
	"wf/tui/logview"
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
)

// A pane is a part of the main screen.
type pane uint8

const (
	drawingPane pane = iota
	sidePane         // log or inspector
)

// A model is the state of the interface. Only Update and the functions that it calls change it.
type model struct {
	opt     Options
	keys    []action
	ctx     context.Context // of requests; ends with the model
	cancel  context.CancelFunc
	now     time.Time
	clock   func() time.Time
	dead    bool // being left
	ticking bool // a tick is on its way
	stale   bool // the drawing is not up to date; the next frame sees to it

	width, height int
	screen        cells.Grid
	areas         areas      // of the latest frame, for the mouse
	spots         []hintSpot // of the latest frame
	page          page
	back          page // where help and others return to
	pane          pane
	split         float64 // share of the drawing; 0 = as the size of the terminal asks for
	zoomed        bool    // the pane with the keys has the whole screen
	plainView     bool    // without an overview
	inspect       bool    // the side pane explains the selected node
	mouse         bool    // it is ours; else the terminal selects text with it
	pointer       pointer

	link     *link // nil: no workfile is open
	flow     runview.Workfile
	picture  picture
	filter   filter
	quick    int // of quickFilters
	log      logview.View
	pick     picked
	searches []string // what was searched for, newest last
	why      whyView
	runs     runsView
	home     homeView
	help     helpView
	past     *past // a run that is over and looked at; nil = now
	dialogs  []dialog.Dialog
	editing  editState
	asking   asking
	inbox    inboxView

	lastParams map[string]any // with which a run was started here
	ranWith    ranWith
	toast      toast
	known      Sight  // what the memory has of the open workfile
	moved      bool   // and that it has been changed here
	seen       string // a run that was going while somebody watched
}

// A link is an open workfile.
type link struct {
	path   string
	id     string // of the workspace; "" = it was never open
	client *client.Client
	ws     *client.Workspace
	feed   *feed
	lost   error         // the daemon is being looked for
	ended  error         // and its client looks for it no more
	wait   time.Duration // until the model looks again; 0 = it does not
}

// A toast is a sentence about what has just happened. The next key, or toastTime, removes it.
type toast struct {
	text  string
	bad   bool
	timed bool // its end is on its way
	id    int
}

// toastTime is long enough to read a toast twice.
const toastTime = 6 * time.Second

func newModel(opt Options) *model {
	m := &model{opt: opt, keys: registry(), clock: time.Now, picture: newPicture(), mouse: true}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.now = m.clock()
	if opt.Path == "" {
		m.page = homePage
	}
	return m
}

// close ends everything in the background.
func (m *model) close() {
	if keep := m.keepSight(true); keep != nil {
		keep()
	}
	m.cancel()
	m.log.Close()
	m.unlink()
}

// unlink closes the workfile. Its runs go on.
func (m *model) unlink() {
	m.link.close()
	m.link = nil
}

// close ends listening and the connection. A nil link, or one that is not open yet, has none.
func (l *link) close() {
	if l == nil {
		return
	}
	if l.feed != nil {
		l.feed.stop()
	}
	if l.client != nil {
		l.client.Close()
	}
}

// Init opens the workfile, or shows home.
func (m *model) Init() tea.Cmd {
	if m.opt.Path == "" {
		return m.goHome()
	}
	return m.openFile(m.opt.Path)
}

// openFile opens another workfile.
func (m *model) openFile(path string) tea.Cmd {
	keep := m.keepSight(true)
	m.log.Close()
	m.unlink()
	m.flow, m.past, m.filter, m.quick, m.why = runview.Workfile{}, nil, filter{}, 0, whyView{}
	m.log = logview.View{}
	m.picture = newPicture()
	m.asking, m.inbox, m.lastParams = asking{}, inboxView{}, nil
	m.ranWith = ranWith{}
	m.page, m.pane, m.seen = mainPage, drawingPane, ""
	m.known, m.moved, m.split, m.inspect, m.plainView = Sight{}, false, 0, false, false
	l := &link{path: path}
	m.link = l
	return func() tea.Msg {
		if keep != nil {
			keep()
		}
		return m.connect(l, true)
	}
}

// An opened is the result of opening the workfile of asked: a link, or an error.
type opened struct {
	asked *link
	link  *link
	err   error
	sight Sight // that the memory has of it
}

// connect opens a workfile, with a new daemon if there is none and start is set. It runs in another goroutine
// and does not change the model.
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

// name returns the file name of the open workfile.
func (m *model) name() string {
	if m.link == nil {
		return ""
	}
	return plain.Line(filepath.Base(m.link.path))
}

// shown returns the flow of the main screen: that of now, or as an earlier run left it.
func (m *model) shown() *runview.Workfile {
	if m.past != nil {
		return &m.past.flow
	}
	return &m.flow
}

// running reports whether a run is active.
func (m *model) running() bool { return len(m.flow.Status.Runs) > 0 }

// refresh updates the drawing from the flow and the filter.
func (m *model) refresh() {
	m.stale = false
	f := m.shown()
	if !f.Known {
		return
	}
	if d := m.panes(m.body()).drawing; d.Width > 0 {
		m.picture.width, m.picture.height = d.Width, d.Height
	}
	m.picture.update(f, m.hidden(), m.now)
}

// say shows a toast.
func (m *model) say(text string, bad bool) {
	m.toast = toast{text: plain.Line(text), bad: bad, id: m.toast.id + 1}
}

// fail shows an error as a toast, or in a sheet if the last row has no room for all of it: its end says what
// to do.
func (m *model) fail(err error) {
	text := words.Error(err)
	if cells.Columns(text) <= m.width-2 || m.width < leastWidth {
		m.say(text, true)
		return
	}
	lines := cells.Wrap(text, max(20, min(m.width-8, 90)))
	d := &dialog.Sheet{Title: "That did not work", Choices: []dialog.Choice{{Key: "enter", Label: "close", Detail: "", Do: nil}}}
	for _, line := range lines {
		d.Lines = append(d.Lines, cells.Span{Text: line})
	}
	m.open(d)
}

// hush removes the toast.
func (m *model) hush() { m.toast = toast{id: m.toast.id} }

// nothingOpen reports whether there is no drawing.
func (m *model) nothingOpen() bool { return m.link == nil || !m.flow.Known }

// left returns what to report after the interface has ended.
func (m *model) left() Left {
	if m.link == nil || !m.flow.Known {
		return Left{}
	}
	l := Left{Path: m.link.path}
	run := m.flow.Current()
	if run == nil || !m.running() && m.seen != run.Run {
		return l
	}
	c := m.runCounts(run)
	l.Run, l.Goes = run.Run, m.running()
	l.Done, l.Of = progressOf(c)
	return l
}

// runCounts counts the nodes of a run. For a run that is over it returns the counts of its end: the nodes may
// have been part of another run since.
func (m *model) runCounts(run *api.RunSummary) api.Counts {
	if run.Ended != nil {
		return run.Counts
	}
	c := m.flow.Count(run.Run)
	c.Idle += max(0, run.Nodes-c.Total()) // nodes of the run that no event has named yet
	return c
}

// progressOf returns how many nodes of a run have ended, and of how many.
func progressOf(c api.Counts) (done, of int) {
	return c.Ended(), c.Total() - c.Kept
}

// directions are those of the arrow keys.
var directions = map[string]drawing.Direction{"up": drawing.Up, "down": drawing.Down, "left": drawing.Left, "right": drawing.Right}
