package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"wf/api"
)

// faultless returns the result of a run of p without faults.
func faultless(p plan) *seen {
	s := &seen{trace: trace{}, statuses: p.fates(nil), logs: map[string][]byte{}}
	s.detail.Run, s.detail.Result = "1", api.Succeeded
	for i := range p {
		n := &p[i]
		switch s.statuses[n.id] {
		case fateIdle:
			s.detail.Counts.Blocked++
			continue
		case fateRan:
			s.detail.Counts.OK++
		case fateFailed:
			s.detail.Counts.Failed++
			s.detail.Result = api.ResFailed
		}
		started := time.Unix(int64(i), 0)
		s.trace[n.id] = &tracks{begun: []int{100 + i}, ended: []int{100 + i}}
		s.logs[n.id] = n.output()
		s.detail.Execs = append(s.detail.Execs, api.Execution{Node: n.id, Name: "node " + n.id, Execution: 1, PID: 100 + i,
			Started: &started, Over: true, OK: n.code == 0, ExitCode: &n.code})
	}
	return s
}

func testPlan() plan { return newPlan(60, 0, rand.New(rand.NewPCG(1, 2))) }

// succeeds returns a node that is executed and that no other node follows.
func succeeds(t *testing.T, p plan) string {
	t.Helper()
	followed := map[int]bool{}
	for i := range p {
		for _, before := range p[i].after {
			followed[before] = true
		}
	}
	fates := p.fates(nil)
	for i := range p {
		if fates[p[i].id] == fateRan && !followed[i] {
			return p[i].id
		}
	}
	t.Fatal("the plan has no such node")
	return ""
}

func TestPlan(t *testing.T) {
	p := testPlan()
	if !reflect.DeepEqual(p, testPlan()) {
		t.Error("the same seed gives another plan")
	}
	count := map[string]int{}
	for _, fate := range p.fates(nil) {
		count[fate]++
	}
	if count[fateRan] < 20 || count[fateFailed] == 0 || count[fateIdle] == 0 {
		t.Errorf("a dull plan: %v", count)
	}
}

// TestScriptSaysWhatThePlanExpects executes nodes as wf would.
func TestScriptSaysWhatThePlanExpects(t *testing.T) {
	dir := t.TempDir()
	p := plan{{id: "n0000", code: 7, sleep: "0.001", leave: "0.001"}, {id: "n0001", sleep: "0", leave: "0"}}
	if err := p.write(dir); err != nil {
		t.Fatal(err)
	}
	for i := range p {
		cmd := exec.Command("/bin/sh", "-c", p[i].command(i))
		var out strings.Builder
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(cmd.Environ(), "WF_EXECUTION=1"), &out, &out
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != p[i].code {
			t.Errorf("%s: %v, want exit code %d", p[i].id, err, p[i].code)
		}
		if out.String() != string(p[i].output()) {
			t.Errorf("%s says %q", p[i].id, out.String())
		}
	}
	got, err := readTrace(dir)
	if err != nil || len(got) != 2 || len(got.of("n0000").begun) != 1 || len(got.of("n0001").ended) != 1 {
		t.Errorf("trace %v, %v", got, err)
	}
}

// TestOracleSeesFaults changes one thing of a faultless run at a time.
func TestOracleSeesFaults(t *testing.T) {
	p := testPlan()
	node := succeeds(t, p)
	execution := func(s *seen) *api.Execution {
		for i := range s.detail.Execs {
			if s.detail.Execs[i].Node == node {
				return &s.detail.Execs[i]
			}
		}
		t.Fatalf("no execution of %s", node)
		return nil
	}
	for name, c := range map[string]struct {
		spoil func(*seen)
		count func(*verdict) int
	}{
		"ran twice":       {func(s *seen) { s.trace[node].begun = []int{1, 2} }, func(v *verdict) int { return v.twice }},
		"never ran":       {func(s *seen) { delete(s.trace, node) }, func(v *verdict) int { return v.missing }},
		"cut short":       {func(s *seen) { s.trace[node].ended = nil }, func(v *verdict) int { return v.missing }},
		"wrong exit code": {func(s *seen) { execution(s).ExitCode = new(int); *execution(s).ExitCode = 100 }, func(v *verdict) int { return v.wrong }},
		"unknown code":    {func(s *seen) { execution(s).ExitCode = nil }, func(v *verdict) int { return v.wrong }},
		"wrong process":   {func(s *seen) { execution(s).PID = 1 }, func(v *verdict) int { return v.wrong }},
		"not recorded":    {func(s *seen) { execution(s).Node = "other" }, func(v *verdict) int { return v.wrong }},
		"wrong status":    {func(s *seen) { s.statuses[node] = "running" }, func(v *verdict) int { return v.wrong }},
		"wrong result":    {func(s *seen) { s.detail.Result = api.Cancelled }, func(v *verdict) int { return v.wrong }},
		"lost":            {func(s *seen) { execution(s).Reason = api.ReasonLost }, func(v *verdict) int { return v.unjust }},
		"log cut":         {func(s *seen) { s.logs[node] = s.logs[node][1:] }, func(v *verdict) int { return v.logs }},
		"no log":          {func(s *seen) { delete(s.logs, node) }, func(v *verdict) int { return v.logs }},
	} {
		s := faultless(p)
		if v := p.judge(s, nil, 4); len(v.faults) > 0 {
			t.Fatalf("a faultless run has faults: %q", v.faults)
		}
		c.spoil(s)
		if v := p.judge(s, nil, 4); c.count(v) == 0 {
			t.Errorf("%s: not seen: %+v", name, v)
		}
	}
}

