// Package webtest drives a Chromium for the tests of the web page, with the DevTools protocol. Where no browser is
// installed, tests skip with a word.
package webtest

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// patience bounds everything that a test waits for: a busy machine is slow.
const patience = 60 * time.Second

// A Browser is a running Chromium with an empty profile.
type Browser struct {
	t    testing.TB
	conn *websocket.Conn

	mu      sync.Mutex // guards the others
	next    int
	answers map[int]chan answer
	tabs    map[string]*Tab // by session
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Program returns the path of a Chromium, or "" if none is installed.
func Program() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Start starts a browser, and ends it with the test. It skips the test if there is none.
func Start(t testing.TB, flags ...string) *Browser {
	t.Helper()
	program := Program()
	if program == "" {
		t.Skip("no chromium: apt-get install chromium")
	}
	profile, err := os.MkdirTemp("", "wf-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + profile, "--no-first-run", "--disable-gpu",
		"--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb", "--hide-scrollbars"}, flags...)
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium refuses to run as root with it
	}
	cmd := exec.Command(program, append(args, "about:blank")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a browser is many processes
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if _, at, found := strings.Cut(lines.Text(), "DevTools listening on "); found {
				address <- at
			}
		}
	}()
	b := &Browser{t: t, answers: map[int]chan answer{}, tabs: map[string]*Tab{}}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		for range 100 { // its processes end one after the other, and write until then
			if os.RemoveAll(profile) == nil {
				return
			}
		}
	})
	select {
	case at := <-address:
		if b.conn, _, err = websocket.DefaultDialer.Dial(at, nil); err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatal("chromium does not start")
	}
	var reading sync.WaitGroup
	reading.Go(b.read)
	t.Cleanup(func() {
		b.conn.Close()
		reading.Wait()
	})
	return b
}

// read passes on answers and events until the connection ends.
func (b *Browser) read() {
	for {
		var m struct {
			answer
			ID      int             `json:"id"`
			Method  string          `json:"method"`
			Params  json.RawMessage `json:"params"`
			Session string          `json:"sessionId"`
		}
		if b.conn.ReadJSON(&m) != nil {
			return
		}
		b.mu.Lock()
		to, tab := b.answers[m.ID], b.tabs[m.Session]
		delete(b.answers, m.ID)
		b.mu.Unlock()
		if m.ID != 0 && to != nil {
			to <- m.answer
		} else if tab != nil {
			tab.event(m.Method, m.Params)
		}
	}
}

// call calls a method of the protocol.
func (b *Browser) call(session, method string, params, result any) error {
	to := make(chan answer, 1)
	b.mu.Lock()
	b.next++
	id := b.next
	b.answers[id] = to
	err := b.conn.WriteJSON(map[string]any{"id": id, "method": method, "params": params, "sessionId": session})
	b.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case a := <-to:
		if a.Error != nil {
			return fmt.Errorf("%s: %s", method, a.Error.Message)
		}
		if result != nil {
			return json.Unmarshal(a.Result, result)
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s: no answer", method)
	}
}

// A Tab is one page.
type Tab struct {
	b       *Browser
	session string

	mu       sync.Mutex // guards problems
	problems []string
}

