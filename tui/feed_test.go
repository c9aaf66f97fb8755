package tui

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
)

// frames is a watcher that a test feeds.
type frames struct {
	c      chan api.Frame
	end    error // of the watch when c is closed
	closed bool
}

func (f *frames) Next(ctx context.Context) (api.Frame, error) {
	select {
	case frame, ok := <-f.c:
		if !ok {
			return api.Frame{}, f.end
		}
		return frame, nil
	case <-ctx.Done():
		return api.Frame{}, ctx.Err()
	}
}

func (f *frames) Close() { f.closed = true }

// opens is a feed that listens to the watchers, one after the other.
func opens(watchers ...*frames) *feed {
	f := newFeed()
	i := 0
	f.start(func(context.Context) (watcher, error) {
		w := watchers[i]
		i++
		return w, nil
	})
	return f
}

func nodeEvent(i int, kind api.EventType) api.Event {
	return api.Event{Type: kind, Node: fmt.Sprint(i % 50), Execution: i, Run: "1"}
}

// TestFeedMergesEvents: 20,000 events in a second become at most 31 messages, whose size depends on the number of
// nodes. After the last event there are no messages.
func TestFeedMergesEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &frames{c: make(chan api.Frame)}
		f := opens(w)
		go func() {
			for i := range 20_000 {
				w.c <- api.Frame{Events: []api.Event{nodeEvent(i, api.NodeFinished)}}
				time.Sleep(50 * time.Microsecond)
			}
		}()
		messages, last := 0, 0
		start := time.Now()
		for last < 19_999 {
			n := f.next().(news)
			messages++
			if len(n.nodes) > 50 {
				t.Fatalf("a message tells of %d nodes", len(n.nodes))
			}
			for _, ev := range n.nodes {
				last = max(last, ev.Execution)
			}
		}
		if took := time.Since(start); messages > 32 || took > 1100*time.Millisecond {
			t.Errorf("%d messages in %v", messages, took)
		}
		quiet := make(chan struct{})
		go func() {
			f.next()
			close(quiet)
		}()
		time.Sleep(time.Hour)
		select {
		case <-quiet:
			t.Error("a message although nothing happened")
		default:
		}
		f.stop()
		<-quiet
	})
}

// TestFeedWatchesAgainAfterStructureChanges: After nodes were added or removed, the feed starts a new watch and
// begins with its snapshot.
func TestFeedWatchesAgainAfterStructureChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := &frames{c: make(chan api.Frame)}, &frames{c: make(chan api.Frame)}
		f := opens(first, second)
		defer f.stop()
		first.c <- api.Frame{Snapshot: &api.Snapshot{Seq: 1}}
		first.c <- api.Frame{Events: []api.Event{nodeEvent(1, api.NodeStarted), {Type: api.GraphUpdated, Structure: true}}}
		second.c <- api.Frame{Snapshot: &api.Snapshot{Seq: 9}}
		synctest.Wait()
		n := f.next().(news)
		if n.snapshot == nil || n.snapshot.Seq != 9 || len(n.nodes) > 0 || !first.closed {
			t.Errorf("after an edit: %+v", n.batch)
		}
	})
}

// TestFeedReportsLostConnection: The feed reports a broken connection, loses no earlier event, and reports when the
// client gives up.
func TestFeedReportsLostConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("the daemon is gone")
		w := &frames{c: make(chan api.Frame), end: gone}
		f := opens(w)
		w.c <- api.Frame{Events: []api.Event{nodeEvent(1, api.NodeFinished)}}
		f.lose(errors.New("broken"))
		synctest.Wait()
		if n := f.next().(news); n.lost == nil || len(n.nodes) != 1 {
			t.Errorf("after a loss: %+v", n.batch)
		}
		close(w.c)
		if n := f.next().(news); n.ended != gone || !w.closed {
			t.Errorf("at the end: %+v", n.batch)
		}
		f.stop()
		if msg := f.next(); msg != nil {
			t.Errorf("after stop: %v", msg)
		}
	})
}
