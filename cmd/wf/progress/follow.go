// Package progress shows an active run: it follows its events, prints or redraws its progress, handles signals and
// keys, asks for approvals, and returns the exit status of the run. Package runview folds the events into the state of
// the run; this package only displays it.
package progress

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
)

// DefaultGrace is the default of the daemon.
const DefaultGrace = 10 * time.Second

// A Follower shows one run until it ends or the user leaves. All inputs arrive on channels and are handled by one
// goroutine, that of the caller:
//
//	watch ──frames──▶┐
//	signals ────────▶├ follow ──▶ view (progress), events (JSON), stop requests
//	stop answers ───▶│
//	other answers ──▶│
//	terminal, keys ─▶┘
//
// Close ends the goroutines that fill the channels and waits for them, unless the process ends anyway.
type Follower struct {
	e      *console.Console
	target *Target
	opt    Options
	view   *Display
	watch  *client.Watch

	frames  chan received
	answers chan error  // of stop requests
	replies chan func() // answers to requests of inquire
	cancel  context.CancelFunc
	ctx     context.Context // of the goroutines
	group   sync.WaitGroup

	Run      string // "" until the daemon has accepted it
	First    api.Snapshot
	ended    bool          // its end was shown
	StopsRun bool          // a signal stops the run; otherwise it only ends the command
	Grace    time.Duration // of that stop

	// OnEnd, if not nil, is called after the result of the run was shown. Its error ends the command.
	OnEnd func(ctx context.Context, run string, result api.Result) error
	// ShowTUI, if not nil, shows the workfile in the terminal interface until the user leaves it.
	ShowTUI func(context.Context) error
	interrupts
	interruptChoice
	approvalState
}

// received is one answer of watch.Next.
type received struct {
	frame api.Frame
	err   error
}

// Follow watches the workspace of s. It returns after the first snapshot.
func Follow(ctx context.Context, e *console.Console, s *Target, opt Options) (*Follower, error) {
	view := NewDisplay(e, s, opt) // before the watch, whose notes go through it
	watch, err := s.Workspace.Watch(ctx, api.WatchOptions{Events: view.events(), Caller: e.Caller()})
	if err != nil {
		view.Close()
		return nil, err
	}
	frame, err := watch.Next(ctx)
	if err != nil {
		watch.Close()
		view.Close()
		return nil, err
	}
	f := &Follower{e: e, target: s, opt: opt, view: view, watch: watch,
		frames: make(chan received), answers: make(chan error), replies: make(chan func())}
	if frame.Snapshot != nil {
		f.First = *frame.Snapshot
	}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f, nil
}

// Close ends the watch. The run continues. If the run has ended, the command ends, too, and Close leaves the connections and
// goroutines to the end of the process, which takes half a millisecond less.
func (f *Follower) Close() {
	f.interrupts.restore()
	f.view.endLive() // first, so that the terminal is restored even if the rest takes time
	f.closeQuestion()
	if f.view.keyboard != nil {
		f.view.keyboard.Close() // a question may still be open
	}
	if f.ended {
		f.view.Close()
		return
	}
	f.cancel()
	f.watch.Close()
	f.view.Close()
	f.group.Wait()
}

// spawn starts a goroutine that Close waits for.
func (f *Follower) spawn(work func()) { f.group.Go(func() { f.e.Guard(work) }) }

// StartRun starts a run and follows it. Signals that arrive before the daemon has answered take effect when the number
// of the run is known.
func (f *Follower) StartRun(ctx context.Context, req api.RunRequest) error {
	f.interrupts.CatchSignals()
	if err := f.explain(ctx, req); err != nil {
		return err
	}
	started, queued := make(chan startAnswer, 1), make(chan string, 1)
	inQueue, leaveQueue := context.WithCancel(f.ctx)
	defer leaveQueue()
	f.spawn(func() {
		accepted, err := f.target.StartRun(inQueue, req, func(text string) { queued <- text })
		started <- startAnswer{accepted, err}
	})
	waits := false
	for {
		select {
		case a := <-started:
			return f.accepted(ctx, a)
		case text := <-queued:
			waits = true
			f.view.Queued(text)
		case sig := <-f.signals:
			if f.count(sig); f.mustLeave() {
				return f.left()
			}
			if !waits {
				continue
			}
			leaveQueue()
			if a := <-started; a.err == nil { // it left the queue at the same moment
				return f.accepted(ctx, a)
			}
			return exit.With(signalStatus(sig))
		}
	}
}

