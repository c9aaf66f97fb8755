package tui

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/program"
)

// A watcher yields the frames of a workspace; *client.Watch is one.
type watcher interface {
	Next(context.Context) (api.Frame, error)
	Close()
}

// mostKept is the maximum number of edits, and of decisions, in a batch: the latest ones are kept.
const mostKept = 8

// A batch contains what happened to a workspace since the previous batch: the snapshot if there is one, then events
// in order, then the latest event of each node. The workfile bounds its size.
type batch struct {
	snapshot *api.Snapshot
	events   []api.Event          // events that are not about one node
	nodes    map[string]api.Event // by id
	inner    map[string]bool      // names of the sub-flows with events in their instances
	asks     bool                 // the approvals may have changed
	answers  []api.Event          // the latest mostKept decisions
	edits    []api.Event          // the latest mostKept edits that came with a snapshot of their own: author and description
	notes    []string             // sentences for the user, from the client
	lost     error                // the connection broke, and the client is reconnecting
	ended    error                // the client stopped reconnecting, for this reason
	crash    *program.Crash       // of the listening goroutine; next panics with it
}

func (b *batch) empty() bool {
	return b.snapshot == nil && len(b.events) == 0 && len(b.edits) == 0 && len(b.nodes) == 0 && len(b.notes) == 0 && len(b.inner) == 0 && !b.asks &&
		b.lost == nil && b.ended == nil && b.crash == nil
}

// status returns the status of the snapshot, or nil.
func (b *batch) status() *api.Status {
	if b.snapshot == nil {
		return nil
	}
	return &b.snapshot.Status
}

// take adds a frame of the WebSocket.
func (b *batch) take(f api.Frame) (structure bool) {
	if f.Snapshot != nil {
		*b = batch{snapshot: f.Snapshot, notes: b.notes, edits: b.edits, answers: b.answers, asks: true}
	}
	for _, ev := range f.Events {
		b.ask(ev)
		switch ev.Type {
		case api.NodeReady, api.NodeStarted, api.NodeFinished, api.NodeFailed, api.NodeReset, api.NodeSkipped, api.NodeWaiting, api.NodeDecided, api.NodeEngine:
			if name, ok := runview.SubFlowOf(ev.Node); ok {
				b.noteInstance(name)
				continue
			}
			if b.nodes == nil {
				b.nodes = map[string]api.Event{}
			}
			b.nodes[ev.Node] = after(b.nodes[ev.Node], ev)
		case api.GraphUpdated:
			for _, n := range ev.Changed { // these contain the complete, latest state of their nodes
				delete(b.nodes, n.ID)
			}
			if ev.Structure {
				structure = true
				b.edits = append(b.edits[max(0, len(b.edits)-mostKept+1):], ev)
				continue
			}
			b.events = append(b.events, ev)
		default:
			b.events = append(b.events, ev)
		}
	}
	return structure
}

// after completes an event with data of the previous event of the node: a node that waits for its next attempt keeps
// the result of the last one, and news of an engine leave everything else as it was.
func after(before, ev api.Event) api.Event {
	if ev.Type == api.NodeWaiting && before.Type == api.NodeFailed {
		ev.Reason, ev.ExitCode, ev.Signal, ev.Execution, ev.DurationMS = before.Reason, before.ExitCode, before.Signal, before.Execution, before.DurationMS
	}
	if ev.Retry == nil && ev.Type != api.NodeReset && ev.Type != api.NodeSkipped {
		ev.Retry = carried(before, ev)
	}
	if ev.Type == api.NodeEngine && before.Type != "" {
		before.Seq, before.Engine = ev.Seq, ev.Engine
		return before
	}
	return ev
}

// carried returns the number of the failed attempt before ev, whose own event ev replaces. A failure with such a number is not final,
// so a final one gets none.
func carried(before, ev api.Event) *api.Retry {
	if before.Type == api.NodeFinished || ev.Type == api.NodeFailed {
		return nil
	}
	return before.Retry
}

