package armed

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"wf/daemon/folders"
	"wf/trigger"
	"wf/trigger/arrivals"
	"wf/trigger/ledger"
	"wf/workspace/clock"
)

// Times of triggers that wait for files. Folders are listed after an event, and besides from time to time; the longer a list takes,
// the rarer it is made.
const (
	pollPause   = 5 * time.Second // between lists if there may be changes without events
	pollShare   = 20              // a list takes at most one part in 20 of the time
	safetyPause = time.Minute     // between lists if all folders report changes: a folder above them may be replaced
	safetyShare = 500
	eventPause  = 50 * time.Millisecond // between lists if files arrive all the time
	eventShare  = 10
	freshTime   = 5 * time.Second // how old the latest look at files may be when their run starts
	queuedPause = 5 * time.Second // between questions whether a run still waits in the queue
)

// newNotifier is replaced by tests.
var newNotifier = folders.NewNotifier

// follow is a trigger that waits for files. It belongs to the loop, apart from what a helper gets while looking is set.
type follow struct {
	options trigger.Files
	pattern folders.Pattern
	fixed   bool // the pattern does not depend on the folder of the workfile
	watch   *folders.Watch
	tracker arrivals.Tracker

	looking bool            // a helper looks at files
	seen    *sight          // what it has seen, until the next decision
	dirty   bool            // something happened since the last list
	closed  map[string]bool // reported since the last list
	listed  bool            // there was a list
	// Times of clock.Process: when the next list is due, when it may be made at the earliest, and when files were looked at.
	listAt, notBefore, lookedAt time.Duration
	changed                     error           // the triggers of the workfile were changed: files wait
	told                        bool            // the log says so
	folder                      uint64          // inode of the folder of the latest list
	problem                     string          // why files may be missing in a list
	unfit                       map[string]bool // names that no command can get, and that are reported

	held   string        // key of a run of this trigger that waits in the queue; "" = none. Meanwhile files gather for the next one
	heldAt time.Duration // when to ask again
	ended  bool          // a run of the workfile has ended since the latest question
}

// sight is what a helper saw.
type sight struct {
	list    folders.List
	names   []string // nil = all files
	closed  map[string]bool
	at      time.Duration
	took    time.Duration
	lacking bool
	changed error
	free    bool // the run that waited in the queue has begun
}

// touched are the triggers whose folders reported a change.
type touched struct {
	mu  sync.Mutex // guards all
	all map[*armedTrigger]bool
}

// follow prepares a trigger for files.
func (k *Keeper) follow(f *File, parsed trigger.Trigger, t *armedTrigger) *follow {
	if k.notifier == nil {
		n, err := newNotifier()
		if err != nil {
			k.cfg.Log.Info("the kernel does not report changes of folders: triggers look from time to time", "err", err)
		}
		k.notifier = n
	}
	fo := &follow{options: parsed.Files, pattern: f.pattern(parsed), fixed: filepath.IsAbs(parsed.Spec), unfit: map[string]bool{}}
	fo.tracker = arrivals.Tracker{Settle: parsed.Files.Settle, Reopened: parsed.Files.Reopened}
	fo.watch = folders.NewWatch(k.notifier, fo.pattern, func() {
		k.touched.mu.Lock()
		if k.touched.all == nil {
			k.touched.all = map[*armedTrigger]bool{}
		}
		k.touched.all[t] = true
		k.touched.mu.Unlock()
		select {
		case k.ends.signal <- struct{}{}:
		default:
		}
	})
	return fo
}

// pattern returns the pattern of a File of f.
func (f *File) pattern(t trigger.Trigger) folders.Pattern {
	return folders.NewPattern(filepath.Dir(f.Workfile), t.Spec)
}

// pathsOf returns the absolute paths of files of f.
func pathsOf(f *File, files []arrivals.File) []string {
	paths := make([]string, len(files))
	for i, file := range files {
		if paths[i] = file.Name; !filepath.IsAbs(file.Name) {
			paths[i] = filepath.Join(filepath.Dir(f.Workfile), file.Name)
		}
	}
	return paths
}