// accepted follows a run after the daemon has answered the request for it.
func (f *Follower) accepted(ctx context.Context, a startAnswer) error {
	if a.err != nil {
		return a.err
	}
	f.view.Accepted(a.accepted)
	if a.accepted.Run == "" {
		return nil
	}
	f.Run = a.accepted.Run
	if f.lastSignal == sigInterrupt && f.handlesChoice(sigInterrupt) && f.detaching {
		return f.left()
	}
	f.stopIfAsked()
	if err := f.countKept(ctx, a.accepted); err != nil {
		return err
	}
	return f.follow(ctx)
}

// explain requests the plan, which --verbose shows with starts. It ignores a refusal, which the start repeats.
func (f *Follower) explain(ctx context.Context, req api.RunRequest) error {
	if !f.opt.Verbose || !f.view.progress() {
		return nil
	}
	plan, err := f.target.Workspace.Plan(ctx, req)
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

// countKept requests how many nodes a resumed run keeps, so that progress counts only the others.
func (f *Follower) countKept(ctx context.Context, a api.RunAccepted) error {
	if a.Mode != api.ModeResume {
		return nil
	}
	status, err := f.target.Workspace.Status(ctx, false)
	if err != nil {
		return err
	}
	runs := status.Runs
	if status.LastRun != nil { // it may have ended already
		runs = append(runs, *status.LastRun)
	}
	for _, r := range runs {
		if r.Run == f.Run {
			f.view.Run.Kept = r.Counts.Kept
		}
	}
	return nil
}

// Attach follows an active run.
func (f *Follower) Attach(ctx context.Context, run api.RunSummary) error {
	f.Run = run.Run
	f.view.attached(run)
	return f.follow(ctx)
}

// follow shows the run f.Run until it ends.
func (f *Follower) follow(ctx context.Context) error {
	f.view.startLive(f.StopsRun)
	if f.view.live != nil {
		f.requestOutlook()
	}
	if f.view.partial {
		f.requestApprovals()
	}
	f.spawn(f.read)
	var err error
	f.e.Guard(func() { err = f.loop(ctx) }) // here, so that a panic is reported before Close waits for goroutines
	return err
}

// loop handles everything that the follower reacts to.
func (f *Follower) loop(ctx context.Context) error {
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
		case apply := <-f.replies:
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
			asked := f.asking // every key is then the answer to the question
			switch {
			case f.answerKey(key):
			case f.pressed(key):
				return f.leave()
			case key == 't' && !asked && f.view.live != nil && f.view.live.shared:
				return f.switchToTUI(ctx)
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

// inquire calls question, a request to the daemon, in a goroutine of its own; loop calls the apply function.
func (f *Follower) inquire(question func() (apply func())) {
	f.spawn(func() {
		apply := question()
		select {
		case f.replies <- apply:
		case <-f.ctx.Done():
		}
	})
}

// requestOutlook requests the nodes of the run and their earlier durations. Without an answer the run is shown without
// stages and without an estimate.
func (f *Follower) requestOutlook() {
	f.inquire(func() func() {
		outlook, err := f.target.Workspace.Outlook(f.ctx, f.Run)
		return func() {
			if err == nil {
				f.view.learn(outlook)
			}
		}
	})
}

// read sends the frames of the watch to loop until the watch ends.
func (f *Follower) read() {
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

// take handles a frame and reports whether the run has ended.
func (f *Follower) take(ctx context.Context, frame api.Frame) (over bool, err error) {
	if frame.Snapshot != nil {
		if over, err = f.resume(ctx, *frame.Snapshot); over || err != nil {
			return true, err
		}
	}
	for _, ev := range frame.Events {
		if ev.Run != "" && ev.Run != f.Run {
			continue
		}
		if err := f.view.event(ctx, ev); err != nil {
			return true, err
		}
		f.applyApproval(ev)
		if ev.Type == api.RunComplete {
			return true, f.over(ctx, ev)
		}
	}
	return false, nil
}

// resume continues from a new snapshot after the connection was lost. Events are missing, and if the run has ended
// meanwhile, its history has the result.
func (f *Follower) resume(ctx context.Context, snapshot api.Snapshot) (over bool, err error) {
	for _, run := range snapshot.Status.Runs {
		if run.Run == f.Run {
			f.view.resync(run)
			if f.view.live != nil {
				f.requestOutlook()
			}
			f.pending, f.confirming = nil, 0
			f.requestApprovals()
			return false, nil
		}
	}
	detail, err := f.target.Workspace.Run(ctx, f.Run)
	if err != nil {
		return true, err
	}
	if detail.Result == "" {
		return false, nil // the snapshot is older than the run, and its events will follow
	}
	return true, f.endedAs(ctx, detail, snapshot.Seq)
}

// ReportEnded reports the result of a run that finished while the connection to the daemon was lost.
func (f *Follower) ReportEnded(ctx context.Context, seq uint64) error {
	detail, err := f.target.Workspace.Run(ctx, f.Run)
	if err != nil {
		return err
	}
	return f.endedAs(ctx, detail, seq)
}

// endedAs shows the end of the run from its history, like its last event.
func (f *Follower) endedAs(ctx context.Context, detail api.RunDetail, seq uint64) error {
	ev := EndOf(detail, f.target.Workspace.ID, seq)
	if err := f.view.event(ctx, ev); err != nil {
		return err
	}
	return f.over(ctx, ev)
}

// EndOf returns the last event of a run, made from its history.
func EndOf(detail api.RunDetail, workspace string, seq uint64) api.Event {
	status := resultStatus(detail.Result, detail.ExitCode)
	ev := api.Event{Schema: api.SchemaEvent, Seq: seq, Type: api.RunComplete, Workspace: workspace,
		Run: detail.Run, Result: detail.Result, Counts: &detail.Counts, DurationMS: detail.DurationMS, ExitCode: &status,
		Survivors: detail.Survivors}
	if detail.Ended != nil {
		ev.Time = *detail.Ended
	}
	return ev
}

// over shows the end of the run and returns its result as an exit status.
func (f *Follower) over(ctx context.Context, ev api.Event) error {
	f.ended = true
	if err := f.view.Finish(ctx, ev); err != nil {
		return err
	}
	if f.OnEnd != nil {
		if err := f.OnEnd(ctx, f.Run, ev.Result); err != nil {
			return err
		}
	}
	if ev.Result == api.Cancelled && f.stoppedBy != nil {
		return exit.With(signalStatus(f.stoppedBy))
	}
	if ev.Result == api.Cancelled && f.unanswered != "" {
		return f.noAnswer()
	}
	return exit.With(resultStatus(ev.Result, ev.ExitCode))
}

// resultStatus returns the exit status for a run that this command did not stop.
func resultStatus(result api.Result, code *int) int {
	switch {
	case code != nil && *code == exit.Timeout:
		return exit.Timeout
	case result == api.Succeeded:
		return exit.OK
	case result == api.Cancelled:
		return exit.Stopped
	}
	return exit.Failed
}

// lost returns the error for a daemon that cannot be reached again.
func (f *Follower) lost(err error) error {
	return &exit.Failure{Status: exit.Daemon, What: "lost the daemon: " + exit.Describe(err).What,
		Why: "run " + f.Run + " may still be active", Fix: "wf attach " + f.Run + f.target.FileFlag}
}

// left ends the command before the run has ended.
func (f *Follower) left() error {
	switch {
	case f.lastSignal == sigHangup:
		return exit.With(exit.Hangup)
	case !f.StopsRun || f.detaching:
		f.view.Goodbye(f.Run, false)
		return nil
	case f.Run != "": // otherwise it was not started
		f.view.Goodbye(f.Run, true)
	}
	return exit.With(signalStatus(f.stoppedBy))
}

// leave is the action of the key d: the run continues in the daemon, and so does a stop.
func (f *Follower) leave() error {
	f.view.Goodbye(f.Run, f.stoppedBy != nil)
	if f.stoppedBy != nil {
		return exit.With(signalStatus(f.stoppedBy))
	}
	return nil
}

// signalStatus returns 128 + n for a signal that stops a run.
func signalStatus(sig os.Signal) int {
	if sig == sigTerminate {
		return exit.Terminated
	}
	return exit.Interrupted
}

// switchToTUI is the action of the key t: it shows the run in the terminal interface. When the user leaves that, the
// command ends with the result of the run, or like with the key d if the run is still active.
func (f *Follower) switchToTUI(ctx context.Context) error {
	f.interrupts.restore()
	f.view.endLive()
	f.watch.Close()
	if err := f.ShowTUI(ctx); err != nil {
		return err
	}
	status, err := f.target.Workspace.Status(ctx, false)
	if err != nil {
		return f.lost(err)
	}
	for _, run := range status.Runs {
		if run.Run == f.Run {
			f.view.Run.Resync(run)
			return f.leave()
		}
	}
	return f.ReportEnded(ctx, 0)
}