// Open opens an address in a new tab of a width and height in pixels.
func (b *Browser) Open(address string, width, height int) *Tab {
	b.t.Helper()
	var target struct {
		TargetID string `json:"targetId"`
	}
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	tab := &Tab{b: b}
	err := b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	if err == nil {
		err = b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	tab.session = attached.SessionID
	b.mu.Lock()
	b.tabs[tab.session] = tab
	b.mu.Unlock()
	for _, method := range []string{"Page.enable", "Runtime.enable", "Log.enable"} {
		tab.must(method, nil, nil)
	}
	tab.Size(width, height)
	tab.Go(address)
	return tab
}

// event notes exceptions and what the browser refuses, such as a violation of the Content-Security-Policy.
func (t *Tab) event(method string, params json.RawMessage) {
	var p struct {
		Details struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
		Entry struct {
			Level  string `json:"level"`
			Source string `json:"source"`
			Text   string `json:"text"`
		} `json:"entry"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	text := ""
	switch {
	case method == "Runtime.exceptionThrown":
		text = p.Details.Text + " " + p.Details.Exception.Description
	case method == "Log.entryAdded" && p.Entry.Level == "error" && p.Entry.Source != "network":
		text = p.Entry.Text
	default:
		return
	}
	t.mu.Lock()
	t.problems = append(t.problems, text)
	t.mu.Unlock()
}

// Problems returns the exceptions of the page and what the browser refused to do, since the last call.
func (t *Tab) Problems() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.problems
	t.problems = nil
	return found
}

func (t *Tab) must(method string, params, result any) {
	t.b.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	if err := t.b.call(t.session, method, params, result); err != nil {
		t.b.t.Fatal(err)
	}
}

// Size sets the size of the tab in pixels.
func (t *Tab) Size(width, height int) {
	t.b.t.Helper()
	t.must("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Dark selects dark or light colours, as a system does.
func (t *Tab) Dark(dark bool) {
	t.b.t.Helper()
	value := map[bool]string{true: "dark", false: "light"}[dark]
	t.must("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": value}}}, nil)
}

// Go navigates to an address.
func (t *Tab) Go(address string) {
	t.b.t.Helper()
	t.must("Page.navigate", map[string]any{"url": address}, nil)
}

// Eval evaluates an expression in the page, awaits it if it is a promise, and decodes its value into result unless that
// is nil.
func (t *Tab) Eval(expression string, result any) error {
	var out struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Details *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	err := t.b.call(t.session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &out)
	switch {
	case err != nil:
		return err
	case out.Details != nil:
		return errors.New(out.Details.Text + " " + out.Details.Exception.Description)
	case result == nil || len(out.Result.Value) == 0:
		return nil
	}
	return json.Unmarshal(out.Result.Value, result)
}

// Wait waits until an expression is true in the page. It fails the test with the text of the page if that does not happen.
func (t *Tab) Wait(expression string) {
	t.b.t.Helper()
	end := time.Now().Add(patience)
	for {
		ok := false
		err := t.Eval(`new Promise(done => { let left = 200; const look = () => { let ok = false; try { ok = !!(`+expression+`) } catch {} if (ok || !left--) done(ok); else setTimeout(look, 20); }; look(); })`, &ok)
		if ok {
			return
		}
		if time.Now().After(end) {
			text := ""
			_ = t.Eval("document.body.innerText", &text)
			t.b.t.Fatalf("never: %s (%v)\nproblems: %q\nthe page shows:\n%s", expression, err, t.Problems(), text)
		}
	}
}

// Click clicks in the middle of the element that a selector finds first.
func (t *Tab) Click(selector string) {
	t.b.t.Helper()
	var at struct{ X, Y float64 }
	quoted, _ := json.Marshal(selector)
	t.Wait(`document.querySelector(` + string(quoted) + `)`)
	err := t.Eval(`(() => { const e = document.querySelector(`+string(quoted)+`); e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return {X: r.x + r.width/2, Y: r.y + r.height/2} })()`, &at)
	if err != nil {
		t.b.t.Fatal(err)
	}
	t.ClickAt(at.X, at.Y)
}

// ClickAt clicks at a point of the page, in pixels.
func (t *Tab) ClickAt(x, y float64) {
	t.b.t.Helper()
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		t.must("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}, nil)
	}
}

// Type types a text into the element that has the focus.
func (t *Tab) Type(text string) {
	t.b.t.Helper()
	t.must("Input.insertText", map[string]any{"text": text}, nil)
}

// Key presses a key, such as "r", "Enter" or "ArrowDown".
func (t *Tab) Key(key string) {
	t.b.t.Helper()
	down := map[string]any{"type": "keyDown", "key": key}
	if len(key) == 1 {
		down["text"] = key
	} else if key == "Enter" {
		down["text"], down["windowsVirtualKeyCode"] = "\r", 13
	}
	t.must("Input.dispatchKeyEvent", down, nil)
	t.must("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// Picture returns the tab as a PNG.
func (t *Tab) Picture() []byte {
	t.b.t.Helper()
	var out struct {
		Data string `json:"data"`
	}
	t.must("Page.captureScreenshot", map[string]any{"format": "png"}, &out)
	png, err := base64.StdEncoding.DecodeString(out.Data)
	if err != nil {
		t.b.t.Fatal(err)
	}
	return png
}
