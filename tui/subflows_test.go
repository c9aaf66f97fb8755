package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/dialog"
	"wf/tui/drawing"
)

// flowModel returns a model of the workfile with control flow, in the list view.
func flowModel(instances int) *model {
	m := testModel(100, 40, controlled(instances))
	m.doc.picture.view, m.doc.picture.chosen = drawing.List, true
	m.refresh()
	return m
}

// rowNames returns the names of the rows below nodes, in order.
func rowNames(m *model) string {
	var names []string
	for _, r := range m.doc.picture.graph.Rows {
		names = append(names, r.Name)
	}
	return strings.Join(names, ",")
}

// TestFoldedSubFlowShowsFailuresAndQuestions: A folded sub-flow shows failures and questions in its instances, and
// its sign reports them.
func TestFoldedSubFlowShowsFailuresAndQuestions(t *testing.T) {
	m := flowModel(6)
	if got := rowNames(m); got != "each[2],each[4]" {
		t.Errorf("folded: %s", got)
	}
	if got := m.doc.picture.graph.Nodes[1].State; got != drawing.Failed {
		t.Errorf("a sub-flow with a failure in it looks %v", got)
	}
	m.doc.flow.Nodes[1].Instances = &api.Instances{Begun: 2, Counts: api.Counts{Running: 1, Waiting: 1}}
	m.refresh()
	if got := m.doc.picture.graph.Nodes[1].State; got != drawing.Waiting {
		t.Errorf("a sub-flow with a question in it looks %v", got)
	}
}

// TestEnterOpensSubFlowAndInstance: Failures come first, then questions, then running instances. The selection stays
// while rows change. Log and inspector show the instance.
func TestEnterOpensSubFlowAndInstance(t *testing.T) {
	m := flowModel(6)
	m.doc.picture.goTo(1)
	press(m, "enter")
	answered(m)
	if got := rowNames(m); got != "t  trim $WF_ITEM,u  upload $WF_ITEM,each[2],each[4],each[5],each[0],each[1],each[3]" {
		t.Fatalf("opened: %s", got)
	}
	press(m, "down", "down", "down", "enter")
	answered(m)
	press(m, "down")
	if n := m.doc.selectedNode(); n == nil || n.ID != "each[2]/t" {
		t.Fatalf("selected %v", n)
	}
	if got := m.side.target(&m.doc, m.page == logPage); strings.Join(got.Nodes, " ") != "each[2]/t" {
		t.Errorf("the log is of %v", got.Nodes)
	}
	if n := m.doc.editedNode(); n == nil || n.ID != "id-t" {
		t.Errorf("edited would be %v", n)
	}
	if got := m.equivalent(); !strings.Contains(got, "attach 42") {
		t.Errorf("the command is %s", got)
	}
	press(m, "i")
	if got := m.equivalent(); !strings.Contains(got, "wf why 'each[2]/t'") {
		t.Errorf("the command of the inspector is %s", got)
	}
	m.doc.flow.Nodes[1].Instances = &api.Instances{Begun: 6, Total: 10, Counts: api.Counts{OK: 6}} // the failure has been repeated
	m.refresh()
	if n := m.doc.selectedNode(); n == nil || n.ID != "each[2]/t" {
		t.Errorf("after a change %v is selected", n)
	}
	m.doc.picture.goTo(1)
	press(m, "enter")
	if got := rowNames(m); got != "" {
		t.Errorf("closed: %s", got)
	}
	if len(m.doc.picture.pages) != 0 {
		t.Errorf("%d pages are kept of what is closed", len(m.doc.picture.pages))
	}
}

// TestOnlyTheVisiblePageOfInstancesIsLoaded: Of ten thousand instances only the visible page is in memory.
func TestOnlyTheVisiblePageOfInstancesIsLoaded(t *testing.T) {
	m := flowModel(10_000)
	m.doc.picture.goTo(1)
	press(m, "enter")
	answered(m)
	most := pageSize + 2*urgentRows + 4
	for _, at := range []string{"9999", "0", "5000"} {
		press(m, "#")
		for _, digit := range at {
			press(m, string(digit))
		}
		press(m, "enter")
		answered(m)
		if in := m.doc.picture.innerOf(); in == nil || in.path != "each["+at+"]" {
			t.Errorf("at %s: selected %+v", at, in)
		}
		if rows := len(m.doc.picture.graph.Rows); rows > most {
			t.Errorf("at %s there are %d rows", at, rows)
		}
		if nodes := len(m.doc.picture.page("each").nodes); nodes > pageSize {
			t.Errorf("at %s %d instances are kept", at, nodes)
		}
	}
	press(m, "#", "x", "enter")
	if !m.toast.bad {
		t.Error("an instance of no number is no mistake")
	}
}

