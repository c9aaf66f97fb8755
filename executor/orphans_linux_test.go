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
	"wf/executor/proc"
)

// A stray is a process that nothing ties to its run: an emptied environment, a session of its own, a
// parent that has ended and, unless it writes into the output of its node, no file of it.
type stray struct {
	*run
	file string // with its pid
	pid  int
}

// stray has a node start one and go on until tell.
func (r *run) stray(node int, redirect string) (s *stray, tell func()) {
	r.Helper()
	pipe, tell := r.pipe()
	s = &stray{run: r, file: filepath.Join(r.TempDir(), "pid")}
	script := filepath.Join(r.TempDir(), "stray")
	text := fmt.Sprintf("echo $$ >%[1]s.new\nmv %[1]s.new %[1]s\nexec sleep 1000\n", s.file)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
	r.start(node, "env -i setsid sh -c 'sh "+script+" "+redirect+" & exit 0'; read x <"+pipe)
	r.await(executor.Started, node)
	r.within("a stray", func() bool {
		text, err := os.ReadFile(s.file)
		if err == nil {
			fmt.Sscan(string(text), &s.pid)
		}
		return s.pid > 1
	})
	r.Cleanup(func() {
		if s.pid > 1 && s.lives() {
			syscall.Kill(s.pid, syscall.SIGKILL)
		}
	})
	return s, tell
}

// lives reports whether it is there, and is what it was made as.
func (s *stray) lives() bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.pid))
	return err == nil && strings.HasPrefix(string(text), "sleep\x001000")
}

// within waits for what tells nobody when it happens.
func (r *run) within(what string, done func() bool) {
	r.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.Fatal("in vain: " + what)
		}
	}
}

// adopted waits until the stray is a child of this process.
func (s *stray) adopted() {
	s.Helper()
	s.within("the stray comes to the daemon", func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
		return err == nil && strings.Contains(string(text), fmt.Sprintf(") S %d ", os.Getpid()))
	})
}

// guarded is a Local in a process that answers for all its children.
func guarded(t *testing.T) *executor.Local {
	t.Helper()
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	x := newLocal(t).(*executor.Local)
	x.Guard()
	return x
}

// awaitTick waits until who is born has a later birth than all before: hundredths of a second count.
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

// quiet is a redirection that leaves a process no file of its run.
const quiet = "</dev/null >/dev/null 2>&1"

// TestStraysOfADeadRunner: the runner is killed while a node has a stray. However the run ends,
// nothing is left of it.
func TestStraysOfADeadRunner(t *testing.T) {
	for output, redirect := range map[string]string{"quiet": quiet, "loud": ""} {
		for _, ending := range []string{"end", "stop"} {
			t.Run(output+" "+ending, func(t *testing.T) {
				x := guarded(t)
				r := openRun(t, x, t.TempDir())
				s, tell := r.stray(0, redirect)
				r.killRunner()
				s.adopted()
				if ending == "stop" {
					r.session.Stop([]executor.ID{{Node: 0, Execution: 1}}, 0)
				} else {
					tell()
				}
				r.await(executor.Ended, 0)
				r.close()
				if s.lives() {
					t.Errorf("the stray %d is left", s.pid)
				}
				x.Reap()
			})
		}
	}
}

// TestStrayOfOneOfTwo: both runners were killed, and the stray may be of either run. It lives as long
// as one of them goes on, and not longer.
func TestStrayOfOneOfTwo(t *testing.T) {
	x := guarded(t)
	a := openRun(t, x, t.TempDir())
	b := openRunAs(t, x, t.TempDir(), "other")
	s, tellA := a.stray(0, quiet)
	pipe, tellB := b.pipe()
	b.start(0, "read x <"+pipe)
	b.await(executor.Started, 0)
	a.killRunner()
	b.killRunner()
	s.adopted()
	tellA()
	a.await(executor.Ended, 0)
	a.close()
	if !s.lives() {
		t.Error("a process that may be of a run that goes on was killed")
	}
	tellB()
	b.await(executor.Ended, 0)
	b.close()
	if s.lives() {
		t.Errorf("the stray %d is left after both runs", s.pid)
	}
	x.Reap()
}

// TestStrayOfAnotherRun: what was born before a runner, or carries the marker of another run, is not
// of its run. What a run that goes on executes is never touched.
func TestStrayOfAnotherRun(t *testing.T) {
	x := guarded(t)
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
	a := openRun(t, x, t.TempDir())
	s, tellA := a.stray(0, quiet)
	a.killRunner()
	s.adopted()
	a.within("the runner is replaced", func() bool { return strings.Count(a.record(), `"k":"runner"`) == 2 })
	awaitTick(t)
	b := openRunAs(t, x, t.TempDir(), "other")
	pipe, tellB := b.pipe()
	b.start(0, "exec env -i sh -c 'read x <"+pipe+"; exit 5'") // unmarked, too, and soon a child of ours
	pid := b.await(executor.Started, 0).PID
	b.killRunner()
	tellA()
	a.await(executor.Ended, 0)
	a.close()
	if s.lives() {
		t.Errorf("the stray %d is left, although the other run began later", s.pid)
	}
	if state := stateOf(pid); state == "" || state == "Z" {
		t.Fatalf("what the other run executes is gone: state %q", state)
	}
	tellB()
	if end := b.await(executor.Ended, 0); end.Exit.Lost || end.Exit.Code != 5 {
		t.Errorf("the other run: %+v", end.Exit)
	}
	b.close()
	x.Reap()
}

func (r *run) record() string {
	text, err := os.ReadFile(filepath.Join(r.dir, "record"))
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

// TestStrayOfARunThatIsGivenUp: nor is anything left when no runner comes up any more.
func TestStrayOfARunThatIsGivenUp(t *testing.T) {
	x := guarded(t)
	r := openRun(t, x, t.TempDir())
	s, _ := r.stray(0, quiet)
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
		t.Error("close of a broken run says that all is well")
	}
	if s.lives() {
		t.Errorf("the stray %d is left", s.pid)
	}
	x.Reap()
}
