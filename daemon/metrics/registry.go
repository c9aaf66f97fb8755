package metrics

import "sync"

// A Source adds its families to a text. It is called for each text, on any goroutine, and must not block.
type Source func(*Writer)

// A Registry is the sources of a daemon. The zero value has none.
type Registry struct {
	mu      sync.Mutex // guards sources; not held while they are called
	sources []Source
}

// Add adds a source. Families appear in the order in which their sources were added.
func (r *Registry) Add(s Source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sources = append(r.sources, s)
}

// Text returns the families of all sources in a format.
func (r *Registry) Text(f Format) []byte {
	r.mu.Lock()
	sources := r.sources[:len(r.sources):len(r.sources)]
	r.mu.Unlock()
	w := NewWriter(f)
	for _, s := range sources {
		s(w)
	}
	return w.Bytes()
}
