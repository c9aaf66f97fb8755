package armed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wf/api"
	"wf/executor/ownfile"
	"wf/trigger/arrivals"
	"wf/trigger/ledger"
	"wf/workspace/clock"
	"wf/workspace/fence"
	"wf/workspace/workfile"
)

// Enable arms the triggers of a workfile. It refuses if they are not the ones that the user has seen. A trigger that is armed
// already does not start the same run twice: the decisions about it are kept. user is the name of the user who asked. Enable
// returns when the triggers are on the disk.
func (k *Keeper) Enable(ctx context.Context, q api.TriggerEnable, user string) error {
	found, err := read(q.Path)
	if err != nil {
		return err
	}
	if err := check(found); err != nil {
		return err
	}
	f := &File{ID: found.ID, Workfile: found.Path, User: user, Time: clock.Now().Truncate(time.Second), Request: q.Request}
	for _, l := range found.Lines {
		f.Lines = append(f.Lines, Line{Node: l.Node, Name: l.NodeName, On: l.Text, Anchor: f.Time})
	}
	if err := f.findExisting(found); err != nil {
		return err
	}
	if !slices.EqualFunc(f.Lines, q.Lines, func(a Line, b api.TriggerLine) bool { return a.Node == b.Node && a.On == b.On }) {
		return &api.Error{Code: api.CodeConflict, Message: "the triggers of the workfile were changed meanwhile", Where: found.Path,
			Fix: "wf trigger enable shows them again"}
	}
	_, err = ask(ctx, k, func() (struct{}, error) { return struct{}{}, k.enable(f) })
	return err
}

// check refuses triggers that cannot be armed.
func check(found workfile.Triggers) error {
	if len(found.Lines) == 0 {
		return &api.Error{Code: api.CodeNotFound, Message: "the workfile has no triggers", Where: found.Path,
			Fix: "wf edit set-graph " + `on="cron: 0 2 * * *"` + " adds one (every night at two); wf help triggers explains them"}
	}
	seen := map[string]bool{}
	for _, l := range found.Lines {
		what := "on"
		if l.NodeName != "" {
			what = "on of " + l.NodeName
		}
		switch {
		case l.Err != nil:
			return &api.Error{Code: api.CodeWorkfile, Message: fmt.Sprintf("%s: %v", what, l.Err), Where: found.Path, Nodes: nodesOf(l)}
		case l.Inside:
			return &api.Error{Code: api.CodeWorkfile, Message: what + ": no run can begin inside a sub-flow", Where: found.Path, Nodes: nodesOf(l),
				Fix: "put it on the sub-flow"}
		case seen[l.ID()]:
			return &api.Error{Code: api.CodeWorkfile, Message: fmt.Sprintf("%s: the line %q is there twice", what, l.Text), Where: found.Path}
		}
		seen[l.ID()] = true
		if err := checkOther(found, l); err != nil {
			return err
		}
	}
	return nil
}

func nodesOf(l workfile.Trigger) []string {
	if l.Node == "" {
		return nil
	}
	return []string{l.NodeName}
}

