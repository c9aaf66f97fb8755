package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"wf/executor"
	"wf/executor/login"
	"wf/executor/rundir"
)

// A session is a run on a cluster. One goroutine, that of run, has everything that changes but what mu guards. It executes what
// other goroutines post: callers of the executor, the poller, and calls of the shell that have an answer.
type session struct {
	c      *Cluster
	spec   executor.Spec
	env    []string // of the run
	folder *folder
	inbox  *inbox
	quit   chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex // guards what follows
	waiting bool       // there are tasks about which the poller may find news
	wish    wish       // what the next look is about

	model     *model
	submitter *submitter
	pools     *pools
	stopper   *stopper
	watcher   *watcher
	closing   *closing
	held      string // the message of the last Held report
	stopped   bool   // the goroutine is to end
}

// A wish is what a session wants from the next look.
type wish struct {
	done    []string // names of tasks whose files are to be removed
	outputs []wantedOutput
}

func newSession(c *Cluster, spec executor.Spec, m *model) *session {
	env := spec.Env
	if env == nil {
		env, _, _ = rundir.ReadEnvironment(filepath.Join(spec.Dir, rundir.EnvironmentFile)) // without it, the run has no environment any more
	}
	s := &session{c: c, spec: spec, env: env, folder: newFolder(c, &spec, env, m.dir, m.name), model: m, inbox: newInbox(), quit: make(chan struct{})}
	s.submitter = &submitter{c: c, m: m, folder: s.folder, call: s.call, width: spec.Width, quota: newQuota(c.QueueSize, c.SubmitRate)}
	s.pools = newPools(c, m, s.folder, s.call, s.submitter)
	s.submitter.pools = s.pools
	s.watcher = &watcher{c: c, m: m, folder: s.folder, call: s.call, unstarted: map[*task]entry{}, claims: map[*task]claim{}}
	s.stopper = &stopper{c: c, m: m, w: s.watcher, folder: s.folder, call: s.call}
	s.closing = &closing{c: c, m: m, w: s.watcher, folder: s.folder, call: s.call, done: make(chan struct{})}
	if m.count == 0 { // nothing was ever submitted
		s.watcher.known = true
		m.report(executor.Report{Kind: executor.CaughtUp, Time: time.Now()})
	}
	return s
}

// waits reports whether the poller may find news.
func (s *session) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

func (s *session) takeWish() wish {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wish
}

// run is the goroutine of the session.
func (s *session) run() {
	defer close(s.quit)
	s.submitter.ask()
	s.flush() // what the journal tells
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.inbox.wake:
		case <-timer.C:
		}
		for _, f := range s.inbox.take() {
			f()
		}
		if s.stopped {
			break
		}
		next := s.act(time.Now())
		s.flush()
		s.publishWish()
		timer.Stop()
		if !next.IsZero() {
			timer.Reset(max(0, time.Until(next)))
		}
	}
	s.c.poller.remove(s)
	for _, f := range s.inbox.close() {
		f() // what was posted before the end is in the journal for the next session
	}
	s.model.sync()
	s.model.journal.file.Close()
}

// act does what is due, and returns when to call it again; zero = after the next event.
func (s *session) act(now time.Time) (next time.Time) {
	s.watcher.conclude() // before others are submitted in the places of those that have ended
	if s.model.fault == nil {
		s.model.dropStopped()
		next = earlier(s.stopper.act(now), earlier(s.pools.act(now), s.submitter.act(now)))
	}
	return earlier(next, s.closing.act(now))
}

// flush makes the journal durable and sends the reports.
func (s *session) flush() {
	why := ""
	if !s.model.sync() {
		why = "the journal of the cluster cannot be written: " + s.model.fault.Error()
	}
	s.hold(why)
	if len(s.model.reports) > 0 {
		reports := s.model.reports
		s.model.reports = nil
		s.spec.Report(reports)
	}
}

// hold reports why nothing is started; "" = starts go on.
func (s *session) hold(why string) {
	if why != s.held {
		s.held = why
		s.model.report(executor.Report{Kind: executor.Held, Time: time.Now(), Message: why})
	}
}

// publishWish tells the poller what to look for.
func (s *session) publishWish() {
	w := wish{done: slices.Sorted(maps.Keys(s.model.done))}
	for _, t := range s.model.tasks {
		if t.started {
			w.outputs = append(w.outputs, t.wantedOutputs()...)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wish = w
	s.waiting = s.model.watched() || !s.watcher.known || s.closing.looks()
}

// Start implements executor.Session.
func (s *session) Start(jobs []executor.Job) error {
	for _, j := range jobs {
		if len(j.After) > 0 {
			return errors.New("a cluster does not start jobs after others by itself")
		}
	}
	jobs = slices.Clone(jobs)
	taken := s.inbox.post(func() {
		for _, j := range jobs {
			s.model.take(j, time.Now())
		}
	})
	if !taken {
		return fmt.Errorf("the session of cluster %s has ended", s.c.Name)
	}
	return nil
}

// Gates implements executor.Session.
func (s *session) Gates() bool { return false }

// SetWidth implements executor.Session.
func (s *session) SetWidth(n int) {
	s.inbox.post(func() {
		s.submitter.width = n
		s.model.report(executor.Report{Kind: executor.Resized, Time: time.Now(), Width: n})
	})
}

// Stop implements executor.Session.
func (s *session) Stop(ids []executor.ID, grace time.Duration) {
	ids = slices.Clone(ids)
	s.inbox.post(func() {
		deadline := time.Now().Add(grace)
		for _, id := range ids {
			if t := s.model.tasks[id]; t != nil {
				s.stopper.stop(t, deadline)
			}
		}
	})
}

// Retry implements executor.Session.
func (s *session) Retry() {
	s.inbox.post(func() {
		s.submitter.retry()
		s.model.fault = nil
	})
	s.c.poller.hasten()
}

// Detach implements executor.Session.
func (s *session) Detach() {
	s.inbox.post(func() { s.stopped = true })
	<-s.quit
}

// Close implements executor.Session. It cancels what the batch system still has of the run, waits until that is gone, and
// removes the folder of the run from the shared file system. If the cluster does not answer, it ends after Timing.Abandon if
// there are tasks, and after Timing.Trouble otherwise, with an error that names what is left there. If ctx ends before, a later
// session can close the run.
func (s *session) Close(ctx context.Context) (survivors []int, err error) {
	s.inbox.post(func() {
		s.closing.wanted = true
		for _, t := range s.model.tasks {
			s.stopper.stop(t, time.Now())
		}
	})
	err = s.closing.wait(ctx, s.quit)
	s.Detach()
	if err != nil && ctx.Err() != nil {
		err = s.closing.leftError(err) // the goroutine has ended
	}
	return nil, err
}

// call implements caller.
func (s *session) call(script string, then func(output string, err error)) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), s.c.Timing.Call)
		defer cancel()
		output, err := s.shell().Run(ctx, script, nil)
		s.inbox.post(func() { then(string(output), err) })
	}()
}

// shell returns the shell for scripts of the run. Here and for ssh they have the environment of the user, who may have
// settings for the batch system there.
func (s *session) shell() *login.Shell {
	shell := *s.c.Shell
	shell.Env = s.env
	return &shell
}
