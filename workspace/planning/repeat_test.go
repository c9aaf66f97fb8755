package planning

import (
	"slices"
	"testing"
	"time"

	"wf/api"
	"wf/workspace/history"
)

// TestLastComplete finds how long a run of everything takes, from a list that is newest first.
func TestLastComplete(t *testing.T) {
	hour := int64(time.Hour / time.Millisecond)
	run := func(n, resumes int, all bool, hours int64) history.Summary {
		s := history.Summary{Request: history.Request{Run: n, Mode: api.ModeFresh, All: all, Resumes: resumes}, Result: &history.Result{DurationMS: hours * hour}}
		if resumes > 0 {
			s.Mode = api.ModeResume
		}
		return s
	}
	going := run(9, 0, true, 0)
	going.Result = nil
	again := run(8, 7, false, 5)
	again.Again = []string{"c[1]"}
	tests := []struct {
		name string
		list []history.Summary
		runs []string
		took time.Duration
	}{
		{"none", nil, nil, 0},
		{"one", []history.Summary{run(1, 0, true, 3)}, []string{"1"}, 3 * time.Hour},
		{"a part after it", []history.Summary{run(2, 0, false, 1), run(1, 0, true, 3)}, []string{"1"}, 3 * time.Hour},
		{"resumed twice", []history.Summary{run(3, 2, false, 1), run(2, 1, false, 2), run(1, 0, true, 4)}, []string{"1", "2", "3"}, 7 * time.Hour},
		{"the newest counts", []history.Summary{run(3, 0, true, 1), run(2, 1, true, 2), run(1, 0, true, 4)}, []string{"3"}, time.Hour},
		{"what it resumes is forgotten", []history.Summary{run(5, 4, false, 1), run(2, 0, true, 2)}, []string{"2"}, 2 * time.Hour},
		{"one is going", []history.Summary{going, again, run(7, 0, true, 1)}, []string{"7"}, time.Hour},
		{"records that are damaged", []history.Summary{run(1, 1, false, 1)}, nil, 0},
	}
	for _, tt := range tests {
		runs, took := lastComplete(tt.list)
		if !slices.Equal(runs, tt.runs) || took != tt.took && tt.runs != nil {
			t.Errorf("%s: runs %v took %s, want %v, %s", tt.name, runs, took, tt.runs, tt.took)
		}
	}
}