// enable stores the file before the ledger gets its records: a file without records is armed at the next start.
func (k *Keeper) enable(f *File) error {
	if err := k.ready(); err != nil {
		return notReady(err)
	}
	if err := checkHooks(k, f); err != nil {
		return err
	}
	old := k.entries[f.ID]
	var records []ledger.Record
	waiting := waitingOf(k, f.ID)
	kept := map[string]bool{} // ids of triggers that are armed already
	if old != nil {
		for i := range f.Lines {
			at := slices.IndexFunc(old.Lines, func(o Line) bool { return o.id() == f.Lines[i].id() })
			if at >= 0 {
				f.Lines[i].Anchor, kept[f.Lines[i].id()] = old.Lines[at].Anchor, true
			}
		}
		for _, o := range old.Lines {
			if !slices.ContainsFunc(f.Lines, func(l Line) bool { return l.id() == o.id() }) {
				records = append(records, ledger.Record{Op: ledger.Disarm, Time: f.Time, Workfile: f.ID, Trigger: o.id()})
			}
		}
	}
	if err := f.save(k.cfg.State); err != nil {
		return api.Internal("the triggers cannot be stored", err)
	}
	e := k.add(f)
	for _, t := range e.triggers {
		_, armed := k.ledger.State(f.ID, t.id)
		switch {
		case armed && kept[t.id]:
		case t.other != nil:
			records = append(records, t.armAfter(f.ID)...)
		case t.files != nil:
			records = append(records, t.armFiles(f.ID, f.existing[t.id])...)
		default:
			records = append(records, t.arm(f.ID, f.Time))
		}
	}
	k.changed()
	carried := carry(waiting, e)
	if err := k.ledger.Append(append(records, carried...)...); err != nil {
		return api.Internal("the triggers cannot be stored", err)
	}
	dropBodies(k, waiting)
	return nil
}

// notReady explains why triggers cannot be changed now.
func notReady(err error) error {
	var taken *fence.TakenError
	if errors.As(err, &taken) {
		e := &api.Error{Code: api.CodeConflict, Message: "another daemon has the triggers of this state folder", Why: taken.Error(),
			Fix: "use that daemon, or wait until it has ended"}
		if !taken.Locked && taken.Holder.PID != 0 {
			e.Fix = "use them there: wf --host ssh://" + taken.Holder.Host + " …; if it is gone for good: wf server takeover --triggers"
		}
		return e
	}
	return api.Internal("the triggers cannot be stored", err)
}

// Disable disarms a workfile. A run that is just about to start still does; Disable waits for it, but not for long.
func (k *Keeper) Disable(ctx context.Context, path string) error {
	id, err := workfile.LastingID(path)
	if err != nil {
		return err
	}
	if err := k.quiesce(ctx, id); err != nil {
		return err
	}
	_, err = ask(ctx, k, func() (struct{}, error) { return struct{}{}, k.disable(id, path) })
	return err
}

// disable removes the file before the records: what is left in the ledger after a crash has no effect.
func (k *Keeper) disable(id, path string) error {
	if k.entries[id] == nil {
		return &api.Error{Code: api.CodeNotFound, Message: "the triggers of the workfile are not enabled", Where: path, Fix: "wf trigger ls lists those that are"}
	}
	if err := k.ready(); err != nil {
		return notReady(err)
	}
	if err := remove(k.cfg.State, id); err != nil {
		return api.Internal("the triggers cannot be disabled", err)
	}
	waiting := waitingOf(k, id)
	k.entries[id].unfollow()
	delete(k.entries, id)
	k.changed()
	if err := k.ledger.Append(ledger.Record{Op: ledger.Disarm, Time: clock.Now(), Workfile: id}); err != nil {
		k.cfg.Log.Error("the ledger of triggers cannot be written", "err", err)
		return nil
	}
	dropBodies(k, waiting)
	return nil
}

// Moved takes the triggers of a workfile along to its new path.
func (k *Keeper) Moved(ctx context.Context, from, to, path string) error {
	_, err := ask(ctx, k, func() (struct{}, error) { return struct{}{}, k.moved(from, to, path) })
	return err
}

func (k *Keeper) moved(from, to, path string) error {
	old := k.entries[from]
	if old == nil {
		return nil
	}
	if err := k.ready(); err != nil {
		return notReady(err)
	}
	f := *old.File
	f.ID, f.Workfile = to, path
	if err := f.save(k.cfg.State); err != nil {
		return api.Internal("the triggers cannot be stored", err)
	}
	e := k.add(&f)
	var records []ledger.Record
	for _, t := range e.triggers {
		if t.files != nil {
			records = append(records, k.moveFiles(old.File, &f, t)...)
			continue
		}
		cursor := clock.Now()
		if s, armed := k.ledger.State(from, t.id); armed {
			cursor = s.Cursor
		}
		arm := t.arm(to, cursor)
		runs, _ := k.ledger.DecidedRuns(from, t.id)
		arm.After = runs.Floor
		records = append(records, arm)
		for n := range runs.Seen {
			records = append(records, t.seen(to, n))
		}
	}
	records = append(records, carry(waitingOf(k, from), e)...)
	if err := k.ledger.Append(records...); err != nil {
		return api.Internal("the triggers cannot be stored", err)
	}
	return k.disable(from, path)
}

