package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/executortest"
	"wf/executor/fault"
	"wf/executor/proc"
	"wf/executor/runner"
	"wf/workspace/history"
	"wf/workspace/history/historytest"
)

// A faultPlan is a file in the folder of a run that says which operation of the runner or of the daemon fails. An operation
// that fails only once does so in one runner only.
type faultPlan struct {
	At     int
	Err    syscall.Errno
	Stay   bool // it fails until the file healedFile exists
	Half   bool
	Daemon bool // the operations of the daemon are counted, not those of the runner
}

const (
	planFile   = "plan"   // a faultPlan
	failedFile = "failed" // one line for each operation that failed
	healedFile = "healed"
)

// faults returns the disk of the run in dir, whose operations fail as the plan says.
func (p faultPlan) faults(dir string) *historytest.Faults {
	exists := func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	plan := historytest.Plan{At: p.At, Err: p.Err, Stay: p.Stay, Half: p.Half,
		Over: func() bool { return exists(healedFile) },
		Tell: func(op historytest.Op) {
			f, err := os.OpenFile(filepath.Join(dir, failedFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
			if err == nil {
				_, err = fmt.Fprintln(f, op.Name, filepath.Base(op.Path))
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				panic(err)
			}
		}}
	if exists(healedFile) || !p.Stay && exists(failedFile) {
		plan.At = 0
	}
	return &historytest.Faults{Disk: history.LocalDisk{}, Plan: plan}
}

// runnerOf is the program of a runner in a folder that may contain a plan.
func runnerOf(dir, socket string) int {
	o := runner.Options{OpenLog: openFile, StartDaemon: func() error { return nil }, Reached: dieAt(dir)}
	if boot, err := os.ReadFile(filepath.Join(dir, bootFile)); err == nil {
		o.Boot = func() (string, error) { return string(boot), nil }
	}
	text, err := os.ReadFile(filepath.Join(dir, planFile))
	if err != nil {
		return runner.Main([]string{dir, socket}, o)
	}
	var p faultPlan
	if err := json.Unmarshal(text, &p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	disk := &historytest.Faults{Disk: history.LocalDisk{}}
	if !p.Daemon {
		disk = p.faults(dir)
		fault.Inject(disk.Attempt)
	}
	o.OpenLog, o.Pause, o.Reached = openLogOn(disk), holdMillis*time.Millisecond, nil
	return runner.Main([]string{dir, socket}, o)
}

// openLogOn opens runner logs as cmd/wf does, on another disk.
func openLogOn(disk history.Disk) runner.OpenLog {
	return func(path string, replay func([]byte) error) (runner.Log, error) {
		log, err := history.OpenLog(disk, path, replay)
		if err != nil {
			if log != nil {
				err = errors.Join(err, log.Close())
			}
			return nil, err
		}
		return log, nil
	}
}

const (
	holdMillis = 8
	faultNodes = 30
)

// faultDeps are the dependencies: a chain, a fan-out, a join and a chain.
func faultDeps(node int) []int {
	const fan, join = 5, 24
	switch {
	case node == 0:
		return nil
	case node <= fan, node > join:
		return []int{node - 1}
	case node < join:
		return []int{fan}
	}
	var all []int
	for n := fan + 1; n < join; n++ {
		all = append(all, n)
	}
	return all
}

// TestEveryOperationOfARunFails makes each operation of the runner and of its daemon fail in a run of 30 nodes, once or
// until the test sees that the run is held. Every node is executed once and its exit code is reported, or, if the program
// itself could not be executed, the reason.
func TestEveryOperationOfARunFails(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	defer executor.ShortRetryPause(holdMillis)()
	step := 23
	if *executor.Torture {
		step = 1
	} else if testing.Short() {
		step = 101
	}
	for i, p := range []faultPlan{
		{Err: syscall.ENOSPC}, {Err: syscall.ENOSPC, Stay: true, Half: true}, {Err: syscall.EIO}, {Err: syscall.EIO, Half: true},
		{Err: syscall.EIO, Stay: true}, {Err: syscall.EINTR}, {Err: syscall.EMFILE}, {Err: syscall.EMFILE, Stay: true},
		{Err: syscall.EAGAIN}, {Err: syscall.EAGAIN, Stay: true}, {Err: syscall.EROFS, Stay: true},
		{Err: syscall.ENOSPC, Daemon: true}, {Err: syscall.EMFILE, Stay: true, Daemon: true}, {Err: syscall.ENOMEM, Stay: true, Daemon: true},
	} {
		t.Run(fmt.Sprintf("%v, stays %v, half %v, daemon %v", p.Err, p.Stay, p.Half, p.Daemon), func(t *testing.T) {
			runs := 0
			first, step := 1+5*i%step, step
			if p.Daemon {
				first, step = 1, 1 // there are only few
			}
			for p.At = first; faultyRun(t, p); p.At += step {
				runs++
			}
			t.Logf("%d runs, up to operation %d", runs, p.At-step)
		})
	}
}

// A faulty is a run with a fault and the model of what it must report.
type faulty struct {
	*run
	plan    faultPlan
	log     string // each command appends its number to this file
	handed  map[int]bool
	started map[int]bool
	ended   map[int]executor.Report
	held    string
}

// faultyRun executes a run with a fault and reports whether the operation was reached.
func faultyRun(t *testing.T, p faultPlan) (failed bool) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, planFile), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.Daemon {
		disk := p.faults(dir)
		var once sync.Mutex // the session calls it from its own goroutine
		fault.Inject(func(op, path string) error {
			once.Lock()
			defer once.Unlock()
			return disk.Attempt(op, path)
		})
		defer fault.Inject(nil)
	}
	f := &faulty{plan: p, log: filepath.Join(t.TempDir(), "log"), handed: map[int]bool{}, started: map[int]bool{}, ended: map[int]executor.Report{}}
	x := newLocal(t).(*executor.Local)
	x.Env = []string{"GORACE=atexit_sleep_ms=0"} // otherwise each runner ends a second later under the race detector
	f.open(t, x, dir)
	f.follow()
	f.closeAll(x)
	f.check()
	return len(f.failedOps()) > 0
}

// open opens the run. If that fails, it opens the run again without the fault.
func (f *faulty) open(t *testing.T, x *executor.Local, dir string) {
	f.run = &run{T: t, dir: dir, reports: make(chan executor.Report, 200)}
	spec := executor.Spec{
		Dir: dir, Cwd: t.TempDir(), Width: 4, Env: []string{"PATH=" + os.Getenv("PATH"), "WF_RUN_ID=" + t.Name()},
		Report: func(reports []executor.Report) {
			for _, report := range reports {
				f.reports <- report
			}
		},
	}
	var err error
	if f.session, err = x.Open(context.Background(), spec); err != nil {
		f.heal()
		f.session, err = x.Open(context.Background(), spec)
	}
	if err != nil {
		t.Fatalf("operation %d: %v", f.plan.At, err)
	}
}

func (f *faulty) heal() {
	if err := os.WriteFile(filepath.Join(f.dir, healedFile), nil, 0o600); err != nil {
		f.Fatal(err)
	}
}

// follow hands over the nodes whose dependencies have ended, until all nodes have ended.
func (f *faulty) follow() {
	late := time.After(executortest.Timeout)
	for f.hand(); len(f.ended) < faultNodes; f.hand() {
		select {
		case report := <-f.reports:
			f.take(report)
		case <-late:
			f.Fatalf("operation %d, after %q: %d nodes have ended, held %q", f.plan.At, f.failedOps(), len(f.ended), f.held)
		}
	}
}

func (f *faulty) hand() {
	for node := range faultNodes {
		waits := func(dep int) bool { _, over := f.ended[dep]; return !over }
		if f.handed[node] || slices.ContainsFunc(faultDeps(node), waits) {
			continue
		}
		f.handed[node] = true
		f.start(node, fmt.Sprintf("echo %d; echo %d >>%s; exit %d", node, node, f.log, node%7))
	}
}

// take stores a report; a report that the model does not expect is an error.
func (f *faulty) take(report executor.Report) {
	node := report.ID.Node
	switch report.Kind {
	case executor.Started:
		if f.started[node] || !f.handed[node] {
			f.Errorf("operation %d: node %d has started again: %+v", f.plan.At, node, report)
		}
		f.started[node] = true
	case executor.Ended:
		if before, twice := f.ended[node]; twice {
			f.Errorf("operation %d: node %d has ended twice: %+v, %+v", f.plan.At, node, before, report)
		}
		f.ended[node] = report
	case executor.Held:
		if f.held = report.Message; f.held != "" {
			f.heal()
		}
	case executor.Broken:
		f.Fatalf("operation %d, after %q: %+v", f.plan.At, f.failedOps(), report)
	}
}

// closeAll closes the run and checks that nothing of it is left.
func (f *faulty) closeAll(x *executor.Local) {
	ctx, cancel := context.WithTimeout(context.Background(), executortest.Timeout)
	defer cancel()
	var survivors []int
	var err error
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		survivors, err = f.session.Close(ctx)
	}()
	for open := true; open; {
		select {
		case report := <-f.reports: // for example that the last entries cannot be written
			f.take(report)
		case <-closed:
			open = false
		}
	}
	if err != nil || len(survivors) > 0 {
		f.Errorf("operation %d, after %q: close: survivors %v, error %v", f.plan.At, f.failedOps(), survivors, err)
	}
	x.AwaitRunners()
	x.Reap()
	if left := zombies(f.T); len(left) > 0 {
		f.Errorf("operation %d: zombies %v are left", f.plan.At, left)
	}
	if left := withEnvironment(f.T, "WF_RUN_ID="+f.Name()); len(left) > 0 {
		f.Errorf("operation %d: processes %v are left", f.plan.At, left)
	}
	if text, err := os.ReadFile(filepath.Join(f.dir, "runner.log")); err == nil && strings.Contains(string(text), "panic") {
		f.Errorf("operation %d: %s", f.plan.At, text)
	}
	if _, err := os.Stat(filepath.Join(f.dir, "env")); err == nil {
		f.Errorf("operation %d: the environment file is left", f.plan.At)
	}
}

