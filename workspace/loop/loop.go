// Package loop runs functions one after the other on one goroutine, so that what belongs to that
// goroutine needs no lock. Slow work runs on helper goroutines, and its result comes back as another
// function on the loop. The package contains panics and knows nothing of workflows.
package loop

import (
	"log/slog"
	"sync"
)

// Hooks are the functions that a loop calls itself, all on its goroutine, and its words. Each may be nil.
type Hooks struct {
	// Before is called before each burst of functions.
	Before func()
	// Settle is called after each burst and after Wake. It turns what the burst decided into actions,
	// once for all of its functions.
	Settle func()
	// Leave is the last call of a loop that ends by End.
	Leave func()
	// Crashed is the last call of a loop that ends by a panic. The state that belongs to the loop may
	// be inconsistent.
	Crashed func()
	// Ended answers questions after the end, and Panicked a question that panicked. nil: ErrEnded and
	// ErrPanic.
	Ended, Panicked error
	// Log, if not nil, gets the panics with their stacks.
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

// New returns a loop that does not run yet. Post waits until Start.
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

// End lets the loop end after the present burst and its Settle. It is called on the loop.
func (l *Loop) End() { l.ended = true }

// Ending is closed when the loop ends: helpers that wait for something else stop waiting.
func (l *Loop) Ending() <-chan struct{} { return l.ending }

// Done is closed when the loop has ended. Helpers may still run, see Wait.
func (l *Loop) Done() <-chan struct{} { return l.done }

// Wait returns when the loop and all helpers have ended.
func (l *Loop) Wait() {
	<-l.done
	l.helpers.Wait()
}

// Post hands f to the loop and returns when the loop has taken it, or false if the loop has ended. It
// must not be called on the loop.
func (l *Loop) Post(f func()) bool {
	select {
	case l.inbox <- f:
		return true
	case <-l.done:
		return false
	}
}

// Wake lets the loop call Settle soon. It never blocks, and several calls may cause one Settle.
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

// Run calls work on a goroutine of its own, which Wait waits for. A panic in work ends the loop.
func (l *Loop) Run(work func()) {
	l.helpers.Go(func() {
		if bug := catch(work); bug != nil {
			l.Post(func() { panic(bug) })
		}
	})
}

// Go calls work on a goroutine of its own and then hands its result to then, on the loop. If the loop
// has ended meanwhile, then is not called.
func Go[T any](l *Loop, work func() T, then func(T)) {
	l.Run(func() {
		result := work()
		l.Post(func() { then(result) })
	})
}
