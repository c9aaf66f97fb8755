package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
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
	s := x.sessions[spec.Dir]
	if s == nil {
		s = &fakeSession{started: make(chan executor.Job, 1000), env: spec.Env}
		x.sessions[spec.Dir] = s
	}
	told := make(chan struct{})
	s.attach(spec.Report, told)
	close(told)
	x.opened <- s
	return s, nil
}

// fakeSession keeps every report, as the record of a runner does.
type fakeSession struct {
	mu      sync.Mutex
	env     []string
	report  func([]executor.Report) // nil while detached
	log     []executor.Report
	started chan executor.Job
	known   map[executor.ID]bool
	over    map[executor.ID]bool
	stops   []stopCall
	closed  bool
	hold    bool // a stop does not end anything by itself
}

type stopCall struct {
	ids   []executor.ID
	grace time.Duration
}

func (s *fakeSession) attach(report func([]executor.Report), _ chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report = report
	if len(s.log) > 0 {
		old := append([]executor.Report(nil), s.log...)
		go report(old)
	}
}

func (s *fakeSession) tell(r executor.Report) {
	s.mu.Lock()
	s.log = append(s.log, r)
	report := s.report
	s.mu.Unlock()
	if report != nil {
		report([]executor.Report{r})
	}
}

func (s *fakeSession) Start(jobs []executor.Job) error {
	for _, j := range jobs {
		s.mu.Lock()
		if s.known == nil {
			s.known, s.over = map[executor.ID]bool{}, map[executor.ID]bool{}
		}
		known := s.known[j.ID]
		s.known[j.ID] = true
		s.mu.Unlock()
		if known {
			continue
		}
		go func() {
			s.tell(executor.Report{Kind: executor.Started, ID: j.ID, Time: time.Now(), PID: 1000 + j.ID.Node,
				Out: executor.Range{File: "out/x", End: -1}, Err: executor.Range{File: "out/y", End: -1}})
			s.started <- j
		}()
	}
	return nil
}

// end finishes an execution.
func (s *fakeSession) end(id executor.ID, exit executor.Exit) {
	s.mu.Lock()
	if s.over[id] {
		s.mu.Unlock()
		return
	}
	s.over[id] = true
	s.mu.Unlock()
	s.tell(executor.Report{Kind: executor.Ended, ID: id, Time: time.Now(), Exit: exit,
		Out: executor.Range{File: "out/x"}, Err: executor.Range{File: "out/y"}})
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
		for _, id := range ids {
			s.end(id, executor.Exit{Signal: 15, Stopped: true})
		}
	}()
}

func (s *fakeSession) Close(context.Context) ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil, nil
}

func (s *fakeSession) SetWidth(int) {}

func (s *fakeSession) Detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report = nil
}

// freeSlots gives n slots, or any number for 0.
type freeSlots struct {
	mu      sync.Mutex
	n, used int
	wake    []func()
}

func (f *freeSlots) Join(wake func()) SlotMember {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wake = append(f.wake, wake)
	return &freeMember{f: f}
}

type freeMember struct {
	f    *freeSlots
	mine int
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

func (m *freeMember) Release() {
	m.f.mu.Lock()
	m.f.used--
	m.mine--
	wake := append([]func(){}, m.f.wake...)
	m.f.mu.Unlock()
	for _, f := range wake {
		f()
	}
}

func (m *freeMember) Leave() {
	m.f.mu.Lock()
	defer m.f.mu.Unlock()
	m.f.used -= m.mine
	m.mine = 0
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
	b.cfg = Config{Executor: b.fake, State: filepath.Join(dir, "state"), Slots: b.slots, Version: "test",
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
	req.Env = []string{"PATH=/bin"}
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

// viewer collects the frames of a watcher.
type viewer struct {
	v      *Watcher
	mu     sync.Mutex
	snap   *api.Snapshot
	events []api.Event
	over   chan struct{} // gets a value for each run_complete
	closed chan struct{}
	news   chan struct{}
}

func (b *testbed) watch() *viewer {
	b.t.Helper()
	w, err := b.w.Watch(context.Background(), "c1", WatchOptions{Nodes: true})
	if err != nil {
		b.t.Fatal(err)
	}
	v := &viewer{v: w, over: make(chan struct{}, 100), closed: make(chan struct{}), news: make(chan struct{}, 1)}
	go v.collect(b.t)
	return v
}

func (v *viewer) collect(t *testing.T) {
	defer close(v.closed)
	for data := range v.v.Frames() {
		var f api.Frame
		if err := json.Unmarshal(data, &f); err != nil {
			t.Errorf("frame: %v", err)
		}
		v.mu.Lock()
		if f.Snapshot != nil {
			v.snap = f.Snapshot
		}
		v.events = append(v.events, f.Events...)
		v.mu.Unlock()
		for _, e := range f.Events {
			if e.Type == api.RunComplete {
				v.over <- struct{}{}
			}
		}
		select {
		case v.news <- struct{}{}:
		default:
		}
	}
}

// wait returns the first event from the n-th on that matches.
func (v *viewer) wait(t *testing.T, what string, match func(api.Event) bool) api.Event {
	t.Helper()
	deadline := time.After(patience)
	for {
		v.mu.Lock()
		for _, e := range v.events {
			if match(e) {
				v.mu.Unlock()
				return e
			}
		}
		v.mu.Unlock()
		select {
		case <-v.news:
		case <-deadline:
			t.Fatalf("no event: %s", what)
		}
	}
}

// story words the events without times and ids, for comparison.
func (v *viewer) story() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var lines []string
	for _, e := range v.events {
		line := string(e.Type)
		if e.Node != "" {
			line += " " + strings.TrimPrefix(e.Node, "id-")
		}
		if e.Result != "" {
			line += " " + string(e.Result)
		}
		lines = append(lines, line)
	}
	return lines
}

func (v *viewer) checkGapless(t *testing.T) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, e := range v.events {
		if want := v.snap.Seq + uint64(i) + 1; e.Seq != want {
			t.Fatalf("event %d has seq %d, want %d", i, e.Seq, want)
		}
	}
}
