package workspace

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/graph"
)

// nodeHookBed is a testbed whose workfile has hooks around nodes: a and then b.
func nodeHookBed(t *testing.T) *testbed {
	b := newTestbed(t)
	text := workfileText("a>b")
	for attr, value := range map[string]string{"before_node": "B", "after_node": "A", "hook_timeout": "3s"} {
		text = strings.Replace(text, "<graph ", `<key id="`+attr+`" attr.name="`+attr+`" attr.type="string"/><graph `, 1)
		text = strings.Replace(text, `edgedefault="directed">`, `edgedefault="directed"><data key="`+attr+`">`+value+"</data>", 1)
	}
	b.write(strings.Replace(text, "echo b</data>", `echo b</data><data key="after_node">own</data>`, 1))
	return b
}

// leave writes what the supervisor of a job tells.
func leave(t *testing.T, j executor.Job, f executor.Fate) {
	t.Helper()
	text, err := json.Marshal(f)
	if err == nil {
		err = os.WriteFile(j.Around.Fate, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestNodeHooks(t *testing.T) {
	b := nodeHookBed(t)
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{Defaults: &api.RunDefaults{BeforeNode: "user B", HookTimeoutMS: 5}})
	list := func(j executor.Job) (all []string) {
		for _, k := range slices.Concat(j.Around.Before, j.Around.After) {
			all = append(all, k.Event+": "+k.Command+" of "+k.From)
			if k.TimeoutMS != 3000 {
				t.Errorf("%+v", k)
			}
		}
		return all
	}
	j := b.next(s)
	if got := list(j); !slices.Equal(got, []string{"before_node: user B of the settings", "before_node: B of the workfile", "after_node: A of the workfile"}) {
		t.Errorf("%q", got)
	}
	if j.Around.Name != "id-a" || !slices.Equal(j.Around.Env, []string{"WF_NODE_LABEL=echo a", "WF_ATTEMPT=1"}) {
		t.Errorf("%+v", j.Around)
	}
	s.end(j.ID, executor.Exit{})
	j = b.next(s)
	if got := list(j); len(got) != 4 || !strings.HasPrefix(got[3], "after_node: own of node ") {
		t.Errorf("%q", got)
	}
	leave(t, j, executor.Fate{Ended: true, Failures: []executor.HookFailure{{Event: "after_node", From: "the workfile", Said: "not \x1b[31mtidy\n", Error: "exit status 1"}}})
	s.end(j.ID, executor.Exit{})
	e := v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete })
	if e.Result != api.Succeeded || len(e.Notes) != 1 || !strings.HasPrefix(e.Notes[0], "after_node of the workfile failed after ") || !strings.HasSuffix(e.Notes[0], ": not tidy") {
		t.Errorf("%+v", e)
	}
}

// TestNoNodeHooks checks that a job without hooks is as it was before there were any.
func TestNoNodeHooks(t *testing.T) {
	b := newTestbed(t, "a")
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{Defaults: &api.RunDefaults{HookTimeoutMS: 5}})
	j := b.next(s)
	if j.Around != nil {
		t.Errorf("%+v", j.Around)
	}
	s.end(j.ID, executor.Exit{})
	v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete })
}

// TestFates checks what becomes of an execution with what its supervisor has left.
func TestFates(t *testing.T) {
	refused := executor.Fate{Refused: true, Failures: []executor.HookFailure{{Event: "before_node", From: "the workfile", Said: "no GPU\n", Error: "exit status 1"}}}
	for name, c := range map[string]struct {
		fate    executor.Fate
		exit    executor.Exit
		status  graph.Status
		reason  api.Reason
		message string
	}{
		"refused":                         {fate: refused, exit: executor.Exit{Code: 1}, status: graph.Failed, reason: api.ReasonHook, message: "refused by before_node: no GPU"},
		"refused, end unseen":             {fate: refused, exit: executor.Exit{Lost: true}, status: graph.Failed, reason: api.ReasonHook, message: "refused by before_node: no GPU"},
		"refused, stopped":                {fate: refused, exit: executor.Exit{Code: 1, Stopped: true}, status: graph.Failed, reason: api.ReasonCancelled},
		"not started":                     {fate: executor.Fate{NotStarted: "too long"}, exit: executor.Exit{Code: 127}, status: graph.Failed, reason: api.ReasonStart, message: "too long"},
		"power cut after the command":     {fate: executor.Fate{Ended: true}, exit: executor.Exit{Lost: true}, status: graph.Ran},
		"power cut after a failure":       {fate: executor.Fate{Ended: true, Code: 4}, exit: executor.Exit{Lost: true}, status: graph.Failed, reason: api.ReasonExit},
		"power cut in the command":        {exit: executor.Exit{Lost: true}, status: graph.Failed, reason: api.ReasonLost},
		"killed after the command":        {fate: executor.Fate{Ended: true}, exit: executor.Exit{Signal: 9}, status: graph.Ran},
		"stopped after the command":       {fate: executor.Fate{Ended: true}, exit: executor.Exit{Signal: 9, Stopped: true}, status: graph.Ran},
		"stopped before the command ends": {fate: executor.Fate{Ended: true, Stopped: true, Signal: 15}, exit: executor.Exit{Signal: 15, Stopped: true}, status: graph.Failed, reason: api.ReasonCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			b := nodeHookBed(t)
			b.open()
			v := b.watch()
			_, s := b.run(api.RunRequest{})
			j := b.next(s)
			leave(t, j, c.fate)
			s.end(j.ID, c.exit)
			if c.status == graph.Ran {
				s.end(b.next(s).ID, executor.Exit{})
			}
			v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete })
			for range 2 { // also as the history tells it
				why, err := b.w.Reader.Why(t.Context(), "id-a", "")
				if err != nil {
					t.Fatal(err)
				}
				n := b.w.file.Graph().Node("id-a")
				if rec := b.w.nodes.Record(n); n.Status != c.status || rec == nil || rec.Reason != c.reason || rec.Message != c.message && c.message != "" {
					t.Errorf("%v %+v, %q", n.Status, rec, why.Text)
				}
				b.close(b.w)
				b.open()
			}
		})
	}
}
