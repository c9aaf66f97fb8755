package graphml

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"slices"
)

// Pieces is the content of a file in parts, most of which share memory with the bytes that were
// read. They never change: one goroutine may write them while another edits the document.
type Pieces [][]byte

// Size returns the number of bytes in all pieces.
func (p Pieces) Size() int64 {
	var n int64
	for _, piece := range p {
		n += int64(len(piece))
	}
	return n
}

// WriteTo writes all pieces, and joins small ones.
func (p Pieces) WriteTo(w io.Writer) (int64, error) {
	counted := &counter{w: w}
	buffer := bufio.NewWriterSize(counted, 1<<16)
	for _, piece := range p {
		buffer.Write(piece) // Flush returns the first error
	}
	err := buffer.Flush()
	return counted.n, err
}

// A counter counts the bytes that are written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// Render returns the wanted content of the file, in its own encoding. Without differences it returns
// the bytes that were read.
func (d *Document) Render() Pieces {
	if !d.dirty() {
		return Pieces{d.file}
	}
	pieces := newRenderer(d).splice()
	if d.bare != nil && d.bare.origin != nil && bytes.Equal(bytes.Join(pieces, nil), d.bare.origin.text) {
		return Pieces{d.bare.origin.file} // also packed as before
	}
	return d.form.pack(pieces)
}

// newRenderer makes all patches of a document.
func newRenderer(d *Document) *renderer {
	r := &renderer{d: d, layout: newLayout(d), opened: map[ref]*insertion{}}
	r.collect()
	return r
}

// A patch replaces a part of the text; start = end inserts.
type patch struct {
	start, end int32
	text       []byte
}

// A renderer computes the patches that turn the text into the wanted state.
type renderer struct {
	d       *Document
	layout  layout
	patches []patch
	opened  map[ref]*insertion // elements that get new values or children
	order   []ref              // of opened, so that the same state gives the same bytes
	newKeys []newKey
	arena   []byte
}

// collect makes all patches. Insertions are gathered first by element, because several edits may
// insert into the same <node/>.
func (r *renderer) collect() {
	var addedNodes, addedEdges []ref
	for _, at := range r.d.edits.touched {
		e := r.d.edits.of(at)
		switch {
		case e.weight() == 0:
		case e.New != nil && at.domain == ofNode:
			addedNodes = append(addedNodes, at)
		case e.New != nil:
			addedEdges = append(addedEdges, at)
		case e.Removed:
			r.remove(r.d.element(at).start, r.d.element(at).end)
		default:
			r.change(at, e)
		}
	}
	r.clean()
	byKey := func(a, b ref) int { return cmp.Compare(r.d.edits.of(a).New.key, r.d.edits.of(b).New.key) }
	slices.SortFunc(addedNodes, byKey)
	slices.SortFunc(addedEdges, byKey)
	r.addNodes(addedNodes)
	r.addEdges(addedEdges)
	for _, at := range r.order {
		r.insert(at, r.opened[at])
	}
	r.declareKeys()
	if r.d.bare != nil {
		r.strip(r.d.bare)
	}
}

func (r *renderer) patch(start, end int32, text []byte) {
	r.patches = append(r.patches, patch{start, end, text})
}

// remove removes an element and the white space before it.
func (r *renderer) remove(start, end int32) {
	r.patch(start-int32(len(r.layout.before(start))), end, nil)
}

// cuts sorts the patches and leaves out those inside removed elements.
func (r *renderer) cuts() []patch {
	slices.SortStableFunc(r.patches, func(a, b patch) int {
		if c := cmp.Compare(a.start, b.start); c != 0 {
			return c
		}
		return cmp.Compare(min(a.end-a.start, 1), min(b.end-b.start, 1)) // insertions first
	})
	pos := int32(0)
	kept := r.patches[:0]
	for _, p := range r.patches {
		if p.start >= pos {
			kept = append(kept, p)
			pos = p.end
		}
	}
	r.patches = kept
	return kept
}

// splice applies the patches to the text.
func (r *renderer) splice() Pieces {
	text := r.d.text
	pieces := make(Pieces, 0, 2*len(r.patches)+1)
	pos := int32(0)
	for _, p := range r.cuts() {
		if p.start > pos {
			pieces = append(pieces, text[pos:p.start:p.start])
		}
		if len(p.text) > 0 {
			pieces = append(pieces, p.text)
		}
		pos = p.end
	}
	if int(pos) < len(text) {
		pieces = append(pieces, text[pos:])
	}
	return pieces
}

// keep returns the text that was built at the end of the arena. Pieces share a few large blocks,
// which avoids an allocation for each value.
func (r *renderer) keep(from int) []byte {
	return r.arena[from:len(r.arena):len(r.arena)]
}

// room makes space for n bytes in the arena, in a new block if necessary, and returns the start of
// the next text.
func (r *renderer) room(n int) int {
	if cap(r.arena)-len(r.arena) < n {
		r.arena = make([]byte, 0, max(n, 1<<16))
	}
	return len(r.arena)
}

// escaped returns a value in its form in the file, in memory that later calls do not change.
func (r *renderer) escaped(value string) []byte {
	from := r.room(len(value) + len(value)/4 + 16)
	r.arena = appendText(r.arena, value, &r.d.form)
	return r.keep(from)
}

// A move is the number of lines by which the text after an offset moves.
type move struct {
	end   int32
	lines int
}

// moves returns the moves of all patches, in order.
func (r *renderer) moves() []move {
	newline := []byte("\n")
	moves, lines := []move{}, 0
	for _, p := range r.cuts() {
		lines += bytes.Count(p.text, newline) - bytes.Count(r.d.text[p.start:p.end], newline)
		moves = append(moves, move{p.end, lines})
	}
	return moves
}
