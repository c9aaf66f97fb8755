package activerun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"wf/api"
	"wf/executor"
	"wf/executor/ownfile"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/surroundings"
)

// Environments and images are prepared by the daemon before the first command that needs them: outside of slots, and outside of
// the time limits of nodes. An execution that needs one waits here, before it waits for pools and slots. A preparation keeps no
// records: a later daemon prepares again, and finds what is done already.

const (
	// prepareLimit is how long one preparation may take.
	prepareLimit = 4 * time.Hour
	// mostPrepareOutput is how much of the output of a preparation is kept, in bytes.
	mostPrepareOutput = 1 << 20
	// lockPause is the time between two attempts to get the lock of a preparation that another daemon, or a process of one, holds.
	lockPause = 250 * time.Millisecond
)

// preparing contains the executions of a run that wait for a preparation. It is empty for a run without surroundings that need one.
type preparing struct {
	run    *Run
	steps  map[string]*preparation // by key; made when the first execution needs it
	needed map[*history.Surroundings]*surroundings.Preparation
	busy   int           // how many helpers work
	ends   chan struct{} // closed when the run is over or stopped; nil before the first preparation
	over   bool
}

// A preparation is one of a run.
type preparation struct {
	*surroundings.Preparation
	ready   bool
	err     error
	waiting []executor.ID
	began   time.Time
}

// of returns what an execution of a node needs first, nil for most nodes. Commands at other executors need nothing of this machine.
func (pr *preparing) of(node int) *surroundings.Preparation {
	s := runstate.SurroundingsOf(&pr.run.State, node)
	if s == nil || runstate.ExecutorOf(&pr.run.State, node) != "" {
		return nil
	}
	return pr.need(s)
}

// need returns what commands with some surroundings need, or nil.
func (pr *preparing) need(s *history.Surroundings) *surroundings.Preparation {
	p, known := pr.needed[s]
	if !known {
		if pr.needed == nil {
			pr.needed = map[*history.Surroundings]*surroundings.Preparation{}
		}
		p = surroundings.Prepared(s, pr.run.host.State)
		pr.needed[s] = p
	}
	return p
}

// pending reports whether the run has surroundings that may need a preparation which is not done. Then no jobs are handed over
// ahead of their turn.
func (pr *preparing) pending() bool {
	for k := range pr.run.Request.Surroundings {
		if p := pr.need(&pr.run.Request.Surroundings[k]); p != nil && (pr.steps[p.Key] == nil || !pr.steps[p.Key].ready) {
			return true
		}
	}
	return false
}

// enqueue adds a requested execution to the queues for pools and slots, or lets it wait for its preparation.
func (pr *preparing) enqueue(id executor.ID) {
	need := pr.of(id.Node)
	if need == nil {
		pr.run.pooling.enqueue(id)
		return
	}
	p := pr.steps[need.Key]
	switch {
	case p == nil:
		p = &preparation{Preparation: need}
		if pr.steps == nil {
			pr.steps = map[string]*preparation{}
		}
		pr.steps[need.Key] = p
	case p.ready:
		pr.run.pooling.enqueue(id)
		return
	}
	p.waiting = append(p.waiting, id)
	n := &pr.run.Nodes[id.Node]
	pr.run.host.Out.Publish(api.Event{Type: api.NodeWaiting, Run: pr.run.ID, Client: pr.run.Request.Client, Node: n.ID, Name: n.Name, Wait: p.wait()})
}

func (p *preparation) wait() *api.Wait { return &api.Wait{Kind: api.WaitPreparation, Text: p.What} }

// PreparationWait describes what a node waits for, nil if it waits for no preparation.
func (pr *preparing) PreparationWait(node int) *api.Wait {
	for _, p := range pr.steps {
		for _, id := range p.waiting {
			if id.Node == node {
				return p.wait()
			}
		}
	}
	return nil
}

// Prepare starts the preparations that executions wait for, and moves executions on whose preparation is done. It is called when
// the loop settles.
func (pr *preparing) Prepare() {
	if len(pr.steps) == 0 || pr.run.Phase != runstate.Active || pr.run.sess == nil {
		return
	}
	for _, p := range pr.steps {
		p.forget(func(id executor.ID) bool { return !pr.run.Sched.Wants(id.Node, id.Execution) })
		switch {
		case len(p.waiting) == 0:
		case p.ready:
			pr.release(p)
		case p.err != nil:
			pr.fail(p)
		case p.began.IsZero():
			pr.start(p)
		}
	}
}

// forget removes waiting executions.
func (p *preparation) forget(gone func(executor.ID) bool) {
	kept := p.waiting[:0]
	for _, id := range p.waiting {
		if !gone(id) {
			kept = append(kept, id)
		}
	}
	p.waiting = kept
}

func (pr *preparing) release(p *preparation) {
	waiting := p.waiting
	p.waiting = nil
	for _, id := range waiting {
		n := &pr.run.Nodes[id.Node]
		pr.run.host.Out.Publish(api.Event{Type: api.NodeReady, Run: pr.run.ID, Client: pr.run.Request.Client, Node: n.ID, Name: n.Name})
		pr.run.pooling.enqueue(id)
	}
	pr.run.lookahead.stale = true
}

