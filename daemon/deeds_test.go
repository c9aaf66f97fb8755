package daemon

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"wf/api"
	"wf/daemon/audit"
	"wf/workspace"
)

// daemonDeeds returns the entries of the daemon itself about workfiles, as text.
func daemonDeeds(t *testing.T, state string) (list []string) {
	t.Helper()
	sum, err := audit.Read(audit.Path(state), func(e audit.Entry) {
		if e.Who.Via == audit.ViaDaemon && e.Workfile != "" {
			line := e.Action + " run " + e.Run + ": " + e.Detail
			if e.Error != "" {
				line += "; " + e.Error
			}
			if len(e.Nodes) > 0 {
				line += " " + e.Nodes[0]
			}
			list = append(list, line)
		}
	})
	if err != nil || !sum.OK {
		t.Fatalf("%+v, %v", sum.Problem, err)
	}
	slices.Sort(list)
	return list
}

// TestDeedsAreAudited: a queued run that starts, one that never will, an approval whose time is over, and old runs that are
// removed are in the audit log, although no client asked for them at that moment.
func TestDeedsAreAudited(t *testing.T) {
	r := start(t, func(c *Config) { c.KeepRuns = 2 })
	_, path := r.open("w")
	seen := r.events(path)
	r.startRun(path)
	seen.await(api.NodeStarted)
	var accepted api.RunAccepted
	if e := r.ask("POST", path+"/runs", api.RunRequest{OnBusy: api.BusyQueue, Detached: true, Mode: api.ModeFresh}, &accepted); e != nil || accepted.Queued == "" {
		t.Fatalf("%+v, %v", accepted, e)
	}
	r.x.endAll()
	seen.await(api.RunComplete)
	seen.await(api.NodeStarted) // of the queued run
	r.x.endAll()
	seen.await(api.RunComplete)
	r.startRun(path) // the third run: the first is removed
	seen.await(api.NodeStarted)
	r.x.endAll()
	seen.await(api.RunComplete)

	asks := filepath.Join(r.dir, "asks")
	text := `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="l" for="node" attr.name="label" attr.type="string"/>
<key id="a" for="node" attr.name="approve" attr.type="string"/><key id="t" for="node" attr.name="approve_timeout" attr.type="string"/>
<graph edgedefault="directed"><node id="n"><data key="l">work</data><data key="a">Go?</data><data key="t">1s</data></node></graph></graphml>`
	if err := os.WriteFile(asks, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, second := r.open("asks")
	asked := r.events(second)
	r.startRun(second)
	asked.await(api.RunComplete)
	r.cancel()
	r.wait()
	want := []string{"prune run 1: 1 run beyond keep-runs, keep-age or keep-size", "queue-start run 2: q1 of the queue",
		"reject run 1: by default: nobody answered in time n"}
	if got := daemonDeeds(t, r.cfg.State); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDeeds: what is in the entries, and that nothing waits for the log.
func TestDeeds(t *testing.T) {
	e, ok := deedOf(workspace.News{Kind: workspace.QueuedRefused, Workfile: "/w", Queued: "q3", Err: &api.Error{Code: api.CodeWorkfile}})
	if !ok || e.Action != "queue-start" || e.Run != "q3" || e.Error != "workfile" || e.Who.Via != audit.ViaDaemon {
		t.Errorf("%+v, %v", e, ok)
	}
	for _, n := range []workspace.News{{Kind: workspace.RunBegan, Run: "1"}, {Kind: workspace.RunEnded}, {Kind: workspace.Opened}} {
		if e, ok := deedOf(n); ok {
			t.Errorf("%s: %+v", n.Kind, e)
		}
	}
	if e, _ := deedOf(workspace.News{Kind: workspace.ApprovalEnded, Approved: true}); e.Action != "approve" {
		t.Errorf("%+v", e)
	}
	var log syncBuffer
	stuck := &deeds{log: newTestLog(&log), waiting: make(chan audit.Entry)}
	stuck.add(workspace.News{Kind: workspace.OldRunsRemoved, Runs: []string{"1"}})
	if log.String() == "" {
		t.Error("a lost entry is not reported")
	}
	closed := &deeds{log: newTestLog(&log), waiting: make(chan audit.Entry), done: make(chan struct{})}
	close(closed.done)
	closed.close()
	closed.add(workspace.News{Kind: workspace.OldRunsRemoved}) // of a workspace that did not close in time
	var none *deeds
	none.add(workspace.News{Kind: workspace.OldRunsRemoved})
	none.close()
}

func newTestLog(b *syncBuffer) *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }
