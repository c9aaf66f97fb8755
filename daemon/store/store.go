// Package store keeps small values for commands, by keys in scopes that know nothing of each other:
// durable, with an expiry, changed one at a time. A Store owns one file, a bbolt database. It knows
// no workfiles, sees no network, and starts nothing before it is asked for something.
package store

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of what is kept, in bytes.
const (
	MaxKey   = 512
	MaxValue = 1 << 20
)

// A Store is the values in one file. All methods may be called from any goroutine. Errors that
// callers tell apart are *Error.
//
//	Set, Delete, Add ──► inbox ──► loop: as many as wait become one transaction, two syncs ──► answers
//	Get, Keys ───────────────────► the file as the last transaction left it, beside the loop
//
// The loop opens the file when somebody asks for it, and again after it was moved away.
type Store struct {
	path  string // absolute
	alive func(workspace string, run int) bool

	inbox   chan *change
	calls   chan func() // other deeds of the loop
	quit    chan struct{}
	ended   chan struct{}
	begun   atomic.Bool
	begin   sync.Once
	end     sync.Once
	current atomic.Pointer[file] // nil while it is not open; set by the loop

	// The fields below belong to the loop goroutine.

	timer  *time.Timer // rings when what has expired is to be removed; stopped when nothing expires
	broken *breakage
}

// New is the store in the file at path, which need not exist, in a folder that does. Nothing is
// opened yet. alive tells whether a run is still in the history of its workspace: what was kept for
// others is removed. It is called from the goroutine of the store and must not call back. The caller
// closes the store.
func New(path string, alive func(workspace string, run int) bool) *Store {
	s := &Store{path: filepath.Clean(path), alive: alive, inbox: make(chan *change), calls: make(chan func()),
		quit: make(chan struct{}), ended: make(chan struct{})}
	return s
}

// start begins the loop when there is something to do.
func (s *Store) start() {
	s.begin.Do(func() {
		s.timer = time.NewTimer(time.Hour)
		s.timer.Stop()
		s.begun.Store(true)
		go s.loop()
	})
}

// Close lets go of the file. What was accepted before is on the disk; what comes later gets
// ErrClosed.
func (s *Store) Close() {
	s.end.Do(func() { close(s.quit) })
	s.begin.Do(func() { close(s.ended) })
	<-s.ended
}

// A change is a deed that waits for its turn. do runs in a transaction, perhaps with others; err is
// set when done is closed.
type change struct {
	do    func(*turn) error // not called where there is no file and makes is not set
	size  int               // about how many bytes it writes
	makes bool              // needs a file, also where there is none yet
	err   error
	done  chan struct{}
}

// Bounds of one transaction: what waits beyond them is in the next one.
const (
	groupMost  = 256
	groupBytes = 4 << 20
)

// change has c done in a transaction and returns when that is on the disk. ctx bounds only the wait
// for a turn: once that has come the answer says what has become of it.
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

// call has f done by the loop.
func (s *Store) call(ctx context.Context, f func()) error {
	s.start()
	done := make(chan struct{})
	select {
	case s.calls <- func() { defer close(done); f() }:
		<-done
		return nil
	case <-s.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
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
			s.shut()
			return
		}
	}
}

// gather takes the changes that wait already.
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
