package daemon

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"wf/api"
)

// withRun is a daemon in which a run is going.
func withRun(t *testing.T) (*running, *fake, string) {
	r := start(t, nil)
	w, path := r.open("/w")
	if e := r.ask("POST", path+"/runs", api.RunRequest{}, nil); e != nil {
		t.Fatal(e)
	}
	return r, w, path
}

func TestStopWithoutRuns(t *testing.T) {
	r := start(t, nil)
	w, _ := r.open("/w")
	if e := r.ask("POST", api.StopServer.Path, api.ServerStop{}, nil); e != nil {
		t.Fatal(e)
	}
	r.wait()
	<-w.done
}

func TestStopIsRefusedWhileRunsAreGoing(t *testing.T) {
	r, _, _ := withRun(t)
	e := r.ask("POST", api.StopServer.Path, api.ServerStop{}, nil)
	if e == nil || e.Code != api.CodeRefused || !strings.Contains(e.Message, "run 1 of /w") {
		t.Fatalf("answer %+v", e)
	}
	var info api.VersionInfo
	if e := r.ask("GET", api.GetVersion.Path, nil, &info); e != nil || info.Runs != 1 {
		t.Fatalf("version %+v, %v", info, e)
	}
}

func TestStopCancelsRuns(t *testing.T) {
	r, w, path := withRun(t)
	conn := r.watch(path)
	if e := r.ask("POST", api.StopServer.Path, api.ServerStop{Cancel: true}, nil); e != nil {
		t.Fatal(e)
	}
	<-w.stopped
	var complete bool
	for {
		f, err := next(t, conn)
		if err != nil {
			break
		}
		complete = complete || len(f.Events) == 1 && f.Events[0].Type == api.RunComplete
	}
	if !complete {
		t.Error("the watcher did not hear of the end of the run")
	}
	r.wait()
}

func TestStopWaitsForRuns(t *testing.T) {
	r, w, path := withRun(t)
	answer := make(chan *api.Error, 1)
	go func() { answer <- r.ask("POST", api.StopServer.Path, api.ServerStop{Wait: true}, nil) }()
	for { // until the daemon waits: it then refuses new runs
		e := r.ask("POST", path+"/runs", api.RunRequest{}, nil)
		if e != nil {
			if e.Code != api.CodeRefused {
				t.Fatal(e)
			}
			break
		}
	}
	select {
	case e := <-answer:
		t.Fatalf("answered while the run is going: %v", e)
	default:
	}
	w.end()
	if e := <-answer; e != nil {
		t.Fatal(e)
	}
	r.wait()
}

// TestStopMeetsTheTakingUp: a daemon that has just started answers before it has taken up what an earlier one
// left going. It must not end as if there were nothing, unless it is to let go of everything.
func TestStopMeetsTheTakingUp(t *testing.T) {
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
		synctest.Test(t, func(t *testing.T) {
			f := newFakes()
			f.gate, f.going = make(chan struct{}), []string{"1"}
			ws := newTestWorkspaces(f, 0, nil)
			defer ws.close()
			go func() {
				ws.resume([]string{"/w"})
				close(ws.resumed)
			}()
			d := &daemon{cfg: Config{}.withDefaults(), workspaces: ws, end: make(chan struct{})}
			var err error
			answered := make(chan struct{})
			go func() {
				_, err = d.stop(httptest.NewRequestWithContext(t.Context(), "POST", api.StopServer.Path, nil), c.stop)
				close(answered)
			}()
			synctest.Wait()
			select {
			case <-answered:
				if c.waits {
					t.Errorf("%+v: answered before the runs were taken up: %v", c.stop, err)
				}
			default:
				if !c.waits {
					t.Errorf("%+v: waits", c.stop)
				}
			}
			close(f.gate)
			synctest.Wait()
			if c.stop.Wait {
				f.get("/w").end()
			}
			<-answered
			if e := new(api.Error); errors.As(err, &e) != (c.code != "") || e.Code != c.code {
				t.Errorf("%+v: %v", c.stop, err)
			}
			if c.stop.Cancel {
				<-f.get("/w").stopped
			}
		})
	}
}