func TestLostAtADoubleKill(t *testing.T) {
	at := time.Unix(1000, 0)
	before, after := at.Add(-time.Second), at.Add(time.Second)
	doubles := []double{{at, map[string]bool{"ended": true}}}
	for _, c := range []struct {
		node    string
		started *time.Time
		want    bool
	}{{"a", &before, true}, {"a", nil, true}, {"a", &after, false}, {"ended", &before, false}, {"ended", nil, false}} {
		if got := mayBeLost(api.Execution{Node: c.node, Started: c.started}, doubles); got != c.want {
			t.Errorf("%s started %v: %v", c.node, c.started, got)
		}
	}
}

func TestDoubleKnowsWhatHadEndedAWhileAgo(t *testing.T) {
	at := time.Unix(1000, 0)
	k := &killer{looks: []double{{at, map[string]bool{"a": true}}, {at.Add(recordTime), map[string]bool{"a": true, "b": true}}}}
	for after, want := range map[time.Duration]int{0: 0, recordTime: 1, 2*recordTime - 1: 1, 2 * recordTime: 2} {
		if got := k.double(at.Add(after)).ended; len(got) != want {
			t.Errorf("after %s: %v", after, got)
		}
	}
}

// TestTooManyLost checks that more lost nodes than could have been running are a fault.
func TestTooManyLost(t *testing.T) {
	p := plan{{id: "a", sleep: "0", leave: "0"}, {id: "b", sleep: "0", leave: "0"}}
	s := faultless(p)
	for i := range s.detail.Execs {
		s.detail.Execs[i].Reason = api.ReasonLost
		s.statuses[s.detail.Execs[i].Node] = fateFailed
	}
	s.detail.Result, s.detail.Counts = api.ResFailed, api.Counts{Failed: 2}
	doubles := []double{{time.Unix(1000, 0), nil}}
	if v := p.judge(s, doubles, 2); v.lost != 2 || len(v.faults) > 0 {
		t.Errorf("two of two: %+v", v)
	}
	if v := p.judge(s, doubles, 1); v.unjust != 1 {
		t.Errorf("two of one: %+v", v)
	}
}

func TestParseTrace(t *testing.T) {
	got, err := parseTrace("begin a 1 5\nend a 1 5\nbegin a 2 6\n")
	if err != nil || !reflect.DeepEqual(got.of("a"), tracks{[]int{5, 6}, []int{5}}) || got.of("b").begun != nil {
		t.Errorf("%v, %v", got.of("a"), err)
	}
	for _, bad := range []string{"begin a 1 5", "begin a 1\n", "begin a 1 x\n", "stop a 1 5\n"} {
		if _, err := parseTrace(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestSplitLogs(t *testing.T) {
	text := "==> x (run 3)\none\n==> y (run 3)\n"
	got, err := splitLogs([]byte(text), "3", []string{"a", "b"}, []string{"x", "y"})
	if err != nil || string(got["a"]) != "one\n" || len(got["b"]) != 0 {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := splitLogs([]byte(text), "3", []string{"a", "b"}, []string{"x", "z"}); err == nil {
		t.Error("a missing title was not seen")
	}
}

func TestWatcherCountsEvents(t *testing.T) {
	frame := func(types ...api.EventType) []byte {
		var events []string
		for i, typ := range types {
			events = append(events, fmt.Sprintf(`{"seq":%d,"type":"%s","message":"\"seq\":9"}`, 8+i, typ))
		}
		return []byte(`{"events":[` + strings.Join(events, ",") + `]}`)
	}
	v := &watcher{seq: 7}
	over, err := v.take(frame(api.NodeStarted, api.NodeFinished, api.RunComplete))
	if !over || err != nil || v.seq != 10 || v.events != 3 || v.finished != 1 {
		t.Errorf("over %v, %v, %+v", over, err, v)
	}
	if _, err := (&watcher{seq: 8}).take(frame(api.NodeStarted)); err == nil {
		t.Error("a repeated event was not seen")
	}
	if _, err := (&watcher{seq: 6}).take(frame(api.NodeStarted)); err == nil {
		t.Error("a missing event was not seen")
	}
	if _, err := v.take([]byte(`{"snapshot":{"seq":3}}`)); err == nil {
		t.Error("a second snapshot was not seen")
	}
}

func TestLeaksAreSeen(t *testing.T) {
	o := &leakOptions{memory: 10}
	at := func(f footprint, least, most int64) rest { return rest{footprint: f, least: least, most: most} }
	before := at(footprint{descriptors: 5, threads: 7}, 700, 1000)
	for name, after := range map[string]rest{
		"descriptor": at(footprint{descriptors: 6}, 700, 1000),
		"child":      at(footprint{descriptors: 5, children: 1}, 700, 1000),
		"zombie":     at(footprint{descriptors: 5, children: 1, zombies: 1}, 700, 1000),
		"memory":     at(footprint{descriptors: 5}, 1101, 1500),
		"file":       {footprint: footprint{descriptors: 5}, files: 1, least: 700, most: 1000},
	} {
		rep := newReport()
		if o.compare(rep, before, after, 3, 3); len(rep.violations) == 0 {
			t.Errorf("%s: not seen", name)
		}
	}
	rep := newReport()
	if o.compare(rep, before, at(footprint{descriptors: 5, threads: 9}, 1100, 1500), 3, 3); len(rep.violations) > 0 {
		t.Errorf("nothing leaked: %q", rep.violations)
	}
	if o.compare(rep, before, before, 3, 4); len(rep.violations) != 1 {
		t.Errorf("a goroutine leaked: %q", rep.violations)
	}
}
