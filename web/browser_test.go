package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/web/webtest"
)

// evil is what a name, a command, a question or an output may contain. In a page that trusted it, it would set pwned.
const evil = `<img src=x onerror="pwned=1"><script>pwned=1</script><svg onload=pwned=1>`

// hostile is a workfile of evil texts whose run waits for an answer.
func hostile(t *testing.T) *fakeDaemon {
	begin := time.Now().Add(-time.Minute)
	code, took := 3, int64(1200)
	status := two()
	status.ActiveRuns = []string{"1"}
	status.Runs = []api.RunSummary{{Run: "1", Mode: "fresh", Nodes: 2, Started: begin, Paused: api.PausedApproval, Held: evil}}
	status.Nodes[0] = api.NodeStatus{ID: "n0", Name: "first" + evil, Command: evil, State: api.StateFailed, Reason: api.ReasonExit, ExitCode: &code, Message: evil, Run: "1", Executions: 1, Started: &begin, DurationMS: &took}
	status.Nodes[1].State, status.Nodes[1].Run, status.Nodes[1].Wait = api.StateWaiting, "1", &api.Wait{Kind: api.WaitApproval, Text: evil}
	status.Edges[0].When = evil
	d := newFakeDaemon(t, status)
	d.answer("GET", api.ExplainNode.Path, api.Why{Run: "1", Node: status.Nodes[0], Text: []string{evil}})
	d.answer("GET", api.GetLog.Path, api.LogInfo{Run: "1", Execution: 1, Over: true, OutBytes: 100, Merged: true})
	d.answer("GET", api.ReadOutput.Path, "\x1b[31mred\x1b[0m plain\n"+evil+"\n\x1b]0;title\x07after\x1b[2J\n10%\r100%\n")
	d.answer("GET", api.ListRuns.Path, api.RunList{Runs: []api.RunSummary{{Run: "1", User: evil, Started: begin, Selection: []string{evil}}}})
	d.answer("GET", api.ListApprovals.Path, api.ApprovalList{Approvals: []api.Approval{{Run: "1", Node: "n1", Name: "second", Text: evil, Since: begin, Choices: []api.ApprovalChoice{{Case: "go", Leads: []string{evil}}, {Case: evil}},
		Before: []api.NodeOutputs{{Node: "n0", Outputs: map[string]any{evil: evil}}}}}})
	d.answer("POST", api.ListParams.Path, api.ParamList{Params: []api.Param{{Name: evil, Type: "string", Help: evil, Choices: []string{evil}}}})
	d.answer("POST", api.StopRun.Path, &api.Error{Code: api.CodeRefused, Message: evil, Why: evil, Fix: evil})
	d.answer("POST", api.DecideApproval.Path, api.Approval{})
	return d
}

// unharmed fails if an evil text became an element or a program, or if the browser had to refuse something.
func unharmed(t *testing.T, tab *webtest.Tab) {
	t.Helper()
	harmed := true
	if err := tab.Eval(`window.pwned !== undefined || !!document.querySelector('#app img[src=x], #app script, #app svg[onload], dialog img, dialog script')`, &harmed); err != nil || harmed {
		t.Errorf("a text became part of the page (%v)", err)
	}
	if problems := tab.Problems(); len(problems) > 0 {
		t.Errorf("the page has problems: %q", problems)
	}
}

