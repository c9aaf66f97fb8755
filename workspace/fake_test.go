package workspace

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/activerun"
	"wf/workspace/clock"
	"wf/workspace/history"
)

// patience is how long a test waits for something that must happen.
const patience = 20 * time.Second

// fakeExecutor lets the test say how each job ends. Its sessions live in memory and survive a
// detach, as runner processes do.
type fakeExecutor struct {
	mu       sync.Mutex
	sessions map[string]*fakeSession // by Spec.Dir
	opened   chan *fakeSession
	fail     error // what Open returns
	opening  func(executor.Spec)
}

func newFake() *fakeExecutor {
	return &fakeExecutor{sessions: map[string]*fakeSession{}, opened: make(chan *fakeSession, 100)}
}

func (x *fakeExecutor) Open(_ context.Context, spec executor.Spec) (executor.Session, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.fail != nil {
		return nil, x.fail
	}
	if x.opening != nil {
		x.opening(spec)
	}
	s := x.sessions[spec.Dir]
	if s == nil {
		s = &fakeSession{started: make(chan executor.Job, 1000), env: spec.Env,
			known: map[executor.ID]bool{}, began: map[executor.ID]bool{}, over: map[executor.ID]bool{}}
		x.sessions[spec.Dir] = s
	}
	s.attach(spec.Report)
	x.opened <- s
	return s, nil
}

// refuse makes Open fail from now on, or not any more.
func (x *fakeExecutor) refuse(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fail = err
}

// fakeSession keeps every report, as the record of a runner does.
type fakeSession struct {
	mu       sync.Mutex
	env      []string
	report   func([]executor.Report) // nil while detached
	log      []executor.Report
	reported int // how many of log the present report has got
	wake     chan struct{}
	width    int
	going    int
	most     int // at once, ever
	retries  int
	waiting  []executor.Job
	gates    gates
	started  chan executor.Job
	known    map[executor.ID]bool
	began    map[executor.ID]bool
	over     map[executor.ID]bool
	stops    []stopCall
	closed   bool
	muted    bool // nothing is reported
	hold     bool // a stop does not end anything by itself
}

type stopCall struct {
	ids   []executor.ID
	grace time.Duration
}

// attach tells everything again, then what is new.
func (s *fakeSession) attach(report func([]executor.Report)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report = report
	s.width = 0
	for _, j := range s.gates.shut { // the daemon hands over those again that it still wants
		delete(s.known, j.ID)
	}
	s.gates.shut = nil
	caughtUp := executor.Report{Kind: executor.CaughtUp, Time: clock.Wall()}
	s.log = append(slices.DeleteFunc(s.log, func(r executor.Report) bool { return r.Kind == caughtUp.Kind }), caughtUp)
	if s.wake == nil {
		s.wake = make(chan struct{}, 1)
		go s.deliver()
	}
	s.reported = 0
	s.signal()
}

// tell appends news; the caller holds mu. They are delivered by a goroutine of their own, in order,
// as Report may block.
func (s *fakeSession) tell(r executor.Report) {
	s.log = append(s.log, r)
	s.signal()
}

func (s *fakeSession) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *fakeSession) deliver() {
	for range s.wake {
		for {
			s.mu.Lock()
			report, news := s.report, append([]executor.Report(nil), s.log[s.reported:]...)
			if s.closed {
				s.mu.Unlock()
				return
			}
			if report == nil || len(news) == 0 || s.muted {
				s.mu.Unlock()
				break
			}
			s.reported = len(s.log)
			s.mu.Unlock()
			report(news)
		}
	}
}

func (s *fakeSession) Start(jobs []executor.Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range jobs {
		if s.gates.release(j) || !s.known[j.ID] {
			s.known[j.ID] = true
			s.waiting = append(s.waiting, s.gates.admit(j)...)
		}
	}
	s.fill()
	return nil
}

func (s *fakeSession) Gates() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.gates.none
}

// mute keeps what there is to tell, until it is called again.
func (s *fakeSession) mute(muted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.muted = muted
	s.signal()
}