// fail ends the executions whose preparation failed: they could not start. The next execution that needs it tries again, as a retry does.
func (pr *preparing) fail(p *preparation) {
	waiting, err := p.waiting, p.err
	p.waiting, p.err, p.began = nil, nil, time.Time{}
	for _, id := range waiting {
		if !pr.run.Sched.Wants(id.Node, id.Execution) {
			continue
		}
		pr.run.dispatcher.recordDispatch(id)
		pr.run.finish(executor.Report{Kind: executor.Ended, ID: id, Time: clock.Now(), Exit: executor.Exit{Failed: true},
			Message: fmt.Sprintf("%s: %v (wf logs --hooks)", p.What, err)})
	}
}

// start lets a helper prepare.
func (pr *preparing) start(p *preparation) {
	r := pr.run
	asker := r.host.asker()
	if asker == nil {
		p.err = errors.New("the executor cannot do it")
		pr.fail(p)
		return
	}
	if pr.ends == nil {
		pr.ends = make(chan struct{})
	}
	ends := pr.ends
	p.began = time.Now()
	pr.busy++
	r.host.Loop.Run(func() {
		ctx, cancel := r.hooking.context(ends)
		defer cancel()
		made := false
		err := r.host.prepare(ctx, r.Dir, r.Request.Cwd, p.Preparation, func() {
			made = !p.Quiet
			r.host.Loop.Post(func() { pr.tell(p, p.Doing) })
		})
		stopped := ctx.Err() != nil
		r.host.Loop.Post(func() {
			if pr.busy--; stopped {
				p.began = time.Time{}
				return
			}
			took := time.Since(p.began).Round(100 * time.Millisecond)
			switch {
			case err != nil:
				p.err = err
				pr.tell(p, fmt.Sprintf("%s failed after %s", p.Doing, took))
			default:
				p.ready = true
				if made {
					pr.tell(p, fmt.Sprintf("%s is ready after %s", p.What, took))
				}
			} // the loop settles now, and calls Prepare
		})
	})
}

// tell publishes what a preparation does.
func (pr *preparing) tell(p *preparation, text string) {
	if p.Quiet && p.err == nil {
		return
	}
	pr.run.host.Out.Publish(api.Event{Type: api.RunStep, Run: pr.run.ID, Client: pr.run.Request.Client, Message: text})
}

// requeue lets executions that were requested under an earlier daemon wait again for their preparations and pools.
func (pr *preparing) requeue() {
	if len(pr.run.Request.Surroundings) == 0 {
		pr.run.pooling.requeue()
		return
	}
	for _, id := range pr.run.dispatcher.takeAll() {
		switch {
		case pr.run.pooling.held[id.Node].id == id: // it was dispatched meanwhile and has its units
			pr.run.dispatcher.enqueue(id)
		case pr.run.Sched.Wants(id.Node, id.Execution):
			pr.enqueue(id)
		}
	}
}

// interrupt ends the preparations of a run that is over or stopped.
func (pr *preparing) interrupt() {
	if pr.ends != nil && !pr.over {
		pr.over = true
		close(pr.ends)
	}
}

// prepare makes what commands need, unless it is there already. It waits for whoever else prepares the same, and calls begin before
// it makes something. The output is appended to the file of hooks.
func (h *Host) prepare(ctx context.Context, dir, cwd string, p *surroundings.Preparation, begin func()) error {
	env, err := executor.Environment(dir)
	if err != nil {
		return err
	}
	q := executor.Question{Args: append([]string{"sh"}, p.Args...), Cwd: cwd, Env: env, Limit: mostPrepareOutput, Cut: true, Time: prepareLimit}
	ready := func() bool {
		if p.Look != "" {
			q.Command = p.Look
			_, err := h.asker().Ask(ctx, q)
			return err == nil
		}
		_, err := os.Stat(filepath.Join(p.Folder, surroundings.ReadyFile))
		return err == nil
	}
	if ready() {
		return nil
	}
	if q.Lock, err = h.lockPreparation(ctx, p.Key); err != nil {
		return err
	}
	defer q.Lock.Close()
	if ready() {
		return nil
	}
	if why := p.Changed(); why != "" {
		return errors.New(why)
	}
	begin()
	began := time.Now()
	q.Command = "exec 2>&1\n" + p.Script
	out, err := h.asker().Ask(ctx, q)
	h.keepOutput(dir, p.Doing, began, out, err)
	if err != nil {
		err = errors.New(strings.TrimSpace(reasonOf(out, err)))
	}
	return err
}

// lockPreparation takes the lock of a preparation. The lock belongs to the open file, which the processes of a preparation inherit:
// if the daemon dies, it is free when they have ended.
func (h *Host) lockPreparation(ctx context.Context, key string) (*os.File, error) {
	folder := filepath.Join(h.State, surroundings.LockFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	f, err := ownfile.Open(filepath.Join(folder, key+".lock"), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(err, f.Close())
		}
		select { // a blocking lock could not be given up
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(lockPause):
		}
	}
}