// TestHostileTextsInABrowser: HTML in names, commands, outputs, parameters, questions, errors is shown as text everywhere.
func TestHostileTextsInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	s := serve(t, hostile(t))
	tab := browser.Open(s.Invite(Visit{File: theFile}), 1200, 800)
	tab.Wait(`document.querySelector('.run-line .pill')`)
	tab.Key("n") // the node that failed
	tab.Wait(`document.querySelector('.node-head h2').textContent.includes('<img src=x')`)
	tab.Wait(`document.querySelector('.command').textContent.includes('<script>')`)
	tab.Wait(`document.querySelectorAll('.log .line').length === 4`)
	for i, want := range []string{"red plain", evil, "after", "100%"} {
		got := ""
		if err := tab.Eval(`document.querySelectorAll('.log .line')[`+strconv.Itoa(i)+`].textContent`, &got); err != nil || got != want {
			t.Errorf("line %d of the output is %q, want %q (%v)", i, got, want, err)
		}
	}
	tab.Wait(`document.querySelector('.log .line .fg1').textContent === 'red'`)
	unharmed(t, tab)
	tab.Key("A")
	tab.Wait(`document.querySelector('.ask .question').textContent.includes('<img src=x')`)
	tab.Wait(`document.querySelector('.ask dd').textContent.includes('<svg')`)
	unharmed(t, tab)
	tab.Key("H")
	tab.Wait(`document.querySelector('.run-card .low').textContent.includes('<img src=x')`)
	tab.Key("x")
	tab.Click("dialog button.bad")
	tab.Wait(`document.querySelector('.notice pre').textContent.includes('<img src=x')`)
	unharmed(t, tab)
}

// TestHostileFileNamesInABrowser: HTML in the name of a workfile is text in the list, in the title and above the graph.
func TestHostileFileNamesInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	d := newFakeDaemon(t, two())
	d.answer("GET", api.ListRuns.Path, api.RunList{})
	d.answer("GET", api.ListApprovals.Path, api.ApprovalList{})
	s := serve(t, d)
	path := "/srv/50%#1?<img src=x onerror=\"pwned=1\">'.graphml"
	s.opt.Workfiles = func() []Workfile { return []Workfile{{Path: path, Run: "1", Result: api.Succeeded, When: time.Now()}} }
	tab := browser.Open(s.Invite(Visit{}), 900, 700)
	tab.Wait(`document.querySelector('.file-card b')?.textContent.includes('<img src=x')`)
	unharmed(t, tab)
	tab.Click(".file-card")
	tab.Wait(`document.querySelector('.file-bar b')?.textContent.includes('<img src=x') && document.title.includes('<img src=x')`)
	tab.Wait(`document.querySelector('.run-line .hint')`)
	unharmed(t, tab)
	if got := d.await("POST " + api.OpenWorkspace.Path); len(got) == 0 || !strings.Contains(got[0], "50%#1?") {
		t.Errorf("opened: %q", got)
	}
}

// TestThemeInABrowser: The page is as dark as the system, until a person chooses; the choice stays.
func TestThemeInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	d := newFakeDaemon(t, two())
	d.answer("GET", api.ListRuns.Path, api.RunList{})
	d.answer("GET", api.ListApprovals.Path, api.ApprovalList{})
	s := serve(t, d)
	tab := browser.Open(s.Invite(Visit{File: theFile}), 900, 700)
	paper := func(color string) string {
		return `getComputedStyle(document.body).backgroundColor === '` + color + `'`
	}
	light, dark := paper("rgb(247, 248, 250)"), paper("rgb(14, 19, 26)")
	button := `[aria-label="Light or dark"]`
	tab.Dark(true)
	tab.Wait(dark)
	tab.Dark(false)
	tab.Wait(light)
	tab.Wait(`document.querySelector('` + button + `')`)
	tab.Click(button)
	tab.Wait(dark)
	if err := tab.Eval(`location.reload()`, nil); err != nil {
		t.Fatal(err)
	}
	tab.Wait(`document.querySelector('` + button + `')`)
	tab.Wait(dark)
	tab.Click(button)
	tab.Wait(light)
	tab.Dark(true)
	tab.Wait(light)
}