func (s *fakeSession) SetWidth(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.width = n
	s.tell(executor.Report{Kind: executor.Resized, Width: n})
	s.fill()
}

// fill starts what waits, as far as the width lets it. The caller holds mu.
func (s *fakeSession) fill() {
	for len(s.waiting) > 0 && s.going < s.width {
		j := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.going++
		s.most = max(s.most, s.going)
		s.began[j.ID] = true
		s.tell(executor.Report{Kind: executor.Started, ID: j.ID, Time: clock.Wall(), PID: 1000 + j.ID.Node,
			Out: executor.Range{File: "out/x", End: -1}, Err: executor.Range{File: "out/y", End: -1}})
		s.started <- j
	}
}

// end finishes an execution, or gives back one that waits.
func (s *fakeSession) end(id executor.ID, exit executor.Exit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over[id] || !s.known[id] {
		return
	}
	s.over[id] = true
	s.waiting = slices.DeleteFunc(s.waiting, func(j executor.Job) bool { return j.ID == id })
	s.gates.drop(id)
	if s.began[id] {
		s.going--
	}
	s.tell(executor.Report{Kind: executor.Ended, ID: id, Time: clock.Wall(), Exit: exit,
		Out: executor.Range{File: "out/x"}, Err: executor.Range{File: "out/y"}})
	s.waiting = append(s.waiting, s.gates.over(id, exit)...)
	s.fill()
}

func (s *fakeSession) Stop(ids []executor.ID, grace time.Duration) {
	s.mu.Lock()
	s.stops = append(s.stops, stopCall{ids, grace})
	hold := s.hold
	s.mu.Unlock()
	if hold && grace > 0 {
		return
	}
	go func() {
		for _, waits := range []bool{true, false} { // what waits must not take the place of what ends
			for _, id := range ids {
				if s.waits(id) == waits {
					s.end(id, executor.Exit{Signal: 15, Stopped: true})
				}
			}
		}
	}()
}

func (s *fakeSession) waits(id executor.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.began[id]
}

func (s *fakeSession) Close(context.Context) ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.report = true, nil
	s.signal()
	return nil, nil
}

func (s *fakeSession) Retry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retries++
}

func (s *fakeSession) Detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report = nil
}

// freeSlots gives n slots, or any number for 0.
type freeSlots struct {
	mu      sync.Mutex
	n, used int
	over    int // how many slots members are asked to give back
	members []*freeMember
}

func (f *freeSlots) inUse() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used
}

func (f *freeSlots) Join(_ string, _ int, wake func()) activerun.SlotMember {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := &freeMember{f: f, wake: wake}
	f.members = append(f.members, m)
	return m
}

type freeMember struct {
	f    *freeSlots
	mine int
	wake func()
}

func (m *freeMember) TryAcquire() bool {
	m.f.mu.Lock()
	defer m.f.mu.Unlock()
	if m.f.n > 0 && m.f.used >= m.f.n {
		return false
	}
	m.f.used++
	m.mine++
	return true
}

func (m *freeMember) Claim() {
	m.f.mu.Lock()
	defer m.f.mu.Unlock()
	m.f.used++
	m.mine++
}

func (m *freeMember) Over() int {
	m.f.mu.Lock()
	defer m.f.mu.Unlock()
	return min(m.mine, m.f.over)
}

func (m *freeMember) Release() {
	m.f.mu.Lock()
	m.f.used--
	m.mine--
	if m.f.over > 0 {
		m.f.over--
		m.f.n-- // it belongs to somebody else now
	}
	members := slices.Clone(m.f.members)
	m.f.mu.Unlock()
	for _, other := range members {
		other.wake()
	}
}

func (m *freeMember) Machine() (limit, used int) { return m.f.n, m.f.inUse() }

func (m *freeMember) Decline()  {}
func (m *freeMember) Lend()     { m.Release() }
func (m *freeMember) TakeBack() { m.Claim() }

