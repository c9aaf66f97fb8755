package watchers

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/workspace/clock"
	"wf/workspace/loop"
)

// keptEvents bounds the capacity of the reused list of pending events.
const keptEvents = 512

// A Hub numbers events and sends them to watchers in frames. It belongs to the loop.
type Hub struct {
	loop      *loop.Loop
	log       *slog.Logger
	item      func(run, node string) string // returns the item of a node of an instance
	hide      func(api.Event) api.Event     // removes secret values
	seq       uint64
	pending   []api.Event // events that a watcher wants
	wanted    typeSet     // by any watcher
	audiences []*audience
	sent      time.Time
	timer     *loop.Timer
	due       bool // the timer has fired
	armed     bool
	urgent    bool // a client waits for the pending events
}

// New returns a Hub without watchers. item returns the item of a node of an instance of an active run, hide an event without the
// secret values of active runs.
func New(l *loop.Loop, log *slog.Logger, item func(run, node string) string, hide func(api.Event) api.Event) *Hub {
	h := &Hub{loop: l, log: log, item: item, hide: hide}
	h.timer = l.NewTimer(func() { h.due = true })
	return h
}

// Seq returns the number of the latest event.
func (h *Hub) Seq() uint64 { return h.seq }

// Pending returns the number of events that wait for the next frame, which is the index of the next event.
func (h *Hub) Pending() int { return len(h.pending) }

// Hurry makes the next Flush send the pending events at once, because a client waits for them.
func (h *Hub) Hurry() { h.urgent = true }

// Wants reports whether any watcher wants events of a type.
func (h *Hub) Wants(t api.EventType) bool { return h.wanted.holds(t) }

// An audience is a group of watchers that want the same types of events. Each frame is encoded once for all of them.
type audience struct {
	types    typeSet
	watchers map[*Watcher]struct{}
	through  uint64 // the latest event that was sent to them, or that they did not want
}

// A typeSet is a set of types of events.
type typeSet uint32

// allTypes also contains the types without their own bit.
const allTypes = ^typeSet(0)

// typeNumbers are the bits of the types in a typeSet.
var typeNumbers = func() map[api.EventType]typeSet {
	numbers := make(map[api.EventType]typeSet)
	for i, t := range []api.EventType{api.NodeReady, api.NodeStarted, api.NodeFinished, api.NodeFailed, api.NodeReset,
		api.NodeSkipped, api.NodeWaiting, api.NodeDecided, api.NodeEngine,
		api.RunStarted, api.RunGrew, api.RunStopping, api.RunHeld, api.RunRefused, api.RunShort, api.RunStep, api.RunComplete, api.GraphUpdated, api.FileProblem} {
		numbers[t] = 1 << i
	}
	return numbers
}()

// setOf returns the set of the given types, or of all types if types is nil. It ignores unknown types, which are never
// published.
func setOf(types []api.EventType) typeSet {
	if types == nil {
		return allTypes
	}
	var set typeSet
	for _, t := range types {
		set |= typeNumbers[t]
	}
	return set
}

func (set typeSet) holds(t api.EventType) bool { return set == allTypes || set&typeNumbers[t] != 0 }

// Count returns the number of watchers.
func (h *Hub) Count() (n int) {
	for _, a := range h.audiences {
		n += len(a.watchers)
	}
	return n
}

// add registers v for events of these types. No event may be pending.
func (h *Hub) add(v *Watcher, types typeSet) {
	at := slices.IndexFunc(h.audiences, func(a *audience) bool { return a.types == types })
	if at < 0 {
		at = len(h.audiences)
		h.audiences = append(h.audiences, &audience{types: types, watchers: make(map[*Watcher]struct{}), through: h.seq})
		h.wanted |= types
	}
	v.group = h.audiences[at]
	v.group.watchers[v] = struct{}{}
}

// Publish numbers an event and adds it to the next frame if a watcher wants it.
func (h *Hub) Publish(ev api.Event) {
	h.seq++
	if !h.wanted.holds(ev.Type) {
		return
	}
	ev.Seq = h.seq
	if strings.Contains(ev.Node, "]/") {
		ev.Item = h.item(ev.Run, ev.Node)
	}
	if ev.Time.IsZero() {
		ev.Time = clock.Now()
	}
	h.pending = append(h.pending, h.hide(ev))
}

