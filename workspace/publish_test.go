package workspace

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/loop"
	"wf/workspace/watchers"
)

// TestWatchersOfTypesMissNothing compares watchers of some types, who come at the start and in the
// middle, with one that gets everything.
func TestWatchersOfTypesMissNothing(t *testing.T) {
	b := newTestbed(t, "a>b", "a>c", "b~d", "c~d", "d>e")
	b.slots.n = 2
	b.open()
	all := b.watch()
	ends := []api.EventType{api.NodeFinished, api.NodeFailed, api.RunComplete}
	only := []api.EventType{api.RunComplete}
	watchers := map[*watchers.Watcher][]api.EventType{b.watchTypes(ends): ends, b.watchTypes(ends): ends, b.watchTypes(only): only}
	none := b.watchTypes([]api.EventType{"a type of later days"})
	_, s := b.run(api.RunRequest{})
	j := b.next(s)
	watchers[b.watchTypes(ends)] = ends
	s.end(j.ID, executor.Exit{})
	b.play(all, s, map[string]int{"c": 1})
	all.checkGapless(t)
	for v, types := range watchers {
		v.Close()
		checkTypes(t, v, types, all.events)
	}
	none.Close()
	if frames := framesOf(t, none); len(frames) != 1 {
		t.Errorf("who wants nothing that happens got %d frames, not just a snapshot", len(frames))
	}
}

func (b *testbed) watchTypes(types []api.EventType) *watchers.Watcher {
	b.t.Helper()
	v, err := b.w.Watch(context.Background(), "c2", api.WatchOptions{Events: types})
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// framesOf returns what a watcher got until it was closed.
func framesOf(t *testing.T, v *watchers.Watcher) (frames []api.Frame) {
	t.Helper()
	for data := range v.Frames() {
		var f api.Frame
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		frames = append(frames, f)
	}
	return frames
}

// checkTypes compares what v got with the events of these types after its snapshot.
func checkTypes(t *testing.T, v *watchers.Watcher, types []api.EventType, all []api.Event) {
	t.Helper()
	frames := framesOf(t, v)
	seen := frames[0].Snapshot.Seq
	var got, want []api.Event
	for _, ev := range all {
		if ev.Seq > seen && slices.Contains(types, ev.Type) {
			want = append(want, ev)
		}
	}
	for i, f := range frames[1:] {
		if f.After > seen || f.Through <= seen || i > 0 && f.After != seen {
			t.Errorf("frame %d covers %d to %d after %d", i, f.After, f.Through, seen)
		}
		for _, ev := range f.Events {
			if ev.Seq <= seen || ev.Seq > f.Through {
				t.Errorf("event %d in a frame of %d to %d", ev.Seq, seen, f.Through)
			}
		}
		seen = f.Through
		got = append(got, f.Events...)
	}
	if !reflect.DeepEqual(got, want) || len(want) == 0 {
		t.Errorf("of %v came\n%+v\nwant\n%+v", types, got, want)
	}
}

func TestUnwantedEventsAreNotKept(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.open()
	only := b.watchTypes([]api.EventType{api.RunComplete})
	_, err := loop.Ask(context.Background(), b.w.loop, func() (struct{}, error) {
		b.w.out.Publish(api.Event{Type: api.NodeReady})
		if b.w.out.Pending() != 0 || b.w.out.Seq() != 1 {
			t.Errorf("%d events wait after an unwanted one with number %d", b.w.out.Pending(), b.w.out.Seq())
		}
		return struct{}{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	only.Close()
	for range only.Frames() {
	}
}
