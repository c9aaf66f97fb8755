package workspace

import (
	"slices"
	"time"

	"wf/api"
	"wf/workspace/clock"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
)

// keptEvents bounds the capacity of the list of pending events that is used again.
const keptEvents = 512

// publisher numbers events and hands them to watchers in frames. It belongs to the loop.
type publisher struct {
	seq       uint64
	pending   []api.Event // that a watcher wants
	wanted    typeSet     // by any watcher
	audiences []*audience
	sent      time.Time
	timer     *loop.Timer
	due       bool // the timer rang
	armed     bool
	urgent    bool // a client waits for the pending events
}

// An audience is the watchers that want the same types of events, so that a frame is encoded once
// for all of them.
type audience struct {
	types    typeSet
	watchers map[*Watcher]struct{}
	through  uint64 // the last event they got, or that they did not want
}

// A typeSet is a set of types of events.
type typeSet uint32

// allTypes contains also types without a number of their own.
const allTypes = ^typeSet(0)

// typeNumbers are the bits of the types in a typeSet.
var typeNumbers = func() map[api.EventType]typeSet {
	numbers := make(map[api.EventType]typeSet)
	for i, t := range []api.EventType{api.NodeReady, api.NodeStarted, api.NodeFinished, api.NodeFailed, api.NodeReset,
		api.NodeSkipped, api.NodeWaiting, api.NodeDecided,
		api.RunStarted, api.RunGrew, api.RunStopping, api.RunHeld, api.RunRefused, api.RunShort, api.RunComplete, api.GraphUpdated, api.FileProblem} {
		numbers[t] = 1 << i
	}
	return numbers
}()

// setOf returns the set of types, all for nil. Unknown types are left out: they are never published.
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

// count returns the number of watchers.
func (p *publisher) count() (n int) {
	for _, a := range p.audiences {
		n += len(a.watchers)
	}
	return n
}

// add sends v all events of these types from now on. No event is pending when it is called.
func (p *publisher) add(v *Watcher, types typeSet) {
	at := slices.IndexFunc(p.audiences, func(a *audience) bool { return a.types == types })
	if at < 0 {
		at = len(p.audiences)
		p.audiences = append(p.audiences, &audience{types: types, watchers: make(map[*Watcher]struct{}), through: p.seq})
		p.wanted |= types
	}
	v.group = p.audiences[at]
	v.group.watchers[v] = struct{}{}
}

// publish numbers an event and keeps it for the next frame if a watcher wants it.
func (w *Workspace) publish(ev api.Event) {
	w.out.seq++
	if !w.out.wanted.holds(ev.Type) {
		return
	}
	ev.Seq = w.out.seq
	if nodestate.IsPath(ev.Node) {
		ev.Item = w.nodes.ItemOf(ev.Run, ev.Node)
	}
	if ev.Time.IsZero() {
		ev.Time = clock.Now()
	}
	w.out.pending = append(w.out.pending, ev)
}

// handled marks the pending event at an index, if it is the failure of this node, as handled: an edge fired
// for it, which is known only after the next step.
func (p *publisher) handled(at int, node string) {
	if at < len(p.pending) && p.pending[at].Type == api.NodeFailed && p.pending[at].Node == node {
		p.pending[at].Handled = true
	}
}

// noted adds a note to the pending event at an index, if it is the end of this node.
func (p *publisher) noted(at int, node, note string) {
	if note != "" && at < len(p.pending) && p.pending[at].Type == api.NodeFinished && p.pending[at].Node == node {
		p.pending[at].Note = note
	}
}

// retried adds the next attempt to the pending event at an index, if it is the failure of this node.
func (p *publisher) retried(at int, node string, attempt api.Retry) {
	if at < len(p.pending) && p.pending[at].Type == api.NodeFailed && p.pending[at].Node == node {
		p.pending[at].Retry = &attempt
	}
}

// begun adds the number of nodes to the pending event at an index, if it is the start of this run. They are
// known only after the first step, which comes after the event.
func (p *publisher) begun(at int, run string, nodes, kept int) {
	if at < len(p.pending) && p.pending[at].Type == api.RunStarted && p.pending[at].Run == run {
		p.pending[at].Nodes, p.pending[at].Kept = nodes, kept
	}
}

// flush sends the pending events if it is time, otherwise it sets the timer.
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

// send offers the pending events to all watchers that want them, at once.
func (p *publisher) send(w *Workspace) {
	p.due, p.armed, p.urgent = false, false, false
	if len(p.pending) == 0 {
		return
	}
	p.timer.Stop()
	p.sent = time.Now()
	for _, a := range slices.Clone(p.audiences) { // offer may remove a slow watcher, and its audience
		if frame := a.frame(p.pending, p.seq); frame != nil {
			p.offer(w, a, frame)
		}
	}
	clear(p.pending) // for the garbage collector
	if p.pending = p.pending[:0]; cap(p.pending) > keptEvents {
		p.pending = nil
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

func (p *publisher) offer(w *Workspace, a *audience, frame []byte) {
	for v := range a.watchers {
		select {
		case v.frames <- frame:
		default:
			w.cfg.Log.Warn("watcher dropped", "workspace", w.id, "reason", "too slow")
			p.remove(v, "too slow: the queue of events is full; watch again from a snapshot")
		}
	}
}

// remove drops a watcher, and its audience if it was the last.
func (p *publisher) remove(v *Watcher, reason string) {
	a := v.group
	if _, ok := a.watchers[v]; !ok {
		return
	}
	delete(a.watchers, v)
	if len(a.watchers) == 0 {
		p.audiences = slices.DeleteFunc(p.audiences, func(x *audience) bool { return x == a })
		p.wanted = 0
		for _, left := range p.audiences {
			p.wanted |= left.types
		}
	}
	v.mu.Lock()
	v.reason = reason
	v.mu.Unlock()
	close(v.frames)
}

func (p *publisher) closeAll(reason string) {
	for _, a := range slices.Clone(p.audiences) {
		for v := range a.watchers {
			p.remove(v, reason)
		}
	}
}
