package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"wf/api"
)

// secretsFile is the file of a script that has one secret per line.
const secretsFile = "secrets.txt"

// shows fails the script if a text contains a secret of its file.
func shows(ts *testscript.TestScript, what, text string) {
	for secret := range strings.Lines(ts.ReadFile(secretsFile)) {
		if secret = strings.TrimSpace(secret); secret != "" && strings.Contains(text, secret) {
			at := strings.Index(text, secret)
			ts.Fatalf("%s shows the secret %s: ...%s...", what, secret, text[max(0, at-200):min(len(text), at+200)])
		}
	}
}

// cmdHides runs a program that must end with a status and show no secret: "hides 0 wf logs a".
func cmdHides(ts *testscript.TestScript, neg bool, args []string) {
	cmdStatus(ts, neg, args)
	what := strings.Join(args[1:], " ")
	shows(ts, what, ts.ReadFile("stdout"))
	shows(ts, what+" (on standard error)", ts.ReadFile("stderr"))
}

// cmdConceals fails if a file contains a secret: "conceals report.html".
func cmdConceals(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 100, "conceals FILE...")
	for _, file := range args {
		text := ts.ReadFile(file)
		if text == "" {
			ts.Fatalf("%s is empty", file)
		}
		shows(ts, file, text)
	}
}

// notAsked are the routes that TestEveryRoute does not call, with the reason. A new route must be called, or stand here.
var notAsked = map[string]string{
	"GET /v1/workspaces/ID/events": "a WebSocket: wf attach --json in the script",
	"GET /v1/proof":                "an HMAC",

	"POST /v1/pools": "the answer is that of GET", "POST /v1/notifications": "the answer is that of GET",
	"POST /v1/notifications/test": "no run", "POST /v1/triggers/enable": "no run", "POST /v1/triggers/disable": "no answer",
	"POST /v1/triggers/fire": "the answer is the number of a run", "POST /v1/triggers/secret": "is there to show a secret",
	"POST /v1/server/stop": "no answer", "POST /v1/move": "no run", "POST /v1/workfiles": "no run",
	"POST /v1/kv/set": "values are stored as they are", "POST /v1/kv/delete": "values are stored as they are", "POST /v1/kv/incr": "a number",
	"DELETE /v1/workspaces/ID": "no answer", "DELETE /v1/workspaces/ID/runs/RUN": "no answer",
	"POST /v1/workspaces/ID/runs": "wf run in the script", "POST /v1/workspaces/ID/runs/RUN/stop": "wf stop in the script",
	"POST /v1/workspaces/ID/stop": "wf stop in the script", "POST /v1/workspaces/ID/prune": "numbers of runs",
	"POST /v1/workspaces/ID/edits": "the workfile", "POST /v1/workspaces/ID/undo": "the workfile", "POST /v1/workspaces/ID/redo": "the workfile",
	"POST /v1/workspaces/ID/reset": "names of nodes", "POST /v1/workspaces/ID/decide": "wf approve in the script",
	"POST /v1/workspaces/ID/save-as": "the workfile", "POST /v1/workspaces/ID/accept": "names of nodes",
}

// mayRefuse are the routes that need not answer with 200 in the script.
var mayRefuse = map[string]bool{"GET /v1/kv": true}

// routeRow is a row of the table of routes in docs/api.md, which a test of package daemon keeps complete.
var routeRow = regexp.MustCompile("(?m)^\\| `(GET|POST|DELETE) (/[^`]*)` \\|")

