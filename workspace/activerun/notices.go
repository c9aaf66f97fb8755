package activerun

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/notify"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/runstate"
	"wf/workspace/secrets"
)

// Notices stores notifications durably, and delivers them later.
type Notices interface {
	// Put returns when the message is durable. A message with a known ID is not stored again.
	Put(m notify.Message) error
}

// notices decides which notifications a run sends. Helpers store them; a failure is logged and changes nothing about the run.
type notices struct {
	run    *Run
	rules  []notify.Rule
	longer *loop.Timer
	told   time.Duration // the latest moment of a rule with longer that this daemon has told
	asked  int           // notifications about questions in this daemon
}

// Limits of notifications of one run.
const (
	mostAsked  = 50      // about questions; wf approvals lists all
	mostCases  = 20      // of a question
	mostOutput = 8 << 10 // bytes that are read of an output
)

// begin reads the rules of the run. It is called when the run has a number, in each daemon.
func (no *notices) begin() {
	if no.run.host.Notices == nil {
		return
	}
	no.rules, _ = notify.Parse(no.run.Request.Notify) // the client was told about mistakes
	no.longer = no.run.host.Loop.NewTimer(no.tellLonger)
	no.setLonger()
}

// started tells that the run has begun.
func (no *notices) started() {
	no.tell(notify.To(no.rules, func(w notify.When) bool { return w.Word == notify.Started }), api.NotifyStarted, func(n *api.Notification) {
		n.Counts = nil
	}, "started")
}

// taken tells again what an earlier daemon may not have stored. It is called when the executor of a recovered run was found.
func (no *notices) taken() {
	if no.run.Phase != runstate.Active {
		return
	}
	no.started()
	for _, i := range slices.Sorted(maps.Keys(no.run.Since)) {
		no.waiting(i)
	}
}

// waiting tells that a node waits for a person.
func (no *notices) waiting(i int) {
	to := notify.To(no.rules, func(w notify.When) bool { return w.Word == notify.Waiting })
	if kind, _, _ := no.run.Sched.Waits(i); len(to) == 0 || no.asked >= mostAsked || kind != scheduler.WaitApproval {
		return
	}
	no.asked++
	a := no.run.Question(i).Describe()
	q := &api.NotifiedQuestion{Node: a.Node, Name: a.Name, Text: a.Text, Until: a.Until, Default: a.Default}
	for _, c := range a.Choices[:min(len(a.Choices), mostCases)] {
		q.Cases = append(q.Cases, c.Case)
	}
	no.tell(to, api.NotifyWaiting, func(n *api.Notification) { n.Question = q }, "waiting", a.Node, a.Since.UTC().Format(time.RFC3339Nano))
}

// setLonger sets the timer for the next moment of a rule with longer. The moment may have passed: the run took long to begin,
// or no daemon was there.
func (no *notices) setLonger() {
	if next := notify.NextLonger(no.rules, no.told); next > 0 {
		no.longer.Reset(min(max(next-no.elapsed(), 0), longestTick))
	}
}

// stop stops the timer.
func (no *notices) stop() {
	if no.longer != nil {
		no.longer.Stop()
	}
}

// elapsed returns how long the run has taken.
func (no *notices) elapsed() time.Duration {
	return clock.Now().Sub(no.run.Request.Time) - no.run.SetSince()
}

// tellLonger tells that the run takes longer than a rule allows.
func (no *notices) tellLonger() {
	if no.run.Phase != runstate.Active && no.run.Phase != runstate.Stopping {
		return
	}
	taken := no.elapsed()
	for after := notify.NextLonger(no.rules, no.told); after > 0 && after <= taken; after = notify.NextLonger(no.rules, after) {
		no.told = after
		to := notify.To(no.rules, func(w notify.When) bool { return w.Word == notify.Longer && w.After == after })
		no.tell(to, api.NotifyLonger, func(*api.Notification) {}, "longer", after.String())
	}
	no.setLonger()
}

// tell stores a notification for each destination, on a helper.
func (no *notices) tell(to []notify.Destination, event api.NotifyEvent, fill func(*api.Notification), occasion ...string) {
	if len(to) == 0 {
		return
	}
	n := describe(&no.run.Request, event)
	n.DurationMS = no.elapsed().Milliseconds()
	counts := no.run.CountAll()
	n.Counts = &counts
	fill(&n)
	secrets.Hide(&n, no.run.masks)
	h, q := no.run.host, no.run.Request
	h.Loop.Run(func() { put(h, &q, to, n, occasion...) })
}

