package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/executor"
)

// A watcher draws conclusions from what the poller finds: which tasks have started and ended. What decides is the files that
// the tasks leave; what the batch system says counts where there is no such file, and explains failures.
type watcher struct {
	c      *Cluster
	m      *model
	folder *folder
	call   caller

	failing time.Time // since when there was no answer; zero = there was one
	known   bool      // what earlier sessions have left has been looked at
	alive   []Ref     // the jobs of the run that had not ended when the batch system answered last
	asked   time.Time // when that was asked; zero = never

	unstarted map[*task]entry // tasks that are over without having started, and their ends
	claims    map[*task]claim
}

// A claim is what is known of the file starts/NAME, which the session makes for a task that must not start any more.
type claim uint8

const (
	unclaimed claim = iota
	claiming        // the script is being executed
	refused         // the job has made the file
)

// silence returns how long the cluster has not answered.
func (w *watcher) silence(now time.Time) time.Duration {
	if w.failing.IsZero() {
		return 0
	}
	return now.Sub(w.failing)
}

// newsOrder is the order in which the news of a task are handled, whatever the order of their files.
var newsOrder = map[byte]int{'p': 0, 's': 1, 'e': 2, 'f': 2, 'x': 3}

// looked handles what the poller has found. The submitter gets what it says about batches in doubt.
func (w *watcher) looked(l *look, s *submitter) {
	now := time.Now()
	if l.err != nil || l.askErr != nil {
		w.unanswered(l, now)
	}
	if l.err != nil {
		return
	}
	if l.asked && l.askErr == nil && !w.failing.IsZero() {
		w.failing = time.Time{}
		w.m.complain("")
	}
	for _, name := range l.wish.done {
		delete(w.m.done, name)
	}
	slices.SortStableFunc(l.news, func(a, b news) int { return cmp.Compare(newsOrder[a.kind], newsOrder[b.kind]) })
	for _, n := range l.news {
		if err := w.hear(n); err != nil {
			w.m.complain(err.Error())
		}
	}
	for _, t := range w.m.tasks {
		t.grows = false
	}
	for _, g := range l.grown {
		id, _ := parseTaskName(g.name)
		if t := w.m.tasks[id]; t != nil && t.started {
			t.grows = true
			if err := w.m.outputs.add(t, g); err != nil {
				w.m.complain("an output cannot be written: " + err.Error())
			}
		}
	}
	w.lookForRest(l.wish.outputs)
	w.askPeaks(now)
	if l.asked && l.askErr == nil {
		states := l.byName()
		for _, b := range w.m.batches {
			s.resolve(b, states[b.name], now)
			if b.hold != nil {
				s.pools.seen(b, states[b.name][-1], l.began, now)
			}
		}
		w.compare(states, l.began, now)
		w.census(l)
		if !w.known {
			w.known = true
			w.m.report(executor.Report{Kind: executor.CaughtUp, Time: now})
		}
	}
}

// lookForRest makes the next look come soon if outputs of tasks that have ended are not here. An output that does not grow
// any more is never complete: its file was made shorter. Looks that did not ask for what is missing now say nothing about
// that: several may have been on their way while the session waited for its disk.
func (w *watcher) lookForRest(asked []wantedOutput) {
	var set map[wantedOutput]bool
	for _, t := range w.m.tasks {
		if t.result == nil || t.complete() {
			continue
		}
		if set == nil {
			set = make(map[wantedOutput]bool, len(asked))
			for _, o := range asked {
				set[o] = true
			}
		}
		if slices.ContainsFunc(t.wantedOutputs(), func(o wantedOutput) bool { return set[o] }) {
			t.looks++
		}
		if t.looks < mostLooks {
			w.c.poller.soon()
		}
	}
}

// mostLooks is how many looks may find nothing new in the outputs of a task that has ended.
const mostLooks = 5

// census notes which jobs of the run have not ended.
func (w *watcher) census(l *look) {
	w.asked, w.alive = l.began, nil
	for i := range l.states {
		if st := &l.states[i]; !st.Phase.over() && strings.HasPrefix(st.Name, w.m.batchPrefix()) {
			w.alive = append(w.alive, st.Ref)
		}
	}
}

// unanswered reports a cluster that has not answered for some time. Nothing else changes: nothing is known.
func (w *watcher) unanswered(l *look, now time.Time) {
	if w.failing.IsZero() {
		w.failing = now
	}
	for _, b := range w.m.batches {
		if b.hold != nil {
			b.hold.progress = time.Time{}
		}
	}
	if now.Sub(w.failing) >= w.c.Timing.Trouble {
		w.m.complain(cmp.Or(l.err, l.askErr).Error())
	}
}

// hear handles the start or the end of a task. What is known already is only removed.
func (w *watcher) hear(n news) error {
	if n.kind == 'p' {
		if b := w.m.batches[n.name]; b != nil && b.hold != nil {
			b.hold.running = true
			if words := strings.Fields(n.text); len(words) > 2 {
				b.hold.machine = words[2]
			}
		}
		return nil
	}
	id, ok := parseTaskName(n.name)
	if !ok {
		return fmt.Errorf("the folder of the run contains news of %q, which is no task", n.name)
	}
	t := w.m.tasks[id]
	if t == nil {
		if _, over := w.m.ended[id]; over {
			w.m.done[n.name] = struct{}{}
		}
		return nil
	}
	if err := w.read(t, n); err != nil {
		return fmt.Errorf("the news %c of task %s are %q: %w", n.kind, n.name, n.text, err)
	}
	return nil
}

