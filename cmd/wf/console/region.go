package console

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// Control sequences of a region. Wrapping is off while rows are drawn, so that a row stays one row even if the terminal
// has other widths of characters. Terminals without synchronized output (2026) ignore it.
const (
	beginFrame = "\x1b[?2026h"
	endFrame   = "\x1b[?2026l"
	wrapOff    = "\x1b[?7l"
	wrapOn     = "\x1b[?7h"
	cursorOff  = "\x1b[?25l"
	cursorOn   = "\x1b[?25h"
	eraseLine  = "\x1b[K" // from the cursor on
	eraseBelow = "\x1b[J" // from the cursor on
)

// A Region redraws the last rows of a terminal in place, below permanent lines. All other output to the same stream must
// go through it:
//
//	permanent lines    Write, Print, Aside
//	▶ first row        the cursor stays here, so that it is still at the start of the region
//	  last row         after a resize has wrapped long rows
//
// If nothing is shown, it only writes the output.
type Region struct {
	mu    sync.Mutex // guards the rest: the client writes its notes from a goroutine of its own
	w     io.Writer
	buf   []byte   // lines to write with the next drawing
	shown []string // rows on the screen; nil = none
	owned bool     // the cursor is hidden
}

// NewRegion returns a region at the end of w. Nothing is shown yet.
func NewRegion(w io.Writer) *Region { return &Region{w: w} }

// Write writes permanent text at once. The next Show draws the rows again.
func (r *Region) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hide()
	r.buf = append(r.buf, p...)
	return len(p), r.flush()
}

// Print buffers permanent text for the next Show.
func (r *Region) Print(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf = append(r.buf, p...)
}

// Show replaces the rows. If nothing has changed, it writes nothing.
func (r *Region) Show(rows []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.buf) == 0 && slices.Equal(rows, r.shown) {
		return nil
	}
	var frame strings.Builder
	frame.WriteString(beginFrame)
	if !r.owned {
		frame.WriteString(cursorOff)
		r.owned = true
	}
	if len(r.buf) > 0 {
		frame.WriteString("\r" + eraseBelow)
		frame.Write(r.buf)
	}
	frame.WriteString(wrapOff + "\r")
	for i, row := range rows {
		if i > 0 {
			frame.WriteString("\r\n")
		}
		frame.WriteString(row + eraseLine)
	}
	if len(r.shown) > len(rows) && len(r.buf) == 0 {
		frame.WriteString("\r\n" + eraseBelow + "\x1b[A")
	}
	if len(rows) > 1 {
		fmt.Fprintf(&frame, "\x1b[%dA", len(rows)-1)
	}
	frame.WriteString("\r" + wrapOn + endFrame)
	r.shown, r.buf = slices.Clone(rows), r.buf[:0]
	_, err := io.WriteString(r.w, frame.String())
	return err
}

// hide adds to the buffer what removes the rows. The caller holds mu.
func (r *Region) hide() {
	if r.shown != nil {
		r.buf = append([]byte("\r"+eraseBelow), r.buf...)
		r.shown = nil
	}
}

// Redraw makes the next Show draw everything, for instance after a resize.
func (r *Region) Redraw() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hide()
	return r.flush()
}

// flush writes the buffer. The caller holds mu.
func (r *Region) flush() error {
	if len(r.buf) == 0 {
		return nil
	}
	_, err := r.w.Write(r.buf)
	r.buf = r.buf[:0]
	return err
}

// Clear removes the rows and shows the cursor. The region may be shown again.
func (r *Region) Clear() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hide()
	if r.owned {
		r.buf = append(r.buf, cursorOn...)
		r.owned = false
	}
	return r.flush()
}

// Aside returns a writer for another stream that may be the same terminal.
func (r *Region) Aside(w io.Writer) io.Writer { return asideWriter{r, w} }

type asideWriter struct {
	r *Region
	w io.Writer
}

// Write removes the rows before it writes.
func (a asideWriter) Write(p []byte) (int, error) {
	a.r.mu.Lock()
	defer a.r.mu.Unlock()
	a.r.hide()
	if err := a.r.flush(); err != nil {
		return 0, err
	}
	return a.w.Write(p)
}

// crashPatience limits how long abandon waits for a goroutine that writes to the terminal.
const crashPatience = time.Second

// abandon removes the rows and blocks all later drawing. It waits for a goroutine that draws, but at most crashPatience,
// because the terminal may block.
func (r *Region) abandon() {
	locked := make(chan struct{})
	go func() {
		r.mu.Lock() // never unlocked
		close(locked)
	}()
	select {
	case <-locked:
		r.hide()
		if r.owned {
			r.buf = append(r.buf, wrapOn+cursorOn+endFrame...)
		}
		r.flush()
	case <-time.After(crashPatience):
	}
}
