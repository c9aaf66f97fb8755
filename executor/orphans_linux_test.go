package executor_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/executortest"
	"wf/executor/proc"
)

// An orphan is a process that a command has left behind in a session of its own, with an empty environment. Unless it
// writes to the output of its node, nothing in it names its run.
type orphan struct {
	*run
	file string // with its pid
	pid  int
}

// orphan starts a command that leaves an orphan, whose output redirect redirects. The command itself ends after release.
func (r *run) orphan(node int, redirect string) (o *orphan, release func()) {
	r.Helper()
	pipe, release := r.pipe()
	o = &orphan{run: r, file: filepath.Join(r.TempDir(), "pid")}
	script := filepath.Join(r.TempDir(), "orphan")
	text := fmt.Sprintf("echo $$ >%[1]s.new\nmv %[1]s.new %[1]s\nexec sleep 1000\n", o.file)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
	r.start(node, "env -i setsid sh -c 'sh "+script+" "+redirect+" & exit 0'; read x <"+pipe)
	r.await(executor.Started, node)
	r.within("the orphan starts", func() bool {
		text, err := os.ReadFile(o.file)
		if err == nil {
			fmt.Sscan(string(text), &o.pid)
		}
		return o.pid > 1
	})
	r.Cleanup(func() {
		if o.pid > 1 && o.isAlive() {
			syscall.Kill(o.pid, syscall.SIGKILL)
		}
	})
	return o, release
}

// isAlive reports whether the orphan is alive.
func (o *orphan) isAlive() bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", o.pid))
	return err == nil && strings.HasPrefix(string(text), "sleep\x001000")
}

// within polls until done returns true. what describes that.
func (r *run) within(what string, done func() bool) {
	r.Helper()
	for end := time.Now().Add(executortest.Timeout); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.Fatal("not in time: " + what)
		}
	}
}

// adopted waits until the orphan is a child of this process.
func (o *orphan) adopted() {
	o.Helper()
	o.within("the daemon adopts the orphan", func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", o.pid))
		return err == nil && strings.Contains(string(text), fmt.Sprintf(") S %d ", os.Getpid()))
	})
}

// newReapingLocal returns a Local whose reaper owns all children of this process.
func newReapingLocal(t *testing.T) *executor.Local {
	t.Helper()
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	x := newLocal(t).(*executor.Local)
	x.Guard()
	return x
}

// openWithOrphan opens a run of x whose node 0 has left an orphan, kills the runner and waits until this process has
// adopted the orphan. Node 0 ends after release.
func openWithOrphan(t *testing.T, x *executor.Local, redirect string) (o *orphan, release func()) {
	t.Helper()
	r := openRun(t, x, t.TempDir())
	o, release = r.orphan(0, redirect)
	r.killRunner()
	o.adopted()
	return o, release
}

// awaitTick waits for the next clock tick, so that processes started later have a later start time.
func awaitTick(t *testing.T) {
	t.Helper()
	uptime := func() string {
		text, err := os.ReadFile("/proc/uptime")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(text))[0]
	}
	for before := uptime(); uptime() == before; time.Sleep(time.Millisecond) {
	}
}

// quiet redirects all output, so that the process has no file of its run open.
const quiet = "</dev/null >/dev/null 2>&1"

// TestOrphanOfADeadRunner kills the runner of a run with an orphan: the orphan is killed when the run ends, however it ends.
func TestOrphanOfADeadRunner(t *testing.T) {
	for output, redirect := range map[string]string{"quiet": quiet, "loud": ""} {
		for _, ending := range []string{"end", "stop"} {
			t.Run(output+" "+ending, func(t *testing.T) {
				x := newReapingLocal(t)
				o, release := openWithOrphan(t, x, redirect)
				if ending == "stop" {
					o.session.Stop([]executor.ID{{Node: 0, Execution: 1}}, 0)
				} else {
					release()
				}
				o.await(executor.Ended, 0)
				o.close()
				if o.isAlive() {
					t.Errorf("the orphan %d is left", o.pid)
				}
				x.Reap()
			})
		}
	}
}

// TestOrphanOfOneOfTwoRuns kills two runners; the orphan may belong to either run. It is killed when both runs have ended.
func TestOrphanOfOneOfTwoRuns(t *testing.T) {
	x := newReapingLocal(t)
	a := openRun(t, x, t.TempDir())
	b := openRunAs(t, x, t.TempDir(), "other")
	o, releaseA := a.orphan(0, quiet)
	pipe, releaseB := b.pipe()
	b.start(0, "read x <"+pipe)
	b.await(executor.Started, 0)
	a.killRunner()
	b.killRunner()
	o.adopted()
	releaseA()
	a.await(executor.Ended, 0)
	a.close()
	if !o.isAlive() {
		t.Error("a process was killed that may belong to the other run")
	}
	releaseB()
	b.await(executor.Ended, 0)
	b.close()
	if o.isAlive() {
		t.Errorf("the orphan %d is left after both runs", o.pid)
	}
	x.Reap()
}

// TestProcessesOfAnotherRun checks which processes do not count as orphans of a run: those that were started before its
// runner, and the executions of another run.
func TestProcessesOfAnotherRun(t *testing.T) {
	x := newReapingLocal(t)
	older := exec.Command("setsid", "-w", "sleep", "1000")
	older.Env = []string{}
	if err := older.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := older.Process.Kill(); err != nil {
			t.Errorf("a process older than the run was killed: %v", err)
		}
		older.Wait()
	}()
	awaitTick(t)
	a, releaseA := openWithOrphan(t, x, quiet)
	a.within("the runner is replaced", func() bool { return strings.Count(a.runnerLog(), `"k":"runner"`) == 2 })
	awaitTick(t)
	b := openRunAs(t, x, t.TempDir(), "other")
	pipe, releaseB := b.pipe()
	b.start(0, "exec env -i sh -c 'read x <"+pipe+"; exit 5'") // without a marker, too, and soon a child of this process
	pid := b.await(executor.Started, 0).PID
	b.killRunner()
	releaseA()
	a.await(executor.Ended, 0)
	a.close()
	if a.isAlive() {
		t.Errorf("the orphan %d is left, although the other run started later", a.pid)
	}
	if state := stateOf(pid); state == "" || state == "Z" {
		t.Fatalf("the execution of the other run is gone: state %q", state)
	}
	releaseB()
	if end := b.await(executor.Ended, 0); end.Exit.Lost || end.Exit.Code != 5 {
		t.Errorf("the other run: %+v", end.Exit)
	}
	b.close()
	x.Reap()
}

func (r *run) runnerLog() string {
	text, err := os.ReadFile(filepath.Join(r.dir, "record"))
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

// TestOrphanOfARunThatIsGivenUp checks that the orphan is killed also if no runner can be started any more.
func TestOrphanOfARunThatIsGivenUp(t *testing.T) {
	x := newReapingLocal(t)
	r := openRun(t, x, t.TempDir())
	o, _ := r.orphan(0, quiet)
	record := filepath.Join(r.dir, "record")
	if err := os.Rename(record, record+".kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(record, 0o700); err != nil {
		t.Fatal(err)
	}
	r.killRunnerOf(record + ".kept")
	r.await(executor.Held, 0)
	if _, err := r.session.Close(context.Background()); err == nil {
		t.Error("close of a broken run returns no error")
	}
	if o.isAlive() {
		t.Errorf("the orphan %d is left", o.pid)
	}
	x.Reap()
}
