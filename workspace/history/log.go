package history

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Log is an append-only file of records for one owner: it is not safe for concurrent use, and
// no second process may open it for writing. Records reach the file with Flush and the disk with
// Sync; a crash loses a tail of what was not synced and nothing else.
//
// A disk that fails or is full loses nothing either, as long as the process lives: an error of
// Flush, Sync or Reserve says that it did not work this time, and the next call does it again. What
// was never synced stays in memory for that, and goes into a new segment when the file itself can
// be trusted no more.
type Log struct {
	disk    Disk
	path    string // of the first segment
	f       File   // the last segment
	segment int    // its number, from 1
	size    int64  // bytes of whole lines in it, where the next write goes
	filled  int64  // up to where the file has been written, zeros included
	synced  int64  // up to where the disk has it
	marked  int64  // up to where the file itself says so
	suspect error  // why it is written no more: the next call begins another segment

	buf  []byte // records that Append took and no write has taken since
	kept []byte // lines that were written and not synced
	torn int64
	err  error // why the log takes nothing any more: it is damaged or closed
}

// OpenLog opens the log at path and calls replay for each of its records, in order; the payload is
// valid during the call only. A log that is not there is created, durably, with mode 0600.
//
// A torn tail is cut off, see Torn. A log damaged before its tail is returned together with a
// *DamagedError: its good part was replayed, and it refuses to be written. With every other error,
// replay's own included, the log is nil.
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

// begin makes the file a log. Its entry in the folder must survive a crash as well.
func (l *Log) begin() error {
	if err := l.f.Truncate(0); err != nil { // what a crash left of a header
		return err
	}
	if _, err := l.f.WriteAt(headerLine, 0); err != nil {
		return err
	}
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", l.path, err)
	}
	l.size = int64(len(headerLine))
	l.filled, l.synced, l.marked = l.size, l.size, l.size
	return l.disk.SyncDir(filepath.Dir(l.path))
}

// resume goes on where an earlier process ended. What that one has not synced, or not with success,
// is written once more, since a sync of pages that are not dirty does nothing.
func (l *Log) resume(info ReadInfo) error {
	if err := l.disk.SyncDir(filepath.Dir(l.path)); err != nil { // begin may have failed to
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
			l.kept = l.kept[bytes.IndexByte(l.kept, '\n')+1:] // but for the header
		}
		return nil // the next call goes on with it
	}
	l.synced, l.marked = l.size, l.size
	l.kept = nil
	return nil
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
	if len(l.buf) == 0 && l.marked < l.synced {
		l.buf = appendMark(l.buf, l.synced)
		l.marked = l.synced
	}
	l.buf = appendEntry(l.buf, payload)
	return nil
}

// keptBuffer is how large a buffer may be to be kept for the next records, in bytes; unsyncedLimit
// is how much may be written without being synced, as all of it is in memory.
const (
	keptBuffer    = 1 << 20
	unsyncedLimit = 1 << 20
)

// Flush writes what was appended, in one write. From then on it survives the death of this
// process, not of the machine. When it fails the records stay in memory and a later Flush writes
// them, so nothing is doubled or lost meanwhile.
func (l *Log) Flush() error {
	switch {
	case l.err != nil:
		return l.err
	case l.suspect != nil:
		return l.renew()
	case len(l.buf) == 0:
		return nil
	}
	if _, err := l.f.WriteAt(l.buf, l.size); err != nil {
		if Shortage(err) {
			return err
		}
		l.suspect = err
		return l.renew()
	}
	l.size += int64(len(l.buf))
	l.filled = max(l.filled, l.size)
	l.kept = append(l.kept, l.buf...)
	l.buf = reuse(l.buf)
	if len(l.kept) > unsyncedLimit {
		return l.Sync()
	}
	return nil
}

// reuse empties a buffer, and gives up one that has grown too large.
func reuse(buf []byte) []byte {
	if cap(buf) > keptBuffer {
		return nil
	}
	return buf[:0]
}

