package history

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Log is an append-only file of records. Its methods are called by one goroutine at a time, its owner, and
// only one process may open it for writing. Flush writes records to the file, Sync to the disk; a crash
// loses at most the last records that were not synced. StartSync and EndSync are a Sync that does not stop
// the owner: see log_sync.go.
//
// If the disk fails or is full, nothing is lost as long as the process lives: after an error of Flush,
// Sync or Reserve, the next call tries again. Records that were not synced stay in memory for that, and
// are written to a new segment when the file is not reliable any more.
type Log struct {
	disk    Disk
	path    string // of the first segment
	f       File   // the last segment
	segment int    // its number, from 1
	size    int64  // bytes of complete lines, the offset of the next write
	filled  int64  // bytes written, including zeros
	synced  int64  // bytes that are durable
	marked  int64  // bytes that are durable according to the last mark
	fresh   bool   // the entry of the file in its folder may not be durable: the next sync makes it so
	suspect error  // why the segment is not reliable: the next sync starts another one
	syncing *syncing

	buf  []byte // appended records that are not written yet
	kept []byte // lines that are written but not synced
	torn int64
	err  error // why the log refuses records: it is damaged or closed
}

// OpenLog opens the log at path and calls replay for each of its records, in order; the payload is valid
// only during the call. A missing log is created with mode 0600; its first sync makes it durable.
//
// A torn tail is cut off, see Torn. If the log is damaged before its tail, its good part is replayed, and
// OpenLog returns a *DamagedError and a log that refuses records. With other errors, including those of
// replay, the log is nil.
func OpenLog(disk Disk, path string, replay func(payload []byte) error) (*Log, error) {
	f, err := disk.Open(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	c := chain{disk: disk, path: path, flag: os.O_RDWR, last: f, replay: replay}
	err = c.read()
	l := &Log{disk: disk, path: path, f: c.last, segment: c.info.Segments, size: c.info.Size, torn: c.info.Torn}
	var damaged *DamagedError
	switch {
	case errors.As(err, &damaged):
		l.err = err
		return l, err
	case err == nil && l.size == 0:
		err = l.begin()
	case err == nil:
		err = l.resume(c.info)
	}
	if err != nil {
		return nil, errors.Join(err, l.f.Close())
	}
	return l, nil
}

// begin writes the header of a new log. It does not wait for the disk: a log without records means the same as none.
func (l *Log) begin() error {
	if err := l.f.Truncate(0); err != nil { // removes a torn header
		return err
	}
	header := headerLine()
	if _, err := l.f.WriteAt(header, 0); err != nil {
		return err
	}
	l.size = int64(len(header))
	l.filled, l.fresh = l.size, true
	return nil
}

// resume continues the log of an earlier process. Lines that were not synced successfully are written
// again, since a sync of pages that are not dirty does nothing.
func (l *Log) resume(info ReadInfo) error {
	if err := l.disk.SyncDir(filepath.Dir(l.path)); err != nil { // may have failed in begin
		return err
	}
	l.filled = l.size + info.Reserve
	if l.torn > 0 {
		l.filled = l.size
		if err := l.f.Truncate(l.size); err != nil {
			return err
		}
	}
	l.synced = min(info.synced, l.size)
	l.kept = make([]byte, l.size-l.synced)
	if _, err := l.f.ReadAt(l.kept, l.synced); err != nil {
		return err
	}
	_, err := l.f.WriteAt(l.kept, l.synced)
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		l.suspect = fmt.Errorf("sync %s: %w", segmentPath(l.path, l.segment), err)
		if l.synced == 0 {
			l.kept = l.kept[bytes.IndexByte(l.kept, '\n')+1:] // without the header
		}
		return nil // the next call continues in a new segment
	}
	l.synced, l.marked = l.size, l.size
	l.kept = nil
	return nil
}

// Torn returns how many bytes of a torn tail OpenLog cut off: 0 after a regular end.
func (l *Log) Torn() int64 { return l.torn }

