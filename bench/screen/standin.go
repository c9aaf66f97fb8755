package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/gorilla/websocket"

	"wf/api"
	"wf/bench/dag"
)

// Ids of the only workspace and the only run of the stand-in.
const (
	workspaceID = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	runID       = "1"
)

// began is the start of its run.
var began = time.Now().UTC().Truncate(time.Millisecond)

// pushTime is the time between two frames, as with a busy daemon.
const pushTime = 16 * time.Millisecond

// A standin implements the daemon's protocol for one workfile whose nodes run repeatedly: it pushes events
// at a rate to its only watcher.
type standin struct {
	status api.Status
	rate   atomic.Int64 // events a second
	sent   atomic.Int64 // events
	lock   *flock.Flock
	server *http.Server
	ended  chan struct{}
	stop   chan struct{}
}

// newStandin starts to serve in a runtime folder. The caller closes it.
func newStandin(runtime string, g *dag.Graph, path string) (*standin, error) {
	s := &standin{status: status(g, path), lock: flock.New(filepath.Join(runtime, api.FileLock)),
		ended: make(chan struct{}), stop: make(chan struct{})}
	if ok, err := s.lock.TryLock(); !ok {
		return nil, fmt.Errorf("lock of the stand-in: %w", err)
	}
	socket := filepath.Join(runtime, api.FileSocket)
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	version := api.VersionInfo{Protocol: api.Version, PID: os.Getpid(), Runs: 1} // with a run, the client does not replace the daemon
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+api.GetVersion.Path, answer(version))
	mux.HandleFunc("POST "+api.OpenWorkspace.Path, answer(api.WorkspaceInfo{ID: workspaceID, Workfile: path}))
	mux.HandleFunc("GET "+api.WatchEvents.At(workspaceID), s.watch)
	mux.HandleFunc("GET "+api.GetOutlook.At(workspaceID, runID), answer(api.RunOutlook{Run: runID}))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		answer(api.Error{Code: api.CodeNotFound, Message: "the stand-in has none"})(w, nil)
	})
	s.server = &http.Server{Handler: mux}
	go func() {
		defer close(s.ended)
		_ = s.server.Serve(l) // ends with close
	}()
	reg, err := json.Marshal(api.Registry{PID: os.Getpid(), Socket: socket})
	if err == nil {
		err = os.WriteFile(filepath.Join(runtime, api.FileRegistry), reg, 0o600)
	}
	return s, err
}

func answer(v any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(v) }
}

// close stops serving and disconnects a watcher.
func (s *standin) close() {
	close(s.stop)
	s.server.Close()
	<-s.ended
	s.lock.Close()
}

// watch pushes the snapshot, then events, until either side ends.
func (s *standin) watch(w http.ResponseWriter, r *http.Request) {
	var up websocket.Upgrader
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	defer conn.Close()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			if _, _, err := conn.NextReader(); err != nil {
				return
			}
		}
	}()
	if conn.WriteJSON(api.Frame{Snapshot: &api.Snapshot{Status: s.status}}) != nil {
		return
	}
	s.push(conn, gone)
	conn.Close()
	<-gone
}

// push sends the due events every pushTime, at most those of one second at once.
func (s *standin) push(conn *websocket.Conn, gone <-chan struct{}) {
	clock := time.NewTicker(pushTime)
	defer clock.Stop()
	p := player{status: &s.status}
	var due float64
	last := time.Now()
	for {
		select {
		case <-gone:
			return
		case <-s.stop:
			return
		case now := <-clock.C:
			rate := float64(s.rate.Load())
			due = min(due+now.Sub(last).Seconds()*rate, rate)
			last = now
		}
		if due < 1 {
			continue
		}
		f := api.Frame{Events: p.play(int(due))}
		due -= float64(len(f.Events))
		if conn.WriteJSON(f) != nil {
			return
		}
		s.sent.Add(int64(len(f.Events)))
	}
}

// A player generates the events of nodes that run repeatedly, in order and several at once.
type player struct {
	status *api.Status
	seq    uint64
	step   int
}

// atOnce is the number of nodes that are queued, and that run, at a time; one of failing fails.
const (
	atOnce  = 40
	failing = 50
)

// play generates the next n events.
func (p *player) play(n int) []api.Event {
	events := make([]api.Event, 0, n)
	now := time.Now().UTC()
	for len(events) < n {
		p.seq++
		at, kind := p.step/3, p.step%3
		p.step++
		ev := api.Event{Seq: p.seq, Time: now, Run: runID}
		behind := kind * atOnce
		if at < behind { // no node is that far yet
			p.seq--
			continue
		}
		node := &p.status.Nodes[(at-behind)%len(p.status.Nodes)]
		ev.Node, ev.Name, ev.Execution = node.ID, node.Name, 1+(at-behind)/len(p.status.Nodes)
		switch kind {
		case 0:
			ev.Type = api.NodeReady
		case 1:
			ev.Type, ev.PID = api.NodeStarted, 4000+at%9000
		default:
			p.end(&ev, at)
		}
		events = append(events, ev)
	}
	return events
}

// end makes ev the end of an execution.
func (p *player) end(ev *api.Event, at int) {
	took, code := int64(10+at%4000), 0
	ev.Type, ev.DurationMS = api.NodeFinished, &took
	if at%failing == failing-1 {
		code = 1
		ev.Type, ev.Reason = api.NodeFailed, api.ReasonExit
	}
	ev.ExitCode = &code
}
