package workspace

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"wf/api"
	"wf/workspace/loop"
)

// watcherQueue bounds the frames that wait for one watcher. A watcher whose queue is full is dropped. A frame
// has all events of up to frameEvery, so this is several seconds of a busy run.
const watcherQueue = 256

// frameEvery is the least time between two frames of a busy workspace. A quiet one sends at once.
const frameEvery = 16 * time.Millisecond

// frameEvents bounds the events of one frame, so that a burst does not make a huge message.
const frameEvents = 4096

// A Watcher receives frames: a snapshot, then all later events that it wants, in order. It never
// slows the workspace down: one that does not read is dropped.
type Watcher struct {
	w      *Workspace
	frames chan []byte
	group  *audience

	mu     sync.Mutex // guards reason, which is set before frames is closed
	reason string
}

// Frames yields encoded api.Frames, the snapshot first. The bytes are shared: read only. It is
// closed when the watcher was dropped or closed, or the workspace has ended.
func (v *Watcher) Frames() <-chan []byte { return v.frames }

// Reason returns why Frames was closed; "" after Close.
func (v *Watcher) Reason() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.reason
}

// Close ends the watching; it may be called more than once.
func (v *Watcher) Close() {
	v.w.send(call(func(w *Workspace) { w.out.remove(v, "") }))
}

// Watch registers a watcher. Its first frame, the snapshot, is in the queue when Watch returns.
func (w *Workspace) Watch(ctx context.Context, client string, opt api.WatchOptions) (*Watcher, error) {
	return w.watch(ctx, opt, watcherQueue)
}

// watch is Watch with a queue of the given length, at least 1.
func (w *Workspace) watch(ctx context.Context, opt api.WatchOptions, queue int) (*Watcher, error) {
	return loop.Ask(ctx, w.loop, func() (*Watcher, error) {
		w.out.send(w) // events before the snapshot go to the other watchers only
		v := &Watcher{w: w, frames: make(chan []byte, queue)}
		snap := &api.Snapshot{Seq: w.out.seq, Status: w.status(opt.Nodes)}
		w.retryHeld()
		v.frames <- encodeFrame(api.Frame{Snapshot: snap})
		w.out.add(v, setOf(opt.Events))
		return v, nil
	})
}

func encodeFrame(f api.Frame) []byte {
	b, err := json.Marshal(f)
	if err != nil {
		panic("internal error: frame: " + err.Error()) // only plain data goes into a frame
	}
	return b
}
