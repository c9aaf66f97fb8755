package main

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"wf/api"
	"wf/client"
)

// defaultGrace is the daemon's: shown when the flag is not given.
const defaultGrace = 10 * time.Second

// A follower shows one run until it is over or somebody leaves. Everything it hears arrives on
// channels and is handled by one goroutine, the caller's:
//
//	watch ──frames──▶┐
//	signals ────────▶├ follow ──▶ view (progress), events (JSON), stop requests
//	stop answers ───▶│
//	other answers ──▶│
//	terminal, keys ─▶┘
//
// close ends the goroutines that fill the channels and waits for them.
type follower struct {
	e     *env
	s     *session
	opt   showOptions
	view  *view
	watch *client.Watch

	frames  chan received
	answers chan error  // of stop requests
	news    chan func() // answers of inquire
	cancel  context.CancelFunc
	ctx     context.Context // of the goroutines
	group   sync.WaitGroup

	run      string // "" until the daemon has accepted it
	first    api.Snapshot
	stopsRun bool          // a signal stops the run; else it only ends the watching
	grace    time.Duration // of that stop
	interrupts
	choosing
	answering
}

// received is one answer of watch.Next.
type received struct {
	frame api.Frame
	err   error
}

// newFollower watches the workspace of s and has its snapshot when it returns.
func newFollower(ctx context.Context, e *env, s *session, opt showOptions) (*follower, error) {
	view := newView(e, s, opt) // before the watch, whose notes go through it
	watch, err := s.ws.Watch(ctx, api.WatchOptions{Events: view.events(), Caller: e.Caller()})
	if err != nil {
		view.close()
		return nil, err
	}
	frame, err := watch.Next(ctx)
	if err != nil {
		watch.Close()
		view.close()
		return nil, err
	}
	f := &follower{e: e, s: s, opt: opt, view: view, watch: watch,
		frames: make(chan received), answers: make(chan error), news: make(chan func())}
	if frame.Snapshot != nil {
		f.first = *frame.Snapshot
	}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f, nil
}

// close lets go of the run. It goes on.
func (f *follower) close() {
	f.interrupts.restore()
	f.view.endLive() // first: whatever else takes time, the terminal is in order
	f.closeQuestion()
	if f.view.keyboard != nil {
		f.view.keyboard.Close() // of a question that is open still
	}
	f.cancel()
	f.watch.Close()
	f.view.close()
	f.group.Wait()
}

// spawn begins a goroutine that close waits for.
func (f *follower) spawn(work func()) { f.group.Go(func() { f.e.Guard(work) }) }

// startAndFollow starts a run and follows it. Signals count from here on: what they mean while
// the daemon has not answered is done as soon as the number of the run is known.
func (f *follower) startAndFollow(ctx context.Context, req api.RunRequest) error {
	f.interrupts.catch()
	if err := f.explain(ctx, req); err != nil {
		return err
	}
	started, lined := make(chan startAnswer, 1), make(chan string, 1)
	inLine, leaveLine := context.WithCancel(f.ctx)
	defer leaveLine()
	f.spawn(func() {
		accepted, err := f.s.startRun(inLine, req, func(text string) { lined <- text })
		started <- startAnswer{accepted, err}
	})
	waits := false
	for {
		select {
		case a := <-started:
			return f.begun(ctx, a)
		case text := <-lined:
			waits = true
			f.view.inLine(text)
		case sig := <-f.signals:
			if f.count(sig); f.mustLeave() {
				return f.left()
			}
			if !waits {
				continue
			}
			leaveLine() // its turn may have come at the same moment: then it goes on as any other
			if a := <-started; a.err == nil {
				return f.begun(ctx, a)
			}
			return exit(signalStatus(sig))
		}
	}
}

// begun follows a run whose request is answered.
func (f *follower) begun(ctx context.Context, a startAnswer) error {
	if a.err != nil {
		return asConflict(a.err)
	}
	f.view.accepted(a.accepted)
	if a.accepted.Run == "" {
		return nil
	}
	f.run = a.accepted.Run
	if f.lastSignal == interrupt && f.chooses(interrupt) && f.detaching {
		return f.left()
	}
	f.stopIfAsked()
	if err := f.countKept(ctx, a.accepted); err != nil {
		return err
	}
	return f.follow(ctx)
}