// TestStagesInABrowser: A double click or Enter opens a stage, Enter on one of its nodes folds it again, and z changes how nodes
// are drawn.
func TestStagesInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	status := two()
	for i := range 40 {
		name := fmt.Sprint("work_", i)
		status.Nodes = append(status.Nodes, api.NodeStatus{ID: name, Name: name, Command: fmt.Sprint("work ", i), State: api.StateIdle})
		status.Edges = append(status.Edges, api.EdgeStatus{Key: i + 2, Source: "n1", Target: name, Type: "blocking"})
	}
	d := newFakeDaemon(t, status)
	d.answer("GET", api.ListRuns.Path, api.RunList{})
	d.answer("GET", api.ListApprovals.Path, api.ApprovalList{})
	s := serve(t, d)
	tab := browser.Open(s.Invite(Visit{File: theFile}), 900, 600)
	boxes := func(n int) string { return fmt.Sprintf(`document.querySelector('canvas')?.dataset.boxes === '%d'`, n) }
	tab.Wait(boxes(3))
	for range 3 {
		tab.Key("ArrowRight")
		tab.Key("ArrowDown")
	}
	tab.Wait(`document.querySelector('.node-head h2').textContent.includes('40 nodes')`)
	tab.Key("Enter")
	tab.Wait(boxes(42))
	tab.Click(".row")
	tab.Wait(`document.querySelector('.node-head h2').textContent === 'work_0'`)
	if err := tab.Eval(`document.querySelector('canvas').focus()`, nil); err != nil {
		t.Fatal(err)
	}
	tab.Key("Enter")
	tab.Wait(boxes(3))
	tab.Key("z") // cards for all
	tab.Wait(boxes(42))
	unharmed(t, tab)
}

// TestSignInInABrowser: After signing in, the code is in no address and no history, the token in no cookie and no storage that
// other tabs share; the address works once; a tab that is loaded again stays signed in.
func TestSignInInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	s := serve(t, newFakeDaemon(t, two()))
	address := s.Invite(Visit{})
	tab := browser.Open(address, 900, 700)
	tab.Wait(`document.querySelector('.file-card')`)
	var found struct {
		Href, Cookie, Local string
		Length              int
		Token               bool
	}
	const look = `({Href: location.href, Cookie: document.cookie, Local: JSON.stringify(localStorage), Length: history.length, Token: !!sessionStorage.getItem('wf-token')})`
	if err := tab.Eval(look, &found); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(found.Href, code(address)) || found.Cookie != "" || found.Local != "{}" || !found.Token {
		t.Errorf("%+v", found)
	}
	tab.Go(s.origin + "/?loaded=again")
	tab.Wait(`location.search && document.querySelector('.file-card')`)
	var visited []string
	for range 2 {
		href := ""
		_ = tab.Eval(`new Promise(done => { addEventListener('popstate', () => done(location.href)); addEventListener('pagehide', () => done('')); history.back(); setTimeout(() => done(location.href), 300); })`, &href)
		visited = append(visited, href)
	}
	if strings.Contains(strings.Join(visited, " "), code(address)) {
		t.Errorf("the code is in the history: %q", visited)
	}
	other := browser.Open(address, 900, 700)
	other.Wait(`document.querySelector('.out')?.textContent.includes('was used already')`)
	fresh := browser.Open(s.origin, 900, 700)
	fresh.Wait(`document.querySelector('.out')?.textContent.includes('not signed in')`)
	if got := fresh.Problems(); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// attack is a page of another site. It tries everything that a page may try, and says what worked.
