package armed

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"wf/api"
	"wf/trigger"
	"wf/trigger/ledger"
	"wf/trigger/planner"
	"wf/workspace/clock"
	"wf/workspace/workfile"
)

// readTime bounds the wait for a workfile in a list: its disk may not answer.
const readTime = 2 * time.Second

// List describes the triggers of a workfile, or of all armed ones.
func (k *Keeper) List(ctx context.Context, q api.TriggersQuery) (api.TriggerList, error) {
	list := api.TriggerList{Schema: api.SchemaTriggers, Workfiles: []api.TriggerWorkfile{}}
	id := ""
	if q.Path != "" {
		var err error
		if id, err = workfile.LastingID(q.Path); err != nil {
			return list, err
		}
	}
	type snapshot struct {
		entries []*entry
		states  []string // problems
		why     string
	}
	now, err := ask(ctx, k, func() (s snapshot, err error) {
		for _, e := range k.entries {
			if id == "" || e.ID == id {
				s.entries, s.states = append(s.entries, e), append(s.states, e.problem)
			}
		}
		if k.problem != nil {
			s.why = k.problem.Error()
		}
		return s, nil
	})
	if err != nil {
		return list, err
	}
	list.Problem = now.why
	past, err := k.look()
	if err != nil {
		list.Problem = err.Error()
	}
	if id != "" && len(now.entries) == 0 {
		w, err := unarmed(q)
		list.Workfiles = append(list.Workfiles, w)
		return list, err
	}
	list.Workfiles = make([]api.TriggerWorkfile, len(now.entries))
	var all sync.WaitGroup
	atOnce := make(chan struct{}, 16)
	for i, e := range now.entries {
		all.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			list.Workfiles[i] = e.describe(q, past, now.states[i])
		})
	}
	all.Wait()
	slices.SortFunc(list.Workfiles, func(a, b api.TriggerWorkfile) int { return strings.Compare(a.Workfile, b.Workfile) })
	return list, nil
}

// look reads the ledger as it is on disk.
func (k *Keeper) look() (*ledger.Ledger, error) {
	return ledger.Look(filepath.Join(k.cfg.State, Dir, fileLedger))
}

// describe describes an armed workfile.
func (e *entry) describe(q api.TriggersQuery, past *ledger.Ledger, problem string) api.TriggerWorkfile {
	w := api.TriggerWorkfile{Workfile: e.Workfile, Armed: true, Since: e.Time.Format(time.RFC3339), User: e.User, Problem: problem, Triggers: []api.Trigger{}}
	found, err := readSoon(e.Workfile)
	if err != nil {
		w.Problem = text(err)
	}
	w.Changed = err == nil && !e.same(found.Lines)
	last := map[string]*api.TriggerFire{}
	for _, f := range fires(past.Recent(e.ID)) {
		last[trigger.Line{Node: f.Node, Text: f.On}.ID()] = &f
	}
	for _, t := range e.triggers {
		d := api.Trigger{TriggerLine: api.TriggerLine{Node: t.Node, On: t.On}, Name: t.Name, State: api.TriggerArmed, Last: last[t.id]}
		if err == nil && !slices.ContainsFunc(found.Lines, func(l workfile.Trigger) bool { return l.ID() == t.id }) {
			d.State = api.TriggerGone
		}
		cursor := clock.Now()
		if s, armed := past.State(e.ID, t.id); armed && s.Cursor.After(cursor) {
			cursor = s.Cursor
		}
		next(&d, t.Trigger, t.zone, cursor, q.Next)
		if d.Webhook = webhookOf(t.On); d.Webhook != nil {
			d.Webhook.Waiting = len(past.Deliveries(e.ID, t.id))
		}
		decided, _ := past.DecidedFiles(e.ID, t.id)
		d.Files = e.describeFiles(t.On, decided)
		w.Triggers = append(w.Triggers, d)
	}
	for _, l := range found.Lines {
		if !slices.ContainsFunc(e.Lines, func(o Line) bool { return o.id() == l.ID() }) {
			w.Triggers = append(w.Triggers, describeNew(&File{ID: e.ID, Workfile: e.Workfile, Request: e.Request}, l, q.Next))
		}
	}
	return w
}

// next sets the next instants.
func next(d *api.Trigger, t planner.Trigger, zone *time.Location, after time.Time, count int) {
	if t.Schedule == nil {
		return
	}
	d.Zone, d.DelayMS = zone.String(), t.Delay.Milliseconds()
	for range min(count, api.MostInstants) {
		if after = t.Schedule.Next(after); after.IsZero() {
			return
		}
		d.Next = append(d.Next, after.In(zone).Format(time.RFC3339))
	}
}

