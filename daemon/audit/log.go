package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
)

// Times and limits of a Log.
const (
	syncDelay   = time.Second     // from an entry until it survives a power cut
	retryDelay  = 5 * time.Second // between attempts to write after a failure
	mostPending = 1000            // entries in memory that could not be written; further ones are counted as lost
	lockTries   = 50              // attempts to lock the file
	lockPause   = 2 * time.Millisecond
)

// file is what a Log needs of its file. Tests replace it.
type file interface {
	io.Writer
	io.ReaderAt
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
	Fd() uintptr
	Close() error
}

// A Log appends entries to the log of a state folder. Several processes may append to the same file: each locks it for the
// time of a write. Nothing is opened before the first entry. An entry that cannot be written stays in memory, and a timer
// tries again; the caller of Add never gets an error, because no action may fail for its entry.
type Log struct {
	path string
	host string
	log  *slog.Logger
	open func(path string) (file, error)
	now  func() time.Time

	syncing sync.Mutex // held while a timer syncs, so that Close can wait for it

	mu      sync.Mutex // guards the fields below
	start   *Entry     // written before the first entry; nil for none
	started bool
	file    file
	info    fs.FileInfo // of file, when it was opened
	last    position    // after the latest write of this Log
	pending []Entry
	lost    int64 // entries that did not fit into pending
	failing bool  // the latest write failed
	dirty   bool  // something was written and not synced
	timer   *time.Timer
	closed  bool
}

// A position is the end of a file: its size, and the number and hash of its last entry.
type position struct {
	size int64
	n    int64
	hash string
}