const attack = `<!doctype html><meta charset=utf-8><iframe id=frame src="PAGE/"></iframe><form id=form method=post enctype="text/plain" target=hidden action="PAGE/open"><input name='{"path":"' value='x"}'></form><iframe name=hidden></iframe>
<script>
const worked = [], tries = [];
const attempt = (name, promise) => tries.push(promise.then((ok) => { if (ok) worked.push(name); }, () => {}));
attempt('fetch', fetch('PAGE/workfiles').then((r) => r.ok));
attempt('fetch that reads the page', fetch('PAGE/').then((r) => r.ok));
attempt('fetch with a token', fetch('PAGE/workfiles', {headers: {Authorization: 'Bearer x'}}).then((r) => r.ok));
attempt('post', fetch('PAGE/session', {method: 'POST', body: '{}'}).then((r) => r.ok));
attempt('blind post', fetch('PAGE/open', {method: 'POST', mode: 'no-cors', body: '{"path":"FILE"}'}).then(() => false));
attempt('websocket', new Promise((done) => { const w = new WebSocket('PAGE/live'.replace('http', 'ws')); w.onopen = () => done(true); w.onerror = () => done(false); }));
attempt('frame', new Promise((done) => { const f = document.getElementById('frame'); setTimeout(() => { let blank = true; try { blank = !f.contentDocument; } catch {} done(f.contentWindow.length > 0 || !blank && f.contentDocument.querySelector('#app') !== null); }, 1000); }));
attempt('script', new Promise((done) => { const s = document.createElement('script'); s.src = 'PAGE/main.js'; s.type = 'module'; s.onload = () => done(true); s.onerror = () => done(false); document.head.append(s); }));
document.getElementById('form').submit();
Promise.all(tries).then(() => { document.title = 'worked: [' + worked.join(', ') + ']'; });
</script>`

// TestAnotherSiteInABrowser: A site in the same browser reads nothing, opens no WebSocket, shows the page in no frame, and what it
// sends blindly has no effect.
func TestAnotherSiteInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	d := newFakeDaemon(t, two())
	s := serve(t, d)
	mine := browser.Open(s.Invite(Visit{}), 900, 700)
	mine.Wait(`document.querySelector('.file-card')`)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(strings.NewReplacer("PAGE", s.origin, "FILE", theFile).Replace(attack)))
	}))
	defer site.Close()
	for _, address := range []string{site.URL, strings.Replace(site.URL, "127.0.0.1", "localhost", 1)} {
		tab := browser.Open(address, 900, 700)
		tab.Wait(`document.title.startsWith('worked')`)
		title := ""
		if err := tab.Eval(`document.title`, &title); err != nil || title != "worked: []" {
			t.Errorf("from %s: %s (%v)", address, title, err)
		}
	}
	if got := d.got("POST"); len(got) > 0 {
		t.Errorf("the daemon was asked: %q", got)
	}
}

// TestLostConnectionInABrowser: When the daemon is replaced, the page says so and comes back with the new state, without
// being loaded again.
func TestLostConnectionInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	d := newFakeDaemon(t, two())
	d.answer("GET", api.ListRuns.Path, api.RunList{})
	d.answer("GET", api.ListApprovals.Path, api.ApprovalList{})
	s := serve(t, d)
	tab := browser.Open(s.Invite(Visit{File: theFile}), 1200, 800)
	tab.Wait(`document.querySelector('.run-line .hint')`)
	if err := tab.Eval(`window.loaded = 'once'; 0`, nil); err != nil {
		t.Fatal(err)
	}
	d.stop()
	tab.Wait(`!document.querySelector('.banner').hidden && document.querySelector('.banner').textContent.includes('lost')`)
	d.mu.Lock()
	d.status.LastRun = &api.RunSummary{Run: "7", Result: api.Succeeded, Started: time.Now(), Nodes: 2, Counts: api.Counts{OK: 2}}
	d.mu.Unlock()
	d.start()
	tab.Wait(`document.querySelector('.banner').hidden && document.querySelector('.of-run')?.textContent === 'Run 7' && window.loaded === 'once'`)
	unharmed(t, tab)
}

