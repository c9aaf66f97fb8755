package daemon

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"wf/api"
)

// An unused workspace stays open for a while, because the next request or command often needs it again: shortLinger, because
// a client sends several requests in a row, and up to longLinger in a daemon that is meant to stay. See Config.withDefaults.
const (
	shortLinger = 250 * time.Millisecond
	longLinger  = 10 * time.Second
)

// mostLingering is the number of workspaces above which unused ones close after shortLinger: each has open files and a watch
// of its folder, of which the system has few.
const mostLingering = 16

// closeTime bounds the closing of a workspace, which saves a file that may be on a dead mount.
const closeTime = 30 * time.Second

// lingerOf returns how long unused workspaces stay open in a daemon with an idle timeout: a quarter of it, within limits.
func lingerOf(timeout time.Duration) time.Duration {
	if timeout == 0 {
		return longLinger // the daemon never ends by itself
	}
	return min(max(timeout/4, shortLinger), longLinger)
}

// workspaces keeps each workfile open once. A request or a watcher uses an entry. An entry that is neither used nor busy
// closes after a while, and after the last one the daemon is idle.
type workspaces[W openFile] struct {
	opener      opener[W]
	log         *slog.Logger
	linger      time.Duration // of an unused workspace
	timeout     time.Duration // of idleness; 0 = none
	idle        func()
	resumed     chan struct{}  // closed when the active runs of an earlier daemon are recovered
	quit        chan struct{}  // closed by close
	supervisors sync.WaitGroup // one goroutine per entry

	mu       sync.Mutex // guards what follows and the entries' counters; never held while calling out
	byID     map[string]*entry[W]
	paths    map[string]string // id → workfile of workspaces that were open, see find
	closed   bool
	timer    *time.Timer              // runs while byID is empty
	blockers int                      // see preventIdle
	crash    map[string]time.Duration // by workfile: the pause after its latest crash
}

// An entry is a workspace that is being opened, is open or is being closed.
type entry[W openFile] struct {
	id    string
	ready chan struct{} // closed when opening is over: ws or err is set
	ws    W
	err   error
	look  chan struct{} // a change: the supervisor checks whether the entry is still needed
	gone  chan struct{} // closed when the workspace has closed

	// The fields below are guarded by workspaces.mu.

	uses    int
	kept    int // callers of keep
	closing bool
	evicted bool // it closes even with watchers: see evict
}

// newWorkspaces returns a table without workspaces. The daemon is not idle before the caller, which recovers the runs of an
// earlier daemon, calls allowIdle.
func newWorkspaces[W openFile](o opener[W], cfg Config, idle func()) *workspaces[W] {
	return &workspaces[W]{opener: o, log: cfg.Log, linger: cfg.linger, timeout: cfg.IdleTimeout, idle: idle, blockers: 1,
		resumed: make(chan struct{}), quit: make(chan struct{}), byID: map[string]*entry[W]{}, paths: map[string]string{}, crash: map[string]time.Duration{}}
}

// armIdle starts the timer of the idle daemon. The caller holds mu.
func (t *workspaces[W]) armIdle() {
	if t.timeout > 0 && !t.closed {
		t.timer = time.AfterFunc(t.timeout, t.endIfIdle)
	}
}

// endIfIdle ends the daemon, unless a workspace was opened at the last moment.
func (t *workspaces[W]) endIfIdle() {
	t.mu.Lock()
	still := len(t.byID) == 0 && t.blockers == 0 && !t.closed
	t.mu.Unlock()
	if still {
		t.idle()
	}
}

// preventIdle prevents the end of the idle daemon until allowIdle, for work without an open workspace.
func (t *workspaces[W]) preventIdle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.blockers++
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *workspaces[W]) allowIdle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blockers--; t.blockers == 0 && len(t.byID) == 0 {
		t.armIdle()
	}
}

