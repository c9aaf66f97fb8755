package daemon

import (
	"context"
	"testing"

	"wf/api"
)

func (w *fake) Eval(_ context.Context, req api.EvalRequest) (api.Evaluated, error) {
	return api.Evaluated{Schema: api.SchemaEval, Expr: req.Expr, Value: []byte("3"), Type: "int", Node: req.Node}, nil
}

func (w *fake) Params(_ context.Context, req api.ParamsRequest) (api.ParamList, error) {
	return api.ParamList{Params: []api.Param{{Name: "n", Default: req.Params["n"]}}}, nil
}

func (w *fake) Approvals(context.Context) (api.ApprovalList, error) {
	return api.ApprovalList{Approvals: []api.Approval{{Node: "align[3]/check"}}}, nil
}

func (w *fake) Decide(_ context.Context, client string, d api.Decision) (api.Approval, error) {
	return api.Approval{Node: d.Node, Run: d.Run, Text: client}, nil
}

func (w *fake) Outputs(_ context.Context, node, run string) (api.NodeOutputs, error) {
	if node == "" {
		return api.NodeOutputs{}, &api.Error{Code: api.CodeUnknownNode, Message: "no node"}
	}
	return api.NodeOutputs{Node: node, Run: run, Outputs: map[string]any{"score": 0.9}}, nil
}

// TestControlRoutes: what people decide and what nodes put out goes through as it is.
func TestControlRoutes(t *testing.T) {
	r := start(t, nil)
	_, path := r.open("/w")
	var params api.ParamList
	if e := r.ask("POST", path+"/params", api.ParamsRequest{Params: map[string]any{"n": "3"}}, &params); e != nil || params.Params[0].Default != "3" {
		t.Errorf("params %+v, %v", params, e)
	}
	var waiting api.ApprovalList
	if e := r.ask("GET", path+"/approvals", nil, &waiting); e != nil || len(waiting.Approvals) != 1 || waiting.Approvals[0].Node != "align[3]/check" {
		t.Errorf("approvals %+v, %v", waiting, e)
	}
	var decided api.Approval
	if e := r.ask("POST", path+"/decide", api.Decision{Node: "align[3]/check", Run: "7", Approved: true}, &decided); e != nil || decided.Node != "align[3]/check" || decided.Run != "7" || decided.Text != "c-test" {
		t.Errorf("decided %+v, %v", decided, e)
	}
	var out api.NodeOutputs
	if e := r.ask("GET", path+"/outputs"+"?node=align%5B3%5D%2Ftrim&run=7", nil, &out); e != nil || out.Node != "align[3]/trim" || out.Run != "7" || out.Outputs["score"] != 0.9 {
		t.Errorf("outputs %+v, %v", out, e)
	}
	if e := r.ask("GET", path+"/outputs", nil, nil); e == nil || e.Code != api.CodeUnknownNode {
		t.Errorf("outputs of nothing: %v", e)
	}
}
