// Package watchers sends the events of a workspace to its watchers. A Hub numbers the events and collects them into frames;
// each watcher gets the types of events that it wants. The workspace owns the Hub, and active runs publish to it. A watcher
// gets a snapshot and then every event once and in order, or is dropped with a reason. It never slows down the workspace.
package watchers

import (
	"sync"
	"time"

	"wf/api"
)

// Queue bounds the number of frames that wait for one watcher. A watcher whose queue is full is dropped. A frame contains
// the events of up to frameEvery, so the queue holds several seconds of a busy run.
const Queue = 256

// frameEvery is the minimum time between two frames of a busy workspace. An idle workspace sends at once. A runner reports
// every 15 ms, so a watcher gets an event 20 ms after it happened at the latest, if nothing else delays it.
const frameEvery = 5 * time.Millisecond

// frameEvents bounds the number of events in one frame, so that a burst does not make a huge message.
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

// Frames returns a channel of encoded api.Frames, starting with the snapshot. The bytes are shared and must not be modified.
// The channel is closed when the watcher is dropped or closed, or the workspace has ended.
func (v *Watcher) Frames() <-chan []byte { return v.frames }

// Reason returns why Frames was closed; "" after Close.
func (v *Watcher) Reason() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.reason
}

// Close removes the watcher. It may be called more than once.
func (v *Watcher) Close() {
	v.hub.loop.Post(func() { v.hub.remove(v, "") })
}

// Watch adds a watcher for the given types of events; nil means all types. The queue holds at least one frame. The first
// frame is the snapshot with the status. Events before the snapshot are sent only to other watchers.
func (h *Hub) Watch(queue int, types []api.EventType, status func() api.Status) *Watcher {
	h.send()
	v := &Watcher{hub: h, frames: make(chan []byte, queue)}
	v.frames <- encodeFrame(api.Frame{Snapshot: &api.Snapshot{Seq: h.seq, Status: status()}})
	h.add(v, setOf(types))
	return v
}
