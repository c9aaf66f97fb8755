package progress

import (
	"bytes"
	"io"
)

// Limits of --output grouped for each stream of an execution.
const (
	groupedBytes = 1 << 20
	groupedLines = 10_000
)

// A capped reader ends after a number of bytes or lines, whichever comes first.
type capped struct {
	r            io.Reader
	bytes, lines int  // that are left
	dropped      bool // bytes were read that come after the last line
}

// more reports whether r has more than was returned.
func (c *capped) more() bool {
	if c.dropped || c.bytes > 0 && c.lines > 0 {
		return c.dropped
	}
	n, _ := io.ReadFull(c.r, make([]byte, 1))
	return n > 0
}

// Read reads no further than the end of the last allowed line.
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
			c.dropped, n = at < n, at
		}
	}
	c.bytes -= n
	return n, err
}