// Append adds a record, one line without line feed. It copies the payload, which stays in memory until
// Flush or Sync.
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
	if len(l.buf) == 0 && l.marked < l.synced && l.suspect == nil {
		l.buf = appendMark(l.buf, l.synced)
		l.marked = l.synced
	}
	l.buf = appendEntry(l.buf, payload)
	return nil
}

// keptBuffer is the maximum size of a buffer that is reused, in bytes.
const keptBuffer = 1 << 20

// Flush writes the appended records, in one write, and does not wait for the disk. After that they survive the
// death of this process, but not a crash of the machine. After an error the records stay in memory and the
// next Flush writes them, each exactly once. ErrUnreliable: Flush will fail until the next sync.
func (l *Log) Flush() error {
	switch {
	case l.err != nil:
		return l.err
	case l.suspect != nil:
		return l.unreliable()
	case len(l.buf) == 0:
		return nil
	}
	if _, err := l.f.WriteAt(l.buf, l.size); err != nil {
		if Shortage(err) {
			return err
		}
		l.suspect = err
		return l.unreliable()
	}
	l.size += int64(len(l.buf))
	l.filled = max(l.filled, l.size)
	l.kept = append(l.kept, l.buf...)
	l.buf = reuse(l.buf)
	return nil
}

// Unsynced returns how many bytes are in memory because they are not durable.
func (l *Log) Unsynced() int { return len(l.kept) + len(l.buf) }

// reuse empties a buffer, and releases it if it is too large.
func reuse(buf []byte) []byte {
	if cap(buf) > keptBuffer {
		return nil
	}
	return buf[:0]
}

// Shortage reports whether err is a lack of space, memory or other resources: earlier data is unchanged, and
// the operation can be repeated when there are more resources.
func Shortage(err error) bool {
	for _, lack := range []error{unix.ENOSPC, unix.EDQUOT, unix.EFBIG, unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.EAGAIN, unix.EINTR} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}

// The reserve grows with the log, in bytes: a small log wastes little space, and a large one is rarely
// extended, which costs a sync.
const (
	reserveStep     = 4 << 10
	reserveStepMost = 256 << 10
)

// Reserve extends the file with zeros, so that n bytes more than the appended records can be written even
// if the disk becomes full; it does not wait for the disk. It also makes a sync cheaper than that of a growing file. On
// file systems that never overwrite (btrfs, ZFS) this does not reserve space.
func (l *Log) Reserve(n int) error {
	if l.err != nil {
		return l.err
	}
	if l.suspect != nil {
		return l.unreliable()
	}
	want := l.size + int64(len(l.buf)+n)
	if want <= l.filled {
		return nil
	}
	want += min(max(l.size/4, reserveStep), reserveStepMost)
	want += -want & (reserveStep - 1)
	k, err := l.f.WriteAt(make([]byte, want-l.filled), l.filled)
	l.filled += int64(k)
	if err != nil && !Shortage(err) {
		l.suspect = err
		return l.unreliable()
	}
	return err
}

// Trim cuts off the reserve, for the last sync: afterwards it would wait for the disk a second time.
func (l *Log) Trim() error {
	if l.err != nil || l.suspect != nil || l.filled <= l.size {
		return l.err
	}
	if err := l.f.Truncate(l.size); err != nil {
		return err
	}
	l.filled = l.size
	return nil
}

// Close flushes, cuts off the reserve and closes the file, without a sync. The log refuses records
// afterwards; records that could not be written are lost. A sync must not be in progress.
func (l *Log) Close() error {
	var err error
	if l.err == nil {
		if err = l.Flush(); errors.Is(err, ErrUnreliable) {
			err = l.Sync()
		}
	}
	if l.err == nil {
		err = errors.Join(err, l.Trim())
		l.err = fmt.Errorf("%s: %w", l.path, os.ErrClosed)
	}
	return errors.Join(err, l.f.Close())
}