// open uses the workspace of a workfile and opens it if necessary. Concurrent calls share one opening. A quarantined one is
// opened only with retry. The caller releases the entry.
func (t *workspaces[W]) open(ctx context.Context, path string, retry bool) (*entry[W], error) {
	id, real, err := t.opener.identify(path)
	if err != nil {
		return nil, err
	}
	for {
		e, how, err := t.take(id)
		if err != nil {
			return nil, err
		}
		switch how {
		case isClosing: // the next turn opens it again
			select {
			case <-e.gone:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			continue
		case isNew:
			t.openNew(e, real, retry)
		}
		return t.await(ctx, e)
	}
}

// entryState is the state in which take found an entry.
type entryState int

const (
	isOpen    entryState = iota // it is open, or another goroutine opens it: wait until it is ready
	isNew                       // it is new: the caller opens it
	isClosing                   // it is closing: wait until it is gone
)

// take uses the entry of a workspace, or creates one.
func (t *workspaces[W]) take(id string) (*entry[W], entryState, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.byID[id]
	switch {
	case t.closed:
		return nil, isClosing, errEnding()
	case e == nil:
		e = &entry[W]{id: id, uses: 1, ready: make(chan struct{}), look: make(chan struct{}, 1), gone: make(chan struct{})}
		t.byID[id] = e
		if t.timer != nil {
			t.timer.Stop()
		}
		t.supervisors.Add(1)
		return e, isNew, nil
	case e.closing:
		return e, isClosing, nil
	}
	e.uses++
	return e, isOpen, nil
}

// await waits until a used entry is ready; if the opening fails, the use ends.
func (t *workspaces[W]) await(ctx context.Context, e *entry[W]) (*entry[W], error) {
	var err error
	select {
	case <-e.ready:
		err = e.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		t.release(e)
		return nil, err
	}
	return e, nil
}

// openNew opens the workspace of a new entry. After a panic, waiting goroutines get an error.
func (t *workspaces[W]) openNew(e *entry[W], path string, retry bool) {
	e.err = &api.Error{Code: api.CodeInternal, Message: "the workfile cannot be opened"}
	defer func() {
		close(e.ready)
		go t.supervise(e)
	}()
	e.ws, e.err = t.opener.open(path, retry)
	if e.err == nil {
		e.ws.OnIdle(e.recheck)
		t.remember(e.id, path)
	}
}

// find uses a workspace that is open, or was open before.
func (t *workspaces[W]) find(ctx context.Context, id string) (*entry[W], error) {
	t.mu.Lock()
	e := t.byID[id]
	known := e != nil && !e.closing && !t.closed
	if known {
		e.uses++
	}
	closed, path := t.closed, t.paths[id]
	t.mu.Unlock()
	switch {
	case closed:
		return nil, errEnding()
	case known:
		return t.await(ctx, e)
	case path == "":
		return nil, &api.Error{Code: api.CodeNotFound, Message: "no such workspace: no client has opened it since the daemon started",
			Fix: api.OpenWorkspace.Method + " " + api.OpenWorkspace.Path + " opens a workfile"}
	}
	e, err := t.open(ctx, path, false)
	if err == nil && e.id != id { // a link that now leads to another file
		t.release(e)
		return nil, &api.Error{Code: api.CodeNotFound, Message: "the path of this workspace now leads to another workfile", Where: path}
	}
	return e, err
}

// mostPaths bounds how many paths of closed workspaces are kept.
const mostPaths = 10_000

// remember stores the workfile of a workspace that was opened.
func (t *workspaces[W]) remember(id, path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.paths) >= mostPaths {
		clear(t.paths)
	}
	t.paths[id] = path
}

// release ends a use.
func (t *workspaces[W]) release(e *entry[W]) {
	t.mu.Lock()
	e.uses--
	t.mu.Unlock()
	e.recheck()
}

// recheck makes the supervisor of the entry check it.
func (e *entry[W]) recheck() {
	select {
	case e.look <- struct{}{}:
	default:
	}
}

// keep opens a workspace and keeps it open until release is called, unless it is evicted.
func (t *workspaces[W]) keep(ctx context.Context, path string) (release func(), err error) {
	e, err := t.open(ctx, path, false)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	e.kept++
	t.mu.Unlock()
	t.release(e)
	return func() {
		t.mu.Lock()
		e.kept--
		t.mu.Unlock()
		e.recheck()
	}, nil
}