// unfollow ends the reports for an entry.
func (e *entry) unfollow() {
	for _, t := range e.triggers {
		if t.files != nil {
			t.files.watch.Close()
		}
	}
}

// closeFolders ends all reports.
func (k *Keeper) closeFolders() {
	if k.notifier != nil {
		k.notifier.Close() // what it had to say no longer counts
	}
}

// noteTouched lets the next step decide about the triggers whose folders reported a change.
func (k *Keeper) noteTouched() {
	k.touched.mu.Lock()
	all := k.touched.all
	k.touched.all = nil
	k.touched.mu.Unlock()
	for t := range all {
		t.again()
	}
}

// decideFiles decides about files up to the first run. If it has to look at files first, a helper does, and then it decides again.
func (k *Keeper) decideFiles(e *entry, t *armedTrigger, now time.Time) (s *start, records []ledger.Record) {
	f, at := t.files, clock.Process()
	if f.looking {
		t.idle = true
		return nil, nil
	}
	decided, armed := k.ledger.DecidedFiles(e.ID, t.id)
	if seen := f.seen; seen != nil {
		f.seen = nil
		if !armed && seen.names == nil {
			f.noteList(seen)
			t.wake = now // decide when they are in the ledger
			return nil, t.armFiles(e.ID, seen.list)
		}
		records = k.observe(e, t, seen, decided, now)
	}
	dirty, closed := f.watch.Take()
	f.dirty = f.dirty || dirty
	if f.closed == nil {
		f.closed = closed
	} else {
		maps.Copy(f.closed, closed)
	}
	if !armed || !f.listed || at >= f.listAt || f.dirty && at >= f.notBefore {
		k.lookAt(e, t, nil)
		return nil, records
	}
	if due := f.tracker.Due(at); len(due) > 0 {
		k.lookAt(e, t, due)
		return nil, records
	}
	next := f.listAt
	if f.dirty {
		next = min(next, f.notBefore)
	}
	if due, any := f.tracker.Next(); any {
		next = min(next, due)
	}
	batch, more := k.batch(e, t, decided, now)
	records = append(records, more...)
	if len(batch) > 0 {
		state, _ := k.ledger.State(e.ID, t.id)
		free := t.Trigger.LimitedUntil(state.Starts, now)
		switch {
		case !free.IsZero():
			t.wake = earlier(now.Add(next-at), free)
			return nil, records
		case f.held != "" && at < f.heldAt:
			next = min(next, f.heldAt)
		case f.held != "" || at-f.lookedAt > freshTime:
			k.lookAt(e, t, names(batch))
			return nil, records
		case f.changed == nil:
			r := ledger.Record{Op: ledger.Start, Time: now, Workfile: e.ID, Trigger: t.id, Line: t.On, Node: t.Node, Instant: now, Files: batch,
				Folder: f.folder, Key: ledger.KeyOfFiles(e.ID, t.id, now, batch)}
			t.wake = time.Time{}
			return &start{entry: e, trigger: t, record: r}, append(records, r)
		default:
			if !f.told {
				f.told, e.problem = true, text(f.changed)
				records = append(records, ledger.Record{Op: ledger.End, Time: now, Workfile: e.ID, Trigger: t.id, Line: t.On, Node: t.Node, Instant: now,
					Files: batch, Error: e.problem + "; the files wait"})
			}
			f.lookedAt = at - freshTime // look whether the triggers are still changed
			next = min(next, at+pollPause)
		}
	}
	t.wake = now.Add(next - at)
	return nil, records
}

