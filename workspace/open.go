package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wf/api"
	"wf/graph"
	"wf/graphml"
	"wf/workspace/history"
	"wf/workspace/loop"
)

// ID is the identity of a workfile: the SHA-256 of its absolute path without symlinks.
func ID(path string) (id, real string, err error) {
	if !filepath.IsAbs(path) {
		return "", "", invalid("path %q is not absolute", path)
	}
	real, err = filepath.EvalSymlinks(path)
	if err != nil {
		return "", "", openError(path, err)
	}
	return pathHash(real), real, nil
}

// LastingID is ID also of a workfile that is not there at present: commands of its runs go on.
func LastingID(path string) (string, error) {
	id, _, err := ID(path)
	if err == nil || !filepath.IsAbs(path) {
		return id, err
	}
	if _, statErr := os.Lstat(path); !errors.Is(statErr, fs.ErrNotExist) {
		return "", err
	}
	folder, linkErr := filepath.EvalSymlinks(filepath.Dir(path))
	if linkErr != nil {
		return "", err
	}
	return pathHash(filepath.Join(folder, filepath.Base(path))), nil
}

// HasRun reports whether run n of a workspace is in its history, or may be: nobody knows it when the
// folder cannot be looked at.
func HasRun(state, id string, n int) bool {
	_, err := os.Lstat(history.At(filepath.Join(state, "workspaces", id)).Dir(n))
	return !errors.Is(err, fs.ErrNotExist)
}

// Open reads a workfile and takes up the runs that an earlier daemon left going, but those that daemons
// have died of: see held.
func Open(path string, cfg Config) (*Workspace, error) { return open(path, cfg, false) }

// Retry is Open also for a workfile that is held: its runs get one more trial.
func Retry(path string, cfg Config) (*Workspace, error) { return open(path, cfg, true) }

func open(path string, cfg Config, retry bool) (*Workspace, error) {
	id, real, err := Find(cfg.State, path)
	if err != nil {
		return nil, err
	}
	w := newWorkspace(id, real, cfg)
	w.trial.retry = retry
	if err := w.raiseFence(); err != nil {
		return nil, err
	}
	if err := w.restore(); err != nil {
		w.dropFence()
		if w.trial.noted { // whoever can say why not has not died of it
			w.endTrial()
		}
		return nil, err
	}
	// The watch begins before the loop, so that no change between the two goes unseen: looked
	// compares with what was read.
	if w.file.watch, err = w.watchFolder(); err != nil {
		cfg.Log.Warn("the folder cannot be watched: changes of others are seen when wf writes", "folder", filepath.Dir(real), "err", err)
	}
	w.publishPulse()
	w.loop.Start()
	w.send(call((*Workspace).looked))
	return w, nil
}

// newWorkspace makes a workspace whose loop has not started.
func newWorkspace(id, path string, cfg Config) *Workspace {
	w := &Workspace{id: id, path: path, cfg: cfg, creating: make(chan struct{}, 1), last: map[string]memory{}}
	w.loop = loop.New(loop.Hooks{Before: w.heedClock, Settle: w.settle, Leave: w.leave, Crashed: w.crashed, Log: cfg.Log.With("workfile", path)})
	w.holdTimer = w.loop.NewTimer(w.tryAgain)
	w.out.timer = w.loop.NewTimer(func() { w.out.due = true })
	w.file.init(w.loop)
	return w
}

// restore reads all there is, before the loop begins.
func (w *Workspace) restore() error {
	active := history.IsActive(w.cfg.State, w.id)
	if active {
		w.try()
	}
	err := w.readFirst()
	if err != nil {
		return err
	}
	if w.store, err = history.OpenOn(w.disk(), filepath.Join(w.cfg.State, "workspaces", w.id)); err != nil {
		return &api.Error{Code: api.CodeInternal, Message: "the history cannot be opened", Where: w.cfg.State, Why: plain(err)}
	}
	if err := w.checkPrivate(); err != nil {
		return err
	}
	w.recallStatuses()
	w.readBefore()
	w.recall(func(n int) {
		w.try() // a run can be there without the note of it
		if w.held.why != "" {
			w.held.runs = append(w.held.runs, n)
			return
		}
		w.takeUp(n)
	})
	w.recallPast()
	w.recallQueue()
	w.settleStatuses()
	w.lookForOrigin()
	if active && len(w.untaken)+len(w.held.runs) == 0 {
		w.unmark() // the note of a run that has ended since, or never began
	}
	w.recallEdits()
	w.recallMade()
	return nil
}

// readFirst reads the file and tidies up behind an earlier daemon.
func (w *Workspace) readFirst() error {
	if err := w.parseFile(); err != nil {
		return err
	}
	w.removeLeftovers()
	return nil
}

// parseFile reads and parses the workfile. Where it cannot, runs that go on have their own copy.
func (w *Workspace) parseFile() error {
	data, id, err := readFile(w.path)
	if err != nil {
		if w.standIn(err) {
			return nil
		}
		return openError(w.path, err)
	}
	doc, g, warnings, err := graphml.Parse(data, limits())
	if err != nil {
		if w.standIn(err) {
			return nil
		}
		return w.parseError(err)
	}
	w.doc, w.g, w.warnings = doc, g, warnings
	w.file.id, w.file.content = id, contentOf(graphml.Pieces{data})
	return nil
}

