package workfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// A watch notices when other programs change or replace a file. It watches the file and not its folder: commands write
// into the folder of their workfile all the time, and each of these writes would wake the daemon. Editors replace files,
// so the watch must be renewed when the path has another file. Only while there is none, the folder is watched.
type watch struct {
	path     string
	notify   *fsnotify.Watcher
	changes  chan struct{} // has something when the file may have changed
	inFolder bool          // the folder is watched

	mu   sync.Mutex
	file fs.FileInfo // the file that is watched; nil: none
	lost bool        // the file may be watched no longer
}

// newWatch watches the file with this path, or waits for it in its folder. The caller must call close.
func newWatch(path string) (*watch, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watch{path: path, notify: notify, changes: make(chan struct{}, 1), lost: true}
	go w.receive()
	if err := w.renew(); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// close ends the watch. It may wait some milliseconds for the kernel.
func (w *watch) close() { w.notify.Close() }

// receive reports changes until the watch is closed. It must not wait for renew: fsnotify may send an error and refuse to
// watch or forget anything until that is read.
func (w *watch) receive() {
	for {
		select {
		case ev, ok := <-w.notify.Events:
			if !ok {
				return
			}
			if !w.concerns(ev) {
				continue
			}
		case _, ok := <-w.notify.Errors:
			if !ok {
				return
			}
			w.noteLost() // events may be missing after an overflow
		}
		select {
		case w.changes <- struct{}{}:
		default:
		}
	}
}

// concerns reports whether the file may have changed because of ev.
func (w *watch) concerns(ev fsnotify.Event) bool {
	switch {
	case filepath.Base(ev.Name) != filepath.Base(w.path):
		return false
	case ev.Op == fsnotify.Chmod:
		// A file that another one has replaced loses a link, which the kernel reports as a change of attributes.
		now, err := os.Stat(w.path)
		return err != nil || !w.watches(now)
	case ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename):
		w.noteLost() // the kernel does not watch it any more, even if it comes back
	}
	return true
}

func (w *watch) noteLost() {
	w.mu.Lock()
	w.lost = true
	w.mu.Unlock()
}

// watches reports whether this file is the one that is watched.
func (w *watch) watches(file fs.FileInfo) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.lost && w.file != nil && os.SameFile(file, w.file)
}

func (w *watch) setFile(file fs.FileInfo) {
	w.mu.Lock()
	w.file, w.lost = file, false
	w.mu.Unlock()
}

// renew watches the file that has the path now. It is called by one goroutine at a time.
func (w *watch) renew() error {
	now, err := os.Stat(w.path)
	if err == nil && w.watches(now) {
		return nil
	}
	_ = w.notify.Remove(w.path) // fails if nothing is watched
	w.setFile(now)              // before it is watched, so that a later replacement is noticed
	if err == nil {
		err = w.notify.Add(w.path)
	}
	folder := filepath.Dir(w.path)
	switch {
	case err == nil:
		if w.inFolder {
			w.inFolder = false
			_ = w.notify.Remove(folder) // fails if the folder was another one
		}
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		w.noteLost()
		return err
	case w.inFolder:
		return nil
	}
	if err := w.notify.Add(folder); err != nil {
		return err
	}
	w.inFolder = true
	return w.renew() // it may have come back before the folder was watched
}
