package watchers

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

	"wf/api"
	"wf/workspace/loop"
)

// newHub returns a hub on a loop that has started. The loop calls Flush after each burst.
func newHub(t *testing.T) (*Hub, *loop.Loop) {
	t.Helper()
	var h *Hub
	l := loop.New(loop.Hooks{Settle: func() { h.Flush() }})
	h = New(l, slog.New(slog.DiscardHandler), func(string, string) string { return "an item" },
		func(ev api.Event) api.Event { return ev })
	l.Start()
	t.Cleanup(func() {
		l.Post(l.End)
		l.Wait()
	})
	return h, l
}

// on runs f on the loop and waits for it.
func on(t *testing.T, l *loop.Loop, f func()) {
	t.Helper()
	if _, err := loop.Ask(context.Background(), l, func() (struct{}, error) { f(); return struct{}{}, nil }); err != nil {
		t.Fatal(err)
	}
}

func frame(t *testing.T, v *Watcher) (f api.Frame) {
	t.Helper()
	if err := json.Unmarshal(<-v.Frames(), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSnapshotThenEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, l := newHub(t)
		var all, ends *Watcher
		on(t, l, func() {
			h.Publish(api.Event{Type: api.NodeReady})
			all = h.Watch(4, nil, func() api.Status { return api.Status{Workfile: "w"} })
			ends = h.Watch(4, []api.EventType{api.RunComplete}, func() api.Status { return api.Status{} })
			h.Publish(api.Event{Type: api.NodeReady, Node: "a[0]/b"})
			h.Publish(api.Event{Type: api.RunComplete})
		})
		synctest.Wait()
		if f := frame(t, all); f.Snapshot == nil || f.Snapshot.Seq != 1 || f.Snapshot.Status.Workfile != "w" {
			t.Errorf("the first frame is %+v", f)
		}
		if f := frame(t, all); len(f.Events) != 2 || f.Events[0].Seq != 2 || f.Events[0].Item != "an item" || f.Events[1].Seq != 3 {
			t.Errorf("the second frame is %+v", f)
		}
		frame(t, ends)
		if f := frame(t, ends); len(f.Events) != 1 || f.Events[0].Type != api.RunComplete || f.After != 1 || f.Through != 3 {
			t.Errorf("the frame of a watcher of ends is %+v", f)
		}
	})
}

func TestSlowWatcherIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, l := newHub(t)
		var v *Watcher
		on(t, l, func() { v = h.Watch(1, nil, func() api.Status { return api.Status{} }) })
		on(t, l, func() { h.Publish(api.Event{Type: api.NodeReady}); h.Hurry() })
		synctest.Wait()
		if got := slices.Collect(func(yield func([]byte) bool) {
			for f := range v.Frames() {
				if !yield(f) {
					return
				}
			}
		}); len(got) != 1 || v.Reason() == "" {
			t.Errorf("%d frames, reason %q", len(got), v.Reason())
		}
		on(t, l, func() {
			if h.Count() != 0 || h.Wants(api.NodeReady) {
				t.Error("the watcher is still there")
			}
		})
	})
}

func TestNotesOnPendingEvents(t *testing.T) {
	h, l := newHub(t)
	on(t, l, func() {
		h.Watch(8, nil, func() api.Status { return api.Status{} })
		at := h.Pending()
		h.Publish(api.Event{Type: api.NodeFailed, Node: "a"})
		h.Handled(at, "b")
		if h.pending[at].Handled {
			t.Error("the failure of another node became handled")
		}
		h.Handled(at, "a")
		h.Retried(at, "a", api.Retry{Attempt: 2, Of: 3})
		if ev := h.pending[at]; !ev.Handled || ev.Retry == nil || ev.Retry.Attempt != 2 {
			t.Errorf("the event is %+v", ev)
		}
	})
}