// TestEventsOfInstancesUseBoundedMemory: Any number of events of instances only marks their sub-flow as changed.
// Events about questions are kept.
func TestEventsOfInstancesUseBoundedMemory(t *testing.T) {
	var b batch
	var f api.Frame
	for k := range 10_000 {
		f.Events = append(f.Events, api.Event{Type: api.NodeStarted, Node: fmt.Sprintf("each[%d]/t", k), Run: "42"})
	}
	b.take(f)
	if len(b.nodes) != 0 || len(b.inner) != 1 || !b.inner["each"] || b.asks {
		t.Errorf("%d nodes, sub-flows %v, asks %v", len(b.nodes), b.inner, b.asks)
	}
	b.take(api.Frame{Events: []api.Event{{Type: api.NodeWaiting, Node: "each[3]/t", Wait: &api.Wait{Kind: api.WaitApproval}},
		{Type: api.NodeDecided, Node: "each[3]/t", Decision: &api.DecisionMade{Approved: true, By: "ann"}}}})
	if !b.asks || len(b.answers) != 1 || b.empty() {
		t.Errorf("asks %v, answers %v", b.asks, b.answers)
	}
	m := flowModel(6)
	m.Update(news{m.link.feed, b})
	if !m.inquirer.subFlows["each"] || !m.inquirer.approvals || m.inquirer.decided["each[3]/t"] != 1 {
		t.Errorf("to be asked: %+v", m.inquirer)
	}
}