// explain asks what --verbose says about starts. Why the run cannot be is for StartRun to say.
func (f *follower) explain(ctx context.Context, req api.RunRequest) error {
	if !f.opt.verbose || !f.view.progress() {
		return nil
	}
	plan, err := f.s.ws.Plan(ctx, req)
	var refused *api.Error
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	f.view.steps = make(map[string]api.PlanStep, len(plan.Steps))
	for _, step := range plan.Steps {
		f.view.steps[step.Node] = step
	}
	return nil
}

// countKept asks how many nodes a resumed run takes over, so that progress counts to what is left.
func (f *follower) countKept(ctx context.Context, a api.RunAccepted) error {
	if a.Mode != api.ModeResume {
		return nil
	}
	status, err := f.s.ws.Status(ctx, false)
	if err != nil {
		return err
	}
	runs := status.Runs
	if status.LastRun != nil { // it may be over already
		runs = append(runs, *status.LastRun)
	}
	for _, r := range runs {
		if r.Run == f.run {
			f.view.board.Kept = r.Counts.Kept
		}
	}
	return nil
}

// follow shows the run until it is over. f.run is known.
func (f *follower) follow(ctx context.Context) error {
	f.view.startLive(f.stopsRun)
	if f.view.live != nil {
		f.learn()
	}
	if f.view.partial {
		f.learnApprovals()
	}
	f.spawn(f.read)
	var err error
	f.e.Guard(func() { err = f.loop(ctx) }) // here, since a bug should not wait for what close waits for
	return err
}

// loop is the one goroutine that handles what the follower hears.
func (f *follower) loop(ctx context.Context) error {
	for {
		select {
		case r := <-f.frames:
			if r.err != nil {
				return f.lost(r.err)
			}
			if over, err := f.take(ctx, r.frame); over {
				return err
			}
		case sig := <-f.signals:
			if f.signal(sig) {
				return f.left()
			}
		case err := <-f.answers:
			if f.view.stopAnswered(err); pendingEnd(err) {
				return f.left()
			}
		case apply := <-f.news:
			apply()
		case line := <-f.view.streamed():
			f.view.printStreamed(line)
		case <-f.view.silence.C:
			f.view.heartbeat(time.Now())
		case <-f.view.frameDue():
			f.view.live.tick(f, time.Now())
		case sig := <-f.view.terminalSignals():
			f.view.live.terminalSignal(sig)
		case key := <-f.view.keys():
			asked := f.asking // then every key is the answer
			switch {
			case f.answerKey(key):
			case f.pressed(key):
				return f.leave()
			case key == 't' && !asked && f.view.live != nil && f.view.live.shared:
				return f.turnToTUI(ctx)
			}
		}
		if l := f.view.live; l != nil {
			l.ask(f, time.Now())
		}
		if err := f.view.flush(); err != nil {
			return err
		}
	}
}

// inquire asks the daemon something on the side; the loop of follow applies the answer.
func (f *follower) inquire(question func() (apply func())) {
	f.spawn(func() {
		apply := question()
		select {
		case f.news <- apply:
		case <-f.ctx.Done():
		}
	})
}

// learn asks for the nodes of the run and how long they took before. Without an answer there are
// no stages and no guess, and the run is shown all the same.
func (f *follower) learn() {
	f.inquire(func() func() {
		outlook, err := f.s.ws.Outlook(f.ctx, f.run)
		return func() {
			if err == nil {
				f.view.learn(outlook)
			}
		}
	})
}