// TestHiddenTabInABrowser: A tab that nobody looks at is disconnected, so that it costs nothing, and is up to date when somebody
// looks again.
func TestHiddenTabInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	d := newFakeDaemon(t, two())
	d.answer("GET", api.ListRuns.Path, api.RunList{})
	d.answer("GET", api.ListApprovals.Path, api.ApprovalList{})
	closed := make(chan bool, 1)
	d.mux.HandleFunc("DELETE "+api.CloseWorkspace.Path, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(api.None{})
		closed <- true
	})
	s := serve(t, d)
	tab := browser.Open(s.Invite(Visit{File: theFile}), 1200, 800)
	tab.Wait(`document.querySelector('.run-line .hint')`)
	<-d.watched
	// The clock of the page is fast, and it believes that its tab is hidden.
	const hide = `(() => { const later = window.setTimeout; window.setTimeout = (f, ms) => later(f, ms / 1000);
		window.away = true; Object.defineProperty(document, 'hidden', {get: () => window.away}); document.dispatchEvent(new Event('visibilitychange')); })()`
	if err := tab.Eval(hide, nil); err != nil {
		t.Fatal(err)
	}
	<-closed
	d.mu.Lock()
	d.status.LastRun = &api.RunSummary{Run: "5", Result: api.Succeeded, Started: time.Now(), Nodes: 2, Counts: api.Counts{OK: 2}}
	d.mu.Unlock()
	if err := tab.Eval(`window.away = false; document.dispatchEvent(new Event('visibilitychange')); 0`, nil); err != nil {
		t.Fatal(err)
	}
	<-d.watched
	tab.Wait(`document.querySelector('.of-run')?.textContent === 'Run 5'`)
	unharmed(t, tab)
}

// TestActionsInABrowser: running, with parameters; stopping; answering; showing an earlier run. A page for reading has no buttons
// for any of it.
func TestActionsInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	d := newFakeDaemon(t, two())
	end := time.Now()
	earlier := api.RunSummary{Run: "1", Result: api.Succeeded, Ended: &end, Started: end.Add(-time.Minute), Nodes: 2, Counts: api.Counts{OK: 2}}
	d.answer("GET", api.ListRuns.Path, api.RunList{Runs: []api.RunSummary{earlier}})
	d.answer("GET", api.GetRun.Path, api.RunDetail{RunSummary: earlier, Execs: []api.Execution{{Node: "n0", Execution: 1, OK: true, Over: true}}})
	asked := api.ApprovalList{Approvals: []api.Approval{{Run: "2", Node: "n1", Name: "second", Text: "Ship it?", Since: end, NeedsCase: true, Choices: []api.ApprovalChoice{{Case: "go", Leads: []string{"ship"}}, {Case: "wait"}}}}}
	d.answer("GET", api.ListApprovals.Path, asked)
	d.answer("POST", api.ListParams.Path, api.ParamList{Params: []api.Param{{Name: "target", Type: "string", Required: true}}})
	d.answer("POST", api.StartRun.Path, api.RunAccepted{Run: "2", Nodes: 2})
	d.answer("POST", api.StopRun.Path, api.StopResult{Run: "2"})
	d.answer("POST", api.DecideApproval.Path, api.Approval{})
	s := serve(t, d)
	tab := browser.Open(s.Invite(Visit{File: theFile}), 1200, 800)
	tab.Wait(`document.querySelector('.file-bar .actions .main')`)
	tab.Key("r")
	tab.Wait(`document.querySelector('dialog .field input')`)
	tab.Click("dialog .field input")
	tab.Type("moon")
	tab.Key("Enter")
	tab.Wait(`!document.querySelector('dialog')`)
	if got := d.await("POST " + api.StartRun.At("ws")); len(got) != 1 || !strings.Contains(got[0], `"target":"moon"`) {
		t.Errorf("run: %q", got)
	}
	d.frames <- api.Frame{Events: []api.Event{{Seq: 1, Time: end, Type: api.RunStarted, Run: "2", Nodes: 2}, started(2, "n0", end)}}
	tab.Wait(`document.querySelector('.of-run').textContent === 'Run 2' && document.querySelector('.file-bar button.bad')`)
	tab.Key("x")
	tab.Click("dialog button.bad")
	tab.Wait(`!document.querySelector('dialog')`)
	if got := d.await("POST " + api.StopRun.At("ws", "2")); len(got) != 1 {
		t.Errorf("stop: %q", got)
	}
	tab.Wait(`document.querySelector('.badge').textContent === '1'`)
	tab.Key("A")
	tab.Click(".choice:nth-child(3) input")
	tab.Click(".ask button.main")
	tab.Wait(`!document.querySelector('.ask button.main').disabled`)
	if got := d.await("POST " + api.DecideApproval.At("ws")); len(got) != 1 || !strings.Contains(got[0], `"case":"wait"`) || !strings.Contains(got[0], `"approved":true`) {
		t.Errorf("answer: %q", got)
	}
	tab.Key("H")
	tab.Click(".run-card")
	tab.Wait(`document.querySelector('.past').textContent.includes('Run 1, as it ended')`)
	tab.Click(".past button")
	tab.Wait(`document.querySelector('.past').hidden`)
	unharmed(t, tab)

	reading := browser.Open(s.Invite(Visit{File: theFile, ReadOnly: true}), 1200, 800)
	reading.Wait(`document.querySelector('.file-bar .actions').textContent === 'for reading'`)
	reading.Key("A")
	reading.Wait(`document.querySelector('.ask').textContent.includes('only for reading')`)
	reading.Key("r")
	reading.Key("x")
	buttons := -1
	if err := reading.Eval(`document.querySelectorAll('.ask button, .file-bar .actions button, dialog').length`, &buttons); err != nil || buttons != 0 {
		t.Errorf("%d buttons (%v)", buttons, err)
	}
}