// TestControlFlowEventsChangeTheDrawing: Events about skipped, waiting, repeated, handled and not executed nodes are
// shown.
func TestControlFlowEventsChangeTheDrawing(t *testing.T) {
	m := flowModel(6)
	var b batch
	until := noon.Add(90 * time.Second)
	b.take(api.Frame{Events: []api.Event{
		{Type: api.NodeFailed, Node: "id-tidy", Run: "42", Time: noon, Reason: api.ReasonSignal, Signal: "SIGKILL", Execution: 1},
		{Type: api.NodeWaiting, Node: "id-tidy", Run: "42", Time: noon, Wait: &api.Wait{Kind: api.WaitRetry, Until: &until}},
		{Type: api.NodeSkipped, Node: "id-done", Run: "42", Time: noon},
		{Type: api.NodeWaiting, Node: "id-large", Run: "42", Time: noon, Wait: &api.Wait{Kind: api.WaitTime, Until: &until}},
		{Type: api.NodeWaiting, Node: "id-flaky", Run: "42", Time: noon, Wait: &api.Wait{Kind: api.WaitRetry, Until: &until}},
		{Type: api.NodeFailed, Node: "id-rescue", Run: "42", Time: noon, Reason: api.ReasonExit, ExitCode: ptr(4), Handled: true},
		{Type: api.NodeFinished, Node: "id-sign", Run: "42", Time: noon, DurationMS: ptr(int64(0)), Mocked: true},
	}})
	m.Update(news{m.link.feed, b})
	for id, want := range map[string]string{"id-done": "skipped", "id-tidy": "killed by SIGKILL, again in 1m30s", "id-large": "waits 1m30s", "id-flaky": "exit 7, again in 1m30s (attempt 2)",
		"id-rescue": "exit 4, handled", "id-sign": "0.0s not executed"} {
		if got := detail(&m.doc.flow.Nodes[m.doc.flow.Index[id]], noon); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	for e, want := range map[[2]string]string{{"large", "sign"}: "", {"sign", "done"}: "dead", {"bad", "rescue"}: "taken", {"prep", "small"}: "dead"} {
		i := m.doc.flow.Between(m.doc.flow.Index["id-"+e[0]], m.doc.flow.Index["id-"+e[1]])
		got := map[[2]bool]string{{true, false}: "taken", {false, true}: "dead"}[[2]bool{m.doc.flow.Edges[i].Taken, m.doc.flow.Edges[i].Dead}]
		if e == [2]string{"sign", "done"} {
			want = "taken" // it has succeeded; that its target was skipped all the same is the daemon's to know
		}
		if got != want {
			t.Errorf("%v is %q, want %q", e, got, want)
		}
	}
}

// TestClockTicksEverySecondOnlyForCountdowns: While nodes wait only for people, the clock does not tick every second.
// A visible countdown makes it tick.
func TestClockTicksEverySecondOnlyForCountdowns(t *testing.T) {
	s := controlled(6)
	for i := range s.Nodes {
		if s.Nodes[i].State == api.StateRunning || s.Nodes[i].State == api.StateQueued {
			s.Nodes[i].State = api.StateOK
		}
		s.Nodes[i].Wait = nil
		if in := s.Nodes[i].Instances; in != nil {
			in.Nodes = api.Counts{OK: in.Nodes.Total()}
		}
	}
	m := testModel(100, 30, s)
	if !m.doc.idles(m.page) {
		t.Error("it ticks for people")
	}
	m.doc.flow.Nodes[m.doc.flow.Index["id-sign"]].Wait = &api.Wait{Kind: api.WaitTime, Until: ptr(noon.Add(time.Hour))}
	m.View()
	if m.doc.idles(m.page) {
		t.Error("it does not tick for a countdown in sight")
	}
	m.page = helpPage
	if !m.doc.idles(m.page) {
		t.Error("it ticks for a countdown out of sight")
	}
}

// TestParameterFormSendsTypedValues: The form sends the typed values, cycles through choices, and stays open while a
// value is wrong.
func TestParameterFormSendsTypedValues(t *testing.T) {
	m := flowModel(6)
	refusal := &api.Error{Problems: []api.ParamProblem{{Param: "jobs", Reason: "is too large"}}}
	if got := paramProblems(refusal); len(got) != 1 || paramProblems(errors.New("another")) != nil {
		t.Errorf("problems %v", got)
	}
	d := newParamForm(&m.doc, api.RunRequest{}, api.ParamList{Params: someParams()}, map[string]any{"jobs": float64(5)})
	m.open(d)
	press(m, "ctrl+n", "ctrl+n", "tab", "backspace", "7", "tab", "ctrl+n")
	got := d.values()
	if got["env"] != "prod" || got["jobs"] != "7" || got["dry"] != "false" {
		t.Errorf("values %v", got)
	}
	d.take(refusal.Problems)
	d.firstWrong()
	if !strings.Contains(frame(m), "is too large") || d.at != 1 {
		t.Errorf("with a problem:\n%s", frame(m))
	}
	if press(m, "8"); d.problems["jobs"] != "" {
		t.Error("a problem stays while it is mended")
	}
}

// TestDeciderReadsOneValuePerLine: This holds for typed and for pasted values.
func TestDeciderReadsOneValuePerLine(t *testing.T) {
	m := flowModel(6)
	m.inbox.own, _ = asked()
	press(m, "A", "y")
	d := m.dialogs[0].(*approvalForm)
	m.Update(tea.PasteMsg{Content: "who=ann\nwindow=14:00\n"})
	_, values, err := d.given()
	if err != nil || values["who"] != "ann" || values["window"] != "14:00" || len(values) != 2 {
		t.Errorf("values %v, %v", values, err)
	}
	m.Update(tea.PasteMsg{Content: strings.Repeat("x=1\n", 10_000)})
	if len(d.values) > mostValues {
		t.Errorf("%d lines", len(d.values))
	}
	m.View()
}

// TestDeciderListsTheRequestedFields: The requested values are listed, and empty ones are not sent.
func TestDeciderListsTheRequestedFields(t *testing.T) {
	m := flowModel(6)
	m.inbox.own, _ = asked()
	m.inbox.own[0].Fields = someFields()
	press(m, "A", "y")
	d := m.dialogs[0].(*approvalForm)
	if _, values, err := d.given(); err != nil || len(values) != 1 || values["tries"] != "3" {
		t.Errorf("values %v, %v", values, err)
	}
	press(m, "p", "m")
	if _, values, err := d.given(); err != nil || values["window"] != "pm" {
		t.Errorf("values %v, %v", values, err)
	}
	if !strings.Contains(frame(m), "window: when (string, required): am, pm") {
		t.Errorf("the form does not say what it asks for:\n%s", frame(m))
	}
}

// TestApprovalNeedsAnOutcomeThatAnEdgeHas: The form refuses other cases, and no case at all, before anything is sent.
func TestApprovalNeedsAnOutcomeThatAnEdgeHas(t *testing.T) {
	m := flowModel(6)
	m.inbox.own, _ = asked()
	m.inbox.own[0].NeedsCase = true
	m.inbox.own[0].Choices = []api.ApprovalChoice{{Case: "go", Leads: []string{"deploy"}}, {Case: "revise", Leads: []string{"draft"}}}
	press(m, "A", "y")
	d := m.dialogs[0].(*approvalForm)
	if got := d.send(); got != nil || !strings.Contains(d.problem, "needs a choice: one of go, revise") {
		t.Errorf("%v, problem %q", got, d.problem)
	}
	d.values[0] = dialog.NewLine("case=revize")
	if got := d.send(); got != nil || !strings.Contains(d.problem, `no edge waits for the case "revize": it is one of go, revise`) {
		t.Errorf("%v, problem %q", got, d.problem)
	}
	press(m, "2")
	if got, ok := d.send().(decide); !ok || got.decision.Values["case"] != "revise" {
		t.Errorf("%v, problem %q", got, d.problem)
	}
}

// TestAnswerNamesWhatItStarts: Enter at a node that waits lists the answers with what each leads to.
func TestAnswerNamesWhatItStarts(t *testing.T) {
	m := flowModel(6)
	m.inbox.own, _ = asked()
	m.doc.picture.goTo(m.doc.flow.Index["id-sign"])
	press(m, "enter")
	if screen := frame(m); !strings.Contains(screen, "approve: its command runs, then leads to done") || !strings.Contains(screen, "reject: the node fails") {
		t.Error(screen)
	}
	press(m, "esc")
	m.inbox.own[0].NeedsCase, m.inbox.own[0].Choices = true, []api.ApprovalChoice{{Case: "go", Leads: []string{"deploy"}}}
	press(m, "enter", "1")
	if d, ok := m.dialogs[0].(*approvalForm); !ok || d.chosen != 0 {
		t.Errorf("%#v", m.dialogs)
	}
}

// TestMockOfReadsTheResult: mockOf reads the result of a node that is not executed.
func TestMockOfReadsTheResult(t *testing.T) {
	for text, want := range map[string]string{"exit:3": "3 map[]", `{"a": 1}`: "0 map[a:1]", "exit:300": "error", "3": "error", "null": "error"} {
		mock, err := mockOf("a", text)
		got := fmt.Sprint(mock.Exit, " ", mock.Outputs)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestInquiriesAreLimited: There is one inquiry at a time, at most one every askTime, and none while everything is up
// to date.
func TestInquiriesAreLimited(t *testing.T) {
	m := flowModel(6)
	m.link.ws = &client.Workspace{}
	m.inquirer = inquirer{}
	if m.inquire() != nil {
		t.Error("it asks without a reason")
	}
	m.inquirer.touch("each")
	if m.inquire() == nil || !m.inquirer.busy || len(m.inquirer.subFlows) != 0 {
		t.Errorf("it does not ask: %+v", m.inquirer)
	}
	m.inquirer.touch("each")
	if m.inquire() != nil {
		t.Error("it asks twice at the same time")
	}
	m.inquirer.busy = false
	if m.inquire() == nil || m.inquirer.busy || !m.inquirer.waits {
		t.Errorf("it asks again at once: %+v", m.inquirer)
	}
	m.inquirer.waits, m.now = false, m.now.Add(askTime)
	if m.inquire() == nil || !m.inquirer.busy {
		t.Errorf("it does not ask again in time: %+v", m.inquirer)
	}
	m.inquirer.busy = false
	m.doc.picture.expanded[openKey("each")] = true
	if m.inquire() == nil || !m.inquirer.busy {
		t.Error("what is opened has to wait")
	}
}

// TestEarlierRunHasInstancesAndFiredEdges: An earlier run has its instances, including those of nested sub-flows, and
// its fired edges.
func TestEarlierRunHasInstancesAndFiredEdges(t *testing.T) {
	m := flowModel(6)
	run := func(path string, ok bool) api.Execution {
		x := api.Execution{Node: path, Execution: 1, OK: ok, Over: true, DurationMS: ptr(int64(100))}
		if !ok {
			x.Reason, x.ExitCode = api.ReasonExit, ptr(2)
		}
		return x
	}
	d := api.RunDetail{RunSummary: api.RunSummary{Run: "41", Result: api.ResFailed, Nodes: 12, Counts: api.Counts{Skipped: 9}}, Execs: []api.Execution{
		run("id-prep", true), run("each[0]/t", true), run("each[0]/u", true), run("each[1]/t", true), run("each[1]/in[0]/x", false)},
		Left: []api.NodeStatus{{ID: "each[1]/u", State: api.StateIdle}, {ID: "id-done", State: api.StateIdle}}}
	m.doc.earlier = &earlierRun{run: "41", detail: d, flow: runview.LeftBy(&m.doc.flow, d)}
	m.doc.earlier.flow.Structure++
	m.refresh()
	m.doc.picture.goTo(1)
	press(m, "enter", "down", "down", "down", "enter")
	if got := rowNames(m); got != "t  trim $WF_ITEM,u  upload $WF_ITEM,each[1],t,in[0]/x,u,each[0]" {
		t.Errorf("rows %s", got)
	}
	press(m, "down", "down")
	if got := m.side.target(&m.doc, m.page == logPage); strings.Join(got.Nodes, " ") != "each[1]/in[0]/x" || got.Run != "41" {
		t.Errorf("the log is of %v in run %s", got.Nodes, got.Run)
	}
	f := &m.doc.earlier.flow
	if e := f.Edges[f.Between(0, f.Index["id-small"])]; !e.Dead {
		t.Error("the edge that was not taken looks like another")
	}
	if n := f.Nodes[f.Index["id-done"]]; n.State != api.StateBlocked || f.Nodes[f.Index["id-small"]].State != api.StateSkipped {
		t.Errorf("done is %s, small %s", n.State, f.Nodes[f.Index["id-small"]].State)
	}
	if e := m.doc.flow.Edges[m.doc.flow.Between(0, m.doc.flow.Index["id-large"])]; !e.Taken {
		t.Error("looking at a past run has changed the one of now")
	}
}

// TestNextFailureVisitsNodesAndRows: The key n visits failed nodes, and failed rows of a sub-flow.
func TestNextFailureVisitsNodesAndRows(t *testing.T) {
	m := flowModel(6)
	var went []string
	for _, key := range []string{"n", "n", "n", "n", "N"} {
		press(m, key)
		went = append(went, m.doc.picture.layout.Name(m.doc.picture.selected))
	}
	if got := strings.Join(went, " "); got != "each each[2] bad each bad" {
		t.Errorf("folded: %s", got)
	}
	m.doc.picture.goTo(1)
	press(m, "enter")
	m.doc.picture.expanded[openKey("each[2]")] = true
	answered(m)
	press(m, "n")
	if n := m.doc.selectedNode(); n == nil || n.ID != "each[2]/t" {
		t.Errorf("opened: %v", n)
	}
}

// TestRunMenuRepeatsAnInstance: The run menu of an instance repeats it and offers nothing for its neighbours.
func TestRunMenuRepeatsAnInstance(t *testing.T) {
	m := flowModel(6)
	m.doc.picture.goTo(1)
	press(m, "enter")
	answered(m)
	press(m, "down", "down", "down", "r")
	var got []string
	for _, c := range m.dialogs[0].(*dialog.Menu).Choices {
		got = append(got, c.Key+" "+c.Detail)
	}
	want := []string{"f wf resume --file pipeline.graphml", "s wf run --nodes 'each[2]' --file pipeline.graphml", "a wf run --fresh --file pipeline.graphml", "p "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the menu offers\n%s", strings.Join(got, "\n"))
	}
}

// TestNextFailureVisitsAllPages: The key n visits every failed instance, page by page, then the failures after the
// sub-flow. Failed instances come first.
func TestNextFailureVisitsAllPages(t *testing.T) {
	m := flowModel(500)
	each := &m.doc.flow.Nodes[1]
	each.Instances.Failed = nil
	for k := 3; len(each.Instances.Failed) < 69; k += 7 {
		each.Instances.Failed = append(each.Instances.Failed, k)
	}
	each.Instances.Notable, each.Instances.Counts = nil, api.Counts{OK: 431, Failed: 69}
	m.doc.picture.goTo(1)
	press(m, "enter")
	answered(m)
	var went []string
	for range 70 {
		press(m, "n")
		m.refresh()
		answered(m)
		m.refresh()
		went = append(went, strings.Fields(m.doc.picture.layout.Name(m.doc.picture.selected))[0])
	}
	var want []string
	for _, k := range each.Instances.Failed {
		want = append(want, fmt.Sprintf("each[%d]", k))
	}
	if want = append(want, "bad"); !slices.Equal(went, want) {
		t.Errorf("went to %s", strings.Join(went, " "))
	}
}

// TestEachInstanceHasOnePlace: Failed instances have the first places.
func TestEachInstanceHasOnePlace(t *testing.T) {
	o := instanceOrder{&api.Instances{Begun: 12, Failed: []int{0, 1, 5, 11}}}
	var numbers []int
	for place := range 12 {
		k := o.number(place)
		if numbers = append(numbers, k); o.place(k) != place {
			t.Errorf("instance %d has place %d, not %d", k, o.place(k), place)
		}
	}
	if got := fmt.Sprint(numbers, o.selectors("x", 2, 6)); got != "[0 1 5 11 2 3 4 6 7 8 9 10] [x[2-5] x[11-11]]" {
		t.Errorf("got %s", got)
	}
}
