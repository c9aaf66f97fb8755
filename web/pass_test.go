package web

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"wf/api"
)

// TestReadOnly: In a page for reading, exactly the routes that change nothing are passed on.
func TestReadOnly(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	token := s.open(Visit{ReadOnly: true, File: theFile})
	reads := 0
	for _, e := range api.Endpoints() {
		if !passes(e) {
			continue
		}
		s.daemon.answer(e.Method, e.Path, struct{}{})
		path := strings.NewReplacer("{id}", "ws", "{run}", "1").Replace(e.Path)
		status, _, body := s.request(e.Method, path, token, "{}", nil)
		want := http.StatusForbidden
		if e.Method == "GET" {
			want = http.StatusOK
			reads++
		}
		if status != want {
			t.Errorf("%s %s: %d %s", e.Method, e.Path, status, body)
		}
	}
	if reads < 10 {
		t.Errorf("only %d routes read", reads)
	}
	for _, line := range append(s.daemon.got("POST /v1/workspaces/"), s.daemon.got("DELETE")...) {
		if !strings.HasPrefix(line, "DELETE /v1/workspaces/ws") || strings.Contains(line, "/runs/") {
			t.Errorf("the daemon got %s", line)
		}
	}
}

// TestSecretsStayHidden: No page, also none that may change things, gets the values of secrets.
func TestSecretsStayHidden(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	outputs := []api.Endpoint{api.ReadOutput.Endpoint, api.ReadHooks.Endpoint}
	for _, e := range outputs {
		s.daemon.answer(e.Method, e.Path, "text")
	}
	for _, v := range []Visit{{File: theFile}, {ReadOnly: true, File: theFile}} {
		token := s.open(v)
		for _, e := range outputs {
			path := strings.NewReplacer("{id}", "ws", "{run}", "1").Replace(e.Path)
			if status, _, body := s.request(e.Method, path, token, "", nil); status != http.StatusOK {
				t.Errorf("%s: %d %s", path, status, body)
			}
			if status, _, body := s.request(e.Method, path+"?unmasked=1", token, "", nil); status != http.StatusForbidden {
				t.Errorf("%s?unmasked=1: %d %s", path, status, body)
			}
		}
	}
}

