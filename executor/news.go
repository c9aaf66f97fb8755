package executor

import (
	"bytes"
	"sync"
)

// News is everything the runner has announced since the run began, as lines. It stays in memory:
// a daemon that comes later wants all of it, and it serves as the queue of the connection, so that
// a slow daemon never holds the runner up.
type news struct {
	mu    sync.Mutex // guards lines; what was written is never changed
	lines []byte
}

func (n *news) add(lines []byte) {
	n.mu.Lock()
	n.lines = append(n.lines, lines...)
	n.mu.Unlock()
}

// from returns the lines from offset on. The caller must not change them.
func (n *news) from(offset int) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lines[offset:]
}

// offset returns where the line with the given index, from 0, begins, or the end.
func (n *news) offset(index int) int {
	lines := n.from(0)
	at := 0
	for ; index > 0; index-- {
		length := bytes.IndexByte(lines[at:], '\n') + 1
		if length == 0 {
			return len(lines)
		}
		at += length
	}
	return at
}
