// Package store stores small values of commands, by keys in independent scopes: durable, with an optional expiry, changed
// atomically. A Store owns one file, a bbolt database. It depends on neither workfiles nor the network, and starts no
// goroutine before its first use.
package store

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of keys and values, in bytes.
const (
	maxKey   = 512
	MaxValue = 1 << 20
)

// A Store keeps values in one file. All methods may be called from any goroutine. Errors that callers distinguish are
// *Error.
//
//	Set, Delete, Add ──► inbox ──► loop: all waiting changes become one transaction, two syncs ──► answers
//	Get, Keys ───────────────────► the file as the last transaction left it, concurrently with the loop
//
// The loop opens the file at the first use, and again after it was moved away.
type Store struct {
	path  string // absolute
	alive func(workspace string, run int) bool

	inbox     chan *change
	calls     chan func() // other work of the loop
	quit      chan struct{}
	ended     chan struct{}
	started   atomic.Bool
	startOnce sync.Once
	stopOnce  sync.Once
	current   atomic.Pointer[file] // nil while it is not open; set by the loop

	// The fields below belong to the loop goroutine.

	timer  *time.Timer // fires when expired values are to be removed; stopped if nothing expires
	broken *breakage
	claim  func() (Claim, error) // see ClaimWith; may be nil
	claims Claim                 // nil if there is none
}

// A Claim is the permission to use the file, if other machines share it.
type Claim interface {
	Lost() <-chan struct{} // closed when another machine has got it; may be nil
	Release()
}

// ClaimWith makes the store call claim before it opens the file, and keep the result until it is closed. A nil Claim without an
// error means that none is needed. It must be called before the first use.
func (s *Store) ClaimWith(claim func() (Claim, error)) { s.claim = claim }

// New returns the store in the file at path, which may be missing; its folder must exist. New opens nothing. alive reports
// whether a run is still in the history of its workspace: values of other runs are removed. It is called from the
// goroutine of the store and must not call its methods. The caller closes the store.
func New(path string, alive func(workspace string, run int) bool) *Store {
	s := &Store{path: filepath.Clean(path), alive: alive, inbox: make(chan *change), calls: make(chan func()),
		quit: make(chan struct{}), ended: make(chan struct{})}
	return s
}

// start starts the loop at the first use.
func (s *Store) start() {
	s.startOnce.Do(func() {
		s.timer = time.NewTimer(time.Hour)
		s.timer.Stop()
		s.started.Store(true)
		go s.loop()
	})
}

// Close closes the file. Changes that were accepted before are on the disk; later operations return ErrClosed.
func (s *Store) Close() {
	s.stopOnce.Do(func() { close(s.quit) })
	s.startOnce.Do(func() { close(s.ended) })
	<-s.ended
}

// A change waits for its transaction. do runs in a transaction, perhaps with other changes; err is set when done is
// closed.
type change struct {
	do    func(*turn) error // not called if there is no file and makes is not set
	size  int               // about how many bytes it writes
	makes bool              // creates the file if there is none
	err   error
	done  chan struct{}
}

// Bounds of one transaction: further changes are in the next one.
const (
	groupMost  = 256
	groupBytes = 4 << 20
)

// change runs c in a transaction and returns when that is on the disk. ctx bounds only the wait for the transaction:
// once that has started, the result is that of the change.
func (s *Store) change(ctx context.Context, c *change) error {
	s.start()
	c.done = make(chan struct{})
	select {
	case s.inbox <- c:
		<-c.done
		return c.err
	case <-s.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// call runs f in the loop and returns its error.
func (s *Store) call(ctx context.Context, f func() error) error {
	s.start()
	done := make(chan error, 1)
	select {
	case s.calls <- func() { done <- f() }:
		return <-done
	case <-s.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// callFile runs f in the loop with the open file. Without a file it does nothing.
func (s *Store) callFile(ctx context.Context, f func(*file) error) error {
	return s.call(ctx, func() error {
		open, err := s.ready(false)
		if open == nil || err != nil {
			return err
		}
		return f(open)
	})
}

func (s *Store) loop() {
	defer close(s.ended)
	for {
		select {
		case c := <-s.inbox:
			s.commit(s.gather(c))
		case f := <-s.calls:
			f()
		case <-s.timer.C:
			s.sweep()
		case <-s.quit:
			s.timer.Stop()
			s.closeFile()
			s.releaseClaim()
			return
		}
	}
}

// gather returns the first change with the others that already wait.
func (s *Store) gather(first *change) []*change {
	group, bytes := []*change{first}, first.size
	for len(group) < groupMost && bytes < groupBytes {
		select {
		case c := <-s.inbox:
			group = append(group, c)
			bytes += c.size
		default:
			return group
		}
	}
	return group
}