// read takes over the news of a task.
func (w *watcher) read(t *task, n news) error {
	stamp, text, _ := strings.Cut(n.text, " ")
	at, err := parseTime(stamp)
	if err != nil {
		return err
	}
	switch n.kind {
	case 's':
		var pid int
		var host, step, machine string
		if n, err := fmt.Sscan(text, &pid, &host, &step, &machine); n < 2 { // only the tasks of an allocation have a step
			return err
		}
		if t.started { // perhaps again, on another machine
			t.host = host
			return nil
		}
		return w.m.start(t, entry{Time: at, PID: pid, Host: host, Step: step, Machine: machine})
	case 'f':
		t.result = &entry{Time: at, Phase: NotLaunched, Reason: text}
	case 'e':
		if !t.started || t.result != nil {
			return nil
		}
		e, terms := entry{Time: at}, 0
		if _, err := fmt.Sscan(text, &e.Code, &t.sizes[0], &t.sizes[1], &t.sizes[2], &terms); err != nil {
			return err
		}
		if t.result, t.terminated = &e, terms > 0; t.batch != nil && t.batch.hold != nil {
			t.batch.hold.ended++
		}
		if t.waitsForVerdict() {
			w.c.poller.askSoon()
		}
	case 'x':
		if text != t.stepNews {
			t.stepNews = text
			w.stepFailed(t, text)
		}
	}
	return nil
}

// mostMisfires is how many steps of an allocation may end in a row before they have started their tasks, and in how many allocations
// that may happen to a task.
const mostMisfires = 3

// stepFailed takes over the end of a step that has failed: its exit status, its number, its allocation, and what its command
// printed.
func (w *watcher) stepFailed(t *task, text string) {
	if t.batch == nil || t.batch.hold == nil {
		return
	}
	code, rest, _ := strings.Cut(text, " ")
	_, message, _ := strings.Cut(rest, " ")
	if name, said, _ := strings.Cut(message, " "); strings.HasPrefix(name, NamePrefix) { // scripts of earlier versions do not tell it
		if message = said; name != t.batch.name {
			return // the task has left it
		}
	}
	phase := Unknown
	if pooler, can := w.c.Engine.(Pooler); can {
		phase = pooler.StepFailure(message)
	}
	switch {
	case t.result != nil:
		if t.verdict = true; phase != Unknown {
			t.state.Phase, t.state.Reason = phase, message
		}
	case t.started:
		t.stepEnd = &State{Phase: cmp.Or(phase, Completed), Text: "ENDED", Reason: message, Host: cmp.Or(t.machine, t.host)}
		w.c.poller.hasten()
	case code == startedBefore: // another job has it, or will report its start
	default:
		if t.batch.hold.misfires++; t.misfired != t.batch {
			t.misfired, t.misfires = t.batch, t.misfires+1
		}
		if t.misfires < mostMisfires {
			w.m.takeBack(t.batch, []*task{t})
			return
		}
		w.unstart(t, entry{Time: time.Now(), Phase: NotLaunched, Reason: message})
	}
}

// unstart ends a task as soon as it is certain that no job starts it.
func (w *watcher) unstart(t *task, e entry) {
	if w.claims[t] == unclaimed {
		w.claims[t], w.unstarted[t] = claiming, e
		w.c.poller.askSoon()
	}
}

// startedBefore is the exit status of job.sh for a task that has started before.
const startedBefore = "98"

// parseTime reads seconds since 1970, with two decimals or none.
func parseTime(text string) (time.Time, error) {
	whole, hundredths, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || hundredths == "" {
		return time.Unix(seconds, 0), err
	}
	part, err := strconv.ParseUint(hundredths, 10, 8)
	if err == nil && (len(hundredths) != 2 || part > 99) {
		err = fmt.Errorf("%q is no time", text)
	}
	return time.Unix(seconds, int64(part)*int64(10*time.Millisecond)), err
}

// compare handles what the batch system says about the tasks.
func (w *watcher) compare(states answer, began, now time.Time) {
	var unclear []*task
	for _, t := range w.m.tasks {
		switch st := w.stateOf(t, states); {
		case t.batch == nil:
		case t.result != nil && t.batch.hold != nil: // a failed step tells more
			t.verdict = t.verdict || t.batch.hold.over || t.batch.hold.abandoned
		case t.result != nil:
			t.explain(st)
		case t.batch.job != "" || t.started && t.batch.doubt.IsZero():
			if st == nil && w.asks(t) && !t.absent.IsZero() && began.After(t.absent) {
				unclear = append(unclear, t)
				continue
			}
			w.judge(t, st, began, now)
		}
	}
	if len(unclear) > 0 {
		w.askAccounting(unclear)
	}
	w.claim()
}

