package daemon

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/daemon/audit"
)

// unaudited are the requests that change something and are not in the audit log, with the reason.
var unaudited = map[string]string{
	api.CloseWorkspace.Path: "it ends the use of the workfile by the client",
	api.ListParams.Path:     "it has a body and changes nothing",
	api.EvalExpression.Path: "it has a body and changes nothing",
	api.PlanRun.Path:        "it has a body and changes nothing",
	api.SetValue.Path:       "commands change values all the time",
	api.DeleteValue.Path:    "commands change values all the time",
	api.AddToValue.Path:     "commands change values all the time",
}

// TestEveryChangeIsAudited fails if a new route that changes something does not say whether it is in the audit log.
func TestEveryChangeIsAudited(t *testing.T) {
	for _, e := range (&daemon{}).table() {
		name := e.Method + " " + e.Path
		switch _, listed := unaudited[e.Path]; {
		case !e.ChangesSomething() && e.Action != "":
			t.Errorf("%s changes nothing, but has the action %q", name, e.Action)
		case e.ChangesSomething() && e.Action == "":
			t.Errorf("%s has no action for the audit log", name)
		case (e.Action == api.NotAudited) != (listed && e.ChangesSomething()):
			t.Errorf("%s: action %q, want a reason in this test if and only if it is not audited", name, e.Action)
		}
	}
}

// audited returns the entries of the audit log of a state folder, without those about the log and the daemon.
func audited(t *testing.T, state string) []audit.Entry {
	t.Helper()
	var list []audit.Entry
	sum, err := audit.Read(audit.Path(state), func(e audit.Entry) {
		if e.Who.Via != audit.ViaDaemon {
			list = append(list, e)
		}
	})
	if err != nil || !sum.OK {
		t.Fatalf("%+v, %v", sum.Problem, err)
	}
	return list
}

// auditReader reads the log after each answer.
type auditReader struct {
	*running
	seen int
}

// next returns the only new entry, which must be this one.
func (r *auditReader) next(action, run, detail, code string) audit.Entry {
	r.t.Helper()
	list := audited(r.t.(*testing.T), r.cfg.State)
	if len(list) != r.seen+1 {
		r.t.Fatalf("%d new entries, want one for %s", len(list)-r.seen, action)
	}
	e := list[r.seen]
	r.seen++
	if e.Action != action || e.Run != run || e.Detail != detail || e.Error != code {
		r.t.Errorf("%s: run %q, detail %q, error %q", e.Action, e.Run, e.Detail, e.Error)
	}
	return e
}

// send sends a request, which may be refused.
func (r *auditReader) send(method, path string, body any) {
	r.t.Helper()
	_ = r.ask(method, path, body, nil)
}

// TestAudit sends each kind of request about runs and nodes.
func TestAudit(t *testing.T) {
	r := &auditReader{running: start(t, nil)}
	_, path := r.open("w")
	file := filepath.Join(r.dir, "w")
	send, next := r.send, r.next
	send("POST", path+"/runs", api.RunRequest{Env: []string{"TOKEN=geheim"}, Nodes: []string{"n"}, Params: map[string]any{"p": "geheim"}})
	next("run", "", "parameters p", "invalid")
	send("POST", path+"/runs", api.RunRequest{Env: []string{"TOKEN=geheim"}, Nodes: []string{"n"}})
	e := next("run", "1", "fresh, 1 of 1 nodes", "")
	if e.Workfile != file || !slices.Equal(e.Nodes, []string{"n"}) || *e.Who.UID != os.Getuid() || e.Who.PID != os.Getpid() || e.Who.Via != audit.ViaSocket {
		t.Errorf("%+v", e)
	}
	send("POST", path+"/runs", api.RunRequest{})
	next("run", "", "", "conflict")
	send("POST", path+"/runs/-/stop", api.StopRequest{Cause: "SIGINT"})
	next("stop", "1", "1 command ended, SIGINT", "")
	send("POST", path+"/edits", api.EditRequest{Edits: []api.Edit{{Op: api.OpSet, Nodes: []string{"n"}, Key: "label", Value: "geheim"}, {Op: api.OpAddNode, Label: "geheim", Name: "m"}}})
	e = next("edit", "", "2 edits: set label; add-node", "")
	if !slices.Equal(e.Nodes, []string{"n"}) {
		t.Errorf("%v", e.Nodes)
	}
	send("POST", path+"/undo", nil)
	next("undo", "", "", "")
	send("POST", path+"/redo", nil)
	next("redo", "", "", "")
	send("POST", path+"/reset", api.ResetRequest{Nodes: []string{"n"}})
	next("reset", "", "1 node", "")
	send("POST", path+"/decide", api.Decision{Node: "n", Approved: true, Comment: "geheim", User: "dr"})
	if e := next("approve", "", "as dr", "not_found"); e.Nodes[0] != "n" {
		t.Errorf("%v", e.Nodes)
	}
	send("POST", path+"/prune", api.PruneRequest{None: true, DryRun: true})
	send("POST", path+"/prune", api.PruneRequest{None: true})
	next("prune", "1", "1 run", "")
	send("DELETE", path+"/runs/1", nil)
	next("remove", "1", "", "not_found")
	withoutSecrets(t, r.cfg.State)
}

