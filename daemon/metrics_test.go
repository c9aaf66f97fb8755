package daemon

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"wf/api"
	"wf/executor"
	"wf/workspace"
)

// scrape reads the metrics through the port with a token and returns the text, "" if they are refused.
func (r *running) scrape(method, path, token, accept string) string {
	r.t.Helper()
	req, _ := http.NewRequestWithContext(r.t.Context(), method, r.reg.URL+path, nil)
	req.Header.Set("Accept", accept)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := c.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		if resp.StatusCode != http.StatusForbidden {
			r.t.Errorf("status %d", resp.StatusCode)
		}
		return ""
	}
	return string(text)
}

// value returns the value of a sample.
func value(t *testing.T, text, sample string) string {
	t.Helper()
	m := regexp.MustCompile("(?m)^" + regexp.QuoteMeta(sample) + " (.*)$").FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in\n%s", sample, text)
	}
	return m[1]
}

// TestMetrics follows the figures from the start of a run to the daemon after it.
func TestMetrics(t *testing.T) {
	state := t.TempDir()
	file := filepath.Join(t.TempDir(), "wf.prom")
	configure := func(c *Config) { c.State, c.Monitoring.TextFile = state, file }
	r := start(t, configure)
	_, path := r.open("w")
	conn := r.watch(path)
	run := r.startRun(path)
	r.await(conn, api.NodeStarted)
	name := filepath.Join(r.dir, "w")
	text := r.scrape("GET", "/metrics", r.reg.Token, "application/openmetrics-text;version=1.0.0")
	for sample, want := range map[string]string{
		"wf_runs_active": "1", "wf_commands_running": "1", "wf_slots_used": "1", "wf_slots": "2", "wf_daemon_up": "1",
		`wf_runs_total{result="succeeded",workfile="` + name + `"}`: "0",
	} {
		if got := value(t, text, sample); got != want {
			t.Errorf("during the run: %s is %s, want %s", sample, got, want)
		}
	}
	if !strings.HasSuffix(text, "\n# EOF\n") {
		t.Error("the text is not OpenMetrics")
	}
	var detail api.RunDetail
	r.x.endAll()
	r.await(conn, api.RunComplete)
	if e := r.ask("GET", path+"/runs/"+run, nil, &detail); e != nil || detail.Result != api.Succeeded {
		t.Fatalf("%+v, %v", detail, e)
	}
	text = r.scrape("GET", "/metrics", r.reg.Token, "*/*")
	for sample, want := range map[string]string{
		"wf_runs_active": "0", "wf_commands_running": "0",
		`wf_runs_total{result="succeeded",workfile="` + name + `"}`:      "1",
		`wf_runs_total{result="failed",workfile="` + name + `"}`:         "0",
		`wf_run_duration_seconds_count{workfile="` + name + `"}`:         "1",
		`wf_run_duration_seconds_bucket{workfile="` + name + `",le="1"}`: "1",
	} {
		if got := value(t, text, sample); got != want {
			t.Errorf("after the run: %s is %s, want %s", sample, got, want)
		}
	}
	r.cancel()
	r.wait()
	data, err := os.ReadFile(file)
	if err != nil || value(t, string(data), "wf_daemon_up") != "0" || strings.Contains(string(data), "wf_commands_running") ||
		value(t, string(data), `wf_runs_total{result="succeeded",workfile="`+name+`"}`) != "1" {
		t.Errorf("the file after the end of the daemon: %v\n%s", err, data)
	}
	offline, err := Metrics(state, false)
	if err != nil || string(offline) != string(data) {
		t.Errorf("without a daemon: %v\n%s", err, offline)
	}
	next := start(t, configure)
	text = next.scrape("GET", "/metrics", next.reg.Token, "")
	if got := value(t, text, `wf_runs_total{result="succeeded",workfile="`+name+`"}`); got != "1" {
		t.Errorf("the next daemon counts from %s", got)
	}
}

// await reads events until one of a type.
func (r *running) await(conn *websocket.Conn, typ api.EventType) {
	r.t.Helper()
	for {
		f, err := next(r.t.(*testing.T), conn)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, ev := range f.Events {
			if ev.Type == typ {
				return
			}
		}
	}
}

// TestTokenOfTheMetrics: the token in the file reads the metrics and nothing else.
func TestTokenOfTheMetrics(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	set := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	r := start(t, func(c *Config) { c.Monitoring.TokenFile = file })
	const token = "0123456789abcdef"
	if r.scrape("GET", "/metrics", token, "") != "" {
		t.Error("a token without a file")
	}
	set(token + "\n")
	if !strings.Contains(r.scrape("GET", "/metrics", token, ""), "wf_daemon_up 1") {
		t.Error("the token does not read the metrics")
	}
	if !strings.Contains(r.scrape("GET", "/metrics", r.reg.Token, ""), "wf_daemon_up 1") {
		t.Error("the token of the daemon does not read the metrics")
	}
	for _, q := range [][2]string{{"GET", "/v1/server"}, {"POST", "/v1/server/stop"}, {"GET", "/metrics/"}, {"GET", "/metrics/../v1/server"}, {"GET", "//metrics"}} {
		if got := r.scrape(q[0], q[1], token, ""); got != "" {
			t.Errorf("%s %s: %s", q[0], q[1], got)
		}
	}
	for _, bad := range []string{"", "0123456789abcdeg", "0123456789abcde"} {
		if r.scrape("GET", "/metrics", bad, "") != "" {
			t.Errorf("the token %q", bad)
		}
	}
	set("short")
	if r.scrape("GET", "/metrics", "short", "") != "" {
		t.Error("a token of 5 characters")
	}
	set("")
	if r.scrape("GET", "/metrics", token, "") != "" {
		t.Error("the token before a change of the file")
	}
}

// stalledExecutor does not return from Start before release is closed, so the loop of the workspace stands still.
type stalledExecutor struct {
	workspace.Executor
	stalled, release chan struct{}
}

type stalledSession struct {
	executor.Session
	x *stalledExecutor
}

func (x *stalledExecutor) Open(ctx context.Context, spec executor.Spec) (executor.Session, error) {
	s, err := x.Executor.Open(ctx, spec)
	return stalledSession{s, x}, err
}

func (s stalledSession) Start(jobs []executor.Job) error {
	close(s.x.stalled)
	<-s.x.release
	return s.Session.Start(jobs)
}

// TestSilentWorkspace: a scrape does not wait for a workspace that does not answer, and says that figures are missing.
func TestSilentWorkspace(t *testing.T) {
	x := &stalledExecutor{stalled: make(chan struct{}), release: make(chan struct{})}
	r := start(t, func(c *Config) { x.Executor, c.Executor = c.Executor, x })
	defer close(x.release)
	_, path := r.open("w")
	go r.ask("POST", path+"/runs", api.RunRequest{}, nil)
	<-x.stalled
	if got := value(t, r.scrape("GET", "/metrics", r.reg.Token, ""), "wf_workfiles_silent"); got != "1" {
		t.Errorf("%s workfiles are silent", got)
	}
}
