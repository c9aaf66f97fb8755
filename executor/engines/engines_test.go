package engines

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"wf/executor"
)

// A fake is an executor whose sessions report what the test says.
type fake struct {
	name     string
	openErr  error
	startErr error
	closeErr error
	left     []int // survivors of Close

	mu    sync.Mutex // guards what follows
	spec  executor.Spec
	calls []string
}

func (f *fake) Open(_ context.Context, spec executor.Spec) (executor.Session, error) {
	f.note("open")
	f.spec = spec
	return f, f.openErr
}

func (f *fake) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, fmt.Sprintf(format, args...))
}

func (f *fake) Start(jobs []executor.Job) error {
	var nodes []int
	for _, j := range jobs {
		nodes = append(nodes, j.ID.Node)
	}
	f.note("start %v", nodes)
	return f.startErr
}

func (f *fake) Gates() bool                             { return f.name == "" }
func (f *fake) SetWidth(n int)                          { f.note("width %d", n) }
func (f *fake) Stop(ids []executor.ID, _ time.Duration) { f.note("stop %d", len(ids)) }
func (f *fake) Retry()                                  { f.note("retry") }
func (f *fake) Detach()                                 { f.note("detach") }

func (f *fake) Close(context.Context) ([]int, error) {
	f.note("close")
	return f.left, f.closeErr
}

// say reports something of the session.
func (f *fake) say(reports ...executor.Report) { f.spec.Report(reports) }

// A bed has a run with two engines, "hpc" and "gpu".
type bed struct {
	*testing.T
	engines  *Engines
	local    *fake
	hpc, gpu *fake
	used     []string
	findErr  error

	mu   sync.Mutex
	seen []executor.Report
}

func newBed(t *testing.T) *bed {
	b := &bed{T: t, local: &fake{}, hpc: &fake{name: "hpc"}, gpu: &fake{name: "gpu"}}
	b.engines = &Engines{Local: b.local, Used: func(string) ([]string, error) { return b.used, nil },
		Find: func(name string) (executor.Executor, error) {
			if x := map[string]*fake{"hpc": b.hpc, "gpu": b.gpu}[name]; x != nil && b.findErr == nil {
				return x, nil
			}
			return nil, errors.Join(b.findErr, executor.CheckEngine(name, []string{"hpc", "gpu"}))
		}}
	return b
}

func (b *bed) open() executor.Session {
	b.Helper()
	s, err := b.engines.Open(b.Context(), executor.Spec{Dir: "/run", Width: 3, Report: func(reports []executor.Report) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.seen = append(b.seen, reports...)
	}})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// take returns the reports since the last call: kind and node of each, and the message.
func (b *bed) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	names := map[executor.Kind]string{executor.Started: "started", executor.Ended: "ended", executor.CaughtUp: "caught up", executor.Held: "held",
		executor.Resized: "resized", executor.Broken: "broken", executor.Changed: "changed"}
	var words []string
	for _, r := range b.seen {
		words = append(words, strings.TrimSpace(fmt.Sprintf("%s %d %s", names[r.Kind], r.ID.Node, r.Message)))
	}
	b.seen = nil
	return strings.Join(words, "; ")
}

func (b *bed) check(what string, got, want any) {
	b.Helper()
	if !reflect.DeepEqual(got, want) {
		b.Errorf("%s:\n%v, want\n%v", what, got, want)
	}
}

func job(node int, engine string) executor.Job {
	return executor.Job{ID: executor.ID{Node: node, Execution: 1}, Engine: engine}
}

func started(node int) executor.Report {
	return executor.Report{Kind: executor.Started, ID: executor.ID{Node: node, Execution: 1}}
}

func held(why string) executor.Report { return executor.Report{Kind: executor.Held, Message: why} }

