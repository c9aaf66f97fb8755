package tui

import (
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/tui/drawing"
)

// controlled is a workfile of every kind of control flow in the middle of a run: a choice, a handled failure,
// what waits for people and moments, and a sub-flow of so many instances.
func controlled(instances int) api.Status {
	s := api.Status{Workfile: "/data/proj/pipeline.graphml", ActiveRuns: []string{"42"},
		Runs: []api.RunSummary{{Run: "42", Mode: "fresh", Started: noon.Add(-131 * time.Second)}}}
	add := func(name, command string, state api.State) *api.NodeStatus {
		s.Nodes = append(s.Nodes, api.NodeStatus{ID: "id-" + name, Name: name, Command: command, State: state, Run: "42"})
		n := &s.Nodes[len(s.Nodes)-1]
		if state == api.StateOK || state == api.StateFailed {
			n.Executions, n.Started, n.DurationMS = 1, ptr(noon.Add(-100*time.Second)), ptr(int64(9700))
		}
		return n
	}
	edge := func(from, to, when string, taken, dead bool) {
		s.Edges = append(s.Edges, api.EdgeStatus{Key: len(s.Edges), Source: "id-" + from, Target: "id-" + to, Type: "blocking", When: when, Taken: taken, Dead: dead})
	}
	add("prep", "./prepare", api.StateOK)
	each := add("each", "", api.StateRunning)
	each.Container, each.SubFlow, each.Started = true, "foreach", ptr(noon.Add(-90*time.Second))
	each.Instances = &api.Instances{Begun: instances, Total: instances + 4, Counts: api.Counts{OK: instances - 3, Failed: 1, Running: 1, Waiting: 1}, Failed: []int{2},
		Nodes: api.Counts{OK: instances - 3, Failed: 1, Running: 1, Waiting: 1, Idle: 4},
		Notable: []api.InstanceStatus{
			{Path: "each[2]", Item: "S002", State: api.StateFailed, Counts: api.Counts{Failed: 1, Idle: 1}},
			{Path: "each[4]", Item: "S004", State: api.StateWaiting, Counts: api.Counts{OK: 1, Waiting: 1}},
			{Path: "each[5]", Item: "S005", State: api.StateRunning, Counts: api.Counts{Running: 1, Idle: 1}}}}
	for _, name := range []string{"t", "u"} {
		n := add(name, map[string]string{"t": "trim $WF_ITEM", "u": "upload $WF_ITEM"}[name], api.StateIdle)
		n.Parent, n.Run = "id-each", ""
	}
	add("large", "./large", api.StateOK)
	add("small", "./small", api.StateSkipped)
	add("tidy", "./tidy", api.StateSkipped)
	flaky := add("flaky", "curl -O http://x/y", api.StateRetrying)
	flaky.Executions, flaky.Attempt, flaky.Reason, flaky.ExitCode = 1, 1, api.ReasonExit, ptr(7)
	flaky.Wait = &api.Wait{Kind: api.WaitRetry, Until: ptr(noon.Add(14 * time.Second))}
	sign := add("sign", "./publish", api.StateWaiting)
	sign.Wait = &api.Wait{Kind: api.WaitApproval, Text: "Publish S001 to S831?", Until: ptr(noon.Add(2 * time.Hour))}
	bad := add("bad", "./optional", api.StateFailed)
	bad.Reason, bad.ExitCode, bad.Handled = api.ReasonExit, ptr(3), true
	add("rescue", "./rescue", api.StateOK)
	add("done", "./report", api.StateIdle)
	edge("prep", "each", "", true, false)
	edge("prep", "large", "case:large", true, false)
	edge("prep", "small", "case:small", false, true)
	edge("small", "tidy", "", false, true)
	edge("prep", "flaky", "", true, false)
	edge("prep", "bad", "", true, false)
	edge("bad", "rescue", "failure", true, false)
	edge("large", "sign", "", true, false)
	edge("each", "done", "done", false, false)
	edge("sign", "done", "", false, false)
	edge("t", "u", "", false, false)
	s.Runs[0].Nodes = len(s.Nodes)
	return s
}

// member returns a node of an instance as in an answer of the daemon.
func member(path string, state api.State) api.NodeStatus {
	n := api.NodeStatus{ID: path, Name: path, Command: "trim $WF_ITEM", State: state, Run: "42"}
	switch state {
	case api.StateFailed:
		n.Executions, n.Reason, n.ExitCode, n.DurationMS = 1, api.ReasonExit, ptr(1), ptr(int64(800))
	case api.StateOK:
		n.Executions, n.DurationMS = 1, ptr(int64(2100))
	case api.StateWaiting:
		n.Wait = &api.Wait{Kind: api.WaitApproval, Text: "Upload S004?"}
	}
	return n
}