// ask notes whether an event changes the approvals.
func (b *batch) ask(ev api.Event) {
	switch ev.Type {
	case api.NodeWaiting:
		b.asks = b.asks || ev.Wait != nil && ev.Wait.Kind == api.WaitApproval
	case api.NodeDecided:
		b.asks = true
		b.answers = append(b.answers[max(0, len(b.answers)-mostKept+1):], ev)
	case api.RunComplete, api.RunStopping, api.RunStarted:
		b.asks = true
	}
}

// noteInstance records that an instance of a sub-flow has changed. The interface requests the details when they are
// visible, so ten thousand instances cost as little here as one.
func (b *batch) noteInstance(subFlow string) {
	if b.inner == nil {
		b.inner = map[string]bool{}
	}
	b.inner[subFlow] = true
}

// A feed is the only listener to the daemon. It collects events until the next screen, so the number of messages
// depends on the number of screens and not on the number of events.
type feed struct {
	open  func(context.Context) (watcher, error)
	ctx   context.Context
	close context.CancelFunc
	group sync.WaitGroup

	mu      sync.Mutex // guards pending
	pending batch
	wake    program.Signal // set while pending is not empty
}

// newFeed returns a feed that does not listen yet. The caller ends it with stop.
func newFeed() *feed {
	f := &feed{wake: program.NewSignal()}
	f.ctx, f.close = context.WithCancel(context.Background())
	return f
}

// start starts to listen to the watcher that open returns.
func (f *feed) start(open func(context.Context) (watcher, error)) {
	f.open = open
	f.group.Go(f.listen)
}

// stop stops listening and waits for the goroutine.
func (f *feed) stop() {
	f.close()
	f.group.Wait()
}

// listen collects events until the feed is stopped or the client gives up reconnecting. When nodes or edges were
// added or removed it starts a new watch, whose first snapshot contains them.
func (f *feed) listen() {
	defer program.Catch(func(c *program.Crash) { f.add(func(b *batch) { b.crash = c }) })
	for {
		w, err := f.open(f.ctx)
		if err == nil {
			err = f.collect(w)
			w.Close()
		}
		if f.ctx.Err() != nil {
			return
		}
		if err != nil {
			f.add(func(b *batch) { b.ended = err })
			return
		}
	}
}

// collect takes frames of the WebSocket. It returns nil to request a new snapshot.
func (f *feed) collect(w watcher) error {
	for {
		frame, err := w.Next(f.ctx)
		if err != nil {
			return err
		}
		structure := false
		f.add(func(b *batch) { structure = b.take(frame) })
		if structure {
			return nil
		}
	}
}

// lose records that the connection broke. It may be called from any goroutine.
func (f *feed) lose(why error) { f.add(func(b *batch) { b.lost = why }) }

// note adds a sentence for the user. It may be called from any goroutine.
func (f *feed) note(text string) { f.add(func(b *batch) { b.notes = append(b.notes, text) }) }

func (f *feed) add(change func(*batch)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.pending)
	if f.pending.empty() {
		return
	}
	f.wake.Set()
}

// news is a batch for the interface.
type news struct {
	from *feed
	batch
}

// next waits for a batch, at most one per interval. It is a tea.Cmd and returns nil after stop.
func (f *feed) next() tea.Msg {
	if !f.wake.Wait(f.ctx) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wake.Clear() // later events are in this batch already
	if f.pending.crash != nil {
		panic(f.pending.crash)
	}
	b := f.pending
	f.pending = batch{}
	return news{f, b}
}

// watch returns a function that watches a workspace with all data that a drawing needs.
func watch(ws *client.Workspace) func(context.Context) (watcher, error) {
	return func(ctx context.Context) (watcher, error) {
		w, err := ws.Watch(ctx, api.WatchOptions{Nodes: true})
		if err != nil {
			return nil, err // a nil *client.Watch would be a non-nil watcher
		}
		return w, nil
	}
}
