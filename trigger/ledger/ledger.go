// Package ledger keeps what the daemon decided about the triggers of workfiles: a file of JSON lines, appended and synced
// before a run is started. It makes no decisions and starts nothing.
//
// A start is written before the run is requested, and its end when the run has a number or was refused. A start without an
// end is uncertain: the daemon died in between. Then the history of the workfile says whether a run has its key.
package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"wf/executor/ownfile"
	"wf/trigger/arrivals"
	"wf/trigger/planner"
)

// Op is the kind of a record.
type Op string

// The kinds of records.
const (
	Arm    Op = "arm"    // a trigger is armed; Instant is its cursor
	Disarm Op = "disarm" // the triggers of a workfile are disarmed, or the trigger, if it is named
	Start  Op = "start"  // a run is about to be requested
	End    Op = "end"    // what came of the start with the same key
	Skip   Op = "skip"   // instants up to Instant start no run
	Seen   Op = "seen"   // the end of a run of another workfile, or files, start nothing
	Forget Op = "forget" // files do not exist any more
	Move   Op = "move"   // the clock was set back far, and Instant is the cursor from now on

	held Op = "held" // a start of before, in a ledger that was rewritten: it keeps the times for the limit
)

// A Record is one line of the file.
type Record struct {
	Op       Op        `json:"op"`
	Time     time.Time `json:"time"`              // when it was written
	Workfile string    `json:"workfile"`          // id of the workspace
	Trigger  string    `json:"trigger,omitempty"` // id within the workfile
	Instant  time.Time `json:"instant,omitzero"`
	Keep     int       `json:"keep,omitempty"` // Arm: how many times of starts its limit needs

	// After is the number of a run of another workfile, for a trigger that waits for the ends of its runs. Arm: all runs up to
	// this number are decided. Start and Seen: this run is.
	After int `json:"after,omitempty"`

	// Files are those of a run, or that start none: Start, Seen, and Skip, which does not decide about them. Folder is the inode of
	// the folder in which they were seen. In Recent only the first of many files are left; Count is how many there were.
	Files  []arrivals.File `json:"files,omitempty"`
	Folder uint64          `json:"folder,omitempty"`
	Names  []string        `json:"names,omitempty"` // Forget

	Key    string `json:"key,omitempty"` // Start and End: the key of the request for the run
	Line   string `json:"line,omitempty"`
	Node   string `json:"node,omitempty"`    // id
	Late   bool   `json:"late,omitempty"`    // Start: it is caught up
	ByHand bool   `json:"by_hand,omitempty"` // Start: wf trigger fire; it moves no cursor
	Run    string `json:"run,omitempty"`     // End
	Queued string `json:"queued,omitempty"`  // End: its name in the queue of the workfile
	Error  string `json:"error,omitempty"`   // End: why there is no run
	Count  int    `json:"count,omitempty"`   // Skip: instants; Start and Skip with Files: files
	Why    string `json:"why,omitempty"`     // Skip
}

// Key returns the identity of the run of an instant, the same in every daemon.
func Key(workfile, trigger string, instant time.Time) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", workfile, trigger, instant.UnixNano()))
	return "trigger-" + hex.EncodeToString(sum[:16])
}

// recentKept bounds the records of a workfile for wf trigger log.
const recentKept = 100

// compactSize is the size in bytes below which the file is never rewritten.
const compactSize = 1 << 20

// file is what a Ledger needs of its file. Tests replace it.
type file interface {
	io.Writer
	Sync() error
	Truncate(size int64) error
	Close() error
}

// A Ledger is the open file with what follows from it. One goroutine uses it.
type Ledger struct {
	path string
	open func(path string) (file, error)
	file file // nil after a failure, until the next Append reads the file again
	size int64
	// compactAt is the size at which the file is rewritten.
	compactAt int64
	workfiles map[string]*workfile
	damaged   int
}

// workfile is what the records of one workfile say.
type workfile struct {
	triggers map[string]*armed
	pending  []Record // starts without an end
	recent   []Record // starts, ends and skips, the oldest first
}

type armed struct {
	planner.State
	keep  int
	runs  Runs
	files Files
}

// Runs are the runs of another workfile that are decided: those up to Floor, and the others in Seen. The caller must not change
// Seen.
type Runs struct {
	Floor int
	Seen  map[int]bool
}

// Has reports whether a run is decided.
func (r Runs) Has(n int) bool { return n <= r.Floor || r.Seen[n] }