// Fire starts the run of an armed trigger at once, or of the only one if the line is empty.
func (k *Keeper) Fire(ctx context.Context, q api.TriggerNow) (api.RunAccepted, error) {
	id, err := workfile.LastingID(q.Path)
	if err != nil {
		return api.RunAccepted{}, err
	}
	body := ""
	if q.Body != nil {
		ready := func() (struct{}, error) { return struct{}{}, k.ready() } // nothing sweeps the body away after that
		if _, err := ask(ctx, k, ready); err != nil {
			return api.RunAccepted{}, notReady(err)
		}
		if body, err = k.inbound.spool.keep(q.Body); err != nil {
			return api.RunAccepted{}, api.Internal("the body cannot be stored", err)
		}
	}
	type answer struct {
		acc api.RunAccepted
		err error
	}
	ended := make(chan answer, 1)
	_, err = ask(ctx, k, func() (struct{}, error) {
		return struct{}{}, k.fire(id, body, q, nil, func(acc api.RunAccepted, err error) { ended <- answer{acc, err} })
	})
	if err != nil {
		if body != "" {
			_ = ownfile.Remove(k.inbound.spool.path(body)) // otherwise the next daemon does it
		}
		return api.RunAccepted{}, err
	}
	select {
	case a := <-ended:
		return a.acc, a.err
	case <-k.done:
		return api.RunAccepted{}, &api.Error{Code: api.CodeGone, Message: "the daemon is ending"}
	case <-ctx.Done():
		return api.RunAccepted{}, ctx.Err()
	}
}

// fire starts the run of a trigger. body is the name of the file with the body, "" for none. files are those that it gets; if the
// trigger waits for files and there are none, they are looked for.
func (k *Keeper) fire(id, body string, q api.TriggerNow, files []arrivals.File, reply func(api.RunAccepted, error)) error {
	e := k.entries[id]
	switch {
	case e == nil:
		return &api.Error{Code: api.CodeNotFound, Message: "the triggers of the workfile are not enabled", Where: q.Path, Fix: "wf trigger enable, or wf run"}
	case e.starting:
		return &api.Error{Code: api.CodeConflict, Message: "a trigger of the workfile is starting a run just now", Where: q.Path, Fix: "try again"}
	}
	var chosen *armedTrigger
	for _, t := range e.triggers {
		if t.On == q.On && t.Node == q.Node || q.On == "" && len(e.triggers) == 1 {
			chosen = t
		}
	}
	if chosen == nil {
		return &api.Error{Code: api.CodeInvalid, Message: "which trigger is meant is not clear", Where: q.Path, Fix: "wf trigger ls lists the triggers"}
	}
	if err := checkBody(chosen, body); err != nil {
		return err
	}
	if chosen.files != nil && files == nil {
		k.fireFiles(id, q, chosen, reply)
		return nil
	}
	if err := k.ready(); err != nil {
		return notReady(err)
	}
	now := clock.Now()
	r := ledger.Record{Op: ledger.Start, Time: now, Workfile: id, Trigger: chosen.id, Instant: now, Line: chosen.On, Node: chosen.Node, ByHand: true,
		Key: ledger.Key(id, chosen.id+" by hand", now), Body: body, Event: q.Event, Files: files}
	if err := k.ledger.Append(r); err != nil {
		return api.Internal("the start cannot be recorded", err)
	}
	k.begin(&start{entry: e, trigger: chosen, record: r, reply: reply})
	return nil
}