// New returns the log of a state folder. If start is not nil, it becomes an entry before the first one of Add, and Close
// adds an entry with ActionEnd. Failures are reported to log. The caller closes the Log.
func New(state string, start *Entry, log *slog.Logger) *Log {
	host, _ := os.Hostname() // "" if the machine has no name
	return &Log{path: Path(state), host: host, log: log, start: start, now: time.Now, open: func(path string) (file, error) {
		return ownfile.Open(path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
	}}
}

// Add appends an entry with the present time. It returns when the entry is in the file, where it survives the end of the
// process, or, after a failure, in memory.
func (l *Log) Add(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if !l.started && l.start != nil {
		l.keep(*l.start)
	}
	l.started = true
	l.keep(e)
	if !l.failing { // otherwise the timer tries again, so that no action waits for a disk or a lock
		l.write()
	}
	l.later()
}

// keep adds an entry to the pending ones. The caller holds mu.
func (l *Log) keep(e Entry) {
	if len(l.pending) >= mostPending {
		l.lost++
		return
	}
	e.Time, e.Host, e.PID = l.now().UTC(), l.host, os.Getpid()
	e.limit()
	l.pending = append(l.pending, e)
}

// later makes a timer sync the file, or write again after a failure. The caller holds mu.
func (l *Log) later() {
	switch {
	case l.timer != nil || l.closed:
	case len(l.pending) > 0:
		l.timer = time.AfterFunc(retryDelay, l.settle)
	case l.dirty:
		l.timer = time.AfterFunc(syncDelay, l.settle)
	}
}

// settle writes pending entries and syncs the file. Add can go on during the sync.
func (l *Log) settle() {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.mu.Lock()
	l.timer = nil
	if len(l.pending) > 0 {
		l.write()
	}
	f, dirty := l.file, l.dirty
	l.dirty = false
	l.mu.Unlock()
	var err error
	if dirty {
		err = f.Sync()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil && !errors.Is(err, os.ErrClosed):
		l.fail(err)
		l.dirty = l.file == f
	case dirty && len(l.pending) == 0:
		l.failing = false
	}
	l.later()
}

// Close writes the entry of the end with a reason, if there was a start, syncs and closes the file. It returns when no timer
// runs any more.
func (l *Log) Close(reason string) {
	l.mu.Lock()
	if l.started && l.start != nil && !l.closed {
		l.keep(Entry{Action: ActionEnd, Detail: reason, Who: Who{Via: ViaDaemon}})
	}
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.settle()
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := int64(len(l.pending)) + l.lost; n > 0 {
		l.log.Error("entries of the audit log are lost", "entries", n, "file", l.path)
	}
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

// write appends the pending entries. After a failure they stay pending. The caller holds mu.
func (l *Log) write() {
	err := l.append()
	switch {
	case err != nil:
		l.fail(err)
	case l.failing:
		l.failing = false
		l.log.Info("the audit log can be written again", "file", l.path)
	}
}

// fail reports the first of several failures. The caller holds mu.
func (l *Log) fail(err error) {
	if !l.failing {
		l.failing = true
		l.log.Error("the audit log cannot be written: entries stay in memory", "file", l.path, "err", err)
	}
}

// append writes the pending entries as one block, under the lock of the file.
func (l *Log) append() error {
	if err := l.prepare(); err != nil {
		return err
	}
	if err := lock(l.file); err != nil {
		return err
	}
	defer unix.Flock(int(l.file.Fd()), unix.LOCK_UN)
	end, remarks, err := l.end()
	if err != nil {
		return err
	}
	if l.lost > 0 {
		remarks = append(remarks, l.remark(ActionLost, fmt.Sprintf("%d entries could not be written, and did not fit into the memory", l.lost)))
	}
	var block bytes.Buffer
	next := end
	for _, list := range [][]Entry{remarks, l.pending} {
		for _, e := range list {
			next.n++
			e.N, e.Prev = next.n, next.hash
			block.Write(e.line())
			next.hash = e.Hash
		}
	}
	next.size = end.size + int64(block.Len())
	n, err := l.file.Write(block.Bytes())
	if n > 0 {
		l.dirty = true
	}
	if err != nil {
		return errors.Join(err, l.undo(end, len(remarks), block.Bytes()[:n]))
	}
	l.last, l.pending, l.lost = next, nil, 0
	return nil
}

// undo removes what a failed write has written, or, if that fails, too, forgets the pending entries among it.
func (l *Log) undo(end position, remarks int, written []byte) error {
	l.last = end
	err := l.file.Truncate(end.size)
	if err != nil {
		whole := bytes.Count(written, []byte("\n")) - remarks
		l.pending = l.pending[max(whole, 0):]
		l.last.size = -1 // the next write reads the end of the file
	}
	return err
}

// prepare opens the file, again if it is no longer the one at its path: a person may move it away.
func (l *Log) prepare() error {
	if l.file != nil {
		there, err := os.Lstat(l.path)
		if err == nil && os.SameFile(there, l.info) {
			return nil
		}
		l.file.Close()
		l.file = nil
	}
	f, err := l.open(l.path)
	if err != nil {
		return err
	}
	if l.info, err = f.Stat(); err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.last.size = f, -1
	return nil
}

// lock locks the file against other writers, which need it only for the time of a write.
func lock(f file) error {
	var err error
	for range lockTries {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		time.Sleep(lockPause)
	}
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	return nil
}

// end returns the end of the file, where the next line follows, and remarks about what is wrong there. It removes an
// unfinished line.
func (l *Log) end() (at position, remarks []Entry, err error) {
	info, err := l.file.Stat()
	if err != nil {
		return at, nil, err
	}
	if info.Size() == l.last.size {
		return l.last, nil, nil
	}
	tail := make([]byte, min(info.Size(), 2*mostLine))
	if _, err := l.file.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && err != io.EOF {
		return at, nil, err
	}
	at.size = info.Size()
	whole := bytes.LastIndexByte(tail, '\n') + 1
	if torn := len(tail) - whole; torn > 0 {
		at.size -= int64(torn)
		if err := l.file.Truncate(at.size); err != nil {
			return at, nil, err
		}
		remarks = append(remarks, l.remark(ActionCut, fmt.Sprintf("an unfinished line of %d bytes was removed", torn)))
	}
	lines := bytes.TrimSuffix(tail[:whole], []byte("\n"))
	e, _, ok := parse(lines[bytes.LastIndexByte(lines, '\n')+1:])
	at.n, at.hash = e.N, e.Hash
	if !ok {
		at.n, at.hash = 0, Origin
		detail := ""
		if at.size > 0 {
			detail = "the line before is not an entry"
		}
		remarks = append([]Entry{l.remark(ActionBegin, detail)}, remarks...)
	}
	if at.n < l.last.n || at.n == l.last.n && at.hash != l.last.hash && at.n > 0 {
		remarks = append(remarks, l.remark(ActionMissing, fmt.Sprintf("this process has written %d entries, the last with hash %s", l.last.n, l.last.hash)))
	}
	return at, remarks, nil
}

// remark returns an entry about the log itself.
func (l *Log) remark(action, detail string) Entry {
	return Entry{Time: l.now().UTC(), Action: action, Detail: detail, Who: Who{Via: ViaDaemon}, Host: l.host, PID: os.Getpid()}
}
