package activerun

import (
	"encoding/json"
	"errors"
	"time"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/params"
	"wf/workspace/runstate"
)

// longestTick bounds the timer of a run: the wall clock may be set while the timer runs.
const longestTick = time.Minute

// setTimer sets the timer to a time in nanoseconds since 1970, or stops it if at is 0.
func (r *Run) setTimer(at int64) {
	if at == 0 {
		r.tick.Stop()
		return
	}
	r.tick.Reset(min(max(time.Unix(0, at).Sub(clock.Now()), 0), longestTick))
}

// Tick handles the timer of the run. It records that the time has come, or sets the timer again if it fired too early.
func (r *Run) Tick() {
	at := r.Sched.NextTick()
	if at == 0 || r.Phase != runstate.Active {
		return
	}
	t := clock.Now()
	if t.UnixNano() < at {
		r.setTimer(at)
		return
	}
	r.commit(history.Record{Type: history.RecordTick, Time: t, Node: history.NoNode})
}

// announceWait publishes what a node waits for.
func (an *announcer) announceWait(ef scheduler.Effect) {
	if ef.Wait == scheduler.WaitNone {
		return
	}
	n := &an.run.Nodes[ef.Node]
	an.run.host.Out.Publish(api.Event{Type: api.NodeWaiting, Run: an.run.ID, Client: an.run.Request.Client, Node: n.ID, Name: n.Name,
		Wait: an.run.WaitOf(ef.Node, ef.Wait, ef.At, ef.Message)})
	if ef.Wait == scheduler.WaitApproval {
		an.run.notices.waiting(ef.Node)
	}
}

// Decide records the decision d about node i and continues the run.
func (r *Run) Decide(i int, client string, d api.Decision) error {
	values, err := json.Marshal(d.Values)
	if err != nil {
		return api.Invalid("the values: %v", err)
	}
	if _, err := params.Decode(values); err != nil {
		return api.Invalid("the values: %v", err)
	}
	rec := history.Record{Type: history.RecordDecide, Node: i, ID: r.Nodes[i].ID, OK: d.Approved,
		Message: d.Comment, Cause: d.User, User: systemUser(), Client: client, Key: d.Key}
	if len(d.Values) > 0 {
		rec.Outputs = values
	}
	r.commit(rec)
	return nil
}

// KeepDecision replies to a request when its decision is durable. No job that depends on the decision starts before that.
func (r *Run) KeepDecision(a api.Approval, reply func(api.Approval, error)) {
	r.journal.undecided++
	r.journal.syncJournal(func(err error) {
		if r.journal.undecided--; err != nil {
			err = api.Internal("the decision is made, but cannot be kept at present", errors.New(r.journal.holds.why()))
		}
		reply(a, err)
	})
}
