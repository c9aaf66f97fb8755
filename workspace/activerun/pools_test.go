package activerun

import (
	"fmt"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/workfile/workfiletest"
)

func TestNodeWaitsForUnitsOfItsPool(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.check("jobs", b.handed(), "a c")
		b.check("events of b", b.seen("b"), "node_ready node_waiting")
		wait := func() (text string) {
			b.do(func() {
				if w := r.PoolWait(1); w != nil {
					text = w.Text
				}
			})
			return text
		}
		b.check("b waits for", wait(), "db:1")
		b.pools.sizes["db"] = -1
		b.check("b waits for", wait(), "db:1, more than there is: the size of db is -1")
		delete(b.pools.sizes, "db")
		b.ran("a")
		b.check("jobs after a", b.handed(), "b")
		b.check("b waits for", wait(), "")
		b.check("events of b", b.seen("b"), "node_ready node_waiting node_ready")
		b.ran("b", "c")
		b.check("in the end", b.pools.String(), "0 used, [] wait")
	}, "a pool=db:1", "b pool=db", "c")
}

// An execution returns its units however it ends, and leaves the line when it is withdrawn.
func TestUnitsComeBack(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(b *testbed, r *Run)
		next string // jobs that follow
		left string
	}{
		"fails":     {func(b *testbed, r *Run) { b.ended("a", executor.Exit{Code: 3}) }, "b", "1 used, [w/1/2/1] wait"},
		"killed":    {func(b *testbed, r *Run) { b.stopNode(r, "a") }, "b", "1 used, [w/1/2/1] wait"},
		"withdrawn": {func(b *testbed, r *Run) { b.stopNode(r, "b") }, "", "1 used, [w/1/2/1] wait"},
		"run stops": {func(b *testbed, r *Run) { b.do(func() { r.Stop(api.StopRequest{}, "", nil) }) }, "", "1 used, [] wait"},
		"stopped": {func(b *testbed, r *Run) {
			b.do(func() { r.Stop(api.StopRequest{}, "", nil) })
			b.ended("a", executor.Exit{Stopped: true})
		}, "", "0 used, [] wait"},
		"lost":          {func(b *testbed, r *Run) { b.report(executor.Report{Kind: executor.Broken, Message: "gone"}) }, "", "0 used, [] wait"},
		"daemon ends":   {func(b *testbed, r *Run) { b.close() }, "", "0 used, [] wait"},
		"daemon panics": {func(b *testbed, r *Run) { b.crash() }, "", "0 used, [] wait"},
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(b *testbed) {
				r := b.start(api.RunRequest{})
				b.started("a")
				b.check("jobs", b.handed(), "a")
				c.do(b, r)
				b.check("jobs then", b.handed(), c.next)
				b.check("pools", b.pools.String(), c.left)
			}, "a pool=db", "b pool=db", "c pool=db")
		})
	}
}

// stopNode stops a node and reports the end of its execution, if it has one.
func (b *testbed) stopNode(r *Run, node string) {
	b.t.Helper()
	b.do(func() {
		r.StopNode(api.StopRequest{Node: node}, func(_ api.StopResult, err error) {
			if err != nil {
				b.t.Error(err)
			}
		})
	})
	for _, j := range b.session.jobs {
		if j.Command == "echo "+node {
			b.ended(node, executor.Exit{Signal: 15, Stopped: true})
			return
		}
	}
}

// After a restart executions that run keep their units, and those that waited wait again.
func TestPoolsAfterARestart(t *testing.T) {
	test(t, func(b *testbed) {
		b.pools.sizes["db"] = 2
		r := b.start(api.RunRequest{})
		b.started("a")
		b.check("jobs", b.handed(), "a b")
		b.close()
		b.check("without a daemon", b.pools.String(), "0 used, [] wait")
		b.recover(r.Number)
		b.check("before the loop starts", b.pools.String(), "2 used, [] wait")
		b.runs[0].Follow()
		b.startLoop()
		b.check("after the restart", b.pools.String(), "2 used, [w/1/2/1 w/1/3/1] wait")
		b.check("jobs, again", b.handed(), "b")
		b.ran("a")
		b.check("jobs after a", b.handed(), "c")
		b.ran("b", "c", "d")
		b.check("in the end", b.pools.String(), "0 used, [] wait")
	}, "a pool=db", "b pool=db", "c pool=db", "d pool=db")
}

// Of many waiting executions with the same claim only the first one asks for units again, so the cost grows with the number of nodes, not
// with its square.
func TestPoolLineIsCheap(t *testing.T) {
	items := strings.TrimSuffix(strings.Repeat("1,", 100), ",")
	test(t, func(b *testbed) {
		b.start(api.RunRequest{})
		for i := range 100 {
			b.check(fmt.Sprint("job ", i), b.handed(), "x")
			b.ran("x")
		}
		if b.pools.asked > 4*100 {
			t.Errorf("%d questions for 100 executions", b.pools.asked)
		}
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Succeeded))
	}, "<node id=\"f\"><data key=\"node-foreach\">["+items+"]</data><graph>"+workfiletest.Element("x pool=db")+"</graph></node>")
}