// check compares the reports with the model and with what the commands have written.
func (f *faulty) check() {
	ops := f.failedOps()
	done, _ := os.ReadFile(f.log)
	times := map[string]int{}
	for line := range strings.Lines(string(done)) {
		times[strings.TrimSpace(line)]++
	}
	for node := range faultNodes {
		end, ran := f.ended[node], times[fmt.Sprint(node)]
		switch {
		case end.Exit.Failed:
			if end.Message == "" || ran > 0 || !f.mayFail(ops) {
				f.Errorf("operation %d, after %q: node %d was executed %d times: %+v", f.plan.At, ops, node, ran, end)
			}
		case end.Exit.Lost || end.Exit.Code != node%7 || end.Exit.Signal != 0 || ran != 1:
			f.Errorf("operation %d, after %q: node %d was executed %d times: %+v", f.plan.At, ops, node, ran, end)
		case !f.unmeasured(ops) && f.output(end.Out) != fmt.Sprintln(node):
			f.Errorf("operation %d, after %q: node %d has the output %q (%+v)", f.plan.At, ops, node, f.output(end.Out), end.Out)
		}
	}
}

// mayFail reports whether a node may fail: only if its program cannot be executed, not for a shortage.
func (f *faulty) mayFail(ops []string) bool {
	refused := func(op string) bool { return strings.HasPrefix(op, "fork ") }
	return slices.ContainsFunc(ops, refused) && f.plan.Err != syscall.EAGAIN && f.plan.Err != syscall.EMFILE && f.plan.Err != syscall.EINTR
}

// unmeasured reports whether the output may count as empty, because the size of its file could not be read.
func (f *faulty) unmeasured(ops []string) bool {
	return slices.ContainsFunc(ops, func(op string) bool { return strings.HasPrefix(op, "measure") })
}

func (f *faulty) output(r executor.Range) string {
	text, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(r.File)))
	if err != nil || r.End > int64(len(text)) || r.Start > r.End {
		return fmt.Sprint(err)
	}
	return string(text[r.Start:r.End])
}

// failedOps returns the operations that have failed so far.
func (f *faulty) failedOps() []string {
	text, err := os.ReadFile(filepath.Join(f.dir, failedFile))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
