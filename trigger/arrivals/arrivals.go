// Package arrivals decides which files have arrived completely, and which of them one run gets. It is a function of what was seen
// of the files, of what was decided, and of the time: it reads no clock and no file, and it starts nothing.
package arrivals

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Version is the content of a file, as far as the file system tells without reading it.
type Version struct {
	Size     int64  `json:"s"`           // bytes
	Modified int64  `json:"m"`           // nanoseconds since 1970
	Inode    uint64 `json:"i,omitempty"` // 0 = the file system has none
}

// A File is a version of a file that matches a pattern.
type File struct {
	Name string `json:"n"` // the path, as the pattern has it: relative or absolute
	Version
}

// Grace is how long a file must rest after it was closed or renamed into place: programs set its time right after that.
const Grace = 250 * time.Millisecond

// An Observation is what was seen of files at one time.
type Observation struct {
	Files []File // those that exist, each once, of all or of Names
	// Took is how long the look took: each file was seen between the time of the observation and then.
	Took time.Duration
	// Names, if not nil, are the only files that were looked at.
	Names []string
	// Closed are files that the kernel says were closed after writing or renamed into place, before they were looked at.
	Closed map[string]bool
}

// A Tracker follows the files of one trigger that are not decided yet. The zero value is ready for use. Its times are those of any
// clock that is never set.
type Tracker struct {
	Settle   time.Duration // how long a file must rest
	Reopened bool          // files are opened again after they were closed: only Settle counts

	files map[string]*candidate
}

// candidate is a file that is not decided.
type candidate struct {
	Version
	since    time.Duration // when this version was first seen
	closed   bool
	complete bool
}

// Observe takes in what was seen at a time. known are the versions that were decided. It returns the names of known files that no
// longer exist, sorted; only an observation of all files knows them.
func (t *Tracker) Observe(now time.Duration, o Observation, known map[string]Version) (gone []string) {
	if t.files == nil {
		t.files = map[string]*candidate{}
	}
	present := make(map[string]bool, len(o.Files))
	for _, f := range o.Files {
		present[f.Name] = true
		if v, decided := known[f.Name]; decided && v == f.Version {
			delete(t.files, f.Name)
			continue
		}
		c := t.files[f.Name]
		if c == nil || c.Version != f.Version {
			c = &candidate{Version: f.Version, since: now + o.Took}
			t.files[f.Name] = c
		}
		c.closed = c.closed || o.Closed[f.Name]
		c.complete = now-c.since >= t.rest(c)
	}
	if o.Names != nil {
		for _, name := range o.Names {
			if !present[name] {
				delete(t.files, name)
			}
		}
		return nil
	}
	maps.DeleteFunc(t.files, func(name string, _ *candidate) bool { return !present[name] })
	for name := range known {
		if !present[name] {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	return gone
}

// rest returns how long a file must rest.
func (t *Tracker) rest(c *candidate) time.Duration {
	if c.closed && !t.Reopened {
		return min(t.Settle, Grace)
	}
	return t.Settle
}

// Due returns the files to look at again now, because they may be complete, sorted.
func (t *Tracker) Due(now time.Duration) (names []string) {
	for name, c := range t.files {
		if !c.complete && now-c.since >= t.rest(c) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Next returns when a file is due, or false if none will be.
func (t *Tracker) Next() (at time.Duration, any bool) {
	for _, c := range t.files {
		if due := c.since + t.rest(c); !c.complete && (!any || due < at) {
			at, any = due, true
		}
	}
	return at, any
}

// Fit reports whether commands can get a name: in a list with a line each, and as JSON.
func Fit(name string) bool { return !strings.Contains(name, "\n") && utf8.ValidString(name) }

// Complete returns the files that are complete and not decided, sorted by name. Those whose names are not Fit are in unfit.
func (t *Tracker) Complete() (files, unfit []File) {
	for name, c := range t.files {
		switch {
		case !c.complete:
		case !Fit(name):
			unfit = append(unfit, File{name, c.Version})
		default:
			files = append(files, File{name, c.Version})
		}
	}
	byName := func(a, b File) int { return cmp.Compare(a.Name, b.Name) }
	slices.SortFunc(files, byName)
	slices.SortFunc(unfit, byName)
	return files, unfit
}

// Decided removes files that were decided.
func (t *Tracker) Decided(files []File) {
	for _, f := range files {
		if c := t.files[f.Name]; c != nil && c.Version == f.Version {
			delete(t.files, f.Name)
		}
	}
}

// Waiting returns how many files are not decided.
func (t *Tracker) Waiting() int { return len(t.files) }

// ListBytes is how long the list of the files of a run may be, in bytes: it is one variable, for which a kernel takes 128 KiB.
const ListBytes = 100_000

// Batch returns the first of the files that one run gets: at most most, and so few that their names fit into a list with a line
// each. extra is how many bytes longer than its name a line is.
func Batch(files []File, most, extra int) []File {
	bytes := 0
	for i, f := range files {
		if bytes += len(f.Name) + extra + 1; i == most || i > 0 && bytes > ListBytes {
			return files[:i]
		}
	}
	return files
}