// unarmed describes a workfile that is not armed.
func unarmed(q api.TriggersQuery) (api.TriggerWorkfile, error) {
	w := api.TriggerWorkfile{Workfile: q.Path, Triggers: []api.Trigger{}}
	found, err := readSoon(q.Path)
	if err != nil {
		return w, err
	}
	w.Workfile = found.Path
	f := &File{ID: found.ID, Workfile: found.Path}
	if q.Zone != "" {
		f.Request.Env = []string{"TZ=" + q.Zone}
	}
	for _, l := range found.Lines {
		w.Triggers = append(w.Triggers, describeNew(f, l, q.Next))
	}
	return w, nil
}

// describeNew describes a line that is not armed, as if it were armed now by f.
func describeNew(f *File, l workfile.Trigger, count int) api.Trigger {
	d := api.Trigger{TriggerLine: api.TriggerLine{Node: l.Node, On: l.Text}, Name: l.NodeName, State: api.TriggerNew}
	now := clock.Now()
	t, _, zone, err := f.read(Line{Node: l.Node, On: l.Text, Anchor: now})
	switch {
	case l.Inside:
		d.Problem = "no run can begin inside a sub-flow: put it on the sub-flow"
	case err != nil:
		d.Problem = err.Error()
	default:
		next(&d, t, zone, now, count)
		d.Webhook = webhookOf(l.Text)
		d.Files = f.describeFiles(l.Text, ledger.Files{})
	}
	return d
}

// stuck are the questions that soon still waits for, so that few goroutines wait for a disk that does not answer.
var stuck sync.Map

// readSoon reads the triggers of a workfile, or returns an error if that takes too long.
func readSoon(path string) (workfile.Triggers, error) {
	return soon(path, func() (workfile.Triggers, error) { return read(path) })
}

// soon calls f, or returns an error if that takes too long. Of the calls for the same thing, one at a time is too long.
func soon[T any](what string, f func() (T, error)) (value T, err error) {
	type result struct {
		value T
		err   error
	}
	silent := &api.Error{Code: api.CodeWorkfile, Message: "the file system does not answer", Where: what}
	if _, waits := stuck.Load(what); waits {
		return value, silent
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
		stuck.Delete(what)
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(readTime):
		if len(done) == 0 {
			stuck.Store(what, true)
		}
		return value, silent
	}
}

// LogOf returns what came of the triggers of a workfile.
func (k *Keeper) LogOf(path string) (api.TriggerLog, error) {
	log := api.TriggerLog{Schema: api.SchemaTriggerLog, Workfile: path, Fires: []api.TriggerFire{}}
	id, err := workfile.LastingID(path)
	if err != nil {
		return log, err
	}
	// Without the loop, the daemon ends, and the log lacks what was refused last.
	_, _ = ask(context.Background(), k, func() (struct{}, error) {
		if k.ledger != nil {
			k.noteRejects(clock.Now(), true)
		}
		return struct{}{}, nil
	})
	past, err := k.look()
	if err != nil {
		return log, api.Internal("the ledger of triggers cannot be read", err)
	}
	log.Fires = append(log.Fires, fires(past.Recent(id))...)
	problem, _ := ask(context.Background(), k, func() (string, error) { // an ending daemon knows none
		if e := k.entries[id]; e != nil && e.unsettled {
			return e.problem, nil
		}
		return "", nil
	})
	for i := range log.Fires {
		if log.Fires[i].Result == api.FireStarting {
			log.Fires[i].Why = problem
		}
	}
	return log, nil
}

// fires merges starts with their ends.
func fires(records []ledger.Record) (list []api.TriggerFire) {
	started := map[string]int{}
	for _, r := range records {
		f := api.TriggerFire{TriggerLine: api.TriggerLine{Node: r.Node, On: r.Line}, Time: r.Time.Format(time.RFC3339Nano), Instant: r.Instant.Format(time.RFC3339)}
		switch r.Op {
		case ledger.Start:
			f.Result, f.Late, f.ByHand = api.FireStarting, r.Late, r.ByHand
			setFiles(&f, r)
			started[r.Key] = len(list)
		case ledger.End:
			at, known := started[r.Key]
			if !known {
				setFiles(&f, r)
				at, list = len(list), append(list, f)
			}
			end(&list[at], r)
			continue
		case ledger.Skip:
			f.Result, f.Count, f.Why = api.FireSkipped, r.Count, r.Why
		case ledger.Reject:
			f.Result, f.Count, f.Why = api.FireRejected, r.Count, r.Why
		default:
			continue
		}
		list = append(list, f)
	}
	return list
}

// setFiles sets the files of a start.
func setFiles(f *api.TriggerFire, r ledger.Record) {
	if len(r.Files) > 0 {
		f.Files, f.FileCount = names(r.Files), r.Count
	}
}

// end sets what came of a start.
func end(f *api.TriggerFire, r ledger.Record) {
	f.Run = r.Run
	switch {
	case r.Error != "":
		f.Result, f.Why = api.FireRefused, r.Error
	case r.Queued != "":
		f.Result, f.Run = api.FireQueued, r.Queued
	default:
		f.Result = api.FireStarted
	}
}
