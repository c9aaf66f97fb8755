package workspace

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"wf/api"
	"wf/workspace/watchers"
)

// viewer collects the frames of a watcher.
type viewer struct {
	v      *watchers.Watcher
	mu     sync.Mutex
	snap   *api.Snapshot
	events []api.Event
	over   chan struct{} // gets a value for each run_complete
	closed chan struct{}
	news   chan struct{}
}

func (b *testbed) watch() *viewer {
	b.t.Helper()
	w, err := b.w.Watch(context.Background(), "c1", api.WatchOptions{Nodes: true})
	if err != nil {
		b.t.Fatal(err)
	}
	v := &viewer{v: w, over: make(chan struct{}, 100), closed: make(chan struct{}), news: make(chan struct{}, 1)}
	go v.collect(b.t)
	return v
}

func (v *viewer) collect(t *testing.T) {
	defer close(v.closed)
	for data := range v.v.Frames() {
		var f api.Frame
		if err := json.Unmarshal(data, &f); err != nil {
			t.Errorf("frame: %v", err)
		}
		v.mu.Lock()
		if f.Snapshot != nil {
			v.snap = f.Snapshot
		}
		v.events = append(v.events, f.Events...)
		v.mu.Unlock()
		for _, e := range f.Events {
			if e.Type == api.RunComplete {
				v.over <- struct{}{}
			}
		}
		select {
		case v.news <- struct{}{}:
		default:
		}
	}
}

// wait returns the first event from the n-th on that matches.
func (v *viewer) wait(t *testing.T, what string, match func(api.Event) bool) api.Event {
	t.Helper()
	deadline := time.After(patience)
	for {
		v.mu.Lock()
		for _, e := range v.events {
			if match(e) {
				v.mu.Unlock()
				return e
			}
		}
		v.mu.Unlock()
		select {
		case <-v.news:
		case <-deadline:
			t.Fatalf("no event: %s", what)
		}
	}
}

// story words the events without times and ids, for comparison.
func (v *viewer) story() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var lines []string
	for _, e := range v.events {
		line := string(e.Type)
		if e.Node != "" {
			line += " " + strings.TrimPrefix(e.Node, "id-")
		}
		if e.Result != "" {
			line += " " + string(e.Result)
		}
		lines = append(lines, line)
	}
	return lines
}

func (v *viewer) checkGapless(t *testing.T) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, e := range v.events {
		if want := v.snap.Seq + uint64(i) + 1; e.Seq != want {
			t.Fatalf("event %d has seq %d, want %d", i, e.Seq, want)
		}
	}
}
