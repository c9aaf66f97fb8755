package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/activerun"
)

func TestPoolWait(t *testing.T) {
	b, p := controlBed(t, "", nodeText("a", "pool=db:1"), nodeText("b", "pool=db"), nodeText("c"))
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	first := b.next(s)
	c := b.next(s)
	v.reaches(t, api.NodeWaiting, "b")
	if first.Command != "echo a" || c.Command != "echo c" {
		t.Fatalf("%s and %s run, want a and c", first.Command, c.Command)
	}
	n := b.node("id-b")
	if n.State != api.StateWaiting || n.Wait == nil || *n.Wait != (api.Wait{Kind: api.WaitPool, Text: "db:1"}) {
		t.Errorf("b is %s, waits for %+v", n.State, n.Wait)
	}
	why, err := b.w.Why(t.Context(), "id-b", "")
	if err != nil || !strings.Contains(strings.Join(why.Text, " "), "db:1") {
		t.Errorf("why: %q, %v", why.Text, err)
	}
	b.none(s)
	s.end(first.ID, succeeded)
	if j := b.next(s); j.Command != "echo b" {
		t.Errorf("%s follows", j.Command)
	}
	v.reaches(t, api.NodeReady, "a", "b", "c", "b") // the last one: it waits for a slot only
	if n := b.node("id-b"); n.Wait != nil {
		t.Errorf("b runs and waits for %+v", n.Wait)
	}
	s.end(c.ID, succeeded)
	s.end(executor.ID{Node: 1, Execution: 1}, succeeded)
	<-v.over
	if p.state() != "0 used, 0 in line" || p.most["db"] != 1 {
		t.Errorf("%s in the end, %d at once", p.state(), p.most["db"])
	}
}

// An execution returns its units however it ends, and leaves the line when it is withdrawn.
func TestPoolUnitsComeBack(t *testing.T) {
	stop := func(node string) func(*testbed, *fakeSession) {
		return func(b *testbed, s *fakeSession) {
			req := api.StopRequest{Node: node}
			if _, err := b.w.StopRun(b.t.Context(), "c1", "", req); err != nil {
				b.t.Error(err)
			}
		}
	}
	for name, c := range map[string]struct {
		do   func(*testbed, *fakeSession)
		left string // then
		next string // what is started then
	}{
		"fails":     {func(b *testbed, s *fakeSession) { s.end(executor.ID{Node: 0, Execution: 1}, executor.Exit{Code: 3}) }, "1 used, 1 in line", "echo b"},
		"killed":    {stop("id-a"), "1 used, 1 in line", "echo b"},
		"stop line": {stop("id-b"), "1 used, 1 in line", ""},
		"stop run":  {stop(""), "0 used, 0 in line", ""},
		"lost": {func(b *testbed, s *fakeSession) {
			s.mu.Lock()
			s.tell(executor.Report{Kind: executor.Broken, Message: "gone"})
			s.mu.Unlock()
			waitRunOver(b)
		}, "0 used, 0 in line", ""},
		"closes": {func(b *testbed, s *fakeSession) { b.close(b.w) }, "0 used, 0 in line", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, p := controlBed(t, "", nodeText("a", "pool=db"), nodeText("b", "pool=db"), nodeText("c", "pool=db"))
			b.open()
			v := b.watch()
			_, s := b.run(api.RunRequest{})
			b.next(s)
			v.reaches(t, api.NodeWaiting, "b", "c")
			c.do(b, s)
			if c.next != "" {
				if j := b.next(s); j.Command != c.next {
					t.Errorf("%s follows", j.Command)
				}
			}
			if got := p.state(); got != c.left {
				t.Errorf("%s, want %s", got, c.left)
			}
			b.none(s)
			if p.most["db"] != 1 {
				t.Errorf("%d units were used at once", p.most["db"])
			}
		})
	}
}

// waitRunOver returns when no run is going.
func waitRunOver(b *testbed) {
	v := b.watch()
	<-v.news
	if len(v.snap.Status.ActiveRuns) > 0 {
		<-v.over
	}
}

