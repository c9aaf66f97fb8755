package history

import "sync"

// Snapshots orders the writes of one file. Snapshots of its content are taken by one goroutine; helpers
// write them, possibly in another order. An older snapshot never replaces a newer one.
type Snapshots struct {
	taken uint64 // belongs to the goroutine that takes snapshots

	mu      sync.Mutex // guards written, and is held during a write
	written uint64
}

// Take returns the function that writes the snapshot just taken, which any goroutine may call. It calls
// write, unless a newer snapshot was written already.
func (s *Snapshots) Take(write func() error) func() error {
	s.taken++
	number := s.taken
	return func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if number < s.written {
			return nil
		}
		err := write()
		if err == nil {
			s.written = number
		}
		return err
	}
}
