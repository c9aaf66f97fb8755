// Package engines distributes the jobs of a run among executors: the one of this machine, and one for each engine, such as a
// cluster, that jobs name.
package engines

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"wf/executor"
)

// Engines implements executor.Executor.
type Engines struct {
	// Local executes the jobs that name no engine.
	Local executor.Executor
	// Find returns the executor for an engine. It is called for each run that uses the engine. Its sessions need no width,
	// do not start jobs after others by themselves, and report nothing before Open or Start have returned.
	Find func(engine string) (executor.Executor, error)
	// Used returns the engines that have files in the folder of a run.
	Used func(dir string) ([]string, error)
}

// unlimited is the width of the sessions of engines, which bound the number of their jobs by themselves.
const unlimited = 1 << 30

// Open implements executor.Executor. It opens the sessions of the engines that have jobs of the run already. If one of them is
// not there at present, the error is an *executor.UnavailableError.
func (e *Engines) Open(ctx context.Context, spec executor.Spec) (executor.Session, error) {
	used, err := e.Used(spec.Dir)
	if err != nil {
		return nil, err
	}
	s := &session{e: e, spec: spec, engines: map[string]executor.Session{}, reports: newMerger(spec.Report, 1+len(used))}
	for _, name := range used {
		if _, err := s.open(ctx, name, true); err != nil {
			s.Detach()
			return nil, fmt.Errorf("the run has jobs at the executor %s: %w", name, err)
		}
	}
	spec.Report = func(reports []executor.Report) { s.reports.forward("", true, reports) }
	if s.local, err = e.Local.Open(ctx, spec); err != nil {
		s.Detach()
		return nil, err
	}
	return s, nil
}

// A session is a run whose jobs are executed in several places.
type session struct {
	e       *Engines
	spec    executor.Spec
	local   executor.Session
	reports *merger

	mu      sync.Mutex // guards engines, and is held while one is opened
	engines map[string]executor.Session

	failing sync.WaitGroup // goroutines that report jobs that could not be handed over
}

// open opens the session of an engine. The caller holds s.mu, or no other goroutine has s yet. followed says that the engine may
// have jobs of the run already.
func (s *session) open(ctx context.Context, name string, followed bool) (executor.Session, error) {
	x, err := s.e.Find(name)
	if err != nil {
		return nil, &executor.UnavailableError{Err: err}
	}
	spec := s.spec
	spec.Width = unlimited
	spec.Report = func(reports []executor.Report) { s.reports.forward(name, followed, reports) }
	session, err := x.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	s.engines[name] = session
	return session, nil
}

// Start implements executor.Session. A job whose engine cannot be used has failed to start.
func (s *session) Start(jobs []executor.Job) error {
	var here []executor.Job
	there := map[string][]executor.Job{}
	for _, j := range jobs {
		if j.Engine == "" {
			here = append(here, j)
		} else {
			there[j.Engine] = append(there[j.Engine], j)
		}
	}
	if len(here) > 0 {
		if err := s.local.Start(here); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		session, err := s.engine(name)
		if err == nil {
			err = session.Start(there[name])
		}
		if err != nil { // not reported by this goroutine, for which the receiver may wait
			s.failing.Go(func() { s.fail(name, there[name], err) })
		}
	}
	return nil
}

// engine returns the session of an engine, and opens it if it is not open.
func (s *session) engine(name string) (executor.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.engines[name]; session != nil {
		return session, nil
	}
	return s.open(context.Background(), name, false)
}

// fail reports that jobs could not be started.
func (s *session) fail(name string, jobs []executor.Job, why error) {
	reports := make([]executor.Report, len(jobs))
	for i, j := range jobs {
		reports[i] = executor.Report{Kind: executor.Ended, ID: j.ID, Time: time.Now(), Exit: executor.Exit{Failed: true},
			Message: fmt.Sprintf("executor %s: %v", name, why)}
	}
	s.reports.forward(name, false, reports)
}

// all returns all sessions.
func (s *session) all() []executor.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	sessions := slices.Collect(maps.Values(s.engines))
	if s.local != nil {
		sessions = append(sessions, s.local)
	}
	return sessions
}

// Gates implements executor.Session. Only jobs of this machine may have gates.
func (s *session) Gates() bool { return s.local.Gates() }

// SetWidth implements executor.Session.
func (s *session) SetWidth(n int) { s.local.SetWidth(n) }

// Stop implements executor.Session.
func (s *session) Stop(ids []executor.ID, grace time.Duration) {
	for _, session := range s.all() {
		session.Stop(ids, grace)
	}
}

// Close implements executor.Session. It closes all sessions at the same time.
func (s *session) Close(ctx context.Context) (survivors []int, err error) {
	type result struct {
		survivors []int
		err       error
	}
	sessions := s.all()
	results := make(chan result)
	for _, session := range sessions {
		go func() {
			pids, err := session.Close(ctx)
			results <- result{pids, err}
		}()
	}
	for range sessions {
		r := <-results
		survivors, err = append(survivors, r.survivors...), errors.Join(err, r.err)
	}
	s.failing.Wait()
	return survivors, err
}

// Retry implements executor.Session.
func (s *session) Retry() {
	for _, session := range s.all() {
		session.Retry()
	}
}

// Detach implements executor.Session.
func (s *session) Detach() {
	for _, session := range s.all() {
		session.Detach()
	}
}
