package daemon

import (
	"testing"

	"wf/api"
	"wf/workspace"
	"wf/workspace/fence"
)

// TestCallerIsKnownAfterRecovery checks that a command that requests a run while the daemon recovers the command's own run
// is recognized after the recovery.
func TestCallerIsKnownAfterRecovery(t *testing.T) {
	earlier := start(t, nil)
	_, path := earlier.open("w")
	earlier.startRun(path)
	earlier.cancel()
	earlier.wait()

	gate := make(chan struct{})
	cfg := earlier.cfg.withDefaults()
	cfg.values = newValues(cfg.State, fence.Holder{Machine: fence.This()})
	d := newDaemon(cfg, &listeners{}, func(cfg workspace.Config) opener[*workspace.Workspace] {
		files := newOpener(cfg)
		open := files.open
		files.open = func(path string, retry bool) (*workspace.Workspace, error) {
			<-gate
			return open(path, retry)
		}
		return files
	})
	defer cfg.values.Close()
	defer d.workspaces.close()
	known := make(chan *api.Caller)
	go func() {
		known <- cfg.nested.verify(t.Context(), &api.Caller{Workfile: d.unfinished()[0], Run: "1", Node: "n", Execution: 1})
	}()
	go func() {
		d.workspaces.resume(d.unfinished())
		close(d.workspaces.resumed)
	}()
	close(gate)
	if c := <-known; c == nil || c.Run != "1" {
		t.Errorf("the command is %+v", c)
	}
	<-d.workspaces.resumed
}
