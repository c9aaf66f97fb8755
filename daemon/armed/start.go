package armed

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"wf/api"
	"wf/trigger"
	"wf/trigger/ledger"
	"wf/trigger/planner"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// start is a run that is about to be requested. Its record is in the ledger.
type start struct {
	entry   *entry
	trigger *armedTrigger // of the entry; for a start of before one that only has a Line, if the trigger is gone
	record  ledger.Record
	again   bool // a daemon may have requested it before
	// reply, if not nil, is called on the loop with the end.
	reply func(api.RunAccepted, error)
}

// stamp identifies a state of a file.
type stamp struct {
	modified time.Time
	size     int64
	onBusy   string // its attribute on_busy
}

// begin lets a helper request the run. The entry is starting until its end.
func (k *Keeper) begin(s *start) {
	s.entry.starting = true
	k.starts.Go(func() {
		release := k.acquire()
		acc, err := s.request(k)
		release()
		if err != nil && s.reply == nil && k.ctx.Err() == nil && k.cfg.Unstarted != nil { // nobody waits for the answer
			k.cfg.Unstarted(s.entry.File, s.runRequest(), err)
		}
		k.post(func() { k.finish(s, acc, err) })
	})
}

// acquire waits for permission to start a run. It is given back by the call of release, or after patience, so that workfiles
// on disks that do not answer leave room for others.
func (k *Keeper) acquire() (release func()) {
	select {
	case k.slots <- struct{}{}:
	case <-k.ctx.Done():
		return func() {}
	}
	free := sync.OnceFunc(func() { <-k.slots })
	timer := time.AfterFunc(patience, free)
	return func() {
		timer.Stop()
		free()
	}
}

// request requests the run, unless the triggers of the workfile were changed.
func (s *start) request(k *Keeper) (api.RunAccepted, error) {
	ctx, runs, path := k.ctx, k.cfg.Runs, s.entry.Workfile
	if s.again {
		acc, found, err := runs.FindStarted(ctx, path, s.record.Key)
		if found || err != nil {
			return acc, err
		}
		if why := s.tooLate(clock.Now()); why != "" {
			return acc, &api.Error{Code: api.CodeRefused, Message: why}
		}
	}
	if _, err := s.entry.verify(); err != nil {
		return api.RunAccepted{}, err
	}
	req := s.runRequest()
	if err := k.delivered(s, &req); err != nil {
		return api.RunAccepted{}, err
	}
	return runs.Start(ctx, path, req)
}

// runRequest returns the request of the run.
func (s *start) runRequest() api.RunRequest {
	req := s.entry.Request
	req.Mode, req.Detached, req.Key, req.Again = api.ModeFresh, true, s.record.Key, s.again
	req.Trigger = &api.RunTrigger{Name: s.trigger.name, Time: s.record.Instant.In(cmp.Or(s.trigger.zone, time.UTC))}
	if s.record.After > 0 {
		req.Trigger.Run = history.RunID(s.record.After)
	}
	if s.record.Node != "" {
		req.From = []string{"id:" + s.record.Node}
	}
	if len(s.record.Files) > 0 {
		req.Trigger.Files = pathsOf(s.entry.File, s.record.Files)
	}
	arrived := len(s.record.Files) > 0 || s.record.Hook != ""
	if (s.trigger.Catchup == trigger.CatchupAll || arrived) && req.OnBusy == "" && s.entry.onBusy() == "" {
		// Otherwise all but the first that are made up for would be refused, and all that become due meanwhile.
		req.OnBusy = api.BusyQueue
	}
	return req
}

// tooLate returns why a start that a daemon left uncertain is not made up for, "" if it is.
func (s *start) tooLate(now time.Time) string {
	if s.record.After > 0 || len(s.record.Files) > 0 || s.record.Body != "" {
		return "" // an end of a run, a file and a delivery are seen once, however late
	}
	late := now.Sub(s.record.Instant) - s.trigger.Delay
	switch s.trigger.Catchup {
	case trigger.CatchupLatest, trigger.CatchupAll:
		if late <= cmp.Or(s.trigger.Window, trigger.DefaultWindow) {
			return ""
		}
	default:
		if late <= planner.Tolerance {
			return ""
		}
	}
	return "missed: the daemon ended before it had started the run"
}

