package history

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A sync has three parts, so that only the slow one has to wait for the disk:
//
//	StartSync   by the owner: selects the records to make durable
//	wait        on any goroutine, while the owner appends and flushes more
//	EndSync     by the owner: marks these records as durable
//
// A failed sync is never repeated on the same file: the kernel may have dropped the pages, so that a second
// sync would succeed without writing them. Instead, the next sync writes all lines that are not durable
// to a new segment.

// ErrUnreliable is the error of a log whose last segment has failed: the next sync starts a new one.
var ErrUnreliable = errors.New("the end of the log is not reliable")

func (l *Log) unreliable() error { return fmt.Errorf("%w: %w", ErrUnreliable, l.suspect) }

// syncing is a sync in progress.
type syncing struct {
	size      int64 // of the segment: the part that becomes durable
	kept, buf int   // number of bytes of the buffers that become durable
	renewal   bool  // it starts a new segment
	segment   File  // the new segment, set by wait
}

// Syncing reports whether EndSync is still to be called.
func (l *Log) Syncing() bool { return l.syncing != nil }

// StartSync begins a sync of the flushed records, or, if the segment is not reliable, of all records. It returns
// the function that waits for the disk, whose result EndSync gets, or nil if there is nothing to wait for.
// Only one sync may be in progress.
func (l *Log) StartSync() (wait func() error) {
	if l.syncing != nil {
		panic("internal error: two syncs of a log at once")
	}
	if l.suspect != nil {
		text := appendHeader(nil, header{Segment: l.segment + 1, After: l.synced})
		text = appendUnmarked(appendUnmarked(text, l.kept), l.buf)
		s := &syncing{size: int64(len(text)), kept: len(l.kept), buf: len(l.buf), renewal: true}
		l.syncing = s
		disk, name := l.disk, segmentPath(l.path, l.segment+1)
		return func() (err error) {
			s.segment, err = writeSegment(disk, name, text)
			return err
		}
	}
	if l.synced == l.size {
		return nil
	}
	l.syncing = &syncing{size: l.size, kept: len(l.kept)}
	if !l.fresh {
		return l.f.Sync
	}
	f, disk, dir := l.f, l.disk, filepath.Dir(l.path)
	return func() error {
		if err := f.Sync(); err != nil {
			return err
		}
		return disk.SyncDir(dir) // cheap: on most file systems the first sync has included the folder
	}
}

// EndSync ends a sync that StartSync began; err is the result of wait. If it returns nil, the records are
// durable. ErrUnreliable: they are not, and the next sync writes them to a new segment. After other errors
// the next sync also tries that, but the disk has refused it once.
func (l *Log) EndSync(err error) error {
	s := l.syncing
	l.syncing = nil
	switch {
	case err != nil && s.renewal:
		return fmt.Errorf("%w; no new segment: %w", l.suspect, err)
	case err != nil:
		if l.suspect == nil { // otherwise a write has failed meanwhile
			l.suspect = fmt.Errorf("sync %s: %w", segmentPath(l.path, l.segment), err)
		}
		return l.unreliable()
	case s.renewal:
		l.f.Close() // the file has failed before
		l.f, l.segment, l.suspect = s.segment, l.segment+1, nil
		l.size, l.filled, l.marked = s.size, s.size, s.size
	}
	l.synced, l.fresh = s.size, false
	l.kept, l.buf = dropFirst(l.kept, s.kept), dropFirst(l.buf, s.buf)
	return nil
}

// dropFirst removes the first n bytes of a buffer.
func dropFirst(buf []byte, n int) []byte {
	if n == len(buf) {
		return reuse(buf)
	}
	return append(buf[:0], buf[n:]...)
}

// Sync flushes, and returns when all records are durable.
func (l *Log) Sync() error {
	for {
		if err := l.Flush(); err != nil && !errors.Is(err, ErrUnreliable) {
			return err
		}
		wait := l.StartSync()
		if wait == nil {
			return nil
		}
		if err := l.EndSync(wait()); !errors.Is(err, ErrUnreliable) {
			return err
		}
	}
}

// writeSegment creates a segment durably. The file appears under its name only when it is complete. After an
// error the previous segment is still the last one, or the next try replaces this one.
func writeSegment(disk Disk, name string, text []byte) (File, error) {
	tmp := filepath.Join(filepath.Dir(name), replacedPrefix+filepath.Base(name))
	f, err := disk.Open(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	if _, err = f.WriteAt(text, 0); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = disk.Rename(tmp, name)
	}
	if err == nil {
		err = disk.SyncDir(filepath.Dir(name))
	}
	if err != nil {
		err = errors.Join(err, f.Close())
		disk.Remove(tmp) // a later try would also replace it
		return nil, err
	}
	return f, nil
}

// appendUnmarked copies lines except marks, which refer to another file.
func appendUnmarked(dst, lines []byte) []byte {
	for line := range bytes.Lines(lines) {
		if _, mark := markOf(line[sumLen+1 : len(line)-1]); !mark {
			dst = append(dst, line...)
		}
	}
	return dst
}