// TestAuditOfFiles sends the other kinds of requests.
func TestAuditOfFiles(t *testing.T) {
	r := &auditReader{running: start(t, nil)}
	_, path := r.open("w")
	file := filepath.Join(r.dir, "w")
	send, next := r.send, r.next
	send("POST", path+"/save-as", api.SaveAsRequest{Path: file + ".copy"})
	next("copy", "", "to "+file+".copy", "")
	send("POST", api.CreateWorkfile.Path, api.NewRequest{Path: file + ".new", Lines: []string{"geheim", "geheim"}})
	next("new", "", "2 nodes", "")
	send("POST", api.ResizePool.Path, api.PoolSize{Name: "gpu", Size: 2})
	next("pool", "", "gpu=2", "")
	send("POST", api.MoveWorkfile.Path, api.MoveRequest{From: file + ".none", To: file + ".moved"})
	next("move", "", "to "+file+".moved", "workfile")
	send("POST", api.ListHistories.Path, api.GoneRequest{})
	send("POST", api.ListHistories.Path, api.GoneRequest{Remove: []string{"none"}})
	next("forget", "", "0 of 1 history", "")
	send("POST", api.OpenWorkspace.Path, api.OpenRequest{Path: file})
	send("POST", api.OpenWorkspace.Path, api.OpenRequest{Path: file, Retry: true})
	next("retry", "", "", "")
	send("POST", path+"/eval", api.EvalRequest{Expr: "1"})
	send("POST", api.StopServer.Path, api.ServerStop{Detach: true})
	r.wait()
	next("server-stop", "", "detach", "")
	text := withoutSecrets(t, r.cfg.State)
	if !strings.Contains(string(text), `"action":"server-start"`) || !strings.Contains(string(text), `"action":"server-end"`) {
		t.Errorf("start and end of the daemon are missing: %s", text)
	}
}

// withoutSecrets returns the text of the log, which must not contain the values in the requests of these tests.
func withoutSecrets(t *testing.T, state string) []byte {
	t.Helper()
	text, err := os.ReadFile(audit.Path(state))
	if err != nil || bytes.Contains(text, []byte("geheim")) {
		t.Errorf("a value is in the log, %v", err)
	}
	return text
}

// TestAuditOrigin checks what the log says about the client: through the port, with headers of a client, and hostile ones.
func TestAuditOrigin(t *testing.T) {
	r := start(t, nil)
	ask := func(origin, user string) audit.Entry {
		t.Helper()
		body, _ := json.Marshal(api.PoolSize{Name: "gpu", Size: 2})
		req, _ := http.NewRequest("POST", r.reg.URL+api.ResizePool.Path, bytes.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+r.reg.Token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(api.HeaderOrigin, origin)
		req.Header.Set(api.HeaderUser, user)
		req.Header.Set(api.HeaderAgain, "1")
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		if e := r.do(c, req, nil); e != nil {
			t.Fatal(e)
		}
		list := audited(t, r.cfg.State)
		return list[len(list)-1]
	}
	o := api.Origin{Command: "wf server pools", SSH: "10.0.0.5", Host: "laptop", Workfile: "/w/a b", Run: "7", Node: "n&1"}
	e := ask(api.EncodeQuery(o).Encode(), "anna")
	if e.Who.Via != audit.ViaPort || e.Who.UID != nil || e.Who.PID != 0 || !e.Again {
		t.Errorf("%+v", e)
	}
	if want := (audit.Said{User: "anna", Command: o.Command, SSH: o.SSH, Host: o.Host, Workfile: o.Workfile, Run: o.Run, Node: o.Node}); *e.Who.Said != want {
		t.Errorf("%+v", e.Who.Said)
	}
	if e := ask("", ""); e.Who.Said != nil {
		t.Errorf("%+v", e.Who.Said)
	}
	for _, hostile := range []string{"%", "command=%ff%00%1b", "command=" + strings.Repeat("x", 50_000), ";;;", "{}"} {
		if e := ask(hostile, "\xff"); e.Who.Said != nil && len(e.Who.Said.Command) > 300 {
			t.Errorf("%.20s: %d bytes", hostile, len(e.Who.Said.Command))
		}
	}
}

// TestRunsDoNotNeedTheAuditLog checks that nothing fails if the log cannot be written.
func TestRunsDoNotNeedTheAuditLog(t *testing.T) {
	r := start(t, nil)
	log := audit.Path(r.cfg.State)
	if err := os.Mkdir(log, 0o700); err != nil {
		t.Fatal(err)
	}
	_, path := r.open("w")
	r.startRun(path)
	if e := r.ask("POST", path+"/runs/-/stop", api.StopRequest{}, nil); e != nil {
		t.Fatal(e)
	}
	if n := strings.Count(r.log.String(), "the audit log cannot be written"); n != 1 {
		t.Errorf("%d messages in the log of the daemon: %s", n, r.log)
	}
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	r.cancel()
	r.wait()
	if list := audited(t, r.cfg.State); len(list) != 2 || list[0].Action != "run" || list[1].Action != "stop" {
		t.Errorf("%+v", list)
	}
}