// batch returns the files of the next run. records report files that no command can get.
func (k *Keeper) batch(e *entry, t *armedTrigger, decided ledger.Files, now time.Time) (batch []arrivals.File, records []ledger.Record) {
	f := t.files
	files, unfit := f.tracker.Complete()
	var old []arrivals.File
	files = slices.DeleteFunc(files, func(file arrivals.File) bool {
		v, known := decided.Known[file.Name]
		if known = known && v == file.Version; known {
			old = append(old, file)
		}
		return known
	})
	f.tracker.Decided(old)
	unfit = slices.DeleteFunc(unfit, func(file arrivals.File) bool { return f.unfit[file.Name] })
	if len(unfit) > 0 {
		for _, file := range unfit {
			f.unfit[file.Name] = true
		}
		records = append(records, ledger.Record{Op: ledger.Skip, Time: now, Workfile: e.ID, Trigger: t.id, Line: t.On, Node: t.Node, Instant: now, Count: len(unfit),
			Why: fmt.Sprintf("the name %q has a line break or is not UTF-8, so no command can get it", unfit[0].Name)})
	}
	return arrivals.Batch(files, f.options.Batch, len(filepath.Dir(e.Workfile))+1), records
}

// lookAt lets a helper look at some files, or list all of them if names is nil. A new decision follows.
func (k *Keeper) lookAt(e *entry, t *armedTrigger, names []string) {
	f := t.files
	seen := &sight{names: names, at: clock.Process()}
	if names == nil {
		seen.closed, f.closed, f.dirty = f.closed, nil, false
	}
	held := f.held
	f.looking, f.ended, t.idle = true, false, true
	k.starts.Go(func() {
		if names == nil {
			seen.list, seen.lacking = f.watch.Scan()
		} else {
			seen.list.Files, seen.list.Err = f.pattern.Look(names)
		}
		seen.took = clock.Process() - seen.at
		_, seen.changed = e.verify()
		if held != "" {
			acc, found, err := k.cfg.Runs.FindStarted(k.ctx, e.Workfile, held)
			seen.free = err == nil && (!found || acc.Queued == "")
		}
		k.post(func() {
			f.looking, f.seen = false, seen
			t.again()
		})
	})
}

// noteList plans the next list.
func (f *follow) noteList(seen *sight) {
	end, pause := seen.at+seen.took, max(safetyPause, safetyShare*seen.took)
	if seen.lacking {
		pause = max(pollPause, pollShare*seen.took)
	}
	f.listed, f.listAt, f.notBefore, f.folder = true, end+pause, end+max(eventPause, eventShare*seen.took), seen.list.Folder
}

// observe takes in what a helper has seen. It returns the records that decided files do not exist any more. If the folder is another
// one than that in which they were seen, they may come back: the right one may not be mounted.
func (k *Keeper) observe(e *entry, t *armedTrigger, seen *sight, decided ledger.Files, now time.Time) (records []ledger.Record) {
	f := t.files
	problem := ""
	if seen.list.Err != nil {
		problem = seen.list.Err.Error()
	}
	if problem != f.problem && problem != "" {
		k.cfg.Log.Warn("files of a trigger cannot be seen", "workfile", e.Workfile, "trigger", t.On, "err", problem)
	}
	f.problem, f.lookedAt, f.changed = problem, seen.at+seen.took, seen.changed
	f.told = f.told && f.changed != nil
	if seen.free {
		f.held = ""
	}
	if !f.ended {
		f.heldAt = f.lookedAt + queuedPause
	}
	if seen.names == nil {
		f.noteList(seen)
	}
	gone := f.tracker.Observe(seen.at, arrivals.Observation{Files: seen.list.Files, Took: seen.took, Names: seen.names, Closed: seen.closed}, decided.Known)
	if seen.list.Err != nil || seen.list.Folder == 0 || seen.list.Folder != decided.Folder {
		return nil
	}
	for some := range slices.Chunk(gone, 1000) {
		records = append(records, ledger.Record{Op: ledger.Forget, Time: now, Workfile: e.ID, Trigger: t.id, Names: some})
	}
	return records
}

// queued notes that a run of the trigger waits in the queue.
func (f *follow) queued(key string) { f.held, f.heldAt = key, clock.Process()+queuedPause }

// mayBeFree lets the next decision ask whether the run still waits.
func (f *follow) mayBeFree() { f.heldAt, f.ended = clock.Process(), true }

// names returns the names of files.
func names(files []arrivals.File) (list []string) {
	for _, f := range files {
		list = append(list, f.Name)
	}
	return list
}
