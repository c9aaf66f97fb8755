package folders

import (
	"path/filepath"
	"sync"

	"wf/trigger"
)

// MostWatched bounds the folders that a Watch follows. Further ones are polled.
const MostWatched = 500

// mostClosed bounds the closed files that a Watch keeps. Further ones are complete when they rest.
const mostClosed = 100_000

// A Watch collects reports about the folders of one pattern.
type Watch struct {
	notifier *Notifier
	pattern  Pattern
	changed  func() // called without locks; it does not block

	mu      sync.Mutex      // guards what follows
	dirty   bool            // something happened since the last Take
	closed  map[string]bool // names
	watched map[int32]place // by watch descriptor
	fresh   map[int32]bool  // of the scan that is under way
	lacking bool            // not all folders of the last scan are watched
}

// place is a watched folder of a Watch.
type place struct{ path, part string }

// NewWatch returns a Watch that follows no folder yet. changed is called when something may have happened. n may be nil.
func NewWatch(n *Notifier, p Pattern, changed func()) *Watch {
	return &Watch{notifier: n, pattern: p, changed: changed, watched: map[int32]place{}}
}

// Take returns whether something happened, and the names of files that were closed after writing or renamed into place, since the
// last call. The caller takes before it lists.
func (w *Watch) Take() (dirty bool, closed map[string]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	dirty, closed = w.dirty, w.closed
	w.dirty, w.closed = false, nil
	return dirty, closed
}

// Scan lists the files, and from now on follows the folders in which they are. lacking is set if not all of them can be followed, or
// others may change them without a report: then the caller scans again from time to time. On a network file system no folder is
// followed, because a server that does not answer would hold up all Watches.
func (w *Watch) Scan() (l List, lacking bool) {
	polled := w.notifier == nil || Polled(w.pattern.Base())
	w.mu.Lock()
	w.fresh, w.lacking = map[int32]bool{}, polled
	w.mu.Unlock()
	l = w.pattern.Scan(w.enter)
	w.mu.Lock()
	var stale []int32
	for wd := range w.watched {
		if !w.fresh[wd] {
			delete(w.watched, wd)
			stale = append(stale, wd)
		}
	}
	lacking = w.lacking || l.Folder == 0
	w.mu.Unlock()
	for _, wd := range stale {
		w.notifier.drop(wd, w)
	}
	return l, lacking
}

// enter follows a folder.
func (w *Watch) enter(path, part string) {
	w.mu.Lock()
	w.lacking = w.lacking || len(w.fresh) >= MostWatched
	lacking := w.lacking
	w.mu.Unlock()
	if lacking {
		return
	}
	err := w.notifier.add(path, w, func(wd int32) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.watched[wd] = place{path, part}
		w.fresh[wd] = true
	})
	if err != nil {
		w.mu.Lock()
		w.lacking = true
		w.mu.Unlock()
	}
}

// report takes in what happened in a folder. name is "" for the folder itself, or if reports were lost.
func (w *Watch) report(wd int32, name string, complete bool) {
	w.mu.Lock()
	at, known := w.watched[wd]
	if name != "" && (!known || !trigger.MatchName(at.part, name)) {
		w.mu.Unlock()
		return
	}
	w.dirty = true
	if complete && len(w.closed) < mostClosed {
		if w.closed == nil {
			w.closed = map[string]bool{}
		}
		w.closed[w.pattern.name(filepath.Join(at.path, name))] = true
	}
	w.mu.Unlock()
	w.changed()
}

// Close ends the reports.
func (w *Watch) Close() {
	w.mu.Lock()
	watched := w.watched
	w.watched = map[int32]place{}
	w.mu.Unlock()
	for wd := range watched {
		w.notifier.drop(wd, w)
	}
}

// name is the opposite of Path.
func (p Pattern) name(path string) string {
	if filepath.IsAbs(p.base) {
		return path
	}
	if name, err := filepath.Rel(p.root, path); err == nil {
		return name
	}
	return path
}
