package store

import (
	"errors"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A turn is a transaction that changes something.
type turn struct {
	s     *Store
	tx    *bolt.Tx
	now   int64 // ms since 1970
	wrote bool
}

// An entry is the state of a key.
type entry struct {
	found   bool
	expires int64
	value   []byte // valid as long as the transaction lasts
}

// bucket returns the bucket of a scope, nil if there is none and create is not set. It creates none for a run that is no
// longer in the history, because that bucket would never be removed.
func (t *turn) bucket(scope Scope, create bool) (*bolt.Bucket, error) {
	values := t.tx.Bucket(valuesBucket)
	if b := values.Bucket([]byte(scope.name)); b != nil || !create {
		return b, nil
	}
	if err := t.s.checkRun(scope); err != nil {
		return nil, err
	}
	t.wrote = true
	return values.CreateBucket([]byte(scope.name))
}

// checkRun returns an error for the scope of a run that is not in the history.
func (s *Store) checkRun(scope Scope) error {
	if workspace, run, ok := scope.run(); ok && !s.alive(workspace, run) {
		return refuse(NoRun, "no run %d", run)
	}
	return nil
}

// find returns the value of a key. An expired value is not found.
func (s *Store) find(b *bolt.Bucket, key []byte, now int64) (entry, error) {
	if b == nil {
		return entry{}, nil
	}
	record := b.Get(key)
	if record == nil {
		return entry{}, nil
	}
	expires, value, problem := decode(key, record)
	if problem != "" {
		return entry{}, s.damagedValue(key, problem)
	}
	if expired(expires, now) {
		return entry{}, nil
	}
	return entry{true, expires, value}, nil
}

// put writes a value, also over another one.
func (t *turn) put(scope Scope, key []byte, expires int64, value []byte) error {
	b, err := t.bucket(scope, true)
	if err != nil {
		return err
	}
	if err := t.removeExpiry(b, scope, key); err != nil {
		return err
	}
	t.wrote = true
	if expires != noExpiry {
		if err := t.tx.Bucket(expiryBucket).Put(expiryKey(expires, scope, key), nil); err != nil {
			return err
		}
	}
	return b.Put(key, encode(key, expires, value))
}

// remove removes a value, also a damaged one.
func (t *turn) remove(b *bolt.Bucket, scope Scope, key []byte) error {
	if err := t.removeExpiry(b, scope, key); err != nil {
		return err
	}
	t.wrote = true
	return b.Delete(key)
}

// removeExpiry removes a value from the bucket of expiries. The entry of a damaged value may stay there until purge finds that
// it belongs to no value.
func (t *turn) removeExpiry(b *bolt.Bucket, scope Scope, key []byte) error {
	expires, _, problem := decode(key, b.Get(key))
	if problem != "" || expires == noExpiry {
		return nil
	}
	t.wrote = true
	return t.tx.Bucket(expiryBucket).Delete(expiryKey(expires, scope, key))
}

// errNothing rolls back a transaction without writes, because a commit costs two syncs.
var errNothing = errors.New("nothing to write")

// update runs do in a transaction, which is on the disk when update returns. After an error the file is closed.
func (s *Store) update(f *file, do func(*turn) error) error {
	err := f.update(func(tx *bolt.Tx) error {
		t := &turn{s: s, tx: tx, now: time.Now().UnixMilli()}
		if err := do(t); err != nil {
			return err
		}
		if !t.wrote {
			return errNothing
		}
		return nil
	})
	if err == nil || errors.Is(err, errNothing) {
		return nil
	}
	return s.failed(err)
}

// purgeMost bounds how many expired values a transaction of changes removes.
const purgeMost = 64

// commit executes a group of changes in one transaction. A refusal is the error of one change, which has written nothing;
// any other error is the error of all changes.
func (s *Store) commit(group []*change) {
	next := int64(-1) // unknown
	f, err := s.ready(slices.ContainsFunc(group, func(c *change) bool { return c.makes }))
	if f != nil && err == nil {
		err = s.update(f, func(t *turn) (err error) {
			for _, c := range group {
				if err := t.serve(c); err != nil {
					return err
				}
			}
			if t.wrote {
				next, err = t.purge(purgeMost)
			}
			return err
		})
	}
	if err == nil && next >= 0 {
		s.setTimer(next)
	}
	for _, c := range group {
		if err != nil {
			c.err = err
		}
		close(c.done)
	}
}

// serve makes one change. It returns nil if only this change was refused.
func (t *turn) serve(c *change) error {
	var refusal *Error
	c.err = c.do(t)
	if errors.As(c.err, &refusal) {
		return nil
	}
	return c.err
}

// ready returns the open file. If there is none, it returns nil unless create is set.
func (s *Store) ready(create bool) (*file, error) {
	if s.lostClaim() {
		s.closeFile()
		s.releaseClaim()
	}
	if f := s.current.Load(); f != nil {
		if f.inPlace() {
			return f, nil
		}
		s.closeFile() // it was moved away: later readers would not find changes
	}
	return s.reopen(create)
}

// lostClaim reports whether another machine uses the file by now.
func (s *Store) lostClaim() bool {
	if s.claims == nil {
		return false
	}
	select {
	case <-s.claims.Lost():
		return true
	default:
		return false
	}
}

func (s *Store) releaseClaim() {
	if s.claims != nil {
		s.claims.Release()
		s.claims = nil
	}
}

// failed closes the file after an error, because the memory of bbolt may differ from the disk. The next operation opens it
// again.
func (s *Store) failed(err error) error {
	err = explain(s.path, err)
	if errors.Is(err, errBroken) {
		s.discard(s.current.Load(), err)
	} else {
		s.closeFile()
	}
	return err
}

// discard stops the use of a damaged file.
func (s *Store) discard(f *file, err error) {
	if f == nil || !s.current.CompareAndSwap(f, nil) {
		return
	}
	s.timer.Stop()
	if info, statErr := f.os.Stat(); statErr == nil {
		s.broken = &breakage{info, err}
	}
	f.abandon()
}

// closeFile closes the file, if it is open.
func (s *Store) closeFile() {
	f := s.current.Swap(nil)
	if f == nil {
		return
	}
	s.timer.Stop()
	if f.close() != nil {
		f.abandon()
	}
}
