package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/dialog"
	"wf/tui/logview"
	"wf/tui/words"
)

// noon is the time of all tests.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// testModel returns a model with an open workfile, without a terminal and a daemon.
func testModel(width, height int, status api.Status) *model {
	m := newModel(Options{Path: "/data/proj/pipeline.graphml", Dir: "/data/proj", Recent: func() []Recent { return nil }})
	m.clock = func() time.Time { return noon }
	m.link = &link{path: m.opt.Path, feed: newFeed()}
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	m.Update(news{m.link.feed, batch{snapshot: &api.Snapshot{Seq: 1, Status: status}}})
	return m
}

// press presses keys: single letters, or names like "enter" and "ctrl+c".
func press(m *model, keys ...string) {
	for _, key := range keys {
		m.Update(keyPress(key))
	}
}

// keyPress is the message of a key.
func keyPress(name string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "tab": tea.KeyTab, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete}
	if code, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if name == "space" {
		return tea.KeyPressMsg{Code: ' ', Text: " "}
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(letter)[0], Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// frame returns the screen of the model as text.
func frame(m *model) string {
	m.draw()
	return m.term.screen.String()
}

func ptr[T any](v T) *T { return &v }

// pipeline returns a workfile of samples in the middle of a run, with finished, failed, running and waiting nodes.
func pipeline(samples int) api.Status {
	s := api.Status{Workfile: "/data/proj/pipeline.graphml", ActiveRuns: []string{"42"},
		Runs: []api.RunSummary{{Run: "42", Mode: "fresh", Started: noon.Add(-131 * time.Second)}}}
	add := func(name, command string, state api.State) *api.NodeStatus {
		s.Nodes = append(s.Nodes, api.NodeStatus{ID: "id-" + name, Name: name, Command: command, State: state, Run: "42"})
		n := &s.Nodes[len(s.Nodes)-1]
		switch state {
		case api.StateOK:
			n.Executions, n.Started, n.DurationMS = 1, ptr(noon.Add(-100*time.Second)), ptr(int64(9700))
		case api.StateFailed:
			n.Executions, n.Started, n.DurationMS = 1, ptr(noon.Add(-60*time.Second)), ptr(int64(800))
			n.Reason, n.ExitCode = api.ReasonExit, ptr(1)
		case api.StateRunning:
			n.Executions, n.Started = 1, ptr(noon.Add(-64*time.Second))
		}
		return n
	}
	edge := func(from, to string) {
		s.Edges = append(s.Edges, api.EdgeStatus{Key: len(s.Edges), Source: "id-" + from, Target: "id-" + to, Type: "blocking"})
	}
	add("fetch_ref", "curl -O ref.fa", api.StateOK)
	add("index_ref", "bwa index ref.fa", api.StateOK)
	edge("fetch_ref", "index_ref")
	for i := range samples {
		trim, align := api.StateOK, api.StateRunning
		if i == 1 {
			trim, align = api.StateFailed, api.StateBlocked
		}
		if i > 3 {
			align = api.StateQueued
		}
		for _, x := range []struct {
			step    string
			command string
			state   api.State
		}{{"fastqc", "fastqc raw/S%03d.fq", api.StateOK}, {"trim", "cutadapt -a adapters.fa raw/S%03d.fq", trim},
			{"align", "bwa mem ref.fa S%03d.fq", align}, {"sort", "samtools sort S%03d.sam", api.StateIdle}} {
			add(fmt.Sprintf("%s_S%03d", x.step, i), fmt.Sprintf(x.command, i), x.state)
		}
		edge("fetch_ref", fmt.Sprintf("fastqc_S%03d", i))
		edge("fetch_ref", fmt.Sprintf("trim_S%03d", i))
		edge("index_ref", fmt.Sprintf("align_S%03d", i))
		edge(fmt.Sprintf("trim_S%03d", i), fmt.Sprintf("align_S%03d", i))
		edge(fmt.Sprintf("align_S%03d", i), fmt.Sprintf("sort_S%03d", i))
	}
	add("report", "multiqc .", api.StateIdle)
	for i := range samples {
		edge(fmt.Sprintf("sort_S%03d", i), "report")
	}
	s.Runs[0].Nodes = len(s.Nodes)
	return s
}

// echoed contains outputs of nodes that all wrote the same text to standard output.
type echoed string

func (w echoed) LogInfo(_ context.Context, q client.LogQuery) (api.LogInfo, error) {
	return api.LogInfo{Node: q.Node, Run: "42", Execution: 1, Over: true, OutBytes: int64(len(w))}, nil
}

func (w echoed) Output(_ context.Context, _ client.LogQuery, stream string, offset int64, _ bool) (io.ReadCloser, error) {
	if stream != logview.Stdout {
		w = ""
	}
	return io.NopCloser(strings.NewReader(string(w[offset:]))), nil
}

// apart contains outputs of nodes that keep the streams apart, written between noon and a minute later.
type apart struct{ stdout, stderr string }

func (w apart) LogInfo(_ context.Context, q client.LogQuery) (api.LogInfo, error) {
	info := api.LogInfo{Node: q.Node, Run: "42", Execution: 1, Over: true, OutBytes: int64(len(w.stdout)), ErrBytes: int64(len(w.stderr))}
	if q.Times {
		half := int64(len(w.stdout) / 2)
		info.Times = &api.LogTimes{Known: true, Started: noon, Until: noon.Add(time.Minute), Marks: [][3]int64{{noon.Add(5 * time.Second).UnixMilli(), half, 0}}}
	}
	return info, nil
}

func (w apart) Output(_ context.Context, _ client.LogQuery, stream string, offset int64, _ bool) (io.ReadCloser, error) {
	text := w.stderr
	if stream == logview.Stdout {
		text = w.stdout
	}
	return io.NopCloser(strings.NewReader(text[offset:])), nil
}

// writeLog shows a text as the log of the selected node.
func writeLog(m *model, text string) { showOutputs(m, echoed(text)) }

// showOutputs shows outputs as the log of the selected node.
func showOutputs(m *model, outputs logview.Outputs) {
	t := m.side.target(&m.doc, m.page == logPage)
	if len(t.Nodes) == 0 {
		n := m.doc.selectedNode()
		t.Nodes, t.Names = []string{n.ID}, []string{n.Name}
	}
	cmd := m.side.log.Show(outputs, t)
	for cmd != nil {
		if _, cmd = m.side.log.Update(cmd().(logview.Message)); cmd == nil {
			cmd = m.side.log.More()
		}
	}
}

// TestScreenWithoutDaemon: The test checks the screen before the first answer of the daemon, and without an answer.
func TestScreenWithoutDaemon(t *testing.T) {
	m := newModel(Options{Path: "/data/x.graphml"})
	m.openFile("/data/x.graphml")
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if got := frame(m); !strings.Contains(got, "opening x.graphml") || !strings.Contains(got, "connecting") {
		t.Errorf("before the answer:\n%s", got)
	}
	m.Update(opened{asked: m.link, err: &api.Error{Message: "x.graphml is no workfile", Where: "x.graphml:3", Fix: "wf check x.graphml"}})
	if got := frame(m); !strings.Contains(got, "x.graphml is no workfile: x.graphml:3; wf check x.graphml") || !strings.Contains(got, "C tries again") {
		t.Errorf("after a refusal:\n%s", got)
	}
}

// TestBatchChangesTheScreen: A batch changes the screen, and only the latest event of a node counts.
func TestBatchChangesTheScreen(t *testing.T) {
	m := testModel(120, 30, pipeline(5))
	var b batch
	b.take(api.Frame{Events: []api.Event{
		{Type: api.NodeStarted, Run: "42", Node: "id-align_S004", Execution: 1, Time: noon},
		{Type: api.NodeFinished, Run: "42", Node: "id-align_S004", Execution: 1, Time: noon, DurationMS: ptr(int64(1500))},
		{Type: api.NodeSkipped, Run: "42", Node: "id-align_S002", Time: noon},
		{Type: api.NodeWaiting, Run: "42", Node: "id-sort_S003", Time: noon, Wait: &api.Wait{Kind: api.WaitApproval}},
		{Type: api.NodeWaiting, Run: "42", Node: "id-align_S003", Time: noon, Wait: &api.Wait{Kind: api.WaitRetry}},
		{Type: api.NodeFailed, Run: "42", Node: "id-align_S000", Execution: 2, Time: noon, Reason: api.ReasonSignal, Signal: "SIGKILL"},
	}})
	m.Update(news{m.link.feed, b})
	f := &m.doc.flow
	if n := f.Nodes[f.Index["id-align_S004"]]; n.State != api.StateOK || *n.DurationMS != 1500 || !n.Started.Equal(noon.Add(-1500*time.Millisecond)) {
		t.Errorf("align_S004 is %+v", n)
	}
	if n := f.Nodes[f.Index["id-align_S000"]]; detail(&n, noon) != "killed by SIGKILL (execution 2)" {
		t.Errorf("align_S000: %s", detail(&n, noon))
	}
	for id, want := range map[string]api.State{"id-sort_S000": api.StateBlocked, "id-align_S002": api.StateSkipped,
		"id-sort_S003": api.StateWaiting, "id-align_S003": api.StateRetrying, "id-sort_S002": api.StateIdle, "id-sort_S004": api.StateIdle} {
		if got := f.Nodes[f.Index[id]].State; got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	for _, e := range f.Edges {
		token := f.Nodes[e.From].Name == "align_S004" && f.Nodes[e.To].Name == "sort_S004"
		if e.Marked != token {
			t.Errorf("a token on %s -> %s: %v", f.Nodes[e.From].Name, f.Nodes[e.To].Name, e.Marked)
		}
	}
	m.Update(news{m.link.feed, batch{nodes: map[string]api.Event{"id-align_S000": {Type: api.NodeFailed, Run: "42", Node: "id-align_S000",
		Execution: 2, Time: noon, Handled: true}}}})
	if got := f.Nodes[f.Index["id-sort_S000"]].State; got != api.StateIdle {
		t.Errorf("behind a failure that was handled sort_S000 is %s", got)
	}
	m.Update(news{m.link.feed, batch{events: []api.Event{{Type: api.RunComplete, Run: "42", Result: api.ResFailed, Time: noon,
		Counts: &api.Counts{OK: 10, Failed: 2, Blocked: 3}, DurationMS: ptr(int64(131_000))}}}})
	if got := frame(m); !strings.Contains(got, "run 42 failed: 10 ok, 2 failed, 3 blocked in 2m11s") || m.doc.running() {
		t.Errorf("after the end:\n%s", got)
	}
	if l := m.left(); l.Run != "42" || l.Active {
		t.Errorf("left with %+v", l)
	}
}

func TestLeftDescribesTheWatchedRun(t *testing.T) {
	m := testModel(80, 24, pipeline(5))
	press(m, "q")
	if l := m.left(); !m.quitting || l != (Left{Path: m.opt.Path, Run: "42", Active: true, Done: 12, Of: 23}) {
		t.Errorf("left a run that goes on with %+v", l)
	}
	idle := pipeline(2)
	idle.Runs, idle.LastRun = nil, &api.RunSummary{Run: "41", Result: api.Succeeded}
	m = testModel(80, 24, idle)
	press(m, "ctrl+c")
	if l := m.left(); !m.quitting || l.Run != "" {
		t.Errorf("left a workfile in which nothing happened with %+v", l)
	}
}

// TestRunMenuOffersTheSelection: The run menu offers the selection, in the words of the command line.
func TestRunMenuOffersTheSelection(t *testing.T) {
	m := testModel(120, 30, pipeline(5))
	press(m, "n", "space", "n", "r")
	d := m.dialogs[0].(*dialog.Menu)
	var got []string
	for _, c := range d.Choices {
		got = append(got, c.Key+" "+c.Detail)
	}
	want := []string{"m wf run --nodes trim_S001 --file pipeline.graphml", "f wf resume --file pipeline.graphml",
		"s wf run --nodes trim_S001 --file pipeline.graphml", "d wf run --nodes trim_S001+ --file pipeline.graphml",
		"u wf run --nodes +trim_S001 --file pipeline.graphml", "a wf run --fresh --file pipeline.graphml", "p "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the menu offers\n%s", strings.Join(got, "\n"))
	}
}

func TestFilterLanguage(t *testing.T) {
	var f runview.Workfile
	status := pipeline(3)
	f.Apply(&status, nil, nil)
	for text, want := range map[string]string{
		"":                    "fetch_ref index_ref fastqc_S000 trim_S000 align_S000 sort_S000 fastqc_S001 trim_S001 align_S001 sort_S001 fastqc_S002 trim_S002 align_S002 sort_S002 report",
		"s:failed":            "trim_S001",
		"s:failed,blocked":    "trim_S001 align_S001 sort_S001 report",
		"trim !s:failed":      "trim_S000 trim_S002",
		"+align_S001":         "fetch_ref index_ref trim_S001 align_S001",
		"align_S001+":         "align_S001 sort_S001 report",
		"+align_S001+ !*_ref": "trim_S001 align_S001 sort_S001 report",
		"multi":               "report",
		"gn1":                 "align_S001",
		"dur>1m":              "align_S000 align_S002",
		"dur<1s":              "trim_S001",
		"nothing_like_it":     "",
		"sort_*,report":       "sort_S000 sort_S001 sort_S002 report",
	} {
		p := parseFilter(text)
		hidden := p.hide(&f, noon)
		var left []string
		for i := range f.Nodes {
			if hidden == nil || !hidden[i] {
				left = append(left, f.Nodes[i].Name)
			}
		}
		if got := strings.Join(left, " "); got != want {
			t.Errorf("%q leaves\n%s, want\n%s", text, got, want)
		}
	}
}

// TestStatesLookLikeOnTheCommandLine: A state has the same sign and word in a drawing as on the command line.
func TestStatesLookLikeOnTheCommandLine(t *testing.T) {
	for state, drawn := range drawStates {
		for _, ascii := range []bool{false, true} {
			if got, want := drawn.Glyph(ascii), words.LookOf(state).Sign(ascii); got != want {
				t.Errorf("%s is drawn as %q, and %q elsewhere", state, got, want)
			}
		}
		if drawn.String() != string(state) {
			t.Errorf("%s is called %s in drawings", state, drawn)
		}
	}
}

// TestLongErrorStaysUntilClosed: An error that is longer than the last row stays until the user closes it with one of
// the usual keys.
func TestLongErrorStaysUntilClosed(t *testing.T) {
	for _, key := range []string{"enter", "esc", "q"} {
		m := testModel(80, 24, pipeline(2))
		m.fail(errors.New(strings.Repeat("a long reason ", 20)))
		if got := frame(m); !strings.Contains(got, "That did not work") {
			t.Errorf("a long error is not shown:\n%s", got)
		}
		if press(m, key); len(m.dialogs) != 0 {
			t.Errorf("%s does not close it", key)
		}
	}
}
