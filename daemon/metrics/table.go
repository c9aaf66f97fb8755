package metrics

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"wf/executor/ownfile"
)

// FileCounts is the name of the file with the counts in the state folder.
const FileCounts = "metrics.json"

// Limits of the table.
const (
	mostWorkfiles = 200      // with figures of their own; the one that has not run for the longest time joins the others
	mostLater     = 100      // see entry.Later
	mostBytes     = 16 << 20 // of the file
	tableVersion  = 1
)

// bounds are the upper bounds of the counted durations, in seconds.
var bounds = []float64{1, 10, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 24 * 3600}

// results are the results of runs. A workfile has a counter for each from its first run on, because a rate needs a zero to
// begin with.
var results = []string{"succeeded", "failed", "cancelled"}

// An End is a run that is over.
type End struct {
	Workspace string // its id
	Workfile  string // absolute
	Run       int
	Result    string
	Ended     time.Time
	Duration  time.Duration
}

// table is the content of the file.
type table struct {
	Version   int               `json:"version"`
	Workfiles map[string]*entry `json:"workfiles"` // by the id of the workspace
	Others    *entry            `json:"others,omitempty"`
}

// entry is the counts of one workfile, or of all others together.
type entry struct {
	Workfile    string           `json:"workfile,omitempty"`
	Created     time.Time        `json:"created"` // the counts begin
	Results     map[string]int64 `json:"results"`
	Durations   []int64          `json:"durations"` // by bounds, and those above
	Seconds     float64          `json:"seconds"`   // the sum of the durations
	LastEnd     time.Time        `json:"last_end,omitzero"`
	LastSuccess time.Time        `json:"last_success,omitzero"`
	LastSeconds float64          `json:"last_seconds,omitempty"` // the duration of the latest run

	// A run is counted once, also if it is reported by two daemons: all up to Through are counted, or were never to be,
	// and those in Later, which are larger, in order.
	Through int   `json:"through,omitempty"`
	Later   []int `json:"later,omitempty"`
}

func newEntry(created time.Time) *entry {
	return &entry{Created: created, Results: map[string]int64{}, Durations: make([]int64, len(bounds)+1)}
}