// supervise closes an entry when it is no longer needed, or the daemon ends.
func (t *workspaces[W]) supervise(e *entry[W]) {
	defer t.supervisors.Done()
	defer returnMemory()
	defer t.forget(e)
	if e.err != nil {
		return
	}
	timer := time.NewTimer(t.lingerNow())
	defer timer.Stop()
	for {
		select {
		case <-e.look:
			timer.Reset(t.lingerNow())
		case <-timer.C:
			if t.startClosing(e) {
				t.closeEntry(e)
				return
			}
		case <-e.ws.Done():
			t.log.Error("workspace ended by itself", "workspace", e.id)
			t.restart(e)
			return
		case <-t.quit:
			t.closeEntry(e)
			return
		}
	}
}

// lingerNow returns how long a workspace stays open that is unused from now on.
func (t *workspaces[W]) lingerNow() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byID) > mostLingering {
		return min(t.linger, shortLinger)
	}
	return t.linger
}

// How long a workspace that crashed stays closed: longer each time, because it may crash again.
const (
	firstRestart = time.Second
	lastRestart  = 5 * time.Minute
)

// restart opens a workspace again that has crashed, if it had runs, because only this daemon can.
func (t *workspaces[W]) restart(e *entry[W]) {
	info := e.ws.Info()
	if len(info.Runs) == 0 {
		return
	}
	t.mu.Lock()
	pause := min(max(2*t.crash[info.Workfile], firstRestart), lastRestart)
	t.crash[info.Workfile] = pause
	t.mu.Unlock()
	t.preventIdle()
	t.supervisors.Go(func() {
		defer t.allowIdle()
		select {
		case <-time.After(pause):
			t.resume([]string{info.Workfile})
		case <-t.quit:
		}
	})
}

// startClosing decides whether an entry closes; then it can no longer be used. A busy entry is checked again when it becomes
// idle, a used one when it is released.
func (t *workspaces[W]) startClosing(e *entry[W]) bool {
	busy, runs := e.ws.Busy(), e.ws.Info().State == "running" // an unused entry cannot become busy
	t.mu.Lock()
	defer t.mu.Unlock()
	e.closing = e.uses == 0 && (!busy && e.kept == 0 || e.evicted && !runs)
	return e.closing
}

// closeEntry saves and closes the workspace; its runs continue.
func (t *workspaces[W]) closeEntry(e *entry[W]) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if err := e.ws.Close(ctx); err != nil {
		t.log.Error("workspace not closed properly", "workspace", e.id, "err", err)
	}
}

// forget removes a closed entry; after the last one the daemon is idle.
func (t *workspaces[W]) forget(e *entry[W]) {
	t.mu.Lock()
	e.closing = true
	delete(t.byID, e.id)
	if len(t.byID) == 0 && t.blockers == 0 {
		t.armIdle()
	}
	t.mu.Unlock()
	close(e.gone)
}

// entries returns the open workspaces. They may close at any time, because the caller does not use them.
func (t *workspaces[W]) entries() []*entry[W] {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []*entry[W]
	for _, e := range t.byID {
		select {
		case <-e.ready:
			if e.err == nil {
				list = append(list, e)
			}
		default:
		}
	}
	return list
}

// resume opens workfiles with active runs of an earlier daemon; the runs keep them open.
func (t *workspaces[W]) resume(paths []string) {
	for _, path := range paths {
		e, err := t.open(context.Background(), path, false)
		if err != nil {
			if !api.HasCode(err, api.CodeGone) {
				t.log.Error("unfinished run not resumed", "workfile", path, "err", err)
			}
			continue
		}
		t.log.Info("workfile resumed", "workfile", path, "workspace", e.id)
		t.release(e)
	}
}

// resumeTime bounds the wait for the recovery of runs, because a workfile may be on a disk that does not answer.
const resumeTime = 10 * time.Second

// awaitResumed waits until the active runs of an earlier daemon are recovered: before that the daemon serves requests, but
// does not know all runs.
func (t *workspaces[W]) awaitResumed(ctx context.Context) error {
	select {
	case <-t.resumed:
		return nil
	case <-t.quit:
		return nil
	case <-time.After(resumeTime):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pathOf returns the workfile of a workspace that is or was open, "" if it is not known.
func (t *workspaces[W]) pathOf(id string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.paths[id]
}

// close closes all workspaces and returns when they are closed. No workspace can be opened any more.
func (t *workspaces[W]) close() {
	t.mu.Lock()
	t.closed = true
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()
	close(t.quit)
	t.supervisors.Wait()
}
