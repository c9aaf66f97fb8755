package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"wf/api"
)

// TestTrace checks that overlapping executions are on different tracks, that free tracks are used again, and that every
// entry satisfies the Trace Event Format.
func TestTrace(t *testing.T) {
	exec := func(name string, from, to int) api.Execution {
		x := api.Execution{Node: name, Name: name, Execution: 1, Started: number(after(time.Duration(from) * time.Second))}
		if to > 0 {
			x.Over, x.OK, x.Ended = true, true, number(after(time.Duration(to)*time.Second))
		}
		return x
	}
	d := api.RunDetail{Workfile: "/data/Workfile", RunSummary: api.RunSummary{Run: "42", Started: noon},
		Execs: []api.Execution{exec("a", 0, 10), exec("b", 2, 4), exec("c", 4, 6), exec("d", 5, 0)}}
	now := after(20 * time.Second)
	if got := traceLanes(d.Execs, now); !slices.Equal(got, []int{0, 1, 1, 2}) {
		t.Errorf("tracks %v", got)
	}
	var b bytes.Buffer
	if err := Trace(&b, d, now); err != nil {
		t.Fatal(err)
	}
	var file struct {
		TraceEvents []struct {
			Name, Ph     string
			Ts, Pid, Tid *int64
			Dur          *int64
			Args         map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	var spans []int64
	for _, e := range file.TraceEvents {
		if e.Name == "" || e.Ts == nil || e.Pid == nil || e.Tid == nil || e.Args == nil {
			t.Errorf("incomplete: %+v", e)
		}
		if e.Ph == "X" && e.Dur != nil {
			spans = append(spans, *e.Ts, *e.Dur)
		}
	}
	want := []int64{0, 10e6, 2e6, 2e6, 4e6, 2e6, 5e6, 15e6} // the last one still runs
	if len(file.TraceEvents) != 1+2*3+4 || !slices.Equal(spans, want) {
		t.Errorf("%d entries, spans %v, want %v", len(file.TraceEvents), spans, want)
	}
}
