package daemon

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/workspace"
	"wf/workspace/fence"
)

// withRun returns a daemon with an active run.
func withRun(t *testing.T) (r *running, path string) {
	r = start(t, nil)
	w, path := r.open("w")
	r.startRun(path)
	until(t, "the run is active", func() bool { return len(w.Info().Runs) == 1 })
	return r, path
}

func TestStopWithoutRuns(t *testing.T) {
	r := start(t, nil)
	w, _ := r.open("w")
	if e := r.ask("POST", api.StopServer.Path, api.ServerStop{}, nil); e != nil {
		t.Fatal(e)
	}
	r.wait()
	<-w.Done()
}

func TestStopIsRefusedWhileRunsAreActive(t *testing.T) {
	r, _ := withRun(t)
	e := r.ask("POST", api.StopServer.Path, api.ServerStop{}, nil)
	if e == nil || e.Code != api.CodeRefused || !strings.Contains(e.Message, "run 1 of "+r.dir) {
		t.Fatalf("answer %+v", e)
	}
	var info api.VersionInfo
	if e := r.ask("GET", api.GetVersion.Path, nil, &info); e != nil || info.Runs != 1 {
		t.Fatalf("version %+v, %v", info, e)
	}
}

func TestStopCancelsRuns(t *testing.T) {
	r, path := withRun(t)
	conn := r.watch(path)
	if e := r.ask("POST", api.StopServer.Path, api.ServerStop{Cancel: true}, nil); e != nil {
		t.Fatal(e)
	}
	var complete bool
	for {
		f, err := next(t, conn)
		if err != nil {
			break
		}
		for _, ev := range f.Events {
			complete = complete || ev.Type == api.RunComplete && ev.Result == api.Cancelled
		}
	}
	if !complete {
		t.Error("the watcher did not hear of the end of the run")
	}
	r.wait()
}

func TestStopWaitsForRuns(t *testing.T) {
	r, path := withRun(t)
	answer := make(chan *api.Error, 1)
	go func() { answer <- r.ask("POST", api.StopServer.Path, api.ServerStop{Wait: true}, nil) }()
	for { // until the daemon waits and refuses new runs
		e := r.ask("POST", path+"/runs", api.RunRequest{}, nil)
		if e != nil {
			if e.Code == api.CodeConflict {
				continue
			}
			if e.Code != api.CodeRefused {
				t.Fatal(e)
			}
			break
		}
	}
	select {
	case e := <-answer:
		t.Fatalf("answered while the run is active: %v", e)
	default:
	}
	r.x.endAll()
	if e := <-answer; e != nil {
		t.Fatal(e)
	}
	r.wait()
}

// TestStopWaitsForRecovery checks that a stop request to a daemon that has not recovered the active runs of an earlier
// daemon yet waits for the recovery, except with Detach.
func TestStopWaitsForRecovery(t *testing.T) {
	for _, c := range []struct {
		stop  api.ServerStop
		waits bool
		code  api.Code // of the answer
	}{
		{api.ServerStop{}, true, api.CodeRefused},
		{api.ServerStop{Cancel: true}, true, ""},
		{api.ServerStop{Wait: true}, true, ""},
		{api.ServerStop{Detach: true}, false, ""},
	} {
		earlier, _ := withRun(t)
		earlier.cancel()
		earlier.wait()

		cfg := earlier.cfg.withDefaults()
		cfg.values = newValues(cfg.State, fence.Holder{Machine: fence.This()})
		gate := make(chan struct{})
		d := newDaemon(cfg, &listeners{}, func(cfg workspace.Config) opener[*workspace.Workspace] {
			files := newOpener(cfg)
			open := files.open
			files.open = func(path string, retry bool) (*workspace.Workspace, error) {
				<-gate
				return open(path, retry)
			}
			return files
		})
		go func() {
			d.workspaces.resume(d.unfinished())
			close(d.workspaces.resumed)
		}()
		answered := make(chan error, 1)
		go func() {
			_, err := d.stop(httptest.NewRequestWithContext(t.Context(), "POST", api.StopServer.Path, nil), c.stop)
			answered <- err
		}()
		var err error
		if c.waits {
			select {
			case err := <-answered:
				t.Errorf("%+v: answered before the runs were recovered: %v", c.stop, err)
			case <-time.After(50 * time.Millisecond):
			}
		} else {
			err = <-answered
		}
		close(gate)
		if c.stop.Wait {
			<-d.workspaces.resumed
			earlier.x.endAll()
		}
		if c.waits {
			err = <-answered
		}
		if e := new(api.Error); errors.As(err, &e) != (c.code != "") || e.Code != c.code {
			t.Errorf("%+v: %v", c.stop, err)
		}
		<-d.workspaces.resumed
		d.workspaces.close()
		cfg.values.Close()
	}
}
