package daemon

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"wf/api"
)

// fakes opens fake workfiles for tests of the table with a fake clock. The id of a path is the path without its slashes.
type fakes struct {
	mu     sync.Mutex // guards the fields below
	opened map[string]int
	latest map[string]*fake
	fail   error
	gate   chan struct{} // if not nil, opening waits for it
}

func newFakes() *fakes { return &fakes{opened: map[string]int{}, latest: map[string]*fake{}} }

func (o *fakes) opener() opener[*fake] {
	return opener[*fake]{open: o.open, identify: func(path string) (string, string, error) {
		return strings.ReplaceAll(path, "/", ""), path, nil
	}}
}

func (o *fakes) open(path string, _ bool) (*fake, error) {
	if o.gate != nil {
		<-o.gate
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opened[path]++
	if o.fail != nil {
		return nil, o.fail
	}
	w := &fake{path: path, done: make(chan struct{})}
	o.latest[path] = w
	return w, nil
}

func (o *fakes) get(path string) *fake {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.latest[path]
}

func (o *fakes) times(path string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.opened[path]
}

// fake is a workfile. A test starts and ends its runs.
type fake struct {
	path string
	done chan struct{}
	once sync.Once

	mu     sync.Mutex // guards the fields below
	runs   []string
	onIdle func()
}

func (w *fake) Done() <-chan struct{} { return w.done }

func (w *fake) Busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.runs) > 0
}

func (w *fake) OnIdle(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.onIdle = f
}

func (w *fake) Info() api.WorkspaceInfo {
	w.mu.Lock()
	defer w.mu.Unlock()
	return api.WorkspaceInfo{Workfile: w.path, Runs: append([]string{}, w.runs...)}
}

func (w *fake) Close(context.Context) error {
	w.once.Do(func() { close(w.done) })
	return nil
}

func (w *fake) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = append(w.runs, "1")
}

func (w *fake) end() {
	w.mu.Lock()
	w.runs = nil
	idle := w.onIdle
	w.mu.Unlock()
	idle()
}

func newTestWorkspaces(f *fakes, timeout time.Duration, idle func()) *workspaces[*fake] {
	t := newWorkspaces(f.opener(), Config{IdleTimeout: timeout}.withDefaults(), idle)
	t.allowIdle()
	return t
}

func mustBe(t *testing.T, w openFile, open bool) {
	t.Helper()
	select {
	case <-w.Done():
		if open {
			t.Fatal("the workspace has closed")
		}
	default:
		if !open {
			t.Fatal("the workspace is still open")
		}
	}
}