// TestOutputsInABrowser gives the reader of outputs its pieces one character at a time and all at once.
func TestOutputsInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	s := serve(t, newFakeDaemon(t, two()))
	tab := browser.Open(s.origin, 600, 400)
	tab.Wait(`document.querySelector('.out')`)
	cases := []struct{ name, in, want string }{
		{"colours", "a\x1b[1;31mb\x1b[0mc\n", `a|b/1b|c`},
		{"256 colours", "\x1b[38;5;196mx\n", `x/rgb(255,0,0)`},
		{"true colours, colons", "\x1b[38:2:1:2:3mx\n", `x/rgb(1,2,3)`},
		{"a colour that is none", "\x1b[38;2;999;0;0mx\n", `x`},
		{"title", "a\x1b]0;evil\x07b\n", "a|b"},
		{"title without an end", "a\x1b]0;evil\nb\n", "a~b"},
		{"device control", "a\x1bPq#0\x1b\\b\n", "a|b"},
		{"8-bit sequences", "a\u009b31mb\u009dx\u009cc\n", "a|b/1|c/1"},
		{"clearing", "a\x1b[2J\x1b[Hb\n", "a|b"},
		{"private modes", "\x1b[?1049hx\x1b(By\n", "x|y"},
		{"carriage return", "10%\r20%\r100%\n", "100%"},
		{"carriage return and line feed", "a\r\nb\r\n", "a~b"},
		{"controls", "a\x00\x08\x7f\u0085b\n", "a|b"},
		{"direction", "a\u202eb\u2066c\n", "a|b|c"},
		{"tab", "a\tb\n", "a\tb"},
		{"html", "<b>&amp;\n", "<b>&amp;"},
		{"not only Latin", "数据 é 🎉\n", "数据 é 🎉"},
		{"a sequence that never ends", "\x1b[" + strings.Repeat("1", 200) + "mx\n", "*"},
	}
	for _, tc := range cases {
		in, _ := json.Marshal(tc.in)
		for _, cut := range []string{"false", "true"} {
			got := ""
			err := tab.Eval(`import('/ansi.js').then(({Reader}) => {
				const r = new Reader(), text = `+string(in)+`;
				const lines = `+cut+` ? [...text].flatMap((c) => r.read(c)) : r.read(text);
				return lines.map((line) => {
					const merged = [];
					for (const {text, style} of line) merged.push(text + (style.fg ? '/' + style.fg + (style.bold ? 'b' : '') : ''));
					return merged.join('|');
				}).join('~');
			})`, &got)
			want := tc.want
			if want == "*" { // anything that is no sequence
				want = got
			}
			if cut == "true" { // each character is a piece: only the text counts
				want, got = textOf(want), textOf(got)
			}
			if err != nil || got != want || strings.Contains(got, "\x1b") {
				t.Errorf("%s, cut %s: %q, want %q (%v)", tc.name, cut, got, want, err)
			}
		}
	}
}

