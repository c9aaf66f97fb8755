package secrets

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wf/executor"
	"wf/executor/ownfile"
)

// pathOf returns the path of an output file below the folder of a run.
func pathOf(dir string, r executor.Range) string {
	return filepath.Join(dir, filepath.FromSlash(r.File))
}

// Size returns the present end of an output, and when its file was written.
func Size(dir string, r executor.Range) (end int64, written time.Time, err error) {
	info, err := os.Stat(pathOf(dir, r))
	if err != nil {
		return 0, time.Time{}, err
	}
	if end = r.End; end < 0 {
		end = info.Size()
	}
	return end, info.ModTime(), nil
}

// Tail returns at most limit bytes from the end of an output, with the values hidden, and the number of bytes of the output
// before them. The last bytes of a growing output are missing if a value may begin there. An output that is gone is empty.
func Tail(m *Masks, dir string, r executor.Range, limit int64) (text []byte, before int64, err error) {
	if r.File == "" {
		return nil, 0, nil
	}
	f, err := ownfile.Open(pathOf(dir, r), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	end := r.End
	if end < 0 {
		info, err := f.Stat()
		if err != nil {
			return nil, 0, err
		}
		end = info.Size()
	}
	start := max(r.Start, end-limit)
	if start >= end {
		return nil, 0, nil
	}
	if err := m.CatchUp(); err != nil {
		return nil, 0, err
	}
	from := start
	if m != nil {
		from = max(r.Start, start-int64(m.context()))
	}
	buf := make([]byte, end-from)
	n, err := f.ReadAt(buf, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	return m.hideKnown(buf[:n], int(start-from), r.End >= 0), start - r.Start, nil
}

// hideKnown returns a text from an index on without values, up to the first position where a value may begin that goes on behind the
// text. whole says that nothing follows.
func (m *Masks) hideKnown(text []byte, from int, whole bool) []byte {
	from = min(from, len(text))
	if m == nil {
		return text[from:]
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	text = text[:announcement(text, whole)]
	list, undecided := m.set.find(text, 0, whole)
	from = min(from, undecided)
	return replaced(text[from:undecided], within(list, from, undecided))
}

// within returns the parts of spans between two positions, counted from the first one.
func within(spans []span, from, to int) (parts []span) {
	for _, c := range spans {
		if c.from < to && c.to > from {
			parts = append(parts, span{max(c.from, from) - from, min(c.to, to) - from})
		}
	}
	return parts
}

// announcement returns where a line begins to announce a value and has not ended; len(text) if it does not. The value is not
// known before the line has ended.
func announcement(text []byte, whole bool) int {
	if whole {
		return len(text)
	}
	line := bytes.LastIndexByte(text, '\n') + 1
	if at := bytes.Index(text[line:], []byte(Marker)); at >= 0 {
		if len(text)-line-at < maxLine {
			return line + at
		}
		return len(text)
	}
	for part := len(Marker) - 1; part > 0; part-- {
		if bytes.HasSuffix(text, []byte(Marker[:part])) {
			return len(text) - part
		}
	}
	return len(text)
}

// OpenRaw opens an output as its command wrote it. Who shows it passes it on to Masks.Stream; TestOutputsAreOpenedHere knows
// the callers.
func OpenRaw(dir string, r executor.Range) (*os.File, error) {
	return ownfile.Open(pathOf(dir, r), os.O_RDONLY)
}

// Before returns at which position of an output to begin in order to read it from pos on: a value may begin before pos.
func (m *Masks) Before(r executor.Range, pos int64) int64 {
	if m == nil {
		return pos
	}
	return max(r.Start, pos-int64(m.context()))
}

// A View says how an output is read.
type View struct {
	// Skip is the number of bytes at the beginning that are only read because a value may begin in them.
	Skip int64
	// Aligned replaces each byte of a value by an asterisk, so that positions stay what they are. Otherwise Hidden replaces values.
	Aligned bool
	// Grows says that the output goes on behind what is read. Then bytes at the end are left out if a value may begin there.
	Grows bool
}

// Stream returns a reader of an output in which values are replaced. It returns bytes as soon as no value can begin in them, and
// does not wait for more than raw does. If raw returns bytes, these are on the disk: see outputs. Close closes raw; it may be called
// while Read waits.
func (m *Masks) Stream(raw io.ReadCloser, v View) io.ReadCloser {
	if m == nil {
		return raw
	}
	return &stream{raw: raw, masks: m, View: v, buf: make([]byte, 0, chunk)}
}

type stream struct {
	View
	raw   io.ReadCloser
	masks *Masks

	buf     []byte // bytes where a value may begin
	covered int    // how many of them belong to a value that began before them
	ready   []byte // may be returned; a part of store
	store   []byte
	whole   bool  // nothing follows buf
	err     error // after ready
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.fill()
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// fill reads more, and decides about what it can.
func (s *stream) fill() {
	kept := len(s.buf)
	if kept > cap(s.buf)/2 {
		s.buf = append(make([]byte, 0, 2*cap(s.buf)), s.buf...)
	}
	n, err := s.raw.Read(s.buf[kept:cap(s.buf)])
	s.buf = s.buf[:kept+n]
	s.err, s.whole = err, errors.Is(err, io.EOF) && !s.Grows
	if n > 0 {
		if wrong := s.masks.CatchUp(); wrong != nil {
			s.err = wrong
			return
		}
	}
	if s.err == nil || errors.Is(s.err, io.EOF) {
		s.decide()
	}
}

// decide makes bytes ready in which no value can begin any more.
func (s *stream) decide() {
	s.masks.mu.RLock()
	defer s.masks.mu.RUnlock()
	end := announcement(s.buf, s.whole)
	list, undecided := s.masks.set.find(s.buf[:end], 0, s.whole)
	begun := s.covered > 0 // the first value was replaced already
	if begun {
		list = append([]span{{0, s.covered}}, list...)
	}
	from := int(min(s.Skip, int64(undecided)))
	s.Skip -= int64(from)
	parts := within(list, from, undecided)
	switch text := s.buf[from:undecided]; {
	case s.Aligned:
		s.store = append(s.store[:0], text...)
		cover(s.store, parts)
	case begun && from == 0 && len(parts) > 0:
		first := parts[0].to
		for len(parts) > 0 && parts[0].from < first {
			first = max(first, parts[0].to)
			parts = parts[1:]
		}
		for i := range parts {
			parts[i].from, parts[i].to = parts[i].from-first, parts[i].to-first
		}
		s.store = appendReplaced(s.store[:0], text[first:], parts)
	default:
		s.store = appendReplaced(s.store[:0], text, parts)
	}
	s.ready = s.store
	s.covered = 0
	for _, c := range list {
		s.covered = max(s.covered, c.to-undecided)
	}
	s.buf = s.buf[:copy(s.buf, s.buf[undecided:])]
}

// Close closes the output.
func (s *stream) Close() error { return s.raw.Close() }