// read hands frames over until the watch ends.
func (f *follower) read() {
	for {
		frame, err := f.watch.Next(f.ctx)
		select {
		case f.frames <- received{frame, err}:
		case <-f.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// take handles a frame and says whether the run is over.
func (f *follower) take(ctx context.Context, frame api.Frame) (over bool, err error) {
	if frame.Snapshot != nil {
		if over, err = f.resume(ctx, *frame.Snapshot); over || err != nil {
			return true, err
		}
	}
	for _, ev := range frame.Events {
		if ev.Run != "" && ev.Run != f.run {
			continue
		}
		if err := f.view.event(ctx, ev); err != nil {
			return true, err
		}
		f.hearApproval(ev)
		if ev.Type == api.RunComplete {
			return true, f.over(ctx, ev)
		}
	}
	return false, nil
}

// resume goes on from a new snapshot, after the connection was lost: events are missing, and
// the run may have ended meanwhile. Then its record has the result.
func (f *follower) resume(ctx context.Context, snapshot api.Snapshot) (over bool, err error) {
	for _, run := range snapshot.Status.Runs {
		if run.Run == f.run {
			f.view.resync(run)
			if f.view.live != nil {
				f.learn()
			}
			f.pending, f.confirming = nil, 0
			f.learnApprovals()
			return false, nil
		}
	}
	detail, err := f.s.ws.Run(ctx, f.run)
	if err != nil {
		return true, err
	}
	if detail.Result == "" {
		return false, nil // the snapshot is older than the run, whose events follow it
	}
	return true, f.endedAs(ctx, detail, snapshot.Seq)
}

// ended reports the result of a run that finished while the connection to the daemon was lost.
func (f *follower) ended(ctx context.Context, seq uint64) error {
	detail, err := f.s.ws.Run(ctx, f.run)
	if err != nil {
		return err
	}
	return f.endedAs(ctx, detail, seq)
}

// endedAs is ended with the record of the run, as if its last event had just come.
func (f *follower) endedAs(ctx context.Context, detail api.RunDetail, seq uint64) error {
	ev := completion(detail, f.s.ws.ID, seq)
	if err := f.view.event(ctx, ev); err != nil {
		return err
	}
	return f.over(ctx, ev)
}

// completion is the last event of a run, made from its record.
func completion(detail api.RunDetail, workspace string, seq uint64) api.Event {
	status := resultStatus(detail.Result, detail.ExitCode)
	ev := api.Event{Schema: api.SchemaEvent, Seq: seq, Type: api.RunComplete, Workspace: workspace,
		Run: detail.Run, Result: detail.Result, Counts: &detail.Counts, DurationMS: detail.DurationMS, ExitCode: &status,
		Survivors: detail.Survivors}
	if detail.Ended != nil {
		ev.Time = *detail.Ended
	}
	return ev
}

// over shows the end of the run and turns its result into an exit status.
func (f *follower) over(ctx context.Context, ev api.Event) error {
	if err := f.view.finish(ctx, ev); err != nil {
		return err
	}
	if err := f.writeReports(ctx); err != nil {
		if ev.Result == api.Succeeded {
			return err
		}
		printError(f.e, err) // the run's own result is the exit status
	}
	if ev.Result == api.Cancelled && f.stoppedBy != nil {
		return exit(signalStatus(f.stoppedBy))
	}
	if ev.Result == api.Cancelled && f.unanswered != "" {
		return f.noAnswer()
	}
	return exit(resultStatus(ev.Result, ev.ExitCode))
}

// resultStatus is the exit status of a run that this command did not stop.
func resultStatus(result api.Result, code *int) int {
	switch {
	case code != nil && *code == exitTimeout:
		return exitTimeout
	case result == api.Succeeded:
		return exitOK
	case result == api.Cancelled:
		return exitStopped
	}
	return exitFailed
}

// lost says what is known when the daemon cannot be reached again.
func (f *follower) lost(err error) error {
	return &failure{status: exitDaemon, what: "lost the daemon: " + describe(err).what,
		why: "run " + f.run + " may still be going", fix: "wf attach " + f.run + f.e.fileFix(f.s.path)}
}

// left is how the command ends when it does not wait for the end of the run.
func (f *follower) left() error {
	switch {
	case f.lastSignal == hangup:
		return exit(exitHangup)
	case !f.stopsRun || f.detaching:
		f.view.goodbye(f.run, false)
		return nil
	case f.run != "": // else it has not begun
		f.view.goodbye(f.run, true)
	}
	return exit(signalStatus(f.stoppedBy))
}

// leave is the key d: the run is left to the daemon, which also ends it if that was asked for.
func (f *follower) leave() error {
	f.view.goodbye(f.run, f.stoppedBy != nil)
	if f.stoppedBy != nil {
		return exit(signalStatus(f.stoppedBy))
	}
	return nil
}

// signalStatus is 128 + n for the signals that stop a run.
func signalStatus(sig os.Signal) int {
	if sig == terminate {
		return exitTerminated
	}
	return exitInterrupted
}
