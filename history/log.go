package history

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A Log is an append-only file of records for one owner: it is not safe for concurrent use, and
// no second process may open it for writing. Records reach the file with Flush and the disk with
// Sync; a crash loses a tail of what was not synced and nothing else.
type Log struct {
	path string
	f    *os.File
	size int64  // bytes of whole records in the file, where the next write goes
	buf  []byte // records that Append took and no write has taken since
	torn int64
	err  error // why the log takes nothing any more; nil while it does
}

// OpenLog opens the log at path and calls replay for each of its records, in order; the payload is
// valid during the call only. A log that is not there is created, durably, with mode 0600.
//
// A torn tail is cut off, see Torn. A log damaged before its tail is returned together with a
// *DamagedError: its good part was replayed, and it refuses to be written. With every other error,
// replay's own included, the log is nil.
func OpenLog(path string, replay func(payload []byte) error) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &Log{path: path, f: f}
	info, err := replayAll(path, f, replay)
	l.size, l.torn = info.Size, info.Torn
	var damaged *DamagedError
	switch {
	case errors.As(err, &damaged):
		l.err = err
		return l, err
	case err == nil && l.size == 0:
		err = l.begin()
	case err == nil && l.torn > 0:
		err = l.cut()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// begin makes the file a log. Its entry in the folder must survive a crash as well.
func (l *Log) begin() error {
	if err := l.f.Truncate(0); err != nil { // what a crash left of a header
		return err
	}
	l.buf = append(l.buf, headerLine...)
	if err := l.Sync(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(l.path))
}

func (l *Log) cut() error {
	if err := l.f.Truncate(l.size); err != nil {
		return err
	}
	return l.f.Sync()
}

// Torn returns how many bytes of a torn tail OpenLog cut off: 0 after an orderly end.
func (l *Log) Torn() int64 { return l.torn }

// Append adds a record, one line without a line feed. The payload is copied and stays in memory
// until Flush or Sync.
func (l *Log) Append(payload []byte) error {
	if l.err != nil {
		return l.err
	}
	if bytes.IndexByte(payload, '\n') >= 0 {
		return fmt.Errorf("%s: a record must be one line", l.path)
	}
	if len(payload) > MaxPayload {
		return fmt.Errorf("%s: a record of %d bytes is larger than %d", l.path, len(payload), MaxPayload)
	}
	l.buf = appendFrame(l.buf, payload)
	return nil
}

// keptBuffer is how large a buffer may be to be kept for the next records, in bytes.
const keptBuffer = 1 << 20

// Flush writes what was appended, in one write. From then on it survives the death of this
// process, not of the machine. When it fails (a full disk) the records stay in memory and a later
// Flush writes them again to the same place, so nothing is doubled or lost meanwhile.
func (l *Log) Flush() error {
	if l.err != nil {
		return l.err
	}
	if len(l.buf) == 0 {
		return nil
	}
	if _, err := l.f.WriteAt(l.buf, l.size); err != nil {
		return err
	}
	l.size += int64(len(l.buf))
	l.buf = l.buf[:0]
	if cap(l.buf) > keptBuffer {
		l.buf = nil
	}
	return nil
}

// Sync does Flush and returns when the disk has it. After a failed sync the log refuses
// everything: the kernel may have dropped the pages, so that a second try would succeed and lie.
func (l *Log) Sync() error {
	if err := l.Flush(); err != nil {
		return err
	}
	if err := syncData(l.f); err != nil {
		l.err = fmt.Errorf("sync %s: %w", l.path, err)
		return l.err
	}
	return nil
}

// Close flushes and closes the file, without a sync. The log refuses everything afterwards.
func (l *Log) Close() error {
	var flushErr error
	if l.err == nil {
		flushErr = l.Flush()
	}
	if l.err == nil {
		l.err = fmt.Errorf("%s: %w", l.path, os.ErrClosed)
	}
	return errors.Join(flushErr, l.f.Close())
}