// answered delivers the answer about a page of instances.
func answered(m *model) {
	m.refresh()
	got := inquiryResult{pages: map[innerKey][]api.NodeStatus{}}
	for _, in := range m.doc.picture.openPaths(&m.doc.flow) {
		key := innerKey{in.kind, in.path, strings.Join(in.selectors, "\n")}
		for k := in.first; in.kind == aPage && k < in.first+pageSize; k++ {
			state := api.StateOK
			if k == 2 {
				state = api.StateFailed
			}
			got.pages[key] = append(got.pages[key], member(fmt.Sprintf("each[%d]/t", k), state), member(fmt.Sprintf("each[%d]/u", k), api.StateOK))
		}
		switch in.path {
		case "each[2]":
			got.pages[key] = []api.NodeStatus{member("each[2]/t", api.StateFailed), member("each[2]/u", api.StateIdle)}
		case "each[4]":
			got.pages[key] = []api.NodeStatus{member("each[4]/t", api.StateOK), member("each[4]/u", api.StateWaiting)}
		}
	}
	m.doc.applyInquiry(got)
	m.refresh()
}

// asked returns approvals of two workfiles.
func asked() (own, others []api.Approval) {
	own = []api.Approval{
		{Run: "42", Node: "id-sign", Name: "sign", Text: "Publish S001 to S831?\nLook at ./out first.", Since: noon.Add(-3 * time.Minute), Until: ptr(noon.Add(2 * time.Hour)),
			Default: "reject", Workfile: "/data/proj/pipeline.graphml"},
		{Run: "42", Node: "each[4]/u", Name: "each[4]/u", Text: "Upload S004?", Since: noon.Add(-20 * time.Second), Workfile: "/data/proj/pipeline.graphml"}}
	return own, []api.Approval{{Run: "7", Node: "x", Name: "deploy_prod", Text: "Deploy?", Since: noon.Add(-26 * time.Hour), Workfile: "/data/other/Workfile"}}
}

