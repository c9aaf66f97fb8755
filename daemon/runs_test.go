package daemon

import (
	"testing"

	"wf/api"
)

// TestRoutesOfARun checks that requests about a run and its nodes reach the workspace unchanged.
func TestRoutesOfARun(t *testing.T) {
	r := start(t, nil)
	_, path := r.open("w")
	run := r.startRun(path)
	var outlook api.RunOutlook
	if e := r.ask("GET", path+"/runs/"+run+"/outlook", nil, &outlook); e != nil || outlook.Run != run || len(outlook.Nodes) != 1 {
		t.Errorf("outlook %+v, %v", outlook, e)
	}
	var live api.RunLive
	if e := r.ask("GET", path+"/runs/"+run+"/live?node=n&node=b%26", nil, &live); e != nil || live.Counts.Total() != 1 {
		t.Errorf("live %+v, %v", live, e)
	}
	var detail api.RunDetail
	if e := r.ask("GET", path+"/runs/"+run, nil, &detail); e != nil || detail.Client != "c-test" || detail.Analysis != nil {
		t.Errorf("run %+v, %v: want the client that started it", detail, e)
	}
	if e := r.ask("GET", path+"/runs/"+run+"?analysis=1", nil, &detail); e != nil || detail.Analysis == nil {
		t.Errorf("analysis %+v, %v", detail.Analysis, e)
	}
	var value api.Evaluated
	if e := r.ask("POST", path+"/eval", api.EvalRequest{Expr: "1 + 2"}, &value); e != nil || string(value.Value) != "3" {
		t.Errorf("value %+v, %v", value, e)
	}
	var params api.ParamList
	if e := r.ask("POST", path+"/params", api.ParamsRequest{Params: map[string]any{"n": "3"}}, &params); e != nil || len(params.Problems) != 1 || params.Problems[0].Param != "n" {
		t.Errorf("params %+v, %v: want a problem with n, which the workfile does not declare", params, e)
	}
	var waiting api.ApprovalList
	if e := r.ask("GET", path+"/approvals", nil, &waiting); e != nil || len(waiting.Approvals) != 0 {
		t.Errorf("approvals %+v, %v", waiting, e)
	}
	for path, want := range map[string]api.Code{
		path + "/outputs?node=none":            api.CodeNotFound,
		path + "/why?node=none":                api.CodeUnknownNode,
		path + "/runs/77/outlook":              api.CodeNotFound,
		path + "/log?node=n&execution=-1":      api.CodeInvalid,
		path + "/output?node=n&offset=nothing": api.CodeInvalid,
	} {
		if e := r.ask("GET", path, nil, nil); e == nil || e.Code != want {
			t.Errorf("%s: %v, want %s", path, e, want)
		}
	}
	if e := r.ask("POST", path+"/decide", api.Decision{Node: "n", Approved: true}, nil); e == nil {
		t.Error("a node that does not wait for an approval is approved")
	}
	var stopped api.StopResult
	if e := r.ask("POST", path+"/runs/"+api.OnlyRun+"/stop", api.StopRequest{}, &stopped); e != nil || stopped.Run != run || stopped.Killed != 1 {
		t.Errorf("stopped %+v, %v", stopped, e)
	}
}