// describe returns a notification about a run with what its request says.
func describe(q *history.Request, event api.NotifyEvent) api.Notification {
	started := q.Time
	return api.Notification{Event: event, Time: clock.Now(), Host: q.Host, User: q.User, Workfile: q.Workfile, Run: history.RunID(q.Run), Started: &started}
}

// put stores a notification for each destination. It is called on a helper.
func put(h *Host, q *history.Request, to []notify.Destination, n api.Notification, occasion ...string) {
	notify.Complete(&n)
	for _, d := range to {
		n.ID = notify.ID(d, append([]string{q.Identity()}, occasion...)...)
		m := notify.Message{Notification: n, To: d.String(), Env: q.NotifyEnv, Dir: filepath.Dir(q.Workfile)}
		if err := h.Notices.Put(m); err != nil {
			h.Log.Error("a notification cannot be stored", "run", n.Run, "to", d.Shown(), "err", err)
		}
	}
}

// atEnd returns a function that stores the notifications about the end of the run. A helper calls it before the end is
// recorded: if the machine crashes in between, the next daemon calls it again.
func (no *notices) atEnd(res history.Result) func() {
	if !notify.UsesEnd(no.rules) {
		return func() {}
	}
	h, q, dir, failed, masks := no.run.host, no.run.Request, no.run.Dir, no.firstFailure(), no.run.masks
	counts := no.run.CountAll()
	return func() {
		var node *api.NotifiedNode
		if failed != nil {
			node = failed.describe(masks, dir)
		}
		TellEnd(h, q, res, node, &counts)
	}
}

// TellEnd stores the notifications about the end of a run. It is called on a helper. failed is the node that failed first, nil
// if it is not known or there is none, counts likewise.
func TellEnd(h *Host, q history.Request, res history.Result, failed *api.NotifiedNode, counts *api.Counts) {
	rules, _ := notify.Parse(q.Notify)
	if h.Notices == nil || !notify.UsesEnd(rules) {
		return
	}
	to, event := notify.AtEnd(rules, notify.End{Result: api.Result(res.Result), Cause: res.Cause, Last: lastOutcome(h.Store, q.Run)})
	if len(to) == 0 {
		return
	}
	n := describe(&q, event)
	n.Result, n.Cause, n.DurationMS, n.Time, n.Counts = api.Result(res.Result), cmp.Or(res.Cause, res.Problem), res.DurationMS, res.Ended, counts
	if event == api.NotifyFailure || event == api.NotifyDone {
		n.Failed = failed
	}
	put(h, &q, to, n, "end")
}

// mostLooked bounds how many runs are looked at for one that nobody stopped.
const mostLooked = 100

// lastOutcome returns how the latest other run of the workfile ended; one that could not begin has failed. run is 0 if the run
// itself could not begin.
func lastOutcome(s *history.Store, run int) (last notify.Last) {
	unstarted, ok := s.Unstarted()
	if ok && run > 0 && unstarted >= run { // that was later
		ok = false
	}
	looked, newest := 0, 0
	s.Results(func(n int, res history.Result) bool {
		looked++
		if n != run {
			newest = max(newest, n)
			last = notify.Outcome(api.Result(res.Result), res.Cause)
		}
		return last == notify.LastUnknown && looked < mostLooked
	})
	if ok && unstarted >= newest {
		return notify.LastFailed
	}
	return last
}

// A failure is a node that failed, with its latest execution.
type failure struct {
	node runstate.Node
	exec runstate.Execution
}

// firstFailure returns the node that failed first and whose failure no edge handled, nil for none.
func (no *notices) firstFailure() (first *failure) {
	r := no.run
	for i := range r.Nodes {
		x := r.Nodes[i].Execution
		if x == nil || x.Run != r.Number || x.Reason == "" || x.Reason == api.ReasonCancelled || r.Sched.Status(i) != graph.Failed || r.Sched.Handled(i) {
			continue
		}
		if first == nil || x.EndedAt.Before(first.exec.EndedAt) {
			first = &failure{r.Nodes[i], *x}
		}
	}
	return first
}

// describe reads the end of the output of a failed node. It is called on a helper.
func (f *failure) describe(masks *secrets.Masks, dir string) *api.NotifiedNode {
	x := f.exec
	lastOutput := func(r executor.Range) []byte {
		text, _, _ := secrets.Tail(masks, dir, r, mostOutput)
		return text
	}
	return &api.NotifiedNode{Node: f.node.ID, Name: f.node.Name, Reason: x.Reason, ExitCode: x.Exit(), Signal: runstate.SignalName(x.Signal),
		Message: x.Message, Lines: notify.Lines(lastOutput(x.Out), lastOutput(x.Err))}
}