// cmdEveryRoute calls every route of the daemon about the runs and nodes of a workfile and looks for secrets in the answers:
// "everyroute WORKFILE NODE RUN...". The runs are an ended one and an active one. Each route must answer for one of them.
func cmdEveryRoute(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 3, 9, "everyroute WORKFILE NODE RUN...")
	reg := readRegistry(ts, filepath.Join(ts.Getenv("WF_RUNTIME_DIR"), api.FileRegistry))
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", reg.Socket)
	}}}
	ask := func(method, path, body string) (int, string) {
		req, err := http.NewRequest(method, "http://"+api.SocketHost+path, strings.NewReader(body))
		ts.Check(err)
		req.Header.Set("Content-Type", "application/json")
		answer, err := c.Do(req)
		ts.Check(err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		ts.Check(err)
		shows(ts, method+" "+path, string(text))
		return answer.StatusCode, string(text)
	}
	workfile := ts.MkAbs(args[0])
	_, opened := ask("POST", "/v1/workspaces", `{"path":"`+workfile+`"}`)
	id := regexp.MustCompile(`"id":"([^"]*)"`).FindStringSubmatch(opened)
	if id == nil {
		ts.Fatalf("%s: %s", workfile, opened)
	}
	env := `"env":["TOKEN=` + ts.Getenv("TOKEN") + `","PATH=` + ts.Getenv("PATH") + `"],"params":{"pw":"` + ts.Getenv("PW") + `"}`
	bodies := map[string]string{
		"/v1/workspaces":           `{"path":"` + workfile + `"}`,
		"/v1/histories":            `{}`,
		"/v1/workspaces/ID/plan":   `{"mode":"fresh",` + env + `}`,
		"/v1/workspaces/ID/params": `{` + env + `}`,
		"/v1/workspaces/ID/eval":   `{"expr":"nodes.` + args[1] + `.outputs","run":"1",` + env + `}`,
	}
	docs, err := os.ReadFile("../../docs/api.md")
	ts.Check(err)
	rows := routeRow.FindAllSubmatch(docs, -1)
	if len(rows) < 50 {
		ts.Fatalf("docs/api.md has only %d routes", len(rows))
	}
	for _, row := range rows {
		method, path := string(row[1]), string(row[2])
		if name := method + " " + path; notAsked[name] == "" && method == "POST" && bodies[path] == "" {
			ts.Fatalf("%s is a new route: say in this test how to call it, or why not to", name)
		} else if notAsked[name] == "" {
			routeCall{ts, ask, method, path, bodies[path], id[1]}.all(workfile, args[1], args[2:])
		}
	}
}

// A routeCall is a route that is called with all that one can ask of it.
type routeCall struct {
	ts                     *testscript.TestScript
	ask                    func(method, path, body string) (int, string)
	method, path, body, id string
}

// all calls the route about a node in some runs.
func (c routeCall) all(workfile, node string, runs []string) {
	answered, refusal := false, ""
	for _, run := range runs {
		for _, stream := range []string{"stdout", "stderr", "output"} {
			query := url.Values{"node": {node}, "run": {run}, "stream": {stream}, "analysis": {"1"}, "times": {"1"}, "nodes": {"1"},
				"from": {"1"}, "to": {run}, "scope": {"machine"}, "key": {"k"}, "path": {workfile}}
			if strings.HasSuffix(c.path, "/select") {
				query = url.Values{}
			}
			full := strings.NewReplacer("ID", c.id, "RUN", run).Replace(c.path)
			if c.method == "GET" {
				full += "?" + query.Encode()
			}
			switch status, text := c.ask(c.method, full, c.body); {
			case status == http.StatusOK:
				answered = true
			default:
				refusal = text
			}
		}
		if strings.HasSuffix(c.path, "/output") {
			for _, more := range []string{"&aligned=1", "&offset=3", "&aligned=1&offset=30"} {
				c.ask(c.method, strings.NewReplacer("ID", c.id).Replace(c.path)+"?stream=stdout&node="+node+"&run="+run+more, "")
			}
		}
	}
	if !answered && !mayRefuse[c.method+" "+c.path] {
		c.ts.Fatalf("%s %s never answered with 200, so this test shows nothing: %s", c.method, c.path, refusal)
	}
}

// noSecrets are the commands that the script secrets-everywhere does not run, with the reason. A new command must stand there, or
// here.
var noSecrets = map[string]string{
	"new": "makes workfiles", "accept": "names of nodes", webCommand: "passes on answers of the daemon, which the script asks for", "edit": "changes workfiles", "reset": "changes workfiles", "reject": "answers like approve", "mv": "moves workfiles", "git": "changes workfiles",
	"export": "copies workfiles, which the script reads", "server": "shows no run but its number", "trigger": "shows no run but its number",
	"host": "shows no run", "kv": "returns values as they were stored", "doctor": "shows no run", "config": "shows settings",
	"completion": "shows no run", "version": "shows no run", "help": "shows no run", "man": "shows no run", "audit": "the script reads its file",
	"params": "shows what the workfile declares", "metrics": "shows numbers; a route in the script", "diff": "shows workfiles", "text": "shows workfiles",
}

// TestEveryCommandIsSearchedForSecrets compares the script with the list of commands.
func TestEveryCommandIsSearchedForSecrets(t *testing.T) {
	script, err := os.ReadFile("testdata/script/secrets-everywhere.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commandList() {
		there := regexp.MustCompile(`(?m)^(hides \d+|start \w+|tty \w+ \w+) wf ` + c.name + `\b`).Match(script)
		if there == (noSecrets[c.name] != "") {
			t.Errorf("wf %s: it is in the script: %v; the reason why it need not be: %q", c.name, there, noSecrets[c.name])
		}
	}
}