// TestReadOnlySeesItsFileOnly: With a file, no other workfile can be opened, listed or read; without one, those with a history.
func TestReadOnlySeesItsFileOnly(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	s.daemon.answer("GET", api.GetStatus.Path, two())
	s.open(Visit{}) // somebody else has it open
	other := s.enter(Visit{ReadOnly: true, File: "/srv/other.graphml"})
	if status, _, _ := s.request("POST", "/open", other, `{"path":"`+theFile+`"}`, nil); status != http.StatusForbidden {
		t.Errorf("open: %d", status)
	}
	if status, _, _ := s.request("GET", api.GetStatus.At("ws"), other, "", nil); status != http.StatusNotFound {
		t.Errorf("status: %d", status)
	}
	if _, _, body := s.request("GET", "/workfiles", other, "", nil); strings.TrimSpace(body) != "[]" {
		t.Errorf("workfiles: %s", body)
	}
	p := s.dial()
	p.send(question{Token: other, File: theFile, Start: true})
	if m := p.next(); m.Error == nil || m.Error.Code != api.CodeRefused || m.Graph != nil {
		t.Errorf("live: %+v", m)
	}
	all := s.enter(Visit{ReadOnly: true})
	for path, want := range map[string]int{theFile: http.StatusOK, "/etc/passwd": http.StatusForbidden, "relative": http.StatusBadRequest} {
		if status, _, body := s.request("POST", "/open", all, `{"path":"`+path+`"}`, nil); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// TestEnvironmentIsOfTheVisit: The page never has the environment of commands, and cannot replace it.
func TestEnvironmentIsOfTheVisit(t *testing.T) {
	d := newFakeDaemon(t, two())
	s := serve(t, d)
	jobs := 4
	token := s.open(Visit{Request: api.RunRequest{Env: []string{"SECRET=1"}, User: "ann", Jobs: &jobs, World: json.RawMessage(`{"umask":18}`)}})
	d.answer("POST", api.StartRun.Path, api.RunAccepted{Run: "1"})
	d.answer("POST", api.PlanRun.Path, api.Plan{})
	d.answer("POST", api.ListParams.Path, api.ParamList{})
	d.answer("POST", api.DecideApproval.Path, api.Approval{})
	forged := `{"env":["SECRET=2"],"world":{"umask":0},"caller":{"run":"9"},"user":"eve","nodes":["first"],"mode":"fresh","node":"n0","approved":true}`
	for _, route := range []api.Endpoint{api.StartRun.Endpoint, api.PlanRun.Endpoint, api.ListParams.Endpoint, api.DecideApproval.Endpoint} {
		if status, _, body := s.request("POST", route.At("ws"), token, forged, nil); status != http.StatusOK {
			t.Errorf("%s: %d %s", route.Path, status, body)
		}
		sent := strings.Join(d.got("POST "+route.At("ws")), "\n")
		if strings.Contains(sent, "SECRET=2") || strings.Contains(sent, `"caller"`) || strings.Contains(sent, `"umask":0`) {
			t.Errorf("%s: the page decided: %s", route.Path, sent)
		}
		if route == api.StartRun.Endpoint && (!strings.Contains(sent, "SECRET=1") || !strings.Contains(sent, `"mode":"fresh"`) || !strings.Contains(sent, `"jobs":4`) || !strings.Contains(sent, `"umask":18`)) {
			t.Errorf("%s: %s", route.Path, sent)
		}
		if route == api.DecideApproval.Endpoint && !strings.Contains(sent, `"user":"ann"`) {
			t.Errorf("a decision of %s", sent)
		}
	}
	if _, _, body := s.request("GET", "/session", token, "", nil); strings.Contains(body, "SECRET") {
		t.Error("the page gets the environment")
	}
}

// TestAnswersArePassedOn: errors with their status, bytes as bytes, parameters of a GET, numbers of runs.
func TestAnswersArePassedOn(t *testing.T) {
	d := newFakeDaemon(t, two())
	s := serve(t, d)
	token := s.open(Visit{})
	d.answer("POST", api.StartRun.Path, &api.Error{Code: api.CodeConflict, Message: "run 3 is active", Run: "3"})
	d.answer("GET", api.ReadOutput.Path, "<b>bytes</b>\x00\xff")
	d.answer("GET", api.GetRun.Path, api.RunDetail{})
	if status, _, body := s.request("POST", api.StartRun.At("ws"), token, "{}", nil); status != http.StatusConflict || !strings.Contains(body, `"run":"3"`) {
		t.Errorf("%d %s", status, body)
	}
	status, h, body := s.request("GET", api.ReadOutput.At("ws")+"?node=n0&stream=stdout&offset=7", token, "", nil)
	if status != http.StatusOK || body != "<b>bytes</b>\x00\xff" || h.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("%d %s %q", status, h.Get("Content-Type"), body)
	}
	if got := d.got("GET " + api.ReadOutput.At("ws")); len(got) != 1 || !strings.Contains(got[0], "offset=7") || !strings.Contains(got[0], "node=n0") {
		t.Errorf("%q", got)
	}
	s.request("GET", api.GetRun.At("ws", "2"), token, "", nil)
	if got := d.got("GET " + api.GetRun.At("ws", "2")); len(got) != 1 {
		t.Errorf("%q", d.got("GET"))
	}
	large := `{"nodes":["` + strings.Repeat("x", int(api.DecideApproval.Limit)) + `"]}`
	if status, _, _ := s.request("POST", api.DecideApproval.At("ws"), token, large, nil); status != http.StatusBadRequest {
		t.Errorf("a large body: %d", status)
	}
}

// TestFollowedOutputComesAtOnce: The bytes of a running command are not held back.
func TestFollowedOutputComesAtOnce(t *testing.T) {
	d := newFakeDaemon(t, two())
	s := serve(t, d)
	token := s.open(Visit{})
	more := make(chan string)
	d.mux.HandleFunc("GET "+api.ReadOutput.Path, func(w http.ResponseWriter, _ *http.Request) {
		for text := range more {
			_, _ = w.Write([]byte(text))
			_ = http.NewResponseController(w).Flush()
		}
	})
	req, _ := http.NewRequest("GET", s.origin+api.ReadOutput.At("ws")+"?follow=1", nil)
	req.Header.Set("Authorization", "Bearer "+token)
	go func() { more <- "one\n" }()
	resp, err := s.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	if line, err := lines.ReadString('\n'); line != "one\n" {
		t.Errorf("%q, %v", line, err)
	}
	more <- "two\n"
	if line, err := lines.ReadString('\n'); line != "two\n" {
		t.Errorf("%q, %v", line, err)
	}
	close(more)
}