// Handled marks the pending event at an index as handled if it is the failure of this node. Only the next step of the
// scheduler shows that an edge fires for the failure.
func (h *Hub) Handled(at int, node string) {
	if at < len(h.pending) && h.pending[at].Type == api.NodeFailed && h.pending[at].Node == node {
		h.pending[at].Handled = true
	}
}

// Noted adds a note to the pending event at an index, if it is the end of this node.
func (h *Hub) Noted(at int, node, note string) {
	if note != "" && at < len(h.pending) && h.pending[at].Type == api.NodeFinished && h.pending[at].Node == node {
		h.pending[at].Note = note
	}
}

// Retried adds the next attempt to the pending event at an index, if it is the failure of this node.
func (h *Hub) Retried(at int, node string, attempt api.Retry) {
	if at < len(h.pending) && h.pending[at].Type == api.NodeFailed && h.pending[at].Node == node {
		h.pending[at].Retry = &attempt
	}
}

// RunBegan adds the number of nodes to the pending event at an index if it is the start of this run. The number is known
// only after the first step, which comes after the event.
func (h *Hub) RunBegan(at int, run string, nodes, kept int) {
	if at < len(h.pending) && h.pending[at].Type == api.RunStarted && h.pending[at].Run == run {
		h.pending[at].Nodes, h.pending[at].Kept = nodes, kept
	}
}

// Flush sends the pending events if they are due. Otherwise it sets the timer.
func (h *Hub) Flush() {
	if len(h.pending) == 0 {
		h.due = false
		return
	}
	wait := frameEvery - time.Since(h.sent)
	if h.due || h.urgent || wait <= 0 || len(h.pending) >= frameEvents {
		h.send()
		return
	}
	if !h.armed {
		h.timer.Reset(wait)
		h.armed = true
	}
}

// send sends the pending events at once to all watchers that want them.
func (h *Hub) send() {
	h.due, h.armed, h.urgent = false, false, false
	if len(h.pending) == 0 {
		return
	}
	h.timer.Stop()
	h.sent = time.Now()
	for _, a := range slices.Clone(h.audiences) { // offer may remove a slow watcher and its audience
		if frame := a.frame(h.pending, h.seq); frame != nil {
			h.offer(a, frame)
		}
	}
	clear(h.pending) // for the garbage collector
	if h.pending = h.pending[:0]; cap(h.pending) > keptEvents {
		h.pending = nil
	}
}

// frame encodes the events that the audience wants, up to and including seq. It returns nil if the audience
// wants none of them.
func (a *audience) frame(events []api.Event, seq uint64) []byte {
	if a.types == allTypes {
		a.through = seq
		return encodeFrame(api.Frame{Events: events})
	}
	var wanted []api.Event
	for i := range events {
		if a.types.holds(events[i].Type) {
			wanted = append(wanted, events[i])
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	f := api.Frame{Events: wanted, After: a.through, Through: seq}
	a.through = seq
	return encodeFrame(f)
}

func (h *Hub) offer(a *audience, frame []byte) {
	for v := range a.watchers {
		select {
		case v.frames <- frame:
		default:
			h.log.Warn("watcher dropped", "reason", "too slow")
			h.remove(v, "too slow: the queue of events is full; watch again from a snapshot")
		}
	}
}

// remove removes a watcher, and its audience if it was the last one in it.
func (h *Hub) remove(v *Watcher, reason string) {
	a := v.group
	if _, ok := a.watchers[v]; !ok {
		return
	}
	delete(a.watchers, v)
	if len(a.watchers) == 0 {
		h.audiences = slices.DeleteFunc(h.audiences, func(x *audience) bool { return x == a })
		h.wanted = 0
		for _, left := range h.audiences {
			h.wanted |= left.types
		}
	}
	v.mu.Lock()
	v.reason = reason
	v.mu.Unlock()
	close(v.frames)
}

// Close removes all watchers.
func (h *Hub) Close(reason string) {
	for _, a := range slices.Clone(h.audiences) {
		for v := range a.watchers {
			h.remove(v, reason)
		}
	}
}
