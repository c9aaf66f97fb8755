package picture

// A slab hands out short slices of long ones, because one large allocation costs less than many small ones.
type slab[T any] struct {
	free []T
	size int // of the latest allocation
}

// mostAtOnce is the number of values up to which each allocation of a slab is twice as large as the one before.
const mostAtOnce = 1024

// take returns n zero values.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.size = min(max(2*s.size, 16), mostAtOnce)
		s.free = make([]T, max(n, s.size))
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

// A memory is what the parts of a plan allocate in many pieces, and a buffer that they share.
type memory struct {
	wires    slab[wire]
	ends     slab[end]
	ports    slab[port]
	pointers []*wire
}

// rows returns a buffer for the wires at n rows, which is empty.
func (m *memory) rows(n int) []*wire {
	if n > len(m.pointers) {
		m.pointers = make([]*wire, max(n, 2*len(m.pointers)))
	}
	clear(m.pointers[:n])
	return m.pointers[:n]
}