func (m *freeMember) Leave() {
	m.f.mu.Lock()
	defer m.f.mu.Unlock()
	m.f.used -= m.mine
	m.mine = 0
	m.f.members = slices.DeleteFunc(m.f.members, func(other *freeMember) bool { return other == m })
}

// bench is one workfile with everything a workspace needs around it.
type testbed struct {
	t     *testing.T
	path  string
	cfg   Config
	fake  *fakeExecutor
	slots *freeSlots
	w     *Workspace
}

// newTestbed writes a workfile of one-letter nodes; edges like "a>b" block, "a~b" do not.
func newTestbed(t *testing.T, edges ...string) *testbed {
	t.Helper()
	dir := t.TempDir()
	b := &testbed{t: t, path: filepath.Join(dir, "Workfile"), fake: newFake(), slots: &freeSlots{}}
	b.cfg = Config{Executor: b.fake, State: filepath.Join(dir, "state"), Slots: b.slots, Version: "test", Disk: helperDisk{history.LocalDisk{}, t},
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	b.write(workfileText(edges...))
	return b
}

func workfileText(edges ...string) string {
	var nodes, out strings.Builder
	seen := map[string]bool{}
	add := func(n string) {
		if !seen[n] {
			seen[n] = true
			fmt.Fprintf(&nodes, "    <node id=%q>\n      <data key=\"label\">echo %s</data>\n    </node>\n", "id-"+n, n)
			fmt.Fprintf(&nodes, "")
		}
	}
	for i, e := range edges {
		if len(e) == 1 {
			add(e)
			continue
		}
		src, dst := e[:1], e[2:]
		add(src)
		add(dst)
		fmt.Fprintf(&out, "    <edge id=\"e%d\" source=%q target=%q>", i, "id-"+src, "id-"+dst)
		if e[1] == '~' {
			fmt.Fprint(&out, "<data key=\"type\">non-blocking</data>")
		}
		fmt.Fprint(&out, "</edge>\n")
	}
	return `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="type" for="edge" attr.name="edge_type" attr.type="string"/>
  <graph edgedefault="directed">
` + nodes.String() + out.String() + `  </graph>
</graphml>
`
}

func (b *testbed) write(text string) {
	b.t.Helper()
	if err := os.WriteFile(b.path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *testbed) read() string {
	b.t.Helper()
	data, err := os.ReadFile(b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// open opens the workspace; it is closed when the test ends.
func (b *testbed) open() *Workspace {
	b.t.Helper()
	w, err := Open(b.path, b.cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	b.w = w
	b.t.Cleanup(func() { b.close(w) })
	return w
}

func (b *testbed) close(w *Workspace) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.Close(ctx); err != nil {
		b.t.Errorf("close: %v", err)
	}
}

// run starts a run and returns its session.
func (b *testbed) run(req api.RunRequest) (api.RunAccepted, *fakeSession) {
	b.t.Helper()
	req.Env = append([]string{"PATH=/bin"}, req.Env...)
	acc, err := b.w.StartRun(context.Background(), "c1", req)
	if err != nil {
		b.t.Fatal(err)
	}
	select {
	case s := <-b.fake.opened:
		return acc, s
	case <-time.After(patience):
		b.t.Fatal("no session was opened")
		return acc, nil
	}
}

// next is the next job that was started.
func (b *testbed) next(s *fakeSession) executor.Job {
	b.t.Helper()
	select {
	case j := <-s.started:
		return j
	case <-time.After(patience):
		b.t.Fatal("no job was started")
		return executor.Job{}
	}
}

// play ends every job with the exit code that fails says for its label, until the run is over.
func (b *testbed) play(v *viewer, s *fakeSession, fails map[string]int) {
	b.t.Helper()
	for {
		select {
		case j := <-s.started:
			s.end(j.ID, executor.Exit{Code: fails[strings.TrimPrefix(j.Command, "echo ")]})
		case <-v.over:
			return
		case <-time.After(patience):
			b.t.Fatal("the run does not end")
		}
	}
}