// verify returns an error unless the triggers of the workfile are those that are armed, and the size of the workfile in bytes.
func (e *entry) verify() (size int64, err error) {
	info, err := os.Stat(e.Workfile)
	if err != nil {
		return 0, &UnavailableError{workfile.ReadError(e.Workfile, err)}
	}
	now := stamp{modified: info.ModTime(), size: info.Size()}
	if before := e.verified.Load(); before != nil && now.modified == before.modified && now.size == before.size {
		return now.size, nil
	}
	found, err := read(e.Workfile)
	if err != nil {
		return 0, &UnavailableError{err}
	}
	if !e.same(found.Lines) {
		return 0, errChanged(e.Workfile)
	}
	now.onBusy = found.OnBusy
	e.verified.Store(&now)
	return now.size, nil
}

// onBusy returns the attribute on_busy of the workfile, as verify has read it; "" if it has none.
func (e *entry) onBusy() string {
	if at := e.verified.Load(); at != nil {
		return at.onBusy
	}
	return ""
}

func errChanged(path string) *api.Error {
	return &api.Error{Code: api.CodeRefused, Message: "the triggers of the workfile were changed after wf trigger enable", Where: path,
		Fix: "wf trigger enable shows and enables the new ones"}
}

// same reports whether these triggers are those that are armed.
func (f *File) same(lines []workfile.Trigger) bool {
	return slices.EqualFunc(f.Lines, lines, func(a Line, b workfile.Trigger) bool { return a.Node == b.Node && a.On == b.Text })
}

// finish records the end of a start.
func (k *Keeper) finish(s *start, acc api.RunAccepted, err error) {
	s.entry.starting = false
	now := k.entries[s.entry.ID]
	if now != nil {
		now.starting = false
	}
	if s.reply != nil {
		defer s.reply(acc, err) // when the end is in the ledger
	}
	if api.HasCode(err, api.CodeGone) || k.ctx.Err() != nil && err != nil {
		if now != nil {
			now.unsettled, now.settleAt = true, clock.Now().Add(retryPause)
		}
		return
	}
	if k.postpone(s, err) {
		return
	}
	end := ledger.Record{Op: ledger.End, Time: clock.Now(), Workfile: s.entry.ID, Trigger: s.record.Trigger, Instant: s.record.Instant, Key: s.record.Key,
		Line: s.record.Line, Node: s.record.Node, Run: acc.Run, Queued: acc.Queued}
	problem := ""
	if err != nil {
		end.Error = text(err)
		problem = end.Error
		k.cfg.Log.Warn("a trigger started no run", "workfile", s.entry.Workfile, "trigger", s.record.Line, "err", err)
	} else {
		k.cfg.Log.Info("a trigger started a run", "workfile", s.entry.Workfile, "trigger", s.record.Line, "run", acc.Run, "queued", acc.Queued)
	}
	if now != nil {
		now.problem = problem
	}
	if s.trigger.files != nil && acc.Queued != "" && !s.record.ByHand {
		s.trigger.files.queued(s.record.Key)
	}
	if k.ledger != nil {
		if err := k.ledger.Note(end); err != nil {
			k.cfg.Log.Error("the end of a start cannot be recorded; it will be looked up", "err", err)
			if now != nil {
				now.unsettled, now.settleAt = true, clock.Now().Add(retryPause)
			}
		}
	}
	k.settled(s, acc)
	k.cfg.Done(s.entry.File, s.trigger.Line, s.runRequest(), acc, err)
}

// text returns an error for people, in one line.
func text(err error) string {
	message := err.Error()
	var e *api.Error
	if errors.As(err, &e) && e.Why != "" {
		message += ": " + e.Why
	}
	return message
}

// settle lets a helper look up the first start of a workfile without an end. It returns false if there is none.
func (k *Keeper) settle(e *entry) bool {
	pending := k.ledger.Pending(e.ID)
	if len(pending) == 0 {
		e.unsettled = false
		return false
	}
	r := pending[0]
	s := &start{entry: e, record: r, again: true, trigger: &armedTrigger{Line: Line{Node: r.Node, On: r.Line}, id: r.Trigger, idle: true}}
	for _, t := range e.triggers {
		if t.id == r.Trigger {
			s.trigger = t
		}
	}
	k.begin(s)
	return true
}
