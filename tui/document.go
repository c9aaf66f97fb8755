package tui

import (
	"bytes"
	"context"
	"errors"
	"io"

	"wf/client"
)

// A document is all that the sources of a log have written up to some moment, one stream after the other,
// as wf logs prints it. It is read from the disk of the daemon, in parts, and may have any size. It does
// not change, so that it can be read beside the model.
type document struct {
	from outputs
	segs []segment
}

// A segment is one stream of one source.
type segment struct {
	source int
	stream string
	query  client.LogQuery
	size   int64 // bytes
}

// A spot is the beginning of a line in a document; behind the last segment's size is its end.
type spot struct {
	seg int
	at  int64
}

// partBytes is how much of a document is read at once. It is more than the longest line that is shown
// whole, so that every part has the end of one.
const partBytes = 256 << 10

// forth is p, or where the next segment with something in it begins.
func (d *document) forth(p spot) spot {
	for p.seg+1 < len(d.segs) && p.at >= d.segs[p.seg].size {
		p = spot{p.seg + 1, 0}
	}
	return p
}

// back is p, or the end of the segment before.
func (d *document) back(p spot) spot {
	for p.seg > 0 && p.at == 0 {
		p = spot{p.seg - 1, d.segs[p.seg-1].size}
	}
	return p
}

// atEnd and atStart say whether nothing follows, or comes before.
func (d *document) atEnd(p spot) bool {
	p = d.forth(p)
	return p.seg >= len(d.segs) || p.at >= d.segs[p.seg].size
}

func (d *document) atStart(p spot) bool { return d.back(p) == spot{} || len(d.segs) == 0 }

// size is that of all segments; passed is what of it comes before p. Both are in bytes.
func (d *document) size() int64 { return d.passed(spot{len(d.segs), 0}) }

func (d *document) passed(p spot) (n int64) {
	for i := range d.segs[:min(p.seg, len(d.segs))] {
		n += d.segs[i].size
	}
	return n + p.at
}

// bytes reads a part of a segment. It may be shorter than asked for only if the segment is.
func (d *document) bytes(ctx context.Context, seg int, from, n int64) ([]byte, error) {
	s := &d.segs[seg]
	r, err := d.from.Output(ctx, s.query, s.stream, from, false)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data := make([]byte, min(n, s.size-from))
	got, err := io.ReadFull(r, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it was cut meanwhile
	}
	return data[:got], err
}

// after reads lines from p on, and says where those end. No lines and no error is the end.
func (d *document) after(ctx context.Context, p spot) (lines []logLine, end spot, err error) {
	if p = d.forth(p); d.atEnd(p) {
		return nil, p, nil
	}
	data, err := d.bytes(ctx, p.seg, p.at, partBytes)
	if err != nil {
		return nil, p, err
	}
	size := d.segs[p.seg].size
	if p.at+int64(len(data)) < size && len(data) == partBytes {
		if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
			data = data[:i+1]
		}
	} else {
		size = p.at + int64(len(data)) // the rest of it is not there
	}
	lines = d.lines(p, data)
	if p.at += int64(len(data)); p.at >= size {
		p.at = d.segs[p.seg].size
	}
	return lines, p, nil
}

// before reads the lines that end at p, and says where those begin. No lines and no error is the start.
func (d *document) before(ctx context.Context, p spot) (lines []logLine, first spot, err error) {
	if p = d.back(p); p.at == 0 || len(d.segs) == 0 {
		return nil, p, nil
	}
	from := max(0, p.at-partBytes)
	data, err := d.bytes(ctx, p.seg, from, p.at-from)
	if err != nil {
		return nil, p, err
	}
	if from > 0 { // the first line may have begun before, unless nothing else is here
		if i := bytes.IndexByte(data, '\n'); i >= 0 && i+1 < len(data) {
			data, from = data[i+1:], from+int64(i)+1
		}
	}
	p.at = from
	return d.lines(p, data), p, nil
}

// lines takes the bytes at p apart.
func (d *document) lines(p spot, data []byte) (lines []logLine) {
	s := &d.segs[p.seg]
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\n')
		skip := 1
		if n < 0 {
			n, skip = len(data), 0
		}
		if n > lineBytes {
			n, skip = lineBytes, 0
		}
		lines = append(lines, logLine{text: data[:n:n], source: s.source, err: s.stream == stderr, at: p.at})
		data, p.at = data[n+skip:], p.at+int64(n+skip)
	}
	return lines
}

// of is where a line of an output is in the document.
func (d *document) of(l *logLine) spot {
	for i := range d.segs {
		if s := &d.segs[i]; s.source == l.source && (s.stream == stderr) == l.err {
			return spot{i, l.at}
		}
	}
	return spot{}
}

// scanBytes is how much is searched before it is told how far that is.
const scanBytes = 4 << 20

// A scanned is how far a search has come.
type scanned struct {
	at   spot // it goes on here
	hits int  // lines that match
	hit  spot // the first of them on the way; means nothing without hits
	over bool // all is searched, or first was asked for and found
	err  error
}

// scan searches from p on, forward or back, for lines that match: for the first, or for all that there
// are in the next scanBytes.
func (d *document) scan(ctx context.Context, p spot, forward, first bool, matches func(*logLine) bool) (s scanned) {
	s.at = p
	for read := int64(0); read < scanBytes; {
		var lines []logLine
		before := s.at
		if forward {
			lines, s.at, s.err = d.after(ctx, s.at)
		} else {
			lines, s.at, s.err = d.before(ctx, s.at)
		}
		if s.err != nil || len(lines) == 0 {
			s.over = true
			return s
		}
		read += max(d.passed(s.at)-d.passed(before), d.passed(before)-d.passed(s.at), 1)
		for i := range lines {
			l := &lines[i]
			if !forward {
				l = &lines[len(lines)-1-i]
			}
			if !matches(l) {
				continue
			}
			if s.hits++; s.hits == 1 {
				s.hit = d.of(l)
			}
			if first {
				s.over = true
				return s
			}
		}
	}
	return s
}
