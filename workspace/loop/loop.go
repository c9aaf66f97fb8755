// Package loop runs functions one after the other on one goroutine, so that data that belongs to that goroutine needs no
// lock. Helper goroutines do slow work and return the result to the loop as another function. A workspace owns one loop. The
// package handles panics; it contains nothing about workflows.
package loop

import (
	"log/slog"
	"sync"
)

// Hooks are functions that a loop calls on its goroutine, and its errors and log. Each may be nil.
type Hooks struct {
	// Before is called before each burst of functions.
	Before func()
	// Settle is called after each burst and after Wake. It carries out what the burst decided, once for all of its
	// functions.
	Settle func()
	// Leave is called last when the loop ends by End.
	Leave func()
	// Crashed is called last when the loop ends by a panic. The data of the loop may be inconsistent.
	Crashed func()
	// Ended is the error of questions after the end of the loop, Panicked that of a question that panicked. The defaults are
	// ErrEnded and ErrPanic.
	Ended, Panicked error
	// Log, if not nil, receives panics with their stacks.
	Log *slog.Logger
}

// Loop runs functions one after the other.
//
// A function on the loop must not block: all clients of the loop wait for it. It must not wait for a
// channel, a process or the network. It must not open, read, replace, remove or sync files: a disk
// can take seconds for that, and a network file system can take forever. Run and Go start a helper
// for such work. Two things are allowed:
//
//   - to append to an open file without a sync, which copies the bytes into the memory of the kernel.
//     The journal of a run is written in this way, because its order must be that of the decisions.
//   - to read a file of limited size that a command of a run has just written into the folder of
//     that journal: its outputs. They are in the memory of the kernel, and if the file system does
//     not answer, the journal cannot be written either.
//
// Before Start and in the hooks Leave and Crashed no client waits, and file work is allowed.
type Loop struct {
	hooks   Hooks
	inbox   chan func()   // unbuffered: the sender waits for its turn
	wake    chan struct{} // holds at most one wake-up
	ending  chan struct{} // closed before Leave or Crashed
	done    chan struct{} // closed when the last function has returned
	helpers sync.WaitGroup
	ended   bool // belongs to the loop goroutine
}

// New returns a loop that does not run yet. Until Start, Post waits.
func New(hooks Hooks) *Loop {
	if hooks.Ended == nil {
		hooks.Ended = ErrEnded
	}
	if hooks.Panicked == nil {
		hooks.Panicked = ErrPanic
	}
	return &Loop{hooks: hooks, inbox: make(chan func()), wake: make(chan struct{}, 1), ending: make(chan struct{}), done: make(chan struct{})}
}

// Start starts the goroutine of the loop. It is called once.
func (l *Loop) Start() { go l.run() }

// End ends the loop after the present burst and its Settle. It is called on the loop.
func (l *Loop) End() { l.ended = true }

// Ending returns a channel that is closed when the loop ends, so that helpers stop waiting for other events.
func (l *Loop) Ending() <-chan struct{} { return l.ending }

// Done returns a channel that is closed when the loop has ended. Helpers may still run, see Wait.
func (l *Loop) Done() <-chan struct{} { return l.done }

// Wait returns when the loop and all helpers have ended.
func (l *Loop) Wait() {
	<-l.done
	l.helpers.Wait()
}

// Post passes f to the loop. It returns true when the loop has taken f, or false if the loop has ended. It must not be
// called on the loop.
func (l *Loop) Post(f func()) bool {
	select {
	case l.inbox <- f:
		return true
	case <-l.done:
		return false
	}
}

// Wake makes the loop call Settle soon. It never blocks. Several calls may cause one Settle.
func (l *Loop) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *Loop) run() {
	defer close(l.done)
	defer l.crash()
	for !l.ended {
		select {
		case f := <-l.inbox:
			call(l.hooks.Before)
			f()
			l.drain()
		case <-l.wake:
		}
		call(l.hooks.Settle)
	}
	close(l.ending)
	call(l.hooks.Leave)
}

// burst bounds how many functions run before Settle.
const burst = 64

// drain runs the functions that wait already.
func (l *Loop) drain() {
	for range burst {
		select {
		case f := <-l.inbox:
			f()
		default:
			return
		}
	}
}

func call(hook func()) {
	if hook != nil {
		hook()
	}
}

// Run calls work on its own goroutine. Wait waits for it. A panic in work ends the loop.
func (l *Loop) Run(work func()) {
	l.helpers.Go(func() {
		if bug := catch(work); bug != nil {
			l.Post(func() { panic(bug) })
		}
	})
}

// Go calls work on its own goroutine and then passes the result to then, on the loop. If the loop has ended meanwhile, then
// is not called.
func Go[T any](l *Loop, work func() T, then func(T)) {
	l.Run(func() {
		result := work()
		l.Post(func() { then(result) })
	})
}