// Shortage reports whether err says that there is too little of something: what was written before
// is as it was, and when there is more the same can be tried again.
func Shortage(err error) bool {
	for _, lack := range []error{unix.ENOSPC, unix.EDQUOT, unix.EFBIG, unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.EAGAIN, unix.EINTR} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}

// Sync does Flush and returns when the disk has it. A sync that has failed is never repeated on the
// same file: the kernel may have dropped the pages, so that a second try would succeed and lie.
// What the disk may not have is written into a new segment instead, now or by a later call.
func (l *Log) Sync() error {
	if err := l.Flush(); err != nil {
		return err
	}
	if l.synced == l.size {
		return nil
	}
	if err := l.f.Sync(); err != nil {
		l.suspect = fmt.Errorf("sync %s: %w", segmentPath(l.path, l.segment), err)
		return l.renew()
	}
	l.synced = l.size
	l.kept = reuse(l.kept)
	return nil
}

// The reserve grows with the log, in bytes: so a small log wastes little, and a large one is seldom
// made longer, which costs a sync of its own.
const (
	reserveStep     = 4 << 10
	reserveStepMost = 256 << 10
)

// Reserve sees to it that n bytes more than what was appended can be written even if the disk gets
// full: the file is made longer with zeros ahead of time. Written zeros also make a sync cheaper
// than a file that grows would be. On a file system that never overwrites (btrfs, ZFS) room cannot
// be reserved, and none is.
func (l *Log) Reserve(n int) error {
	if l.err != nil {
		return l.err
	}
	if l.suspect != nil {
		if err := l.renew(); err != nil {
			return err
		}
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
		return l.renew()
	}
	return err
}

// renew begins a new segment with everything that the disk may not have, and is done when it has.
// The file appears under its name only when it is whole. When something fails on the way the
// segment before stays the last one, or the next try replaces what was made of this one.
func (l *Log) renew() error {
	text := appendHeader(nil, header{logFormat, logVersion, l.segment + 1, l.synced})
	text = appendUnmarked(appendUnmarked(text, l.kept), l.buf)
	name := segmentPath(l.path, l.segment+1)
	tmp := filepath.Join(filepath.Dir(name), replacedPrefix+filepath.Base(name))
	f, err := l.disk.Open(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return fmt.Errorf("%w; no new segment: %w", l.suspect, err)
	}
	if _, err = f.WriteAt(text, 0); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = l.disk.Rename(tmp, name)
	}
	if err == nil {
		err = l.disk.SyncDir(filepath.Dir(name))
	}
	if err != nil {
		err = errors.Join(err, f.Close())
		l.disk.Remove(tmp) // a later try would take it over as well
		return fmt.Errorf("%w; no new segment: %w", l.suspect, err)
	}
	l.f.Close() // its errors are known
	l.f, l.segment, l.suspect = f, l.segment+1, nil
	l.size = int64(len(text))
	l.filled, l.synced, l.marked = l.size, l.size, l.size
	l.kept, l.buf = reuse(l.kept), reuse(l.buf)
	return nil
}

// appendUnmarked copies lines but for the marks, which are about another file.
func appendUnmarked(dst, lines []byte) []byte {
	for line := range bytes.Lines(lines) {
		if _, mark := markOf(line[sumLen+1 : len(line)-1]); !mark {
			dst = append(dst, line...)
		}
	}
	return dst
}

// Close flushes, gives the reserve back and closes the file, without a sync. The log refuses
// everything afterwards; what could not be written is lost.
func (l *Log) Close() error {
	var err error
	if l.err == nil {
		err = l.Flush()
	}
	if l.err == nil && l.filled > l.size && l.suspect == nil {
		err = errors.Join(err, l.f.Truncate(l.size))
	}
	if l.err == nil {
		l.err = fmt.Errorf("%s: %w", l.path, os.ErrClosed)
	}
	return errors.Join(err, l.f.Close())
}
