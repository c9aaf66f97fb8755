// Package watchers hands the events of a workspace to its watchers: numbered, in frames, to each only those that it wants. A
// watcher gets a snapshot, then every event once and in order, or is dropped with a reason. It never slows the workspace.
package watchers

import (
	"encoding/json"
	"sync"
	"time"

	"wf/api"
)

// Queue bounds the frames that wait for one watcher. A watcher whose queue is full is dropped. A frame
// has all events of up to frameEvery, so this is several seconds of a busy run.
const Queue = 256

// frameEvery is the least time between two frames of a busy workspace. A quiet one sends at once.
const frameEvery = 16 * time.Millisecond

// frameEvents bounds the events of one frame, so that a burst does not make a huge message.
const frameEvents = 4096

// A Watcher receives frames: a snapshot, then all later events that it wants, in order. It never
// slows the workspace down: one that does not read is dropped.
type Watcher struct {
	hub    *Hub
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
	v.hub.loop.Post(func() { v.hub.remove(v, "") })
}

// Watch adds a watcher of events of some types, nil for all, with a queue of at least one frame. Its first frame is the snapshot
// with the status. Events before the snapshot go to the other watchers only.
func (h *Hub) Watch(queue int, types []api.EventType, status func() api.Status) *Watcher {
	h.send()
	v := &Watcher{hub: h, frames: make(chan []byte, queue)}
	v.frames <- encodeFrame(api.Frame{Snapshot: &api.Snapshot{Seq: h.seq, Status: status()}})
	h.add(v, setOf(types))
	return v
}

func encodeFrame(f api.Frame) []byte {
	b, err := json.Marshal(f)
	if err != nil {
		panic("internal error: frame: " + err.Error()) // only plain data goes into a frame
	}
	return b
}
