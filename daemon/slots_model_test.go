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

// A modelRun is a run as the slots see it: a loop that takes and gives back, and an executor that it
// tells how many commands it may have going. Between what the one says and the other does there is time.
type modelRun struct {
	*member
	todo    int // commands that have not begun
	running int
	slots   int // held, as the loop knows
	fresh   int // of these, those that nothing was started in
	owed    int
	told    int
	news    atomic.Bool // the loop has something to look at
	mail    []int       // widths on the way to the executor
	width   int         // that the executor goes by
	ceiling int         // that may be in effect
}

// loop is a turn of the loop, see workspace/share.go.
func (r *modelRun) loop() {
	r.news.Store(false)
	demand := r.todo + r.running
	inUse := min(demand, max(r.running, r.ceiling))
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
	if width := max(r.slots-r.owed, r.fresh); width != r.told {
		r.told, r.ceiling = width, max(r.ceiling, width)
		r.mail = append(r.mail, width)
	}
}

// hear lets the executor hear what it was told, and say so.
func (r *modelRun) hear() {
	r.width = r.mail[0]
	if r.mail = r.mail[1:]; r.width == r.told {
		r.ceiling = r.width
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

// TestSlotsServeEverybody: whatever the order in which loops and executors get their turns, there are
// never more commands than slots, every run comes to its end, and nothing is left in use.
func TestSlotsServeEverybody(t *testing.T) {
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

// serveAll plays a schedule that the seed stands for, with a pause of all now and then. Lazy
// executors hear all that they are told before they start anything. It says what is wrong.
func serveAll(size int, todo []int, seed uint64, slow int, lazy bool) string {
	s := newSlots(size)
	var runs []*modelRun
	pick := func(n int) int { // of a simple generator, so that a step costs nothing
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
			return fmt.Sprintf("nobody gets on: %d of %d runs are left, %d commands go", left, len(runs), running)
		}
		for off, first := 0, pick(len(runs)); off < len(runs) && !acted; off++ {
			acted = runs[(first+off)%len(runs)].act(pick, lazy)
		}
		if idle++; acted {
			idle = 0
		} else { // everybody waits: for time, if for anything
			time.Sleep(turn)
			synctest.Wait()
		}
		if pick(1+slow) == 0 {
			time.Sleep(time.Duration(pick(int(2 * turn))))
			synctest.Wait()
		}
	}
}

// act does one of what can happen to a run now.
func (r *modelRun) act(pick func(int) int, lazy bool) bool {
	var can []func()
	if r.news.Load() {
		can = append(can, r.loop)
	}
	if len(r.mail) > 0 {
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
