package web

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"wf/api"
	"wf/web/drawing"
)

// A tab is a page that a test plays.
type tab struct {
	s    *serving
	conn *websocket.Conn
}

// dial opens the WebSocket as the page does.
func (s *serving) dial() *tab {
	s.t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(strings.Replace(s.origin, "http", "ws", 1)+"/live", http.Header{"Origin": {s.origin}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return &tab{s, conn}
}

// watch opens the WebSocket for the workfile.
func (s *serving) watch(v Visit) *tab {
	s.t.Helper()
	p := s.dial()
	p.send(question{Token: s.enter(v), File: theFile, Start: true, Look: &drawing.Look{Width: 100, Height: 40}})
	return p
}

func (p *tab) send(q question) {
	p.s.t.Helper()
	if err := p.conn.WriteJSON(q); err != nil {
		p.s.t.Fatal(err)
	}
}

// next returns the next message.
func (p *tab) next() (m message) {
	p.s.t.Helper()
	_ = p.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	if err := p.conn.ReadJSON(&m); err != nil {
		p.s.t.Fatal(err)
	}
	return m
}

// until returns the first message that a test waits for.
func (p *tab) until(wanted func(*message) bool) message {
	p.s.t.Helper()
	for {
		if m := p.next(); wanted(&m) {
			return m
		}
	}
}

func started(seq uint64, node string, at time.Time) api.Event {
	return api.Event{Seq: seq, Time: at, Type: api.NodeStarted, Run: "1", Node: node, Execution: 1}
}

// TestFirstMessage has all that the page needs for its first screen.
func TestFirstMessage(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	m := s.watch(Visit{}).next()
	if m.Graph == nil || len(m.Graph.Nodes) != 2 || m.Graph.Nodes[1].Name != "second" || len(m.Graph.Edges) != 1 {
		t.Errorf("graph %+v", m.Graph)
	}
	if m.Drawing == nil || len(m.Drawing.Nodes) != 2 || len(m.Drawing.Tracks) != 1 || m.Drawing.Form != "cards" {
		t.Errorf("drawing %+v", m.Drawing)
	}
	if m.Flow == nil || m.Flow.File != theFile || m.Flow.ID != "ws" || !m.Asks {
		t.Errorf("flow %+v", m.Flow)
	}
}

// TestOnlyChangesAreSent: After the first message, events bring the rows of the nodes that changed, and no drawing.
func TestOnlyChangesAreSent(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	p := s.watch(Visit{})
	p.next()
	begin := time.Now()
	s.daemon.frames <- api.Frame{Events: []api.Event{{Seq: 1, Time: begin, Type: api.RunStarted, Run: "1", Nodes: 2}, started(2, "n0", begin)}}
	m := p.next()
	if m.Graph != nil || m.Drawing != nil || len(m.Rows) != 1 || m.Rows[0].State != api.StateRunning || m.Rows[0].Started != begin.UnixMilli() {
		t.Errorf("%+v", m)
	}
	if m.Flow == nil || len(m.Flow.Active) != 1 || m.Flow.Counts.Running != 1 {
		t.Errorf("flow %+v", m.Flow)
	}
	code, took := 3, int64(1200)
	s.daemon.frames <- api.Frame{Events: []api.Event{{Seq: 3, Time: begin, Type: api.NodeFailed, Run: "1", Node: "n0", Execution: 1, Reason: api.ReasonExit, ExitCode: &code, DurationMS: &took}}}
	m = p.next()
	if len(m.Rows) != 2 || m.Rows[0].State != api.StateFailed || m.Rows[0].Why != "exit 3" || m.Rows[0].TookMS != 1200 || m.Rows[1].State != api.StateBlocked {
		t.Errorf("rows %+v", m.Rows)
	}
}

// TestManyEventsAreFewMessages: The number of messages depends on the time, not on the number of events.
func TestManyEventsAreFewMessages(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	p := s.watch(Visit{})
	p.next()
	const frames, each = 200, 100
	seq, begin := uint64(0), time.Now()
	for range frames {
		var f api.Frame
		for range each {
			seq++
			f.Events = append(f.Events, started(seq, "n0", begin.Add(time.Duration(seq)*time.Millisecond)))
		}
		s.daemon.frames <- f
	}
	messages := 0
	last := begin.Add(time.Duration(seq) * time.Millisecond).UnixMilli()
	p.until(func(m *message) bool { messages++; return len(m.Rows) > 0 && m.Rows[0].Started == last })
	if most := int(time.Since(begin)/pace) + 2; messages > most {
		t.Errorf("%d messages for %d events, more than %d", messages, frames*each, most)
	}
}

// TestLooks: Another look brings another drawing, and nothing else.
func TestLooks(t *testing.T) {
	status := two()
	for _, name := range []string{"a1", "a2", "a3"} {
		status.Nodes = append(status.Nodes, api.NodeStatus{ID: name, Name: name, Command: "work " + name, State: api.StateIdle})
		status.Edges = append(status.Edges, api.EdgeStatus{Key: len(status.Edges) + 1, Source: "n0", Target: name, Type: "blocking"})
	}
	s := serve(t, newFakeDaemon(t, status))
	p := s.watch(Visit{})
	p.next()
	p.send(question{Look: &drawing.Look{Width: 100, Height: 40, Zoom: "stages"}})
	m := p.next()
	if m.Drawing == nil || !m.Drawing.Folded || len(m.Drawing.Nodes) != 3 || m.Graph != nil || m.Rows != nil {
		t.Errorf("%+v", m)
	}
	p.send(question{Look: &drawing.Look{Width: 100, Height: 40, Zoom: "stages", Open: []string{"a1"}}})
	if m = p.next(); m.Drawing == nil || len(m.Drawing.Nodes) != 5 {
		t.Errorf("opened: %+v", m.Drawing)
	}
	p.send(question{Look: &drawing.Look{Width: -5, Height: 1 << 40, Zoom: "no such zoom", Open: []string{"no such node"}}})
	if m = p.next(); m.Drawing == nil || len(m.Drawing.Nodes) != 5 {
		t.Errorf("a wrong look: %+v", m.Drawing)
	}
}

// TestStructure: After an edit that adds a node the page gets a new graph and drawing.
func TestStructure(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	p := s.watch(Visit{})
	p.next()
	s.daemon.mu.Lock()
	s.daemon.status.Nodes = append(s.daemon.status.Nodes, api.NodeStatus{ID: "n2", Name: "third", State: api.StateIdle})
	s.daemon.mu.Unlock()
	s.daemon.frames <- api.Frame{Events: []api.Event{{Seq: 1, Type: api.GraphUpdated, Structure: true}}}
	if m := p.until(func(m *message) bool { return m.Graph != nil }); len(m.Graph.Nodes) != 3 || m.Drawing == nil {
		t.Errorf("%+v", m)
	}
}

// TestReplacedDaemon: When the daemon dies and another one comes, the page is told, and goes on without being loaded again.
func TestReplacedDaemon(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	p := s.watch(Visit{})
	p.next()
	s.daemon.stop()
	p.until(func(m *message) bool { return m.Lost != "" })
	s.daemon.mu.Lock()
	s.daemon.status.Nodes[0].State = api.StateOK
	s.daemon.mu.Unlock()
	s.daemon.start()
	m := p.until(func(m *message) bool { return len(m.Rows) > 0 })
	if m.Rows[0].State != api.StateOK {
		t.Errorf("rows %+v", m.Rows)
	}
}

// TestEarlierRun: The page shows the states that an earlier run left, and the present ones again.
func TestEarlierRun(t *testing.T) {
	status := two()
	status.Nodes[0].State, status.Nodes[0].Run = api.StateOK, "2"
	s := serve(t, newFakeDaemon(t, status))
	end, code := time.Now(), 1
	s.daemon.answer("GET", api.GetRun.Path, api.RunDetail{RunSummary: api.RunSummary{Run: "1", Result: api.ResFailed, Ended: &end, Nodes: 2},
		Execs: []api.Execution{{Node: "n0", Execution: 1, Over: true, Reason: api.ReasonExit, ExitCode: &code}}})
	p := s.watch(Visit{})
	p.next()
	run := "1"
	p.send(question{Run: &run})
	m := p.until(func(m *message) bool { return m.Flow != nil && m.Flow.Past == "1" })
	if len(m.Rows) == 0 || m.Rows[0].State != api.StateFailed {
		t.Errorf("%+v", m.Rows)
	}
	run = ""
	p.send(question{Run: &run})
	if m = p.until(func(m *message) bool { return m.Flow != nil && m.Flow.Past == "" }); m.Rows[0].State != api.StateOK {
		t.Errorf("%+v", m.Rows)
	}
}

// TestHostileTexts: What workfiles say reaches the page without characters that a terminal or a line would obey. The page sets
// it as text.
func TestHostileTexts(t *testing.T) {
	const evil = "<img src=x onerror=alert(1)>\x1b[31m\x07\u202egnp"
	status := two()
	status.Nodes[0].Name, status.Nodes[0].Group, status.Nodes[0].State, status.Nodes[0].Message = evil, evil, api.StateFailed, evil
	status.Edges[0].When = evil
	s := serve(t, newFakeDaemon(t, status))
	m := s.watch(Visit{}).next()
	m.Flow = nil
	text, _ := json.Marshal(m)
	for _, bad := range []string{"\\u001b", "\\u0007", "\u202e"} {
		if strings.Contains(string(text), bad) {
			t.Errorf("%s in %s", bad, text)
		}
	}
}

// TestTalkativePage: A message that is too large ends the connection.
func TestTalkativePage(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	p := s.watch(Visit{})
	p.next()
	p.send(question{File: strings.Repeat("x", mostQuestion)})
	_ = p.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	for {
		_, _, err := p.conn.ReadMessage()
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			t.Fatal("the connection stays open")
		}
		if err != nil {
			return
		}
	}
}

// TestUnusedWorkfileIsClosed: When the last page that shows a workfile has gone, the daemon may close it.
func TestUnusedWorkfileIsClosed(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	closed := make(chan bool, 2)
	s.daemon.mux.HandleFunc("DELETE "+api.CloseWorkspace.Path, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(api.None{})
		closed <- true
	})
	first, second := s.watch(Visit{}), s.watch(Visit{})
	first.next()
	second.next()
	first.conn.Close()
	second.conn.Close()
	<-closed
	if len(closed) > 0 {
		t.Error("closed twice")
	}
}
