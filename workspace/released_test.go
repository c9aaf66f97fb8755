package workspace

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"wf/api"
	"wf/executor"
)

// Nothing keeps a workspace that has ended in memory: no timer, slot, pool or session. A daemon opens and closes workspaces
// for months.
func TestEndedWorkspaceIsReleased(t *testing.T) {
	for name, use := range map[string]func(b *testbed){
		"idle":            func(b *testbed) {},
		"changed file":    func(b *testbed) { b.write(b.read() + " ") },
		"after a run":     func(b *testbed) { waitingRun(b); stopRun(b) },
		"during a run":    func(b *testbed) { waitingRun(b) },
		"with a watcher":  func(b *testbed) { waitingRun(b); b.watch() },
		"after a panic":   func(b *testbed) { waitingRun(b); b.w.loop.Post(func() { panic("as planned") }); <-b.w.Done() },
		"during a stop":   func(b *testbed) { waitingRun(b).mute(true); go stopRun(b) },
		"after a restart": func(b *testbed) { waitingRun(b); b.close(b.w); reopen(b) },
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := controlBed(t, "", nodeText("a", "timeout=10h"), nodeText("b", "wait=10h"),
				nodeText("c", "approve=sure?", "approve_timeout=10h"), nodeText("d", "retries=1", "retry_delay=10h"),
				nodeText("e", "pool=db:1"), nodeText("f", "pool=db:1"))
			w := openAndClose(b, use)
			for deadline := time.Now().Add(patience); w.Value() != nil; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the workspace is still in memory")
				}
				runtime.GC()
			}
		})
	}
}

// openAndClose opens a workspace, uses it and closes it. It keeps only a weak pointer.
func openAndClose(b *testbed, use func(b *testbed)) weak.Pointer[Workspace] {
	reopen(b)
	use(b)
	b.close(b.w)
	w := weak.Make(b.w)
	b.w = nil
	return w
}

// reopen opens the workspace. Unlike open, it does not keep it for the end of the test.
func reopen(b *testbed) {
	var err error
	if b.w, err = Open(b.path, b.cfg); err != nil {
		b.t.Fatal(err)
	}
}

// waitingRun starts a run and returns its session when its nodes run or wait.
func waitingRun(b *testbed) *fakeSession {
	v := b.watch()
	_, s := b.run(api.RunRequest{TimeoutMS: (10 * time.Hour).Milliseconds()})
	for range 3 { // a, d and e; f waits for e
		if j := b.next(s); j.Command == "echo d" {
			s.end(j.ID, executor.Exit{Code: 1})
		}
	}
	for _, node := range []string{"b", "c", "d", "f"} {
		v.wait(b.t, node+" waits", func(e api.Event) bool { return e.Type == api.NodeWaiting && e.Node == "id-"+node })
	}
	v.v.Close()
	return s
}

// stopRun stops the run. It returns when the run or the workspace has ended.
func stopRun(b *testbed) { b.w.StopRun(b.t.Context(), "c1", "", api.StopRequest{}) }
