package armed

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
	"wf/trigger"
	"wf/trigger/ledger"
	"wf/trigger/planner"
	"wf/workspace/clock"
)

var (
	histories      = flag.Uint64("histories", 1, "number of random histories of a keeper")
	historySeed    = flag.Uint64("history", 0, "the first of them")
	historyInstant = flag.Int("instants", 1000, "number of instants of each")
)

// TestHistories plays random histories of a machine around a thousand instants: the clock is set by an hour, the machine sleeps,
// the daemon is killed with a start under way, and the latest lines of the ledger are lost that are not synced. Each instant is
// decided once, as its policy says, and has at most one run.
func TestHistories(t *testing.T) {
	for seed := *historySeed; seed < *historySeed+*histories; seed++ {
		for _, policy := range []trigger.Catchup{trigger.CatchupNone, trigger.CatchupLatest, trigger.CatchupAll} {
			t.Run(string(policy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := &machineHistory{bench: newBench(t), clocks: fakeClock(t), policy: policy, rand: rand.New(rand.NewPCG(seed, 15)), started: map[int]int{}}
					h.play(*historyInstant)
					if t.Failed() {
						t.Logf("repeat it with -history %d", seed)
					}
				})
			})
		}
	}
}

// machineHistory is a machine with a workfile that is due each minute.
type machineHistory struct {
	*bench
	*clocks
	policy trigger.Catchup
	rand   *rand.Rand
	keeper *Keeper
	begin  time.Time // the anchor of the instants, which are counted from 1
	latest time.Time // of the wall clock while a keeper has looked at it
	events map[string]int

	mu      sync.Mutex
	dead    string // what becomes of starts: "", or "before" or "after" the run was accepted, because the daemon is killed then
	died    bool   // a start has met that
	started map[int]int
	order   []int
}

// Start notes the instant of the run.
func (h *machineHistory) Start(_ context.Context, _ string, req api.RunRequest) (api.RunAccepted, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	gone := &api.Error{Code: api.CodeGone, Message: "the daemon is ending"}
	h.died = h.dead != ""
	if h.dead == "before" {
		return api.RunAccepted{}, gone
	}
	n := h.index(req.Trigger.Time)
	h.started[n]++
	h.order = append(h.order, n)
	h.bench.mu.Lock()
	h.bench.started = append(h.bench.started, req) // for FindStarted
	h.bench.mu.Unlock()
	late := clock.Now().Sub(req.Trigger.Time)
	if late < 0 || h.policy == trigger.CatchupNone && late > planner.Tolerance {
		h.t.Errorf("the run of instant %d is started %v after it", n, late)
	}
	if h.dead == "after" {
		return api.RunAccepted{}, gone
	}
	return api.RunAccepted{Run: "1"}, nil
}

func (h *machineHistory) index(at time.Time) int { return int(at.Sub(h.begin) / time.Minute) }

func (h *machineHistory) play(instants int) {
	path := h.file("w", "every: 1m catchup="+string(h.policy))
	h.keeper, h.begin = h.keeperOf(h), clock.Now()
	h.must(h.enable(h.keeper, path))
	h.events = map[string]int{}
	for h.index(h.latest) < instants {
		h.step()
		synctest.Wait()
		if now := clock.Now(); now.After(h.latest) {
			h.latest = now
		}
	}
	h.check()
	h.keeper.Close()
	h.t.Logf("%d runs of %d instants, %v", len(h.order), h.index(h.latest), h.events)
}

// step lets something happen, and then a time pass in which the keeper looks at the clock.
func (h *machineHistory) step() {
	event := []string{"nothing", "nothing", "nothing", "forward", "back", "sleep", "kill", "kill", "kill"}[h.rand.IntN(9)]
	h.events[event]++
	switch event {
	case "forward", "back":
		ahead := time.Duration(h.ahead.Load())
		if by := time.Hour; event == "forward" && ahead < 3*time.Hour {
			h.set(ahead + by)
		} else if event == "back" && ahead > -3*time.Hour {
			h.set(ahead - by)
		}
	case "sleep":
		h.sleep(time.Duration(h.rand.Int64N(int64(100 * time.Minute))))
	case "kill":
		h.kill()
	}
	if h.rand.IntN(2) == 0 {
		h.keeper.LookAtClock()
	}
	time.Sleep(mostSleep + time.Duration(h.rand.Int64N(int64(5*time.Minute))))
}

// kill ends the keeper, in most cases while a start is under way, and begins another one later.
func (h *machineHistory) kill() {
	h.mu.Lock()
	h.dead, h.died = []string{"before", "after", ""}[h.rand.IntN(3)], false
	under := h.dead != ""
	h.mu.Unlock()
	for died := false; under && !died; { // instants of a time that the clock has shown before come no more for a while
		time.Sleep(time.Second)
		h.mu.Lock()
		died = h.died
		h.mu.Unlock()
	}
	h.keeper.Close()
	h.loseEnd()
	switch h.rand.IntN(3) {
	case 0:
		time.Sleep(time.Duration(h.rand.Int64N(int64(10 * time.Minute))))
	case 1:
		h.sleep(time.Duration(h.rand.Int64N(int64(time.Hour))))
	}
	h.mu.Lock()
	h.dead = ""
	h.mu.Unlock()
	h.keeper = h.keeperOf(h)
}

func (h *machineHistory) ledgerPath() string { return filepath.Join(h.state, Dir, fileLedger) }

// loseEnd removes the last record of the ledger, or a part of it, if it is the end of a start, which is not synced.
func (h *machineHistory) loseEnd() {
	data, err := os.ReadFile(h.ledgerPath())
	h.must(err)
	at := bytes.LastIndexByte(bytes.TrimSuffix(data, []byte("\n")), '\n') + 1
	if bytes.Contains(data[at:], []byte(`"op":"end"`)) && h.rand.IntN(2) == 0 {
		h.must(os.Truncate(h.ledgerPath(), int64(at+h.rand.IntN(len(data)-at))))
		h.events["lost end"]++
	}
}

// check compares the runs with the records of the ledger and with the policy.
func (h *machineHistory) check() {
	decided := map[int]int{}
	for n, count := range h.started {
		decided[n]++
		if count != 1 {
			h.t.Errorf("instant %d has %d runs", n, count)
		}
	}
	data, err := os.ReadFile(h.ledgerPath())
	h.must(err)
	records, refused := []ledger.Record(nil), map[int]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var r ledger.Record
		if json.Unmarshal(lines.Bytes(), &r) == nil {
			records = append(records, r)
		}
	}
	for i, r := range records {
		switch {
		case r.Op == ledger.Skip:
			for n := h.index(r.Instant) - r.Count + 1; n <= h.index(r.Instant); n++ {
				decided[n]++
			}
			if h.policy == trigger.CatchupAll || h.policy == trigger.CatchupLatest && (i+1 == len(records) || records[i+1].Op != ledger.Start) {
				h.t.Errorf("skipped: %+v", r)
			}
		case r.Op == ledger.End && r.Error != "":
			if refused[h.index(r.Instant)] = true; h.policy != trigger.CatchupNone {
				h.t.Errorf("refused: %+v", r)
			}
		}
	}
	for n := range refused {
		decided[n]++
	}
	for n := 1; n <= h.index(h.latest); n++ {
		if decided[n] != 1 {
			h.t.Errorf("instant %d is decided %d times", n, decided[n])
		}
	}
	for i := 1; i < len(h.order); i++ {
		if h.order[i] <= h.order[i-1] {
			h.t.Errorf("the run of instant %d follows that of %d", h.order[i], h.order[i-1])
		}
	}
}
