package activerun

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"wf/api"
	"wf/executor"
)

// Open returns the session of a run. A session survives a restart of the daemon, as a runner does.
func (b *testbed) Open(_ context.Context, spec executor.Spec) (executor.Session, error) {
	if b.opening != nil {
		<-b.opening
	}
	if b.refuse != nil {
		return nil, b.refuse
	}
	if b.session == nil || b.session.dir != spec.Dir {
		b.session = &fakeSession{dir: spec.Dir, gates: true}
	}
	b.session.report, b.session.detached = spec.Report, false
	return b.session, nil
}

func (b *testbed) Engines() []string { return []string{"hpc"} }

// fakeSession notes its calls. The test makes the reports.
type fakeSession struct {
	dir      string
	gates    bool
	report   func([]executor.Report)
	refuse   error          // returned by Start
	jobs     []executor.Job // handed over, in order
	seen     int            // how many of them were returned by handed
	width    int
	stops    []string // executions and grace times
	retries  int
	detached bool
	closed   chan struct{} // if not nil, Close waits for it
}

func (s *fakeSession) Start(jobs []executor.Job) error {
	if s.refuse == nil {
		s.jobs = append(s.jobs, jobs...)
	}
	return s.refuse
}

func (s *fakeSession) Gates() bool    { return s.gates }
func (s *fakeSession) SetWidth(n int) { s.width = n }
func (s *fakeSession) Retry()         { s.retries++ }
func (s *fakeSession) Detach()        { s.detached = true }

func (s *fakeSession) Stop(ids []executor.ID, grace time.Duration) {
	for _, id := range ids {
		s.stops = append(s.stops, fmt.Sprintf("%d/%d after %v", id.Node, id.Execution, grace))
	}
}

func (s *fakeSession) Close(context.Context) ([]int, error) {
	if s.closed != nil {
		<-s.closed
	}
	return nil, nil
}

// fakeSlots gives slots while some are free. All runs are one member.
type fakeSlots struct {
	free, taken, over int
	declined          bool
	calls             []string
}

func (f *fakeSlots) Join(string, int, func()) SlotMember { return f }

func (f *fakeSlots) TryAcquire() bool {
	if f.free == 0 {
		return false
	}
	f.free, f.taken = f.free-1, f.taken+1
	return true
}

func (f *fakeSlots) Decline()            { f.declined = true }
func (f *fakeSlots) Claim()              { f.free, f.taken = f.free-1, f.taken+1 }
func (f *fakeSlots) Over() int           { return f.over }
func (f *fakeSlots) Lend()               { f.calls = append(f.calls, "lend"); f.Release() }
func (f *fakeSlots) TakeBack()           { f.calls = append(f.calls, "take back"); f.Claim() }
func (f *fakeSlots) Leave()              { f.free, f.taken = f.free+f.taken, 0 }
func (f *fakeSlots) Machine() (int, int) { return f.free + f.taken, f.taken }

// Release returns a slot, which another run gets if the run should return one.
func (f *fakeSlots) Release() {
	if f.taken--; f.over > 0 {
		f.over--
	} else {
		f.free++
	}
}

// fakePools gives units while some are free. The test wakes the waiting claims.
type fakePools struct {
	sizes, used map[string]int
	claims      map[string]bool // keys that wait
	asked       int             // how often units were asked for
}

func (p *fakePools) TryAcquire(key string, claim []PoolUse, wake func()) bool {
	p.asked++
	for _, u := range claim {
		if p.used[u.Pool]+u.Units > p.Size(u.Pool) {
			p.claims[key] = true
			return false
		}
	}
	delete(p.claims, key)
	p.Claim(claim)
	return true
}

func (p *fakePools) Claim(claim []PoolUse) {
	for _, u := range claim {
		p.used[u.Pool] += u.Units
	}
}

func (p *fakePools) Release(claim []PoolUse) {
	for _, u := range claim {
		p.used[u.Pool] -= u.Units
	}
}

func (p *fakePools) Forget(key string)    { delete(p.claims, key) }
func (p *fakePools) Size(pool string) int { return cmp.Or(p.sizes[pool], 1) }

func (p *fakePools) String() string {
	waiting := slices.Sorted(maps.Keys(p.claims))
	return fmt.Sprintf("%d used, %v wait", p.used["db"], waiting)
}

// fakeNested notes what it is called for.
type fakeNested struct {
	calls []string
	stop  chan struct{} // if not nil, Stop waits for it
}

func (n *fakeNested) Began(by api.Caller, child Child) {
	n.calls = append(n.calls, fmt.Sprintf("began %s by %s", child.Run, by.Node))
}
func (n *fakeNested) Over(by api.Caller) { n.calls = append(n.calls, "over "+by.Node) }
func (n *fakeNested) Stop(child Child, grace *int64) {
	text := fmt.Sprintf("stop %s of %s", child.Run, child.Workspace)
	if grace != nil {
		text += fmt.Sprintf(" in %d ms", *grace)
	}
	n.calls = append(n.calls, text)
	if n.stop != nil {
		<-n.stop
	}
}
