package daemon

import (
	"strings"
	"testing"

	"wf/api"
)

// withRun is a daemon in which a run is going.
func withRun(t *testing.T) (*running, *fake, string) {
	r := start(t, nil)
	w, path := r.open("/w")
	if e := r.ask("POST", path+api.SubRuns, api.RunRequest{}, nil); e != nil {
		t.Fatal(e)
	}
	return r, w, path
}

func TestStopWithoutRuns(t *testing.T) {
	r := start(t, nil)
	w, _ := r.open("/w")
	if e := r.ask("POST", api.PathServerStop, api.ServerStop{}, nil); e != nil {
		t.Fatal(e)
	}
	r.wait()
	<-w.done
}

func TestStopIsRefusedWhileRunsAreGoing(t *testing.T) {
	r, _, _ := withRun(t)
	e := r.ask("POST", api.PathServerStop, api.ServerStop{}, nil)
	if e == nil || e.Code != api.CodeRefused || !strings.Contains(e.Message, "run 1 of /w") {
		t.Fatalf("answer %+v", e)
	}
	var info api.VersionInfo
	if e := r.ask("GET", api.PathVersion, nil, &info); e != nil || info.Runs != 1 {
		t.Fatalf("version %+v, %v", info, e)
	}
}

func TestStopCancelsRuns(t *testing.T) {
	r, w, path := withRun(t)
	conn := r.watch(path)
	if e := r.ask("POST", api.PathServerStop, api.ServerStop{Cancel: true}, nil); e != nil {
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
	go func() { answer <- r.ask("POST", api.PathServerStop, api.ServerStop{Wait: true}, nil) }()
	for { // until the daemon waits: it then refuses new runs
		e := r.ask("POST", path+api.SubRuns, api.RunRequest{}, nil)
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

// TestStopSeesRunsThatAreBeingTakenUp asks for the end while the daemon still opens the workfile of a run that an
// earlier one has left.
func TestStopSeesRunsThatAreBeingTakenUp(t *testing.T) {
	gate := make(chan struct{})
	r := start(t, func(_ *Config, o *fakes) { o.left, o.going, o.gate = []string{"/w"}, []string{"1"}, gate })
	answer := make(chan *api.Error, 1)
	go func() { answer <- r.ask("POST", api.PathServerStop, api.ServerStop{}, nil) }()
	for range 50 { // long enough for an answer that comes too early
		if e := r.ask("GET", api.PathVersion, nil, nil); e != nil {
			t.Fatal(e)
		}
	}
	close(gate)
	if e := <-answer; e == nil || e.Code != api.CodeRefused {
		t.Fatalf("answer %+v", e)
	}
}