// add adds a run.
func (r *Runs) add(n int) {
	if n == 0 || r.Has(n) {
		return
	}
	if r.Seen == nil {
		r.Seen = map[int]bool{}
	}
	r.Seen[n] = true
	for r.Seen[r.Floor+1] {
		r.Floor++
		delete(r.Seen, r.Floor)
	}
}

// Open reads the ledger at path, or creates it. A last line that was not completed is removed. The caller closes it.
func Open(path string) (*Ledger, error) {
	l := &Ledger{path: path, open: func(path string) (file, error) {
		return ownfile.Open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	}}
	return l, l.load()
}

// Look reads the ledger at path for questions, also while a daemon writes it. A missing file is an empty ledger. The result
// cannot be written.
func Look(path string) (*Ledger, error) {
	l := &Ledger{path: path}
	_, _, err := l.read()
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return l, err
}

// mostBytes bounds the size of a ledger that is read: compaction keeps it far below.
const mostBytes = 1 << 30

// read folds the file. It returns its size, and that of its complete lines.
func (l *Ledger) read() (size, whole int64, err error) {
	l.workfiles, l.damaged = map[string]*workfile{}, 0
	data, err := ownfile.Read(l.path, mostBytes)
	if err != nil {
		return 0, 0, err
	}
	lines := data[:bytes.LastIndexByte(data, '\n')+1]
	for line := range bytes.Lines(lines) {
		var r Record
		if json.Unmarshal(line, &r) != nil || r.Op == "" || r.Workfile == "" {
			l.damaged++
			continue
		}
		l.apply(r)
	}
	return int64(len(data)), int64(len(lines)), nil
}

