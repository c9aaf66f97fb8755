package progress

import (
	"bytes"
	"io"
)

// Bounds of what --output grouped shows of each stream of an execution.
const (
	groupedBytes = 1 << 20
	groupedLines = 10_000
)

// A capped reader ends after so many bytes or lines, whatever comes first.
type capped struct {
	r            io.Reader
	bytes, lines int // that may still come
}

// Read reads no further than the end of the last line that may come.
func (c *capped) Read(p []byte) (int, error) {
	if c.bytes == 0 || c.lines == 0 {
		return 0, io.EOF
	}
	n, err := c.r.Read(p[:min(len(p), c.bytes)])
	for at := 0; at < n; {
		end := bytes.IndexByte(p[at:n], '\n')
		if end < 0 {
			break
		}
		at += end + 1
		if c.lines--; c.lines == 0 {
			n = at
		}
	}
	c.bytes -= n
	return n, err
}
