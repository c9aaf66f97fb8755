// Package traces sends the traces of runs that are over to a collector, as OTLP over HTTP. The folder of a run whose trace is
// still to be sent has a file that says where (tracing.FileTarget): so a daemon also sends what an earlier one could not.
package traces

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"wf/executor/ownfile"
	"wf/workspace/tracing"
)

// Limits of a Sender.
const (
	batchSize  = 1000             // spans in a request
	mostQueued = 1000             // traces; the next daemon sends those beyond
	holdTime   = 15 * time.Second // how long an idle daemon stays for a trace
	keepTime   = 24 * time.Hour   // a trace that could not be sent for so long is given up
	firstPause = time.Second      // between two attempts; it doubles
	lastPause  = 5 * time.Minute
	mostTarget = 1 << 20 // of the file, in bytes
)

// Config configures a Sender.
type Config struct {
	State   string // state folder
	Version string // of wf
	// Build describes a run: number n of the workspace id. over is false if it still goes on.
	Build func(id string, n int) (t *tracing.Trace, over bool, err error)
	Hold  func() (release func()) // keeps an idle daemon alive until release is called
	Log   *slog.Logger
}

// A Sender sends traces, one after the other, on a goroutine of its own.
type Sender struct {
	Config
	wake chan struct{}
	stop context.CancelFunc
	done chan struct{}

	mu    sync.Mutex // guards queue; not held while anything is sent
	queue []*job
}

// A job is a trace that is to be sent.
type job struct {
	id      string
	run     int
	queued  time.Time
	release func() // not nil while it keeps the daemon alive
	next    time.Time
	pause   time.Duration
	sent    int // requests that were accepted
	told    bool
}

// Start starts a Sender, which also sends what earlier daemons left. The caller closes it.
func Start(c Config) *Sender {
	ctx, stop := context.WithCancel(context.Background())
	s := &Sender{Config: c, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
	go s.run(ctx)
	return s
}

// Close ends the goroutine. What was not sent stays for the next daemon. A nil Sender does nothing.
func (s *Sender) Close() {
	if s != nil {
		s.stop()
		<-s.done
	}
}

// Ended sends the trace of a run that has ended, if it has one. It does not block. A nil Sender does nothing.
func (s *Sender) Ended(id string, run int) {
	if s != nil {
		s.add(&job{id: id, run: run, queued: time.Now(), release: s.Hold()})
	}
}

func (s *Sender) add(j *job) {
	s.mu.Lock()
	full := len(s.queue) >= mostQueued
	if !full {
		s.queue = append(s.queue, j)
	}
	s.mu.Unlock()
	if full {
		j.letGo()
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (j *job) letGo() {
	if j.release != nil {
		j.release()
		j.release = nil
	}
}

func (s *Sender) run(ctx context.Context) {
	defer close(s.done)
	defer func() {
		for j := s.take(time.Now(), true); j != nil; j = s.take(time.Now(), true) {
			j.letGo()
		}
	}()
	s.findLeft()
	for ctx.Err() == nil {
		j := s.take(time.Now(), false)
		if j == nil {
			s.wait(ctx)
			continue
		}
		if again := s.attempt(ctx, j); again && ctx.Err() == nil {
			if time.Since(j.queued) >= holdTime {
				j.letGo()
			}
			s.add(j)
			continue
		}
		j.letGo()
	}
}

// take removes a job that is due from the queue, or with any some job.
func (s *Sender) take(now time.Time, any bool) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, j := range s.queue {
		if any || !j.next.After(now) {
			s.queue = slices.Delete(s.queue, i, i+1)
			return j
		}
	}
	return nil
}

// wait returns when a job comes or is due, or may no longer hold the daemon.
func (s *Sender) wait(ctx context.Context) {
	for _, release := range s.overdue() {
		release()
	}
	timer := time.NewTimer(time.Until(s.nextEvent()))
	defer timer.Stop()
	select {
	case <-s.wake:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// overdue returns how to release the daemon from jobs that have held it long enough.
func (s *Sender) overdue() (list []func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.queue {
		if j.release != nil && time.Since(j.queued) >= holdTime {
			list = append(list, j.release)
			j.release = nil
		}
	}
	return list
}

// nextEvent returns when a job is due, or may no longer hold the daemon.
func (s *Sender) nextEvent() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := time.Now().Add(keepTime)
	for _, j := range s.queue {
		if j.next.Before(at) {
			at = j.next
		}
		if held := j.queued.Add(holdTime); j.release != nil && held.Before(at) {
			at = held
		}
	}
	return at
}

// findLeft finds the traces that earlier daemons did not send.
func (s *Sender) findLeft() {
	left, err := filepath.Glob(filepath.Join(s.State, "workspaces", "*", "runs", "*", tracing.FileTarget))
	if err != nil {
		s.Log.Error("internal error: a bad pattern", "err", err)
	}
	for _, path := range left {
		folder := filepath.Dir(path)
		if n, err := strconv.Atoi(filepath.Base(folder)); err == nil {
			s.add(&job{id: filepath.Base(filepath.Dir(filepath.Dir(folder))), run: n, queued: time.Now()})
		}
	}
}

// attempt tries to send a trace. again means that it is to be tried later.
func (s *Sender) attempt(ctx context.Context, j *job) (again bool) {
	path := filepath.Join(s.State, "workspaces", j.id, "runs", strconv.Itoa(j.run), tracing.FileTarget)
	target, err := readTarget(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false // not traced, sent already, or removed from the history
	}
	log := s.Log.With("workspace", j.id, "run", j.run)
	var trace *tracing.Trace
	over := true
	if err == nil {
		trace, over, err = s.Build(j.id, j.run)
	}
	if !over {
		return false // Ended comes
	}
	var later *laterError
	if err == nil {
		trace.Resource, trace.Version = target.Resource, s.Version
		err = s.send(ctx, target, trace, &j.sent)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return false
	case errors.As(err, &later) && time.Since(trace.Spans[0].End) < keepTime:
		if !j.told {
			log.Warn("the trace of a run cannot be sent now", "endpoint", target.host(), "err", err)
		}
		j.told = true
		j.pause = min(max(2*j.pause, firstPause), lastPause)
		wait := max(j.pause+rand.N(j.pause/4), later.after)
		j.next = time.Now().Add(min(wait, lastPause))
		return true
	default:
		log.Error("the trace of a run is given up", "err", err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("the note about a trace cannot be removed: the next daemon sends it again", "err", err)
	}
	return false
}

// readTarget reads where a trace is to be sent.
func readTarget(path string) (t settledTarget, err error) {
	data, err := ownfile.Read(path, mostTarget)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t.Target); err != nil {
		return t, fmt.Errorf("%s: %w", tracing.FileTarget, err)
	}
	return t, tracing.CheckEndpoint(t.Endpoint)
}
