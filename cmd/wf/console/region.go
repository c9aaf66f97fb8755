package console

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// What a region tells the terminal. Wrapping is off while rows are drawn, so that a row is one
// row whatever the terminal thinks of the width of its characters. Terminals that do not know
// synchronized output (2026) ignore it.
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

// A Region is the last rows of a terminal, redrawn in place, below lines that stay. It is the
// writer of everything else that goes to the same stream, so that nothing is drawn over:
//
//	lines that stay    Write, print, aside
//	▶ first row        the cursor rests here, so that a terminal that is resized keeps it at the
//	  last row         start of the region, however it breaks long rows anew
//
// As long as nothing is shown, it only passes on.
type Region struct {
	mu    sync.Mutex // guards the rest: the client writes its notes from a goroutine of its own
	w     io.Writer
	buf   []byte   // lines that wait for the next frame
	shown []string // rows on the screen; nil = none
	owned bool     // the cursor is off
}

// NewRegion returns a region at the end of w. Nothing is shown yet.
func NewRegion(w io.Writer) *Region { return &Region{w: w} }

// Write prints text that stays, at once. The rows come back with the next show.
func (r *Region) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hide()
	r.buf = append(r.buf, p...)
	return len(p), r.flush()
}

// Print is Write with the next frame, for those who will show.
func (r *Region) Print(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf = append(r.buf, p...)
}

// Show replaces the rows. It writes nothing when nothing has changed.
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

// hide takes the rows away, in the buffer only. The caller holds mu.
func (r *Region) hide() {
	if r.shown != nil {
		r.buf = append([]byte("\r"+eraseBelow), r.buf...)
		r.shown = nil
	}
}

// Redraw makes the next show draw everything, as after a change of the terminal's size.
func (r *Region) Redraw() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hide()
	return r.flush()
}

// flush writes what waits. The caller holds mu.
func (r *Region) flush() error {
	if len(r.buf) == 0 {
		return nil
	}
	_, err := r.w.Write(r.buf)
	r.buf = r.buf[:0]
	return err
}

// Clear takes the rows away and gives the cursor back. The region may be shown again.
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

// Aside is a writer for another stream that may end on the same terminal.
func (r *Region) Aside(w io.Writer) io.Writer { return asideWriter{r, w} }

type asideWriter struct {
	r *Region
	w io.Writer
}

// Write takes the rows away before it writes.
func (a asideWriter) Write(p []byte) (int, error) {
	a.r.mu.Lock()
	defer a.r.mu.Unlock()
	a.r.hide()
	if err := a.r.flush(); err != nil {
		return 0, err
	}
	return a.w.Write(p)
}

// crashPatience bounds the wait of abandon for a goroutine that writes to the terminal.
const crashPatience = time.Second

// abandon gives the terminal back for good: nothing is drawn any more. It waits for who is drawing,
// but not for ever: a terminal that takes nothing shall not hold up the end.
func (r *Region) abandon() {
	locked := make(chan struct{})
	go func() {
		r.mu.Lock() // and never unlocked
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
