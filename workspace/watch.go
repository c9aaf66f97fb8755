package workspace

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"wf/api"
)

// watcherQueue bounds the frames that wait for one watcher; a full queue drops it. A frame holds
// all events of up to frameEvery, so this is seconds of a busy run.
const watcherQueue = 256

// frameEvery is the least time between two frames of a busy workspace. A quiet one sends at once.
const frameEvery = 16 * time.Millisecond

// frameEvents bounds the events of one frame, so that a burst does not make a huge message.
const frameEvents = 4096

// WatchOptions say what a watcher wants.
type WatchOptions struct {
	Nodes bool // the snapshot carries nodes and edges
	queue int  // bound of the queue, for tests; 0 = watcherQueue
}

// A Watcher receives frames: a snapshot, then all later events in order. It never slows the
// workspace down: one that does not read is dropped.
type Watcher struct {
	w      *Workspace
	frames chan []byte

	mu     sync.Mutex // guards reason, which is set before frames is closed
	reason string
}

// Frames yields encoded api.Frames, the snapshot first. The bytes are shared: read only. It is
// closed when the watcher was dropped or closed, or the workspace has ended.
func (v *Watcher) Frames() <-chan []byte { return v.frames }

// Reason tells why Frames was closed; "" after Close.
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
func (w *Workspace) Watch(ctx context.Context, client string, opt WatchOptions) (*Watcher, error) {
	return ask(ctx, w, func(w *Workspace) (*Watcher, error) {
		w.out.send(w) // what came before the snapshot goes to the others only
		if opt.queue == 0 {
			opt.queue = watcherQueue
		}
		v := &Watcher{w: w, frames: make(chan []byte, opt.queue)}
		snap := &api.Snapshot{Seq: w.out.seq, Status: w.status(opt.Nodes)}
		w.retryHeld()
		v.frames <- encodeFrame(api.Frame{Snapshot: snap})
		w.out.watchers[v] = struct{}{}
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

// publisher numbers events and hands them to watchers in frames. It belongs to the loop.
type publisher struct {
	seq      uint64
	pending  []api.Event
	watchers map[*Watcher]struct{}
	sent     time.Time
	timer    *time.Timer
	due      bool // the timer rang
	armed    bool
	urgent   bool // somebody waits for the pending events
}

func (p *publisher) init() {
	p.watchers = map[*Watcher]struct{}{}
	p.timer = time.NewTimer(time.Hour)
	p.timer.Stop()
}

// publish adds an event. Nobody watching: it is only counted.
func (w *Workspace) publish(ev api.Event) {
	w.out.seq++
	if len(w.out.watchers) == 0 {
		return
	}
	ev.Schema, ev.Seq, ev.Workspace = api.SchemaEvent, w.out.seq, w.id
	if ev.Time.IsZero() {
		ev.Time = now()
	}
	w.out.pending = append(w.out.pending, ev)
}

// flush sends the pending events if it is time, else sees to it that it will be.
func (p *publisher) flush(w *Workspace) {
	if len(p.pending) == 0 {
		p.due = false
		return
	}
	wait := frameEvery - time.Since(p.sent)
	if p.due || p.urgent || wait <= 0 || len(p.pending) >= frameEvents {
		p.send(w)
		return
	}
	if !p.armed {
		p.timer.Reset(wait)
		p.armed = true
	}
}

// send offers the pending events to every watcher at once.
func (p *publisher) send(w *Workspace) {
	p.due, p.armed, p.urgent = false, false, false
	if len(p.pending) == 0 {
		return
	}
	p.timer.Stop()
	p.sent = time.Now()
	frame := encodeFrame(api.Frame{Events: p.pending})
	p.pending = p.pending[:0]
	for v := range p.watchers {
		select {
		case v.frames <- frame:
		default:
			w.cfg.Log.Warn("watcher dropped", "workspace", w.id, "reason", "too slow")
			p.remove(v, "too slow: the queue of events is full; watch again from a snapshot")
		}
	}
}

func (p *publisher) remove(v *Watcher, reason string) {
	if _, ok := p.watchers[v]; !ok {
		return
	}
	delete(p.watchers, v)
	v.mu.Lock()
	v.reason = reason
	v.mu.Unlock()
	close(v.frames)
}

func (p *publisher) closeAll(reason string) {
	for v := range p.watchers {
		p.remove(v, reason)
	}
}