// readTable reads the file in a state folder. If there is none, the table is empty. With an error it is empty, too.
func readTable(state string) (*table, error) {
	none := &table{Version: tableVersion, Workfiles: map[string]*entry{}}
	data, err := ownfile.Read(filepath.Join(state, FileCounts), mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	t := &table{}
	if err == nil {
		err = json.Unmarshal(data, t)
	}
	if err == nil && t.Version != tableVersion {
		err = fmt.Errorf("its version is %d, not %d", t.Version, tableVersion)
	}
	if err != nil {
		return none, fmt.Errorf("%s: %w", FileCounts, err)
	}
	if t.Workfiles == nil {
		t.Workfiles = none.Workfiles
	}
	for id, e := range t.Workfiles {
		if !e.valid() {
			delete(t.Workfiles, id)
			err = fmt.Errorf("%s: the counts of %s are damaged", FileCounts, id)
		}
	}
	if t.Others != nil && !t.Others.valid() {
		t.Others, err = nil, fmt.Errorf("%s: the counts of other workfiles are damaged", FileCounts)
	}
	return t, err
}

func (e *entry) valid() bool {
	negative := func(n int64) bool { return n < 0 }
	return e != nil && e.Results != nil && len(e.Durations) == len(bounds)+1 && !slices.ContainsFunc(e.Durations, negative) && e.Seconds >= 0
}

// begin adds a workfile whose first counted run is number run. A workfile that the table has stays as it is.
func (t *table) begin(id, workfile string, run int, at time.Time) *entry {
	e := t.Workfiles[id]
	if e == nil {
		e = newEntry(at)
		e.Through, e.LastEnd = run-1, time.Time{}
		t.Workfiles[id] = e
		t.shrink(id, at)
	}
	e.Workfile = workfile
	return e
}

// shrink moves counts of the workfile that has not run for the longest time to the others, if there are too many; not those of id.
func (t *table) shrink(id string, at time.Time) {
	if len(t.Workfiles) <= mostWorkfiles {
		return
	}
	oldest := ""
	for other, e := range t.Workfiles {
		if other != id && (oldest == "" || cmp.Or(e.used().Compare(t.Workfiles[oldest].used()), cmp.Compare(other, oldest)) < 0) {
			oldest = other
		}
	}
	if t.Others == nil {
		t.Others = newEntry(at)
	}
	t.Others.add(t.Workfiles[oldest])
	delete(t.Workfiles, oldest)
}

func (e *entry) used() time.Time {
	if e.LastEnd.IsZero() {
		return e.Created
	}
	return e.LastEnd
}

func (e *entry) add(other *entry) {
	for r, n := range other.Results {
		e.Results[r] += n
	}
	for i, n := range other.Durations {
		e.Durations[i] += n
	}
	e.Seconds += other.Seconds
}

// end counts a run, unless it is counted already.
func (t *table) end(x End) {
	e := t.begin(x.Workspace, x.Workfile, x.Run, x.Ended)
	if !e.mark(x.Run) {
		return
	}
	seconds := max(x.Duration, 0).Seconds()
	i, _ := slices.BinarySearch(bounds, seconds)
	e.Results[x.Result]++
	e.Durations[i]++
	e.Seconds += seconds
	if !x.Ended.Before(e.LastEnd) {
		e.LastEnd, e.LastSeconds = x.Ended, seconds
	}
	if x.Result == results[0] && x.Ended.After(e.LastSuccess) {
		e.LastSuccess = x.Ended
	}
}

// counted reports whether a run is counted, or was never to be.
func (e *entry) counted(run int) bool { return run <= e.Through || slices.Contains(e.Later, run) }

// mark notes that a run is counted. It returns false if it was before.
func (e *entry) mark(run int) bool {
	if e.counted(run) {
		return false
	}
	i, _ := slices.BinarySearch(e.Later, run)
	e.Later = slices.Insert(e.Later, i, run)
	if len(e.Later) > mostLater { // numbers between them belong to runs that never began
		e.Through = e.Later[0]
	}
	for len(e.Later) > 0 && e.Later[0] <= e.Through+1 {
		e.Through = max(e.Through, e.Later[0])
		e.Later = e.Later[1:]
	}
	return true
}

// write adds the families of the table.
func (t *table) write(w *Writer) {
	var list []*entry
	for _, e := range t.Workfiles {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *entry) int { return cmp.Compare(a.Workfile, b.Workfile) })
	named := list[:len(list):len(list)]
	if t.Others != nil {
		o := *t.Others
		o.Workfile = OtherWorkfiles
		list = append(list, &o)
	}
	runs := w.Family(Counter, "wf_runs", "Runs that are over, by result.")
	for _, e := range list {
		for _, r := range results {
			runs.Counter(float64(e.Results[r]), e.Created, Label{"result", r}, Label{"workfile", e.Workfile})
		}
	}
	durations := w.Family(Histogram, "wf_run_duration_seconds", "Time from the start to the end of runs that are over.")
	for _, e := range list {
		durations.Histogram(bounds, e.Durations, e.Seconds, e.Created, Label{"workfile", e.Workfile})
	}
	gauge := func(name, help string, value func(*entry) (v float64, known bool)) {
		f := w.Family(Gauge, name, help)
		for _, e := range named {
			if v, known := value(e); known {
				f.Gauge(v, Label{"workfile", e.Workfile})
			}
		}
	}
	gauge("wf_last_success_timestamp_seconds", "When the latest run that succeeded ended.",
		func(e *entry) (float64, bool) { return Seconds(e.LastSuccess), !e.LastSuccess.IsZero() })
	gauge("wf_last_end_timestamp_seconds", "When the latest run ended.",
		func(e *entry) (float64, bool) { return Seconds(e.LastEnd), !e.LastEnd.IsZero() })
	gauge("wf_last_duration_seconds", "How long the latest run took.",
		func(e *entry) (float64, bool) { return e.LastSeconds, !e.LastEnd.IsZero() })
}

// OtherWorkfiles is the label of the workfiles beyond the limit. The name of a workfile is an absolute path.
const OtherWorkfiles = "(others)"