// load reads the file and opens it for writing.
func (l *Ledger) load() error {
	size, whole, err := l.read()
	created := errors.Is(err, fs.ErrNotExist)
	if err != nil && !created {
		return err
	}
	f, err := l.open(l.path)
	if err != nil {
		return err
	}
	if whole < size {
		err = f.Truncate(whole)
	}
	if err == nil && created {
		err = syncFolder(l.path)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, whole
	l.compactAt = max(compactSize, 2*l.size)
	return nil
}

// Damaged returns how many lines could not be read.
func (l *Ledger) Damaged() int { return l.damaged }

// Ready returns nil if what the ledger says is what the file says: after a failure it reads the file again.
func (l *Ledger) Ready() error {
	if l.file != nil {
		return nil
	}
	return l.load()
}

// Append writes records and returns when they are on the disk. After an error it is unknown which of them are: what the ledger
// says then follows from the file, after Ready.
func (l *Ledger) Append(records ...Record) error { return l.write(true, records) }

// Note writes records that survive the end of this process, and a power cut after the next Append. An End may get lost,
// because a start without one is looked up.
func (l *Ledger) Note(records ...Record) error { return l.write(false, records) }

func (l *Ledger) write(sync bool, records []Record) error {
	if err := l.Ready(); err != nil {
		return err
	}
	var block bytes.Buffer
	for _, r := range records {
		if err := encode(&block, r); err != nil {
			return err
		}
	}
	_, err := l.file.Write(block.Bytes())
	if err == nil && sync {
		err = l.file.Sync()
	}
	if err != nil {
		err = errors.Join(err, l.file.Close())
		l.file = nil
		return err
	}
	l.size += int64(block.Len())
	for _, r := range records {
		l.apply(r)
	}
	if l.size > l.compactAt {
		return l.compact()
	}
	return nil
}

func encode(into *bytes.Buffer, r Record) error {
	e := json.NewEncoder(into)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// apply folds a record.
func (l *Ledger) apply(r Record) {
	w := l.workfiles[r.Workfile]
	if w == nil {
		w = &workfile{triggers: map[string]*armed{}}
		l.workfiles[r.Workfile] = w
	}
	t := w.triggers[r.Trigger]
	switch r.Op {
	case Arm:
		w.triggers[r.Trigger] = &armed{State: planner.State{Cursor: r.Instant}, keep: r.Keep, runs: Runs{Floor: r.After}, files: Files{Folder: r.Folder}}
	case Disarm:
		delete(w.triggers, r.Trigger)
		if r.Trigger == "" {
			clear(w.triggers)
			for _, p := range w.pending {
				w.remember(Record{Op: End, Time: r.Time, Workfile: p.Workfile, Trigger: p.Trigger, Instant: p.Instant, Key: p.Key, Error: "the triggers were disabled before it was known whether the run had started"})
			}
			w.pending = nil
		}
	case Start, held:
		if t != nil {
			t.noteStart(r)
		}
		if r.Op == Start {
			w.pending = append(w.pending, r)
			w.remember(r)
		}
	case Seen:
		if t != nil {
			t.runs.add(r.After)
			t.files.add(r)
		}
	case Forget:
		if t != nil {
			t.files.forget(r.Names)
		}
	case End:
		w.pending = slices.DeleteFunc(w.pending, func(p Record) bool { return p.Key == r.Key })
		w.remember(r)
	case Skip, Move:
		if t != nil && (r.Op == Move || r.Instant.After(t.Cursor)) {
			t.Cursor = r.Instant
		}
		w.remember(r)
	}
}

// noteStart moves the cursor and keeps the time for the limit.
func (t *armed) noteStart(r Record) {
	if r.ByHand {
		return
	}
	t.runs.add(r.After)
	t.files.add(r)
	if r.Instant.After(t.Cursor) {
		t.Cursor = r.Instant
	}
	if t.keep > 0 {
		t.Starts = append(t.Starts, r.Time)
		t.Starts = t.Starts[max(0, len(t.Starts)-t.keep):]
	}
}

func (w *workfile) remember(r Record) {
	r = r.brief()
	if w.recent = append(w.recent, r); len(w.recent) > 2*recentKept {
		w.recent = append(w.recent[:0], w.recent[len(w.recent)-recentKept:]...)
	}
}

// State returns what was decided about a trigger, or false if it is not armed.
func (l *Ledger) State(workfile, trigger string) (planner.State, bool) {
	if w := l.workfiles[workfile]; w != nil && w.triggers[trigger] != nil {
		return w.triggers[trigger].State, true
	}
	return planner.State{}, false
}

// DecidedRuns returns the runs of another workfile that are decided, or false if the trigger is not armed. It is valid until the
// next write.
func (l *Ledger) DecidedRuns(workfile, trigger string) (Runs, bool) {
	if w := l.workfiles[workfile]; w != nil && w.triggers[trigger] != nil {
		return w.triggers[trigger].runs, true
	}
	return Runs{}, false
}

// Pending returns the starts of a workfile without an end, in order.
func (l *Ledger) Pending(workfile string) []Record {
	if w := l.workfiles[workfile]; w != nil {
		return slices.Clone(w.pending)
	}
	return nil
}

// Recent returns the latest starts, ends and skips of a workfile, the oldest first. It keeps about a hundred.
func (l *Ledger) Recent(workfile string) []Record {
	if w := l.workfiles[workfile]; w != nil {
		return slices.Clone(w.recent)
	}
	return nil
}

// compact rewrites the file with only what counts.
func (l *Ledger) compact() error {
	var b bytes.Buffer
	var errs []error
	write := func(r Record) { errs = append(errs, encode(&b, r)) }
	ids := make([]string, 0, len(l.workfiles))
	for id := range l.workfiles {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, strings.Compare)
	for _, id := range ids {
		w := l.workfiles[id]
		w.recent = w.recent[max(0, len(w.recent)-recentKept):]
		// The triggers come last, so that the records before do not move their cursors. Old starts without an end stay.
		for _, r := range w.pending {
			if !slices.ContainsFunc(w.recent, func(o Record) bool { return o.Op == Start && o.Key == r.Key }) {
				write(r)
			}
		}
		for _, r := range w.recent {
			write(w.whole(r))
		}
		for name, t := range w.triggers {
			write(Record{Op: Arm, Time: t.Cursor, Workfile: id, Trigger: name, Instant: t.Cursor, Keep: t.keep, After: t.runs.Floor, Folder: t.files.Folder})
			for n := range t.runs.Seen {
				write(Record{Op: Seen, Time: t.Cursor, Workfile: id, Trigger: name, After: n})
			}
			for _, r := range SeenFiles(t.Cursor, id, name, t.files.Folder, t.files.list()) {
				write(r)
			}
			for _, at := range t.Starts {
				write(Record{Op: held, Time: at, Workfile: id, Trigger: name})
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	err := l.file.Close()
	l.file = nil
	if err == nil {
		err = ownfile.Replace(l.path, b.Bytes(), true)
	}
	if err == nil {
		err = syncFolder(l.path)
	}
	if err != nil {
		return err
	}
	return l.load()
}

// Close closes the file.
func (l *Ledger) Close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// syncFolder makes the name of a new file durable.
func syncFolder(path string) error {
	dir, err := os.Open(path[:strings.LastIndexByte(path, '/')+1])
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
