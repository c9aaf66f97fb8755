package runview

import (
	"testing"

	"wf/api"
)

func TestFailedExecutions(t *testing.T) {
	detail := api.RunDetail{Execs: []api.Execution{
		{Node: "a", Name: "a", Execution: 1, Over: true, Reason: api.ReasonExit},
		{Node: "b", Name: "b", Execution: 1, Over: true, Reason: api.ReasonExit},
		{Node: "a", Name: "a", Execution: 2, Over: true, OK: true},
		{Node: "c", Name: "c", Execution: 1, Over: true, Reason: api.ReasonCancelled},
		{Node: "d", Name: "d", Execution: 1},
	}}
	if got := FailedExecutions(detail); len(got) != 1 || got[0].Node != "b" {
		t.Errorf("%+v", got)
	}
}