// flowShots returns the screens of control flow.
func flowShots() (shots []shot) {
	instances := 6
	show := func(title string, prepare func(m *model)) {
		size := instances
		shots = append(shots, shot{title, func(width, height int, ascii bool) *model {
			m := testModel(width, height, controlled(size))
			m.opt.ASCII = ascii
			m.doc.picture.view, m.doc.picture.chosen = drawing.List, true
			m.inbox.own, m.inbox.others = asked()
			m.refresh()
			prepare(m)
			m.refresh()
			return m
		}})
	}
	open := func(m *model, view drawing.View) {
		m.doc.picture.view = view
		m.refresh()
		m.doc.picture.goTo(1)
		press(m, "enter")
		m.doc.picture.expanded[openKey("each[2]")] = true
		answered(m)
	}
	for _, view := range []drawing.View{drawing.Chart, drawing.List} {
		show("folded: "+view.String(), func(m *model) { m.doc.picture.view = view })
		show("open: "+view.String(), func(m *model) {
			open(m, view)
			press(m, "down", "down", "down", "down")
		})
	}
	show("boxes", func(m *model) { m.doc.picture.view, m.doc.picture.zoom = drawing.Chart, drawing.Cards })
	instances = 10_000
	show("ten thousand instances", func(m *model) { open(m, drawing.List) })
	show("ten thousand instances, further on", func(m *model) {
		open(m, drawing.List)
		press(m, "G", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up")
		for range 3 {
			m.doc.picture.page("each").first += pageSize
			answered(m)
		}
	})
	instances = 6
	show("inspector of a node of an instance", func(m *model) {
		open(m, drawing.List)
		m.doc.picture.openTo("each[2]/t")
		m.refresh()
		m.side.inspect, m.panes.active = true, sidePane
		m.side.why.text, m.side.why.outputs = []string{"It failed: its command ended with exit code 1."}, map[string]any{"score": 0.9, "case": "large"}
	})
	show("inspector of what has been decided", func(m *model) {
		m.doc.picture.goTo(8)
		m.side.inspect, m.panes.active = true, sidePane
		m.side.why.text = append(m.side.why.text, `It was approved by ann at 2026-11-22 12:00:00: "as agreed", window=14:00.`)
	})
	show("nodes at an engine", func(m *model) {
		atEngine(m, 0)
		m.doc.picture.view = drawing.List
		m.side.inspect, m.panes.active = true, sidePane
		m.side.why.text = []string{"It waits at its executor (hpc, job 4711): PENDING: Priority, position 12, expected 14:05."}
	})
	dialogShots(show)
	return shots
}

// atEngine delivers news of an engine: a node waits there, the next one runs, and the one after it ran out of memory.
func atEngine(m *model, first int) {
	job := api.EngineJob{Executor: "hpc", ID: "4711", State: "PENDING", Why: "Priority, position 12, expected 14:05"}
	running := api.EngineJob{Executor: "hpc", ID: "4712", State: "SUSPENDED", Host: "n17"}
	over := api.EngineJob{Executor: "hpc", ID: "4713", Host: "n18"}
	events := map[string]api.Event{}
	for i, ev := range []api.Event{{Type: api.NodeReady, Engine: &job}, {Type: api.NodeStarted, PID: 7, Engine: &running},
		{Type: api.NodeFailed, Reason: api.ReasonMemory, Signal: "SIGKILL", DurationMS: ptr(int64(65_000)), Engine: &over, PeakBytes: 3 << 29}} {
		n := m.doc.flow.Nodes[first+i*2]
		ev.Node, ev.Name, ev.Run, ev.Time = n.ID, n.Name, "42", noon.Add(-time.Minute)
		events[n.ID] = ev
	}
	m.doc.flow.Apply(nil, nil, events)
	m.refresh()
	m.doc.picture.goTo(first)
}

// dialogShots shows the inbox and the dialogs.
func dialogShots(show func(string, func(*model))) {
	show("inbox", func(m *model) { press(m, "A") })
	show("inbox: marked", func(m *model) { press(m, "A", "space", "space") })
	show("approve", func(m *model) { press(m, "A", "y", "w", "h", "o", "=", "a", "tab", "tab", "o", "k") })
	show("approve: a mistake", func(m *model) { press(m, "A", "y", "w", "enter") })
	show("approve: a choice", func(m *model) {
		m.inbox.own[0].Choices = []api.ApprovalChoice{{Case: "go", Leads: []string{"deploy", "notify"}}, {Case: "revise", Leads: []string{"draft"}}}
		m.inbox.own[0].Before = []api.NodeOutputs{{Node: "test", Outputs: map[string]any{"passed": "311", "failed": "0"}}}
		press(m, "A", "y", "2")
	})
	show("approve: fields", func(m *model) {
		m.inbox.own[0].Fields = someFields()
		press(m, "A", "y", "p", "m")
	})
	show("reject", func(m *model) { press(m, "A", "x", "n", "o", "enter") })
	show("answer in the drawing", func(m *model) { m.doc.picture.goTo(8); press(m, "enter") })
	show("parameters", func(m *model) {
		d := newParamForm(&m.doc, api.RunRequest{}, api.ParamList{Params: someParams()}, nil)
		d.take([]api.ParamProblem{{Param: "jobs", Reason: "12 is more than 9"}})
		m.open(d)
		press(m, "ctrl+n")
	})
	show("parameters: a secret", func(m *model) {
		d := newParamForm(&m.doc, api.RunRequest{}, api.ParamList{Params: []api.Param{{Name: "token", Type: "secret", Required: true, DefaultEnv: "API_TOKEN", EnvValue: "***"}, {Name: "in", Type: "path", MustExist: true, DefaultEnv: "IN", EnvValue: "a.csv", Default: "b.csv"}}}, map[string]any{"token": "***"})
		m.open(d)
		press(m, "k", "e", "y")
	})
	show("a part of a run", func(m *model) { m.doc.picture.goTo(4); press(m, "space", "r", "p") })
	show("made-up end", func(m *model) { m.doc.picture.goTo(4); press(m, "r", "p", "o") })
	show("conditions", func(m *model) { m.doc.picture.goTo(0); press(m, "b") })
	show("condition", func(m *model) { m.doc.picture.goTo(0); press(m, "b", "2") })
	show("form of a sub-flow", func(m *model) {
		d := newForm(api.NodeStatus{ID: "id-each", Name: "each", Container: true, SubFlow: "foreach", Attrs: map[string]string{"foreach": `["a","b"]`, "parallel": "x"}})
		d.at, d.problem = 5, `saved, but parallel is "x": must be a whole number`
		m.open(d)
	})
}

// someFields returns values that an approval requests.
func someFields() []api.Param {
	return []api.Param{{Name: "window", Type: "string", Required: true, Choices: []string{"am", "pm"}, Help: "when"}, {Name: "tries", Type: "int", Default: float64(3)}}
}

// someParams returns parameters of several types.
func someParams() []api.Param {
	return []api.Param{{Name: "env", Type: "string", Required: true, Choices: []string{"test", "prod"}, Help: "where to"},
		{Name: "jobs", Type: "int", Default: float64(3), Min: ptr(1.0), Max: ptr(9.0)}, {Name: "dry", Type: "bool", Default: true}}
}
