package main

import (
	"testing"

	"wf/api"
)

func TestStatusCode(t *testing.T) {
	run := func(r api.Result) *api.RunSummary { return &api.RunSummary{Result: r} }
	for _, c := range []struct {
		status api.Status
		want   int
	}{
		{api.Status{}, 0},
		{api.Status{LastRun: run(api.Succeeded)}, 0},
		{api.Status{LastRun: run(api.ResFailed)}, 1},
		{api.Status{LastRun: run(api.Cancelled)}, 6},
		{api.Status{LastRun: run(api.Succeeded), Counts: api.Counts{Failed: 1}}, 1},
		{api.Status{LastRun: run(api.ResFailed), ActiveRuns: []string{"2"}}, 7},
	} {
		if got := statusCode(c.status); got != c.want {
			t.Errorf("%+v: %d, want %d", c.status, got, c.want)
		}
	}
}