// Each job goes to its executor, whose session is opened when a job names it, with the run's own folder and without a width.
func TestJobsGoToTheirExecutors(t *testing.T) {
	b := newBed(t)
	s := b.open()
	if err := s.Start([]executor.Job{job(0, "hpc"), job(1, ""), job(2, "hpc"), job(3, "")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Start([]executor.Job{job(4, "hpc")}); err != nil {
		t.Fatal(err)
	}
	s.SetWidth(5)
	s.Stop([]executor.ID{{Node: 0, Execution: 1}}, 0)
	s.Retry()
	s.Detach()
	b.check("this machine", b.local.calls, []string{"open", "start [1 3]", "width 5", "stop 1", "retry", "detach"})
	b.check("hpc", b.hpc.calls, []string{"open", "start [0 2]", "start [4]", "stop 1", "retry", "detach"})
	b.check("gpu", b.gpu.calls, []string(nil))
	if !s.Gates() || b.local.spec.Width != 3 || b.hpc.spec.Width < 1<<20 || b.hpc.spec.Dir != "/run" {
		t.Errorf("gates %v, width here %d, there %d in %s", s.Gates(), b.local.spec.Width, b.hpc.spec.Width, b.hpc.spec.Dir)
	}
}

// A later session of the run opens the engines that have jobs of it.
func TestEnginesInUseAreOpened(t *testing.T) {
	b := newBed(t)
	b.used = []string{"gpu"}
	b.open()
	b.check("hpc", b.hpc.calls, []string(nil))
	b.check("gpu", b.gpu.calls, []string{"open"})
}

// CaughtUp is reported once, when all sessions that were opened with the run have caught up, whatever is opened meanwhile.
func TestCaughtUpIsReportedOnce(t *testing.T) {
	up := executor.Report{Kind: executor.CaughtUp}
	b := newBed(t)
	b.used = []string{"hpc"}
	s := b.open()
	b.hpc.say(started(0), up)
	b.check("one of two", b.take(), "started 0")
	if err := s.Start([]executor.Job{job(1, "gpu")}); err != nil {
		t.Fatal(err)
	}
	b.gpu.say(up)
	b.check("an engine that was opened later", b.take(), "")
	b.local.say(up)
	b.check("the last one", b.take(), "caught up 0")

	b = newBed(t)
	s = b.open()
	if err := s.Start([]executor.Job{job(0, "hpc"), job(1, "nowhere")}); err != nil {
		t.Fatal(err)
	}
	b.local.say(up)
	b.hpc.say(up)
	if _, err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.check("with engines that are used for the first time", strings.Count(b.take(), "caught up"), 1)
}

// Only this machine has a width.
func TestWidthIsThatOfThisMachine(t *testing.T) {
	b := newBed(t)
	b.used = []string{"hpc"}
	b.open()
	b.hpc.say(executor.Report{Kind: executor.Resized, Width: unlimited})
	b.check("of the engine", b.take(), "")
	b.local.say(executor.Report{Kind: executor.Resized, Width: 2})
	b.check("of this machine", b.take(), "resized 0")
}

// A run is held as long as one of its sessions is.
func TestRunIsHeldWhileASessionIs(t *testing.T) {
	b := newBed(t)
	b.used = []string{"hpc", "gpu"}
	b.open()
	b.hpc.say(held("disk full"))
	b.check("one", b.take(), "held 0 executor hpc: disk full")
	b.local.say(held("disk full"))
	b.check("two", b.take(), "held 0 disk full")
	b.local.say(held(""))
	b.check("the first is still held", b.take(), "held 0 executor hpc: disk full")
	b.gpu.say(held(""))
	b.check("one that was not held", b.take(), "")
	b.hpc.say(held(""))
	b.check("none", b.take(), "held 0")
}

// Broken is the last report.
func TestNothingIsReportedAfterBroken(t *testing.T) {
	b := newBed(t)
	b.used = []string{"hpc"}
	b.open()
	b.local.say(started(0), executor.Report{Kind: executor.Broken, Message: "the runner died"}, started(1))
	b.hpc.say(started(2))
	b.check("reports", b.take(), "started 0; broken 0 the runner died")
}

// The jobs of an engine that cannot be used fail to start, and the others start.
func TestEngineThatCannotBeUsed(t *testing.T) {
	b := newBed(t)
	b.hpc.openErr = errors.New("no space left")
	b.gpu.startErr = errors.New("no jobs, please")
	s := b.open()
	if err := s.Start([]executor.Job{job(0, "hpc"), job(1, ""), job(2, "gpu"), job(3, "nowhere")}); err != nil {
		t.Fatal(err)
	}
	b.check("this machine", b.local.calls, []string{"open", "start [1]"})
	if _, err := s.Close(t.Context()); err != nil { // waits for the reports
		t.Fatal(err)
	}
	ended := map[int]string{}
	for _, r := range b.seen {
		if r.Kind != executor.Ended || !r.Exit.Failed {
			t.Errorf("%+v", r)
		}
		ended[r.ID.Node] = r.Message
	}
	b.check("failures", ended, map[int]string{0: "executor hpc: no space left", 2: "executor gpu: no jobs, please",
		3: "executor nowhere: there is no executor nowhere here; known: local, hpc, gpu"})
}

// If this machine takes no jobs, no engine has got any.
func TestNoJobIsTakenAfterAnError(t *testing.T) {
	b := newBed(t)
	b.local.startErr = errors.New("too late")
	if err := b.open().Start([]executor.Job{job(0, "hpc"), job(1, "")}); err != b.local.startErr {
		t.Errorf("error %v", err)
	}
	b.check("hpc", b.hpc.calls, []string(nil))
}

// A run whose engine is not described any more can be followed later; other errors are final. What was opened is left alone.
func TestRunThatCannotBeFollowed(t *testing.T) {
	for name, c := range map[string]struct {
		spoil       func(b *bed)
		unavailable bool
		want        string
	}{
		"engine is unknown": {func(b *bed) { b.used = []string{"hpc", "old"} }, true,
			"the run has jobs at the executor old: there is no executor old here; known: local, hpc, gpu"},
		"journal is damaged":  {func(b *bed) { b.gpu.openErr = errors.New("damaged") }, false, "the run has jobs at the executor gpu: damaged"},
		"runner is lost":      {func(b *bed) { b.local.openErr = errors.New("gone") }, false, "gone"},
		"folder is not there": {func(b *bed) { b.engines.Used = func(string) ([]string, error) { return nil, errors.New("no folder") } }, false, "no folder"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			b.used = []string{"hpc", "gpu"}
			c.spoil(b)
			_, err := b.engines.Open(t.Context(), executor.Spec{Dir: "/run"})
			var unavailable *executor.UnavailableError
			if err == nil || err.Error() != c.want || errors.As(err, &unavailable) != c.unavailable {
				t.Errorf("error %v", err)
			}
			if len(b.hpc.calls) > 0 {
				b.check("hpc", b.hpc.calls, []string{"open", "detach"})
			}
		})
	}
}

// Close ends all sessions, and returns what each has to say.
func TestCloseEndsAllSessions(t *testing.T) {
	b := newBed(t)
	b.used = []string{"hpc", "gpu"}
	b.local.left, b.local.closeErr = []int{7}, errors.New("a process stays")
	b.hpc.closeErr = errors.New("the cluster does not answer")
	s := b.open()
	survivors, err := s.Close(t.Context())
	b.check("survivors", survivors, []int{7})
	if !errors.Is(err, b.local.closeErr) || !errors.Is(err, b.hpc.closeErr) {
		t.Errorf("error %v", err)
	}
	b.check("gpu", b.gpu.calls, []string{"open", "close"})
}

// The receiver of reports may wait for a goroutine that calls the session, in all methods.
func TestReceiverMayWaitForACallOfTheSession(t *testing.T) {
	b := newBed(t)
	b.used = []string{"hpc"}
	reporting := make(chan struct{}, 10)
	inbox := make(chan []executor.Report) // of a goroutine that also calls the session
	s, err := b.engines.Open(t.Context(), executor.Spec{Report: func(reports []executor.Report) {
		reporting <- struct{}{}
		inbox <- reports
	}})
	if err != nil {
		t.Fatal(err)
	}
	go b.hpc.say(started(0))
	<-reporting // hpc waits for the inbox, and this machine for hpc
	go b.local.say(started(1))
	if err := s.Start([]executor.Job{job(2, ""), job(3, "gpu"), job(4, "hpc"), job(5, "nowhere")}); err != nil {
		t.Fatal(err)
	}
	s.SetWidth(1)
	s.Stop([]executor.ID{{Node: 2, Execution: 1}}, 0)
	s.Retry()
	s.Detach()
	for range 3 { // and the failure of job 5
		<-inbox
	}
}

// Reports of several sessions come one after the other, those of each in their order.
func TestOrderOfReports(t *testing.T) {
	b := newBed(t)
	b.used = []string{"hpc", "gpu"}
	b.open()
	const each = 1000
	var all sync.WaitGroup
	for at, f := range []*fake{b.local, b.hpc, b.gpu} {
		all.Go(func() {
			for i := range each {
				f.say(started(at*each + i))
			}
		})
	}
	all.Wait()
	next := [3]int{}
	for _, r := range b.seen {
		at := r.ID.Node / each
		if r.ID.Node%each != next[at] {
			t.Fatalf("report %d of session %d comes after %d", r.ID.Node%each, at, next[at]-1)
		}
		next[at]++
	}
	b.check("reports", next, [3]int{each, each, each})
}
