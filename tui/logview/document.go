package logview

import (
	"bytes"
	"context"
	"errors"
	"io"

	"wf/client"
)

// A document is all that the sources of a log have written up to some moment, one stream after the other, in
// the order of wf logs. It is read from the daemon in parts and may have any size. It does not change, so
// other goroutines may read it.
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

// A spot is the beginning of a line in a document, or the end of a segment.
type spot struct {
	seg int
	at  int64
}

// partBytes is how much of a document is read at once. It is more than the longest line, so every part has the
// end of one.
const partBytes = 256 << 10

// skipForward returns p, or where the next segment with any bytes begins.
func (d *document) skipForward(p spot) spot {
	for p.seg+1 < len(d.segments) && p.at >= d.segments[p.seg].size {
		p = spot{p.seg + 1, 0}
	}
	return p
}

// skipBack returns p, or the end of the segment before.
func (d *document) skipBack(p spot) spot {
	for p.seg > 0 && p.at == 0 {
		p = spot{p.seg - 1, d.segments[p.seg-1].size}
	}
	return p
}

// atEnd reports whether nothing comes after p.
func (d *document) atEnd(p spot) bool {
	p = d.skipForward(p)
	return p.seg >= len(d.segments) || p.at >= d.segments[p.seg].size
}

// atStart reports whether nothing comes before p.
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

// A part is some lines of a segment as they were written, and where they begin and end. At the start or the
// end of the document it has no data.
type part struct {
	data        []byte
	first, last spot
}

// after reads lines that begin at p.
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
	} // else the rest of it is here, or nowhere
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
	if from > 0 { // the first line may have begun before, unless nothing else is here
		if i := bytes.IndexByte(data, '\n'); i >= 0 && i+1 < len(data) {
			data, from = data[i+1:], from+int64(i)+1
		}
	}
	return part{data, spot{p.seg, from}, p}, nil
}

// each calls do with the lines of a part. The line is valid until do returns; its text belongs to the part.
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

// lines returns the lines of a part that are to be shown.
func (d *document) lines(p part, shows func(*line) bool) (lines []line) {
	all := 0
	d.each(p, func(l *line) {
		if all++; shows(l) {
			lines = append(lines, *l)
		}
	})
	if len(lines) < all { // a few lines must not hold on to all that was read with them
		for i := range lines {
			lines[i].text = bytes.Clone(lines[i].text)
		}
	}
	return lines
}

// spotOf returns where a line is in the document.
func (d *document) spotOf(l *line) spot {
	for i := range d.segments {
		if s := &d.segments[i]; s.source == l.source && (s.stream == stderr) == l.err {
			return spot{i, l.at}
		}
	}
	return spot{}
}

// scanBytes is how much is searched before the view shows how far the search is.
const scanBytes = 4 << 20

// mostHits is how many places of matches are kept, so that going from one to the next needs no search.
const mostHits = 10_000

// A scanResult is how far a search has come.
type scanResult struct {
	at    spot   // it goes on here
	hits  int    // lines that match
	spots []spot // the places of the first mostHits of them
	over  bool   // all is searched, or first was asked for and found
	err   error
}

// scan searches from p on, forward or back, for lines that match: for the first one, or for all in the next
// scanBytes.
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
				s.spots = []spot{{next.first.seg, l.at}} // on the way back, the last one is the first
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
