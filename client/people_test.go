package client

import (
	"encoding/json"
	"net/http"
	"testing"

	"wf/api"
)

// TestControlCalls checks that paths of instances and values arrive at the daemon unchanged.
func TestControlCalls(t *testing.T) {
	d := newFake(t, t.TempDir())
	d.mux.HandleFunc("GET /v1/workspaces/id/approvals", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, api.ApprovalList{Approvals: []api.Approval{{Name: "a[0]/b"}}})
	})
	d.mux.HandleFunc("POST /v1/workspaces/id/decide", func(w http.ResponseWriter, r *http.Request) {
		var q api.Decision
		_ = json.NewDecoder(r.Body).Decode(&q)
		reply(w, 200, api.Approval{Node: q.Node, Text: q.Values["to"].(string)})
	})
	d.mux.HandleFunc("GET /v1/workspaces/id/outputs", func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, api.NodeOutputs{Node: r.URL.Query().Get("node"), Run: r.URL.Query().Get("run")})
	})
	d.mux.HandleFunc("POST /v1/workspaces/id/params", func(w http.ResponseWriter, r *http.Request) {
		var q api.ParamsRequest
		_ = json.NewDecoder(r.Body).Decode(&q)
		reply(w, 200, api.ParamList{Params: []api.Param{{Name: "n", Default: q.Params["n"]}}})
	})
	w := openFake(t, d.start(), Options{})
	const path = "a[0]/b c&d"
	if l, err := w.Approvals(t.Context()); err != nil || len(l.Approvals) != 1 || l.Approvals[0].Name != "a[0]/b" {
		t.Errorf("approvals %+v, %v", l, err)
	}
	if a, err := w.Decide(t.Context(), api.Decision{Node: path, Values: map[string]any{"to": "x"}}); err != nil || a.Node != path || a.Text != "x" {
		t.Errorf("decided %+v, %v", a, err)
	}
	if o, err := w.Outputs(t.Context(), path, "7"); err != nil || o.Node != path || o.Run != "7" {
		t.Errorf("outputs %+v, %v", o, err)
	}
	if p, err := w.Params(t.Context(), api.ParamsRequest{Params: map[string]any{"n": true}}); err != nil || p.Params[0].Default != true {
		t.Errorf("params %+v, %v", p, err)
	}
}
