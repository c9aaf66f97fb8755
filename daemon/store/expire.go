package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"
)

// sweepDelay is how long after the expiry of a value the loop removes all expired values, so that it removes many at once.
// No read returns a value after its expiry.
const sweepDelay = time.Minute

// sweepMost bounds how many values one transaction removes.
const sweepMost = 10_000

// setTimer sets the timer for the next expiry, in ms since 1970; 0 = nothing expires.
func (s *Store) setTimer(next int64) {
	if next == 0 {
		s.timer.Stop()
		return
	}
	s.timer.Reset(max(0, time.Until(time.UnixMilli(next))) + sweepDelay)
}

// sweep removes expired values. After an error it tries again later.
func (s *Store) sweep() {
	f, err := s.ready(false)
	if f == nil || err != nil {
		return // no caller waits; the next operation returns the error
	}
	next := int64(0)
	err = s.update(f, func(t *turn) (err error) {
		next, err = t.purge(sweepMost)
		return err
	})
	if err == nil {
		s.setTimer(next)
	}
}

// purge removes at most limit values that have expired, and returns when the next one does.
func (t *turn) purge(limit int) (next int64, err error) {
	values, list := t.tx.Bucket(valuesBucket), t.tx.Bucket(expiryBucket)
	var due [][]byte
	c := list.Cursor()
	for line, _ := c.First(); line != nil; line, _ = c.Next() {
		if next = readTime(line); !expired(next, t.now) || len(due) == limit {
			break
		}
		due, next = append(due, bytes.Clone(line)), 0
	}
	for _, line := range due {
		t.wrote = true
		if err := list.Delete(line); err != nil {
			return 0, err
		}
		expires, scope, key, ok := parseExpiryKey(line)
		b := values.Bucket([]byte(scope.name))
		if !ok || b == nil {
			continue // the scope was removed
		}
		if record := b.Get(key); len(record) < headBytes || readTime(record) != expires {
			continue // the key has a newer value
		}
		if err := b.Delete(key); err != nil {
			return 0, err
		}
	}
	return next, nil
}

// Forget removes the values of runs that are no longer in the history of a workspace. It does not open the file: values that
// remain are removed when the file is opened the next time.
func (s *Store) Forget(ctx context.Context, workspace string, runs []int) error {
	if !s.started.Load() || len(runs) == 0 {
		return nil
	}
	err := s.call(ctx, func() error {
		f := s.current.Load()
		if f == nil {
			return nil
		}
		var names [][]byte
		for _, run := range runs {
			names = append(names, []byte(Run(workspace, run).name))
		}
		return s.drop(f, names)
	})
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

// drop removes scopes with their values.
func (s *Store) drop(f *file, names [][]byte) error {
	return s.update(f, func(t *turn) error {
		values := t.tx.Bucket(valuesBucket)
		for _, name := range names {
			if values.Bucket(name) == nil {
				continue
			}
			t.wrote = true
			if err := values.DeleteBucket(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// reopen opens the file, removes the values of runs that are no longer in the history, and finds the next expiry. If there
// is no file, it returns nil unless create is set.
func (s *Store) reopen(create bool) (*file, error) {
	if s.broken != nil {
		if s.broken.unchanged(s.path) {
			return nil, s.broken.err
		}
		s.broken = nil
	}
	f, err := s.openOrCreate(create)
	if f == nil || err != nil {
		return nil, err
	}
	var forgotten [][]byte
	next := int64(0)
	err = f.view(func(tx *bolt.Tx) error {
		if line, _ := tx.Bucket(expiryBucket).Cursor().First(); line != nil {
			next = readTime(line)
		}
		return tx.Bucket(valuesBucket).ForEachBucket(func(name []byte) error {
			if s.checkRun(Scope{string(name)}) != nil {
				forgotten = append(forgotten, bytes.Clone(name))
			}
			return nil
		})
	})
	s.current.Store(f)
	if err != nil {
		return nil, s.failed(err)
	}
	if s.drop(f, forgotten) != nil {
		// A full disk must not prevent reads: the next opening tries again.
		if f, err = s.openOrCreate(false); f == nil || err != nil {
			return nil, err
		}
		s.current.Store(f)
	}
	s.setTimer(next)
	return f, nil
}

// openOrCreate opens the file and remembers when it is damaged.
func (s *Store) openOrCreate(create bool) (*file, error) {
	info, err := os.Lstat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		if !create {
			return nil, nil
		}
	}
	if s.claim != nil && s.claims == nil {
		var refused error
		if s.claims, refused = s.claim(); refused != nil {
			return nil, refused
		}
	}
	if info == nil && errors.Is(err, fs.ErrNotExist) {
		err = makeFile(s.path)
	}
	if err != nil {
		return nil, explain(s.path, err)
	}
	f, err := openFile(s.path)
	var own *Error
	if errors.As(err, &own) && own.Kind == Damaged && info != nil {
		s.broken = &breakage{info, err}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}
