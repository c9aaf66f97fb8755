package store

import (
	"bytes"
	"context"
	"errors"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Get returns the value of key. It does not create the file of the store.
func (s *Store) Get(ctx context.Context, scope Scope, key string) (Outcome, error) {
	if err := checkKey(key); err != nil {
		return Outcome{}, err
	}
	var out Outcome
	err := s.read(ctx, scope, func(b *bolt.Bucket, now int64) error {
		is, err := s.find(b, []byte(key), now)
		out = outcome(false, is)
		return err
	})
	return out, err
}

// A Key describes one key.
type Key struct {
	Name    string
	Size    int       // of the value, in bytes
	Expires time.Time // UTC; zero = never
}

// Keys lists at most limit keys that begin with prefix and are greater than after, in the order of their bytes. more
// reports whether others follow. Values are not checked.
func (s *Store) Keys(ctx context.Context, scope Scope, prefix, after string, limit int) (keys []Key, more bool, err error) {
	err = s.read(ctx, scope, func(b *bolt.Bucket, now int64) error {
		c := b.Cursor()
		k, record := c.Seek([]byte(max(prefix, after)))
		if after != "" && string(k) == after {
			k, record = c.Next()
		}
		for ; k != nil && bytes.HasPrefix(k, []byte(prefix)); k, record = c.Next() {
			if len(record) < headBytes {
				return s.damagedValue(k, badRecord)
			}
			expires := readTime(record)
			if expired(expires, now) {
				continue
			}
			if more = len(keys) == limit; more {
				return nil
			}
			keys = append(keys, Key{string(k), len(record) - headBytes, expiryTime(expires)})
		}
		return nil
	})
	return keys, more, err
}

// attempts is how often a reader tries again if the file is closed meanwhile.
const attempts = 5

// read calls do with the bucket of a scope, if there is one.
func (s *Store) read(ctx context.Context, scope Scope, do func(b *bolt.Bucket, now int64) error) error {
	for range attempts {
		f, err := s.reader(ctx)
		if err != nil {
			return err
		}
		if f == nil {
			return s.checkRun(scope)
		}
		err = f.view(func(tx *bolt.Tx) error {
			if b := tx.Bucket(valuesBucket).Bucket([]byte(scope.name)); b != nil {
				return do(b, time.Now().UnixMilli())
			}
			return s.checkRun(scope)
		})
		if errors.Is(err, errBroken) {
			return s.call(ctx, func() error {
				s.discard(f, err)
				return err
			})
		}
		if !errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
			return explain(s.path, err)
		}
	}
	return &Error{Kind: Unusable, Text: "the file of the store cannot be used", Path: s.path, Why: "it was closed repeatedly"}
}

// reader returns the file to read, nil if there is none. The loop opens it.
func (s *Store) reader(ctx context.Context) (*file, error) {
	if f := s.current.Load(); f != nil {
		if f.inPlace() {
			return f, nil
		}
	}
	var f *file
	err := s.call(ctx, func() (err error) {
		f, err = s.ready(false)
		return err
	})
	return f, err
}
