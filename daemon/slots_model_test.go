package daemon

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A modelRun models a run for tests of slots: a loop that acquires and releases slots, and an executor to which it sends
// the allowed number of running commands. Messages between the two are delayed.
type modelRun struct {
	*member
	todo      int // commands that have not started
	running   int
	slots     int // that the loop has
	fresh     int // of these, slots without a started command
	owed      int
	sent      int
	news      atomic.Bool // the loop was woken
	inTransit []int       // widths on the way to the executor
	width     int         // that the executor has received
	maxWidth  int         // upper bound of the widths that may be in effect
}

// loop is one step of the loop, see workspace/activerun.
func (r *modelRun) loop() {
	r.news.Store(false)
	demand := r.todo + r.running
	inUse := min(demand, max(r.running, r.maxWidth))
	give := func(least int) bool {
		if r.slots <= least {
			return false
		}
		r.slots--
		r.fresh = min(r.fresh, r.slots)
		r.Release()
		return true
	}
	for give(max(demand, inUse)) {
	}
	for r.owed = r.Over(); r.owed > 0 && give(max(inUse, r.fresh)); r.owed-- {
	}
	for r.slots < demand && r.TryAcquire() {
		r.slots++
		r.fresh++
	}
	if r.slots >= demand {
		r.Decline()
	}
	if width := max(r.slots-r.owed, r.fresh); width != r.sent {
		r.sent, r.maxWidth = width, max(r.maxWidth, width)
		r.inTransit = append(r.inTransit, width)
	}
}

// hear delivers the widths to the executor, and its answers to the loop.
func (r *modelRun) hear() {
	r.width = r.inTransit[0]
	if r.inTransit = r.inTransit[1:]; r.width == r.sent {
		r.maxWidth = r.width
	}
	r.news.Store(true)
}

func (r *modelRun) start() {
	r.todo--
	r.running++
	r.fresh = max(0, r.fresh-1)
	r.news.Store(true)
}

func (r *modelRun) end() {
	r.running--
	r.news.Store(true)
}

func (r *modelRun) over() bool { return r.todo+r.running == 0 }

// TestSlotsServeAllRuns checks for any order of the steps of loops and executors that there are at most as many commands
// as slots, that every run ends, and that no slot is in use afterwards.
func TestSlotsServeAllRuns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(1, 4).Draw(rt, "size")
		count := rapid.OneOf(rapid.IntRange(3, 12), rapid.IntRange(13, 50)).Draw(rt, "runs")
		todo := rapid.SliceOfN(rapid.IntRange(0, 12), count, count).Draw(rt, "todo")
		lazy := rapid.Bool().Draw(rt, "executors start last")
		slow := rapid.IntRange(0, 50).Draw(rt, "steps between pauses")
		seed := rapid.Uint64().Draw(rt, "seed")
		var wrong string
		synctest.Test(t, func(*testing.T) { wrong = serveAll(size, todo, seed, slow, lazy) })
		if wrong != "" {
			rt.Fatalf("%d slots: %s", size, wrong)
		}
	})
}

// serveAll executes the schedule of a seed, sometimes with a pause of all runs. Lazy executors receive all messages before
// they start a command. It returns a description of the first error, or "".
func serveAll(size int, todo []int, seed uint64, slow int, lazy bool) string {
	s := newSlots(size)
	var runs []*modelRun
	pick := func(n int) int { // a simple generator, so that a step is cheap
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % n
	}
	for i, n := range todo {
		r := &modelRun{todo: n}
		r.news.Store(true)
		r.member = s.join(strconv.Itoa(i/2), 0, func() { r.news.Store(true) })
		runs = append(runs, r)
		defer r.Leave()
	}
	for steps, idle := 0, 0; ; steps++ {
		if used, _ := s.inUse(); used > size {
			return fmt.Sprintf("%d in use", used)
		}
		left, running, acted := 0, 0, false
		for _, r := range runs {
			running += r.running
			if !r.over() || r.slots > 0 {
				left++
			}
		}
		switch {
		case running > size:
			return fmt.Sprintf("%d commands at once", running)
		case left == 0:
			return ""
		case steps > 20_000 || idle > 3*len(runs)+10:
			return fmt.Sprintf("no run proceeds: %d of %d runs are left, %d commands run", left, len(runs), running)
		}
		for off, first := 0, pick(len(runs)); off < len(runs) && !acted; off++ {
			acted = runs[(first+off)%len(runs)].act(pick, lazy)
		}
		if idle++; acted {
			idle = 0
		} else { // all runs wait, so let time pass
			time.Sleep(turn)
			synctest.Wait()
		}
		if pick(1+slow) == 0 {
			time.Sleep(time.Duration(pick(int(2 * turn))))
			synctest.Wait()
		}
	}
}

// act makes one of the steps that are possible for a run now.
func (r *modelRun) act(pick func(int) int, lazy bool) bool {
	var can []func()
	if r.news.Load() {
		can = append(can, r.loop)
	}
	if len(r.inTransit) > 0 {
		can = append(can, r.hear)
	}
	if r.todo > 0 && r.running < r.width {
		can = append(can, r.start)
	}
	if r.running > 0 {
		can = append(can, r.end)
	}
	if len(can) == 0 {
		return false
	}
	if lazy {
		can = can[:1]
	}
	can[pick(len(can))]()
	return true
}