// judge decides whether a task without a result file is over. st is nil if the batch system does not know the task.
func (w *watcher) judge(t *task, st *State, began, now time.Time) {
	if st != nil {
		w.m.change(t, *st, now)
		if !st.Phase.over() {
			t.absent = time.Time{}
			return
		}
	}
	if t.absent.IsZero() {
		t.absent = now // the files are looked at once more
		w.c.poller.hasten()
		return
	}
	if began.Before(t.absent) {
		return
	}
	phase, reason := Completed, ""
	if st != nil {
		phase, reason = st.Phase, st.Reason
	} else if t.state.Phase.over() {
		phase, reason = t.state.Phase, t.state.Reason
	}
	if phase == NotLaunched && t.started { // Slurm's word for a job script that was killed
		phase, reason = Completed, ""
	}
	if phase == Completed && t.stop != nil && t.stop.told {
		phase = Cancelled
	}
	wait := w.c.Timing.Missing
	if phase != Completed {
		wait = min(wait, 2*w.c.Timing.Poll)
	}
	if now.Sub(t.absent) < wait || t.grows {
		return
	}
	if phase == Completed && reason == "" {
		reason = "it left no result, and the batch system does not know more"
	}
	e := entry{Time: now, Phase: phase, Reason: reason}
	switch {
	case w.claims[t] == claiming:
	case t.started || w.claims[t] == refused:
		delete(w.claims, t)
		w.m.finish(t, e)
	default:
		w.unstart(t, e)
	}
}

// claim ends the tasks that are over without having started, after their jobs were kept from starting: a controller that is
// restarted may have forgotten that it has cancelled a job.
func (w *watcher) claim() {
	if len(w.unstarted) == 0 {
		return
	}
	ends := w.unstarted
	w.unstarted = map[*task]entry{}
	script := w.folder.prepare() + w.folder.claim(slices.Collect(maps.Keys(ends)))
	w.call(script, func(output string, err error) {
		names := strings.Fields(output)
		for t, e := range ends {
			delete(w.claims, t)
			switch {
			case w.m.tasks[t.job.ID] != t || t.started:
			case err != nil: // the next look concludes again
			case slices.Contains(names, taskName(t.job.ID)):
				e.Reason = joined(e.Reason, "its command has not started")
				w.m.finish(t, e)
			default: // its start may not have been seen yet
				w.claims[t], t.absent = refused, time.Time{}
				w.c.poller.hasten()
			}
		}
	})
}

// joined returns texts that are not empty, with "; " between them.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "; ")
}

// explain takes over what the batch system says about a task that has left a result: why it failed.
func (t *task) explain(st *State) {
	switch {
	case st == nil:
		t.verdict = true
	case st.Phase.over():
		t.state, t.verdict = *st, true
	}
}

// asks reports whether accounting can be asked about a task.
func (w *watcher) asks(t *task) bool {
	a, known := w.c.probe.allowed()
	return !t.asked && t.batch.job != "" && t.batch.hold == nil && (a.Accounting || !known)
}

// askAccounting asks with one call what became of tasks that the batch system does not list any more.
func (w *watcher) askAccounting(tasks []*task) {
	asked := map[Ref]*task{}
	var ids []string
	for _, t := range tasks {
		t.asked = true
		asked[t.batch.ref(t)] = t
		if !slices.Contains(ids, t.batch.job) {
			ids = append(ids, t.batch.job)
		}
	}
	script := w.c.Engine.Final(ids)
	if script == "" {
		return
	}
	w.call(script, func(output string, err error) {
		if err != nil {
			return // the next looks conclude without it
		}
		states, err := w.c.Engine.FinalStates(output)
		if err != nil {
			return
		}
		for _, st := range states {
			if t := asked[st.Ref]; t != nil && w.m.tasks[t.job.ID] == t && st.Phase.over() {
				t.state = st
			}
		}
		w.c.poller.soon()
	})
}

// conclude ends the tasks whose results and outputs are here.
func (w *watcher) conclude() {
	for _, t := range w.m.tasks {
		if t.result != nil && t.complete() && !t.waitsForVerdict() && !t.waitsForProcesses() && !w.waitsForPeak(t) {
			w.m.finish(t, w.judged(t))
		}
	}
}

// judged is the end of a task with a result. What the batch system did with it counts more than the exit code of the
// command, if the command has noticed it: programs that get a signal or no memory exit with any code. A command that has got no
// TERM and exits by itself may have ended before its machine failed or its job was cancelled.
func (w *watcher) judged(t *task) entry {
	e := *t.result
	if e.Phase == NotLaunched || e.Code == 0 || t.stop != nil {
		return e
	}
	switch limit := t.job.Resources.Time; {
	case t.state.Phase >= Cancelled && (t.terminated || t.state.Phase == OutOfMemory || e.Code > 128):
		e.Phase, e.Reason = t.state.Phase, t.state.Reason
	case t.terminated && limit > 0 && e.Time.Sub(t.startedAt) >= limit-w.c.Timing.Grace-time.Minute:
		e.Phase, e.Reason = TimeUp, "its time was up"
	}
	return e
}
