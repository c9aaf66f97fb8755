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
	r.sortPatches()
	return r
}

// A patch replaces a part of the text; start = end inserts.
type patch struct {
	start, end int32
	text       []byte
	content    content // in place of text, if the patch inserts elements
	leaves     *ref    // the element that the patch takes out, because it is written elsewhere
}

// A content consists of new text and of parts of the old text, which are carried to another place with their own patches.
type content []segment

// A segment is a new text, or the element that is carried.
type segment struct {
	text    []byte
	carried *ref
	edge    int32 // the added edge that the text is; none for other text
}

func newText(s string) content { return content{{text: []byte(s), edge: none}} }

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
	var placed, addedEdges []ref
	kept := r.unwrapped()
	for _, at := range r.d.edits.touched {
		e := r.d.edits.of(at)
		switch {
		case e.weight() == 0:
		case e.New != nil && at.domain == ofNode:
			placed = append(placed, at)
		case e.New != nil:
			addedEdges = append(addedEdges, at)
		case e.Removed && at.domain == ofNode && kept[at.number]:
			r.unwrap(at.number)
		case e.Removed:
			r.remove(r.d.element(at).start, r.d.element(at).end)
		default:
			if e.moved() && !r.d.inPlace(at.number) {
				r.takeOut(at)
				placed = append(placed, at)
			}
			r.change(at, e)
		}
	}
	r.clean()
	r.addNodes(placed)
	r.carryEdges(kept)
	slices.SortFunc(addedEdges, func(a, b ref) int { return cmp.Compare(a.number, b.number) })
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
	r.patches = append(r.patches, patch{start: start, end: end, text: text})
}

// insertAt inserts elements.
func (r *renderer) insertAt(at int32, c content) {
	r.patches = append(r.patches, patch{start: at, end: at, content: c})
}

// remove removes an element and the white space before it.
func (r *renderer) remove(start, end int32) {
	r.patch(start-int32(len(r.layout.before(start))), end, nil)
}

// takeOut removes an element that is written elsewhere.
func (r *renderer) takeOut(at ref) {
	start, end := r.extent(at)
	r.patches = append(r.patches, patch{start: start, end: end, leaves: &at})
	r.declare(at)
}

// extent returns where an element and the white space before it lie in the text.
func (r *renderer) extent(at ref) (start, end int32) {
	e := r.d.element(at)
	return e.start - int32(len(r.layout.before(e.start))), e.end
}

// sortPatches sorts by place: insertions first, then the larger ones, because they take smaller ones with them.
func (r *renderer) sortPatches() {
	slices.SortStableFunc(r.patches, func(a, b patch) int {
		sizeA, sizeB := a.end-a.start, b.end-b.start
		if c := cmp.Compare(a.start, b.start); c != 0 || sizeA == 0 || sizeB == 0 {
			return cmp.Or(c, cmp.Compare(sizeA, sizeB))
		}
		return cmp.Compare(sizeB, sizeA)
	})
}

// walk visits a part of the text in order: what stays of it, and the patches. of is the element that the part is, nil for the
// whole text. Patches inside replaced parts do not apply.
func (r *renderer) walk(from, to int32, of *ref, keep func(from, to int32), apply func(p *patch)) {
	i, _ := slices.BinarySearchFunc(r.patches, from, func(p patch, from int32) int { return cmp.Compare(p.start, from) })
	pos := from
	for ; i < len(r.patches); i++ {
		p := &r.patches[i]
		inserts := p.start == p.end
		if of != nil {
			if p.start >= to {
				break
			}
			if inserts && p.start == from || p.leaves != nil && *p.leaves == *of {
				continue // it is beside the element, or takes it out of its former place
			}
		}
		if p.start < pos {
			continue
		}
		if p.start > pos {
			keep(pos, p.start)
		}
		apply(p)
		pos = p.end
	}
	if pos < to {
		keep(pos, to)
	}
}

// An output is a part of the wanted text: new text, or a part of the old one.
type output struct {
	text     []byte
	from, to int32
	edge     int32 // as in segment
}

// outputs appends what a patch writes.
func (r *renderer) outputs(to []output, p *patch) []output {
	if len(p.text) > 0 {
		to = append(to, output{text: p.text, edge: none})
	}
	for _, s := range p.content {
		if s.carried == nil {
			if len(s.text) > 0 {
				to = append(to, output{text: s.text, edge: s.edge})
			}
			continue
		}
		start, end := r.extent(*s.carried)
		r.walk(start, end, s.carried, func(from, until int32) { to = append(to, output{from: from, to: until, edge: none}) },
			func(p *patch) { to = r.outputs(to, p) })
	}
	return to
}

// all returns the whole wanted text.
func (r *renderer) all() []output {
	list := make([]output, 0, 2*len(r.patches)+1)
	r.walk(0, int32(len(r.d.text)), nil, func(from, to int32) { list = append(list, output{from: from, to: to, edge: none}) },
		func(p *patch) { list = r.outputs(list, p) })
	return list
}

// bytes returns the bytes of an output.
func (r *renderer) bytes(o *output) []byte {
	if o.text != nil {
		return o.text
	}
	return r.d.text[o.from:o.to:o.to]
}

// splice applies the patches to the text.
func (r *renderer) splice() Pieces {
	list := r.all()
	pieces := make(Pieces, len(list))
	for i := range list {
		pieces[i] = r.bytes(&list[i])
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

// A shift says by how many lines a part of the text moves.
type shift struct {
	from  int32
	lines int
}

// shifts returns the shifts of all parts of the text that stay, sorted by their former place.
func (r *renderer) shifts() []shift {
	type part struct {
		from, to int32
		line     int
	}
	var parts []part
	newline, line := []byte("\n"), 0
	list := r.all()
	for i := range list {
		if o := &list[i]; o.text == nil {
			parts = append(parts, part{o.from, o.to, line})
		}
		line += bytes.Count(r.bytes(&list[i]), newline)
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	shifts := make([]shift, len(parts))
	pos, was := int32(0), 0
	for i, p := range parts {
		was += bytes.Count(r.d.text[pos:p.from], newline)
		shifts[i] = shift{p.from, p.line - was}
		pos = p.from
	}
	return shifts
}
