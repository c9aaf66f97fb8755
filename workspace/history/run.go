package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// A Run is the journal of a run that is not over. One goroutine owns it.
type Run struct {
	disk  Disk
	dir   string
	req   Request
	log   *Log
	seq   uint64 // of the last record
	buf   []byte // the encoding of one record
	ended bool   // the complete record was appended
	over  bool   // the result is written, the log closed
}

// Number returns the run's number, from 1.
func (r *Run) Number() int { return r.req.Run }

// Dir returns the run's folder, absolute if the store's is. The executor stores its files there.
func (r *Run) Dir() string { return r.dir }

// Request returns the request of the run. The caller must not change its slices.
func (r *Run) Request() Request { return r.req }

// Torn returns how many bytes of an incomplete record Reopen cut off the journal.
func (r *Run) Torn() int64 { return r.log.Torn() }

// Append adds a record with the next Seq. It stays in memory until Flush.
func (r *Run) Append(rec Record) error {
	rec.Seq = r.seq + 1
	payload, err := appendRecord(r.buf[:0], &rec)
	if err != nil {
		return err
	}
	r.buf = payload
	if err := r.log.Append(payload); err != nil {
		return err
	}
	r.seq = rec.Seq
	return nil
}

// Flush is Log.Flush: the appended records survive the death of this process, but not a crash of the machine.
func (r *Run) Flush() error { return r.log.Flush() }

// Unsynced is Log.Unsynced.
func (r *Run) Unsynced() int { return r.log.Unsynced() }

// StartSync is Log.StartSync.
func (r *Run) StartSync() (wait func() error) { return r.log.StartSync() }

// EndSync is Log.EndSync.
func (r *Run) EndSync(err error) error { return r.log.EndSync(err) }

// Reserve reserves space for n bytes of records in case the disk becomes full.
func (r *Run) Reserve(n int) error { return r.log.Reserve(n) }

// Finish ends the run, when no sync is in progress: it makes the complete record durable, then writes result.json. After an error it may
// be called again. If only result.json cannot be written, it returns nil: see Store.Unfinished.
func (r *Run) Finish(res Result) error {
	if r.over {
		return fmt.Errorf("run %d: %w", r.Number(), ErrFinished)
	}
	if !r.ended {
		if err := r.Append(Record{Time: res.Ended, Type: RecordComplete, Result: &res}); err != nil {
			return err
		}
		r.ended = true
	}
	if r.log.Flush() == nil {
		_ = r.log.Trim() // Close tries again
	}
	if err := r.log.Sync(); err != nil {
		return err
	}
	r.over = true
	// The journal is durable, and readers without a usable result.json read the journal. So errors of
	// these calls do not matter.
	_ = writeResult(r.disk, r.dir, res, false)
	_ = r.log.Close()
	return nil
}

// Close flushes and closes the journal of a run that is not over. After Finish it does nothing.
func (r *Run) Close() error {
	if r.over {
		return nil
	}
	r.over = true
	return r.log.Close()
}

// Reopen opens a run that is not over, after a restart. It calls replay for its records in order; it stops
// at an error of replay and returns it.
//
// A torn tail is cut off (Run.Torn). A journal damaged before its tail cannot be continued: its good part
// is replayed and the error is a *DamagedError; Settle ends such a run. For a run that is over the error
// is ErrFinished.
func (s *Store) Reopen(n int, replay func(Record) error) (*Run, Request, error) {
	if err := s.exists(n); err != nil {
		return nil, Request{}, err
	}
	req, err := readRequest(s.disk, s.file(n, requestFile))
	if err != nil {
		return nil, req, fmt.Errorf("run %d: %w", n, err)
	}
	if _, over := s.result(n); over {
		return nil, req, fmt.Errorf("run %d: %w", n, ErrFinished)
	}
	path := s.file(n, journalFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, req, &DamagedError{Path: path, Line: 1} // not created again: commands may have run
	}
	r := &Run{disk: s.disk, dir: s.Dir(n), req: req}
	log, err := OpenLog(s.disk, path, recordReader(func(rec *Record) error {
		r.seq = rec.Seq
		return replay(*rec)
	}))
	if err != nil {
		if log != nil {
			err = errors.Join(err, log.Close())
		}
		return nil, req, fmt.Errorf("run %d: %w", n, err)
	}
	r.log = log
	return r, req, nil
}

// recordReader decodes payloads for f. The record is valid only during the call.
func recordReader(f func(*Record) error) func([]byte) error { return scopeReader(nil, f) }

// scopeReader is like recordReader. The ids of nodes in the records are strings of scope where it has them, so that they are
// not copied.
func scopeReader(scope []string, f func(*Record) error) func([]byte) error {
	d, rec := &decoder{scope: scope}, new(Record)
	return func(payload []byte) error {
		if err := d.decode(payload, rec); err != nil {
			return err
		}
		return f(rec)
	}
}

// RunID returns what people and clients call run n: its number in decimal, "" for 0.
func RunID(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