// textOf returns a line of TestOutputsInABrowser without its styles.
func textOf(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(text, "~") {
		for _, part := range strings.Split(line, "|") {
			before, _, _ := strings.Cut(part, "/")
			b.WriteString(before)
		}
		b.WriteByte('~')
	}
	return b.String()
}

// TestLargeGraphInABrowser measures the first screen of 5,000 nodes, and panning when each has a box. The limits are wide,
// because the browser of the tests has no graphics card and a busy machine.
func TestLargeGraphInABrowser(t *testing.T) {
	browser := webtest.Start(t)
	status := two()
	status.Nodes, status.Edges = nil, nil
	for i := range 5000 {
		status.Nodes = append(status.Nodes, api.NodeStatus{ID: fmt.Sprint("n", i), Name: fmt.Sprint("task_", i), Command: fmt.Sprint("own", i%7, "x y", i), State: []api.State{api.StateOK, api.StateRunning, api.StateIdle, api.StateFailed}[i%4]})
		if first := i / 250 * 250; first > 0 {
			status.Edges = append(status.Edges, api.EdgeStatus{Key: i, Source: fmt.Sprint("n", first-250+(i*31)%250), Target: fmt.Sprint("n", i), Type: "blocking"})
		}
	}
	d := newFakeDaemon(t, status)
	d.answer("GET", api.ListRuns.Path, api.RunList{})
	d.answer("GET", api.ListApprovals.Path, api.ApprovalList{})
	s := serve(t, d)
	tab := browser.Open(s.Invite(Visit{File: theFile}), 1400, 900)
	tab.Wait(`document.querySelector('.run-line .hint')`)
	var took float64
	const first = `new Promise(async (done) => {
		const {Link} = await import('/link.js'), {Scene} = await import('/scene.js'), {Painter, readColors} = await import('/paint.js'), {Model} = await import('/model.js');
		const begin = performance.now(), model = new Model();
		const link = new Link({first: () => ({file: 'FILE', look: {width: 110, height: 38, zoom: 'ZOOM', open: []}}), status() {}, take(m) {
			model.apply(m);
			if (!m.drawing) return;
			window.scene = new Scene(m.drawing); window.painter = new Painter(window.scene, model, readColors()); window.model = model;
			const ctx = new OffscreenCanvas(1400, 900).getContext('2d');
			window.painter.paint(ctx, {x: 0, y: 0, scale: 1}, 1400, 900, {now: Date.now()});
			link.close();
			done(performance.now() - begin);
		}});
	})`
	for _, zoom := range []string{"", "chips"} {
		if err := tab.Eval(strings.NewReplacer("FILE", theFile, "ZOOM", zoom).Replace(first), &took); err != nil {
			t.Fatal(err)
		}
		t.Logf("zoom %q: from the connection to the painted graph %.0f ms", zoom, took)
		if took > 5000 {
			t.Errorf("zoom %q takes %.0f ms", zoom, took)
		}
	}
	for _, scale := range []string{"1", "0.3", "Math.max(0.06, Math.min(1400 / scene.width, 900 / scene.height))"} {
		err := tab.Eval(`(() => { const ctx = document.createElement('canvas').getContext('2d'); ctx.canvas.width = 1400; ctx.canvas.height = 900; const scale = `+scale+`, begin = performance.now();
			for (let i = 0; i < 30; i++) { ctx.clearRect(0, 0, 1400, 900); painter.paint(ctx, {x: 20 * i, y: 20 * i, scale}, 1400, 900, {now: 0}); ctx.getImageData(0, 0, 1, 1); }
			return (performance.now() - begin) / 30; })()`, &took)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("scale %s: %.1f ms a frame", scale, took)
	}
}