func openError(path string, err error) error {
	e := &api.Error{Code: api.CodeWorkfile, Message: "the workfile cannot be read", Where: path, Why: plain(err)}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Message, e.Why, e.Fix = "there is no workfile "+path, "", "wf new "+filepath.Base(path)+" creates one"
	case errors.Is(err, fs.ErrPermission):
		e.Fix = "chmod u+r " + path
	}
	return e
}

func (w *Workspace) parseError(err error) error {
	e := &api.Error{Code: api.CodeWorkfile, Message: "the workfile cannot be used", Where: w.path, Why: err.Error()}
	var memory *graphml.MemoryError
	if errors.As(err, &memory) {
		e.Fix = memoryFix(memory)
	}
	var syntax *graphml.SyntaxError
	if errors.As(err, &syntax) && syntax.Line > 0 {
		e.Where, e.Why = w.where(syntax.Line), syntax.Msg
	}
	return e
}

// leftoverAge is how old a temporary file of another workfile must be to be one of a crash.
const leftoverAge = time.Hour

// removeLeftovers deletes temporary files that a crash in the middle of a save has left. Those of this
// workfile are nobody else's: this daemon has the fence.
func (w *Workspace) removeLeftovers() {
	dir := filepath.Dir(w.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tmpPrefix) || !strings.HasSuffix(e.Name(), tmpSuffix) {
			continue
		}
		own := w.fence != nil && strings.HasPrefix(e.Name(), tmpOf(w.path))
		if info, err := e.Info(); err == nil && (own || time.Since(info.ModTime()) > leftoverAge) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// recall brings back what is known of past runs and hands over to takeUp those that are not over.
// Newer runs know better; it stops when every node with a status is explained.
func (w *Workspace) recall(takeUp func(n int)) {
	numbers, err := w.store.Numbers()
	if err != nil {
		w.cfg.Log.Error("the history cannot be read", "workspace", w.id, "err", err)
		return
	}
	unexplained := 0
	for _, n := range w.g.Nodes() {
		if _, foreign := w.foreign[n.ID]; foreign && w.statusesFound {
			continue // no run of this machine explains it
		}
		if (n.Status != graph.Idle || w.relearns()) && (n.Parent == nil || n.Home() == nil) { // in a sub-flow its instances are executed
			unexplained++
		}
	}
	for path, p := range w.before {
		if strings.Contains(path, "]/") && p.Executed() {
			unexplained++
		}
	}
	for i, n := range numbers {
		if !w.store.Over(n) { // of many runs only this is asked: a workfile opens with every command
			takeUp(n)
			continue
		}
		w.through = max(w.through, n)
		if w.latest == nil {
			w.latest = w.past(n)
		}
		if unexplained > 0 && i < recallRuns {
			unexplained -= w.remember(n)
		}
	}
}

// recallRuns bounds how far back a workspace looks when it opens.
const recallRuns = 50

// remember notes how a past run left its nodes, as far as no later run is known to. It returns how
// many nodes with a status it explains.
func (w *Workspace) remember(run int) (explained int) {
	past, err := w.store.Load(run)
	if err != nil {
		w.cfg.Log.Warn("a run cannot be read", "run", run, "err", err)
		return 0
	}
	for _, id := range past.Request.Scope {
		if m, n := w.last[id], w.g.Node(id); m.run == 0 && n != nil {
			m.run = run
			w.last[id] = m
			if n.SubFlow() && n.Status != graph.Idle {
				explained++ // whether it was executed itself, to list its items, or not
			}
		}
	}
	for _, e := range past.Executions {
		status, known := w.statusBefore(e.ID)
		m := w.last[e.ID]
		if !known || m.rec != nil && m.rec.run != run {
			continue // a later run knows better
		}
		if m.rec == nil {
			m.rec = &nodeRecord{run: run}
			m.run = max(m.run, run)
			w.last[e.ID] = m
		}
		before := m.rec.status == status
		m.rec.recall(e)
		if after := m.rec.status == status; after && !before && status != graph.Idle && !w.isSubFlow(e.ID) {
			explained++
		}
	}
	return explained
}

// isSubFlow says whether an id is that of a sub-flow. Its executions only find its items.
func (w *Workspace) isSubFlow(id string) bool {
	n := w.g.Node(id)
	return n != nil && n.SubFlow()
}

// statusBefore is the status of a node of the workfile, or of an instance that is known.
func (w *Workspace) statusBefore(id string) (s graph.Status, known bool) {
	if n := w.g.Node(id); n != nil {
		return n.Status, true
	}
	p, known := w.before[id]
	return p.Status, known
}

// recall takes over what a past execution was.
func (rec *nodeRecord) recall(e history.Execution) {
	rec.executions, rec.lastPID, rec.command = e.Number, e.PID, e.Command
	rec.started, rec.ended, rec.message = e.Started, e.Ended, e.Message
	rec.reason, rec.exitCode, rec.signal = api.Reason(e.Reason), e.ExitCode, e.Signal
	rec.out, rec.err = executorRange(e.Out), executorRange(e.Err)
	switch {
	case e.OK:
		rec.status = graph.Ran
	case e.Over:
		rec.status = graph.Failed
	}
	if rec.started.IsZero() {
		rec.started = e.Ended
	}
}

// Unfinished lists the workfiles with runs that an earlier daemon has left going. With an error it
// is not the whole list: the runs of the others are found when their workfile is opened.
func Unfinished(state string) ([]string, error) {
	marks, err := history.Active(state)
	paths := make([]string, 0, len(marks))
	for _, m := range marks {
		paths = append(paths, m.Workfile)
	}
	return paths, err
}
