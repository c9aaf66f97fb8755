package metrics

import (
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Times of a Textfile.
const (
	textInterval = 15 * time.Second
	textPause    = time.Second     // between two writes
	textEnd      = 2 * time.Second // for the last write: the folder may be on a disk that does not answer
)

// A Textfile writes the metrics to a file for the textfile collector of node_exporter: when a run has ended, every 15
// seconds, and at the end. A goroutine does it, so that no run waits for it.
type Textfile struct {
	path string
	text func(last bool) []byte
	log  *slog.Logger
	wake chan struct{}
	end  chan struct{}
	done chan struct{}
	bad  bool // the latest write failed
}

// NewTextfile starts to write what text returns to path; with last, no daemon will serve the metrics afterwards. The caller
// closes it.
func NewTextfile(path string, text func(last bool) []byte, log *slog.Logger) *Textfile {
	t := &Textfile{path: path, text: text, log: log, wake: make(chan struct{}, 1), end: make(chan struct{}), done: make(chan struct{})}
	go t.keep()
	return t
}

// Wake makes it write soon. It does not block. A nil Textfile does nothing.
func (t *Textfile) Wake() {
	if t == nil {
		return
	}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Close writes a last time. It waits for it, but not for long. A nil Textfile does nothing.
func (t *Textfile) Close() {
	if t == nil {
		return
	}
	close(t.end)
	select {
	case <-t.done:
	case <-time.After(textEnd):
		t.log.Error("the file with the metrics was not written at the end: its disk does not answer", "file", t.path)
	}
}

func (t *Textfile) keep() {
	defer close(t.done)
	tick := time.NewTicker(textInterval)
	defer tick.Stop()
	for ending := false; ; {
		t.write(ending)
		if ending {
			return
		}
		select {
		case <-time.After(textPause):
			select {
			case <-t.wake:
			case <-tick.C:
			case <-t.end:
				ending = true
			}
		case <-t.end:
			ending = true
		}
	}
}

// write replaces the file. Only the first of several failures is logged.
func (t *Textfile) write(last bool) {
	err := ReplaceText(t.path, t.text(last))
	if err != nil && !t.bad {
		t.log.Error("the file with the metrics cannot be written", "file", t.path, "err", err)
	}
	t.bad = err != nil
}

// ReplaceText replaces the file at path, or leaves it as it is. All users can read it. A reader sees the old or the new text.
func ReplaceText(path string, text []byte) error {
	// The name does not end with .prom, so that node_exporter does not read it.
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".wf-new")
	_ = os.Remove(temp) // of a daemon that was killed
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if chmod := f.Chmod(0o644); err == nil { // whatever the umask is
		err = chmod
	}
	if end := f.Close(); err == nil {
		err = end
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}
