package cluster

import "sync"

// An inbox contains functions that one goroutine executes in order. Other goroutines put them there.
type inbox struct {
	mu     sync.Mutex // guards what follows
	todo   []func()
	closed bool

	wake chan struct{} // has something when there are functions
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// post adds a function. It returns false if the inbox is closed: then the function is never executed.
func (in *inbox) post(f func()) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return false
	}
	in.todo = append(in.todo, f)
	select {
	case in.wake <- struct{}{}:
	default:
	}
	return true
}

// take removes and returns all functions.
func (in *inbox) take() []func() {
	in.mu.Lock()
	defer in.mu.Unlock()
	todo := in.todo
	in.todo = nil
	return todo
}

// close returns the functions that are left, and lets post take no more.
func (in *inbox) close() []func() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
	return in.todo
}
