package web

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/web/drawing"
)

// BenchmarkEvents applies events of a workfile with 5,000 nodes, a hundred in a frame, and makes a message of every tenth
// frame, as at 20,000 events a second. One operation is one event.
func BenchmarkEvents(b *testing.B) {
	var status api.Status
	for i := range 5000 {
		status.Nodes = append(status.Nodes, api.NodeStatus{ID: fmt.Sprint("n", i), Name: fmt.Sprint("task_", i), State: api.StateIdle})
		if i >= 250 {
			status.Edges = append(status.Edges, api.EdgeStatus{Key: i, Source: fmt.Sprint("n", i-250), Target: fmt.Sprint("n", i), Type: "blocking"})
		}
	}
	v := &view{ws: &client.Workspace{ID: "ws"}, now: time.Now, look: &drawing.Look{Width: 120, Height: 40}, flow: runview.Workfile{}}
	v.apply(api.Frame{Snapshot: &api.Snapshot{Status: status}})
	v.news()
	begin, took := time.Now(), int64(5)
	frame := api.Frame{Events: make([]api.Event, 100)}
	bytes, frames := 0, 0
	b.ResetTimer()
	for n := 0; n < b.N; n += len(frame.Events) {
		for i := range frame.Events {
			node := (n + i) / 2 % 5000
			frame.Events[i] = api.Event{Seq: uint64(n + i), Time: begin.Add(time.Duration(n+i) * time.Microsecond), Type: api.NodeStarted, Run: "1", Node: status.Nodes[node].ID, Execution: 1}
			if (n+i)%2 == 1 {
				frame.Events[i].Type, frame.Events[i].DurationMS = api.NodeFinished, &took
			}
		}
		v.apply(frame)
		if frames++; frames%10 == 0 {
			data, err := json.Marshal(v.news())
			if err != nil {
				b.Fatal(err)
			}
			bytes += len(data)
		}
	}
	b.ReportMetric(float64(bytes)/float64(max(frames/10, 1)), "B/message")
}
