package webhook

import "slices"

// Remembered is the number of deliveries of a hook of which the ids are kept. It is more than the daemon accepts of a hook in
// the time in which the signature of a delivery is valid, so that no signed time is accepted twice.
const Remembered = 10_000

// A Memory knows the ids of the latest deliveries of a hook, at most Remembered. The zero value is empty.
type Memory struct {
	known map[string]bool
	order [][]string // of each delivery, the oldest first
}

// Has reports whether one of the ids is known.
func (m *Memory) Has(ids []string) bool {
	for _, id := range ids {
		if m.known[id] {
			return true
		}
	}
	return false
}

// Add adds the ids of a delivery that are not known, and forgets the oldest delivery if there are too many.
func (m *Memory) Add(ids []string) {
	if m.known == nil {
		m.known = map[string]bool{}
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return m.known[id] })
	if len(ids) == 0 {
		return
	}
	for _, id := range ids {
		m.known[id] = true
	}
	if m.order = append(m.order, ids); len(m.order) <= Remembered {
		return
	}
	for _, id := range m.order[0] {
		delete(m.known, id)
	}
	m.order[0] = nil
	m.order = m.order[1:]
}

// All returns the ids of the deliveries, the oldest first. The caller must not change them.
func (m *Memory) All() [][]string { return m.order }