// A run that is stopped leaves the line at once, not only when its last command has ended.
func TestPoolLineOfAStoppingRun(t *testing.T) {
	b, p := controlBed(t, "", nodeText("a"), nodeText("b", "pool=db"))
	p.Claim([]activerun.PoolUse{{Pool: "db", Units: 1}})
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	s.hold = true
	j := b.next(s)
	v.reaches(t, api.NodeWaiting, "b")
	stopped := make(chan error, 1)
	go func() {
		_, err := b.w.StopRun(t.Context(), "c1", "", api.StopRequest{})
		stopped <- err
	}()
	v.wait(t, "run_stopping", func(e api.Event) bool { return e.Type == api.RunStopping })
	b.node("id-a") // the turn is over
	if got := p.state(); got != "1 used, 0 in line" {
		t.Error(got)
	}
	s.end(j.ID, executor.Exit{Signal: 15, Stopped: true})
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// After a restart running executions keep their units, and waiting ones wait again in the same order.
func TestPoolsAfterRestart(t *testing.T) {
	var body []string
	for _, id := range []string{"a", "b", "c", "d"} {
		body = append(body, nodeText(id, "pool=db"))
	}
	b, p := controlBed(t, "", body...)
	p.sizes["db"] = 2
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.next(s)
	b.next(s)
	v.reaches(t, api.NodeWaiting, "c", "d")
	b.close(b.w)
	after := newFakePools()
	after.sizes["db"] = 2
	b.cfg.Pools = after
	b.open()
	if got := after.state(); !strings.HasPrefix(got, "2 used") {
		t.Errorf("%s before anybody else can come", got)
	}
	v = b.watch()
	<-b.fake.opened
	for i, want := range []string{"echo c", "echo d"} {
		b.none(s)
		s.end(executor.ID{Node: i, Execution: 1}, succeeded)
		if j := b.next(s); j.Command != want {
			t.Errorf("%s follows, want %s", j.Command, want)
		}
	}
	s.end(executor.ID{Node: 2, Execution: 1}, succeeded)
	s.end(executor.ID{Node: 3, Execution: 1}, succeeded)
	<-v.over
	if after.state() != "0 used, 0 in line" || after.most["db"] != 2 {
		t.Errorf("%s in the end, %d at once", after.state(), after.most["db"])
	}
}

// A run that needs more units than a pool has is refused. If a pool becomes too small during a run, the run reports it.
func TestPoolTooSmall(t *testing.T) {
	b, p := controlBed(t, "", nodeText("a", "pool=gpu:4"))
	b.open()
	var refused *api.Error
	if _, err := b.w.StartRun(t.Context(), "c", api.RunRequest{Env: []string{}}); !errors.As(err, &refused) || refused.Code != api.CodeWorkfile {
		t.Errorf("a run that needs more than there is: %v", err)
	}
	p.mu.Lock()
	p.sizes["gpu"], p.used["gpu"] = 4, 1
	p.mu.Unlock()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	v.reaches(t, api.NodeWaiting, "a")
	b.none(s)
	p.mu.Lock()
	p.sizes["gpu"] = 1
	p.mu.Unlock()
	const want = "gpu:4, more than there is: the size of gpu is 1"
	if n := b.node("id-a"); n.Wait == nil || n.Wait.Text != want {
		t.Errorf("%+v", n.Wait)
	}
	why, err := b.w.Why(t.Context(), "id-a", "")
	if err != nil || !strings.Contains(strings.Join(why.Text, " "), want) {
		t.Errorf("why: %q, %v", why.Text, err)
	}
	if _, err := b.w.StopRun(t.Context(), "c1", "", api.StopRequest{}); err != nil {
		t.Error(err)
	}
}

// Of many executions with the same claim only the first one asks for units, so the cost grows with the number of nodes, not
// with its square.
func TestPoolLineIsCheap(t *testing.T) {
	const n = 500
	items := "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]"
	b, p := controlBed(t, "", `<node id="id-f"><data key="name">f</data><data key="foreach">`+items+`</data><graph>`+
		nodeText("x", "pool=db:1")+`</graph></node>`)
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	var order []int
	for range n {
		j := b.next(s)
		order = append(order, j.ID.Node)
		s.end(j.ID, succeeded)
	}
	<-v.over
	if !slices.IsSorted(order) {
		t.Error("the instances did not run in order")
	}
	asked := 0
	for _, times := range p.asking {
		asked += times
	}
	if most := 12 * n; asked > most {
		t.Errorf("%s, of %d executions: want %d at most", fmt.Sprintf("%d questions", asked), n, most)
	}
	if p.most["db"] != 1 || p.state() != "0 used, 0 in line" {
		t.Errorf("%d at once, %s in the end", p.most["db"], p.state())
	}
}
