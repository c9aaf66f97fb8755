package logview

import (
	"bytes"
	"context"
	"errors"
	"io"

	"wf/client"
)

// A document is all output of the sources of a log up to a moment, one stream after the other, in the order of wf
// logs. It is read from the daemon in parts and may have any size. It does not change, so other goroutines may read
// it.
type document struct {
	from     Outputs
	segments []segment
}

// A segment is one stream of one source.
type segment struct {
	source int
	stream string
	query  client.LogQuery
	size   int64 // bytes
}

// A spot is the start of a line in a document, or the end of a segment.
type spot struct {
	seg int
	at  int64
}

// partBytes is the number of bytes that are read at once. It is larger than the longest line, so every part contains
// the end of a line.
const partBytes = 256 << 10

// skipForward returns p or, at the end of a segment, the start of the next non-empty segment.
func (d *document) skipForward(p spot) spot {
	for p.seg+1 < len(d.segments) && p.at >= d.segments[p.seg].size {
		p = spot{p.seg + 1, 0}
	}
	return p
}

// skipBack returns p or, at the start of a segment, the end of the previous one.
func (d *document) skipBack(p spot) spot {
	for p.seg > 0 && p.at == 0 {
		p = spot{p.seg - 1, d.segments[p.seg-1].size}
	}
	return p
}

// atEnd reports whether p is the end of the document.
func (d *document) atEnd(p spot) bool {
	p = d.skipForward(p)
	return p.seg >= len(d.segments) || p.at >= d.segments[p.seg].size
}

// atStart reports whether p is the start of the document.
func (d *document) atStart(p spot) bool { return d.skipBack(p) == spot{} || len(d.segments) == 0 }

// size returns the bytes of all segments.
func (d *document) size() int64 { return d.passed(spot{len(d.segments), 0}) }

// passed returns the bytes before p.
func (d *document) passed(p spot) (n int64) {
	for i := range d.segments[:min(p.seg, len(d.segments))] {
		n += d.segments[i].size
	}
	return n + p.at
}

// bytes reads a part of a segment. The result is shorter than n only if the segment ends.
func (d *document) bytes(ctx context.Context, seg int, from, n int64) ([]byte, error) {
	s := &d.segments[seg]
	q := s.query
	q.Aligned = true
	r, err := d.from.Output(ctx, q, s.stream, from, false)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data := make([]byte, min(n, s.size-from))
	got, err := io.ReadFull(r, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it was shortened in the meantime
	}
	return data[:got], err
}

// A part contains some lines of a segment as they were written, with their start and end. At the start or the end of
// the document it contains no data.
type part struct {
	data        []byte
	first, last spot
}

// after reads lines that start at p.
func (d *document) after(ctx context.Context, p spot) (part, error) {
	if p = d.skipForward(p); d.atEnd(p) {
		return part{first: p, last: p}, nil
	}
	data, err := d.bytes(ctx, p.seg, p.at, partBytes)
	if err != nil {
		return part{}, err
	}
	last := spot{p.seg, d.segments[p.seg].size}
	if p.at+int64(len(data)) < last.at && len(data) == partBytes {
		if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
			data = data[:i+1]
		}
		last.at = p.at + int64(len(data))
	} // otherwise the rest of the segment is here, or missing
	return part{data, p, last}, nil
}

// before reads lines that end at p.
func (d *document) before(ctx context.Context, p spot) (part, error) {
	if p = d.skipBack(p); p.at == 0 || len(d.segments) == 0 {
		return part{first: p, last: p}, nil
	}
	from := max(0, p.at-partBytes)
	data, err := d.bytes(ctx, p.seg, from, p.at-from)
	if err != nil {
		return part{}, err
	}
	if from > 0 { // the first line may be incomplete, unless it is the only one
		if i := bytes.IndexByte(data, '\n'); i >= 0 && i+1 < len(data) {
			data, from = data[i+1:], from+int64(i)+1
		}
	}
	return part{data, spot{p.seg, from}, p}, nil
}

// each calls do for the lines of a part. A line is valid until do returns; its text is part of the part's data.
func (d *document) each(p part, do func(*line)) {
	if len(p.data) == 0 {
		return
	}
	s := &d.segments[p.first.seg]
	l := line{source: s.source, err: s.stream == stderr, at: p.first.at}
	for data := p.data; len(data) > 0; {
		n := bytes.IndexByte(data, '\n')
		skip := 1
		if n < 0 {
			n, skip = len(data), 0
		}
		if n > lineBytes {
			n, skip = lineBytes, 0
		}
		l.text = data[:n:n]
		do(&l)
		data, l.at = data[n+skip:], l.at+int64(n+skip)
	}
}

// lines returns the visible lines of a part.
func (d *document) lines(p part, shows func(*line) bool) (lines []line) {
	all := 0
	d.each(p, func(l *line) {
		if all++; shows(l) {
			lines = append(lines, *l)
		}
	})
	if len(lines) < all { // copy a few lines, so that they do not keep the whole part in memory
		for i := range lines {
			lines[i].text = bytes.Clone(lines[i].text)
		}
	}
	return lines
}

// spotOf returns the position of a line in the document.
func (d *document) spotOf(l *line) spot {
	for i := range d.segments {
		if s := &d.segments[i]; s.source == l.source && (s.stream == stderr) == l.err {
			return spot{i, l.at}
		}
	}
	return spot{}
}

// scanBytes is the number of bytes to search before the view shows the progress of the search.
const scanBytes = 4 << 20

// mostHits is the maximum number of stored matches. Going from one stored match to the next needs no search.
const mostHits = 10_000

// A scanResult is the progress of a search.
type scanResult struct {
	at    spot   // the search continues here
	hits  int    // number of lines that match
	spots []spot // of the first mostHits matches
	over  bool   // the search is complete, or has found the first match as requested
	err   error
}

// scan searches forward or back from p for matching lines: for the first one, or for all in the next scanBytes.
func (d *document) scan(ctx context.Context, p spot, forward, first bool, matches func(*line) bool) (s scanResult) {
	s.at = p
	for read := 0; read < scanBytes; {
		var next part
		if forward {
			next, s.err = d.after(ctx, s.at)
			s.at = next.last
		} else {
			next, s.err = d.before(ctx, s.at)
			s.at = next.first
		}
		if s.err != nil || len(next.data) == 0 {
			s.over = true
			return s
		}
		read += len(next.data)
		d.each(next, func(l *line) {
			if first && forward && s.hits > 0 || !matches(l) {
				return
			}
			if s.hits++; first {
				s.spots = []spot{{next.first.seg, l.at}} // searching back, the last match of the part is the first one found
			} else if len(s.spots) < mostHits {
				s.spots = append(s.spots, spot{next.first.seg, l.at})
			}
		})
		if first && s.hits > 0 {
			s.over = true
			return s
		}
	}
	return s
}
