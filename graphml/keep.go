package graphml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// A Kept is what makes a document again from the bytes that it has saved: the bytes that were read, and
// what was wanted where they say something else. Whoever keeps edits beyond the life of a document keeps
// this with them, since only the bytes that were read can give back what an edit replaced.
//
// A Kept counts nodes and edges in the order of the bytes that were read, and those that edits have added
// behind them: see Numbering.
type Kept struct {
	Spans []Span     `json:"spans,omitempty"` // the bytes that were read, by those that were saved
	Whole []byte     `json:"whole,omitempty"` // or all of them, for files that are packed or not UTF-8
	Edits []KeptEdit `json:"edits,omitempty"`
	Bare  bool       `json:"bare,omitempty"` // the saved bytes have no results: see Document.Bare
}

// A Span leaves out some of the bytes that were saved, copies some, and has a text that is not in them.
type Span struct {
	Skip int    `json:"skip,omitempty"`
	Copy int    `json:"copy,omitempty"`
	Text []byte `json:"text,omitempty"`
}

// A KeptEdit is what is wanted of one element.
type KeptEdit struct {
	Of      string     `json:"of"` // node, edge or graph
	Number  int        `json:"number"`
	Removed bool       `json:"removed,omitempty"`
	Wants   []KeptWant `json:"wants,omitempty"`
	New     *KeptNew   `json:"new,omitempty"` // of an element that an edit has added
}

// A KeptWant is a wanted value, or the absence of one.
type KeptWant struct {
	Name    string `json:"name"`
	Value   string `json:"value,omitempty"`
	Present bool   `json:"present,omitempty"`
}

// A KeptNew is what the start tag of an added element says.
type KeptNew struct {
	ID        string   `json:"id,omitempty"`
	Parent    string   `json:"parent,omitempty"`
	Container bool     `json:"container,omitempty"`
	Source    string   `json:"source,omitempty"`
	Target    string   `json:"target,omitempty"`
	Shadowed  []string `json:"shadowed,omitempty"`
}

// A Numbering turns keys of nodes and edges into the numbers of a Kept.
type Numbering struct{ nodes, edges map[int]int }

// Node is the number of the node with the key, -1 if it is not in the Kept.
func (n *Numbering) Node(key int) int { return numberOf(n.nodes, key) }

// Edge is Node for edges.
func (n *Numbering) Edge(key int) int { return numberOf(n.edges, key) }

func numberOf(numbers map[int]int, key int) int {
	if n, ok := numbers[key]; ok {
		return n
	}
	return -1
}

// Keep returns what makes the document again from the bytes that Render returns now. nodes and edges are
// the keys that edits which are to be undone or redone speak of; the Numbering turns them, and those of
// the elements that are there, into the numbers of the Kept.
func (d *Document) Keep(nodes, edges map[int]bool) (Kept, Numbering) {
	n := Numbering{map[int]int{}, map[int]int{}}
	k := Kept{Bare: d.IsBare()}
	numbers := map[ref]int{}
	for dom, of := range []struct {
		elements []element
		used     map[int]bool
		number   map[int]int
	}{{d.nodes, nodes, n.nodes}, {d.edges, edges, n.edges}} {
		next := 0
		for i := range of.elements {
			at := ref{domain(dom), int32(i)}
			key := d.keyOf(at)
			if of.elements[i].start == added && d.editOf(at).removed && !of.used[key] {
				continue // nothing can bring it back
			}
			of.number[key], numbers[at] = next, next
			next++
		}
	}
	for _, at := range d.touched {
		e := d.editOf(at)
		number, known := numbers[at]
		if at.domain != ofGraph && !known || e.new == nil && !e.removed && len(e.wants) == 0 {
			continue
		}
		k.Edits = append(k.Edits, keptEdit(at.domain, number, e))
	}
	switch {
	case d.form.packed || d.form.charset != utf8Charset:
		k.Whole = d.file
	case d.Dirty():
		k.Spans = d.spans()
	default:
		k.Spans = []Span{{Copy: len(d.text)}}
	}
	return k, n
}

func keptEdit(dom domain, number int, e *edit) KeptEdit {
	kept := KeptEdit{Of: dom.String(), Number: number, Removed: e.removed}
	for _, w := range e.wants {
		kept.Wants = append(kept.Wants, KeptWant{w.name, w.value, w.present})
	}
	if e.new != nil {
		kept.New = &KeptNew{e.new.id, e.new.parent, e.new.container, e.new.source, e.new.target, e.new.shadowed}
	}
	return kept
}

// spans are the patches of the document, the other way round.
func (d *Document) spans() []Span {
	r := newRenderer(d)
	var spans []Span
	pos, skip := int32(0), 0
	for _, p := range r.cuts() {
		if p.start > pos {
			spans = append(spans, Span{Skip: skip, Copy: int(p.start - pos)})
			skip = 0
		}
		if p.end > p.start {
			spans = append(spans, Span{Skip: skip, Text: d.text[p.start:p.end]})
			skip = 0
		}
		skip += len(p.text)
		pos = p.end
	}
	return append(spans, Span{Skip: skip, Copy: len(d.text) - int(pos)})
}

// base are the bytes that were read.
func (k *Kept) base(saved []byte) ([]byte, error) {
	if k.Whole != nil {
		return k.Whole, nil
	}
	var base []byte
	for _, s := range k.Spans {
		if s.Skip < 0 || s.Copy < 0 || s.Skip > len(saved) || s.Copy > len(saved)-s.Skip {
			return nil, errors.New("the file has fewer bytes than were saved")
		}
		base = append(append(base, saved[s.Skip:s.Skip+s.Copy]...), s.Text...)
		saved = saved[s.Skip+s.Copy:]
	}
	if len(saved) > 0 {
		return nil, errors.New("the file has more bytes than were saved")
	}
	return base, nil
}

// A Resumed is a document as it was when it was kept. Its keys are those of a graph that was read from the
// saved bytes and then got the keys Nodes and Edges, each in the order of the file: elements that can
// come back have the keys between.
type Resumed struct {
	*Document
	Nodes, Edges []int
	numbers      map[int]int // keys of nodes by number
}

// NodeKey is the key of the node that has a number in the Kept.
func (r *Resumed) NodeKey(number int) int { return numberOf(r.numbers, number) }

// Next are the lowest keys that no node and no edge has or can come back under.
func (r *Resumed) Next() (node, edge int) { return len(r.nodes), len(r.edges) }

// Resume makes a document again. saved is what it had written, and ids are the ids of the nodes therein, in
// the order of the file. It fails if what it would write is not what it had written.
func Resume(saved []byte, k Kept, ids []string, limits Limits) (*Resumed, error) {
	base, err := k.base(saved)
	if err != nil {
		return nil, err
	}
	d, _, _, err := Parse(base, limits)
	if err != nil {
		return nil, err
	}
	for i := range k.Edits {
		if err := d.want(&k.Edits[i]); err != nil {
			return nil, err
		}
	}
	text, _, err := unpack(saved, limits.withDefaults().MaxBytes)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(d.wanted(), text) {
		return nil, errors.New("the file is not what was saved")
	}
	r := &Resumed{Document: d, Edges: d.edgeKeys(), numbers: map[int]int{}}
	r.Nodes, err = d.nodeKeys(ids, r.numbers)
	return r, err
}

// wanted is the text that the document wants.
func (d *Document) wanted() []byte {
	if !d.Dirty() {
		return d.text
	}
	return bytes.Join(newRenderer(d).splice(), nil)
}

// want takes over a kept edit.
func (d *Document) want(k *KeptEdit) error {
	at := ref{domain(slices.Index(domainWords[:domains], k.Of)), int32(k.Number)}
	list := map[domain]int{ofNode: len(d.nodes), ofEdge: len(d.edges), ofGraph: 1}
	most, known := list[at.domain]
	if !known || k.Number < 0 || k.New == nil && k.Number >= most || k.New != nil && (k.Number != most || at.domain == ofGraph) {
		return fmt.Errorf("an edit is about %s %d, which is not there", k.Of, k.Number)
	}
	switch {
	case k.New == nil:
	case at.domain == ofNode:
		d.nodes = append(d.nodes, element{start: added, first: none})
		d.nodeEdits = append(d.nodeEdits, nil)
	default:
		d.edges = append(d.edges, element{start: added, first: none})
		d.edgeEdits = append(d.edgeEdits, nil)
	}
	d.change(at, func(e *edit) {
		if e.removed = k.Removed; k.New != nil {
			e.new = &newElementSpec{id: k.New.ID, key: k.Number, parent: k.New.Parent, container: k.New.Container,
				source: k.New.Source, target: k.New.Target, shadowed: k.New.Shadowed}
		}
		for _, w := range k.Wants {
			e.put(want{w.Name, w.Value, w.Present})
		}
	})
	if at.domain != ofNode {
		return nil
	}
	switch id := d.nodeID(at.number); {
	case !k.Removed:
		d.nodeNumber[id] = at.number
	case d.nodeNumber[id] == at.number:
		delete(d.nodeNumber, id)
	}
	return nil
}

// nodeKeys gives all nodes keys in the order in which they stand in the file: those of ids, which are there,
// and between them those that can come back. It returns the keys of ids.
func (d *Document) nodeKeys(ids []string, byNumber map[int]int) ([]int, error) {
	if len(ids) != len(d.nodeNumber) {
		return nil, fmt.Errorf("there are %d nodes, not %d", len(ids), len(d.nodeNumber))
	}
	gone := d.goneNodes()
	next := 0
	give := func(number int32) {
		byNumber[int(number)], d.newNodes[next] = next, number
		next++
	}
	keys := make([]int, len(ids))
	for i, id := range ids {
		number, ok := d.nodeNumber[id]
		if !ok {
			return nil, fmt.Errorf("node %s is not in the file", id)
		}
		for ; len(gone) > 0 && comparePlaces(gone[0], d.placeOf(number)) < 0; gone = gone[1:] {
			give(gone[0].number)
		}
		keys[i] = next
		give(number)
	}
	for _, p := range gone {
		give(p.number)
	}
	d.keyByNumber = make([]int, len(d.nodes))
	for number, key := range byNumber {
		d.keyByNumber[number] = key
		if e := d.nodeEdits[number]; e != nil && e.new != nil {
			e.new.key = key
		}
	}
	return keys, nil
}

// goneNodes are the places of the nodes that are removed, in order.
func (d *Document) goneNodes() []place {
	var gone []place
	for i := range d.nodes {
		if d.nodeEdits[i].gone() {
			gone = append(gone, d.placeOf(int32(i)))
		}
	}
	slices.SortFunc(gone, comparePlaces)
	return gone
}

// A place is where a node stands in the text, or is inserted.
type place struct {
	offset int32
	text   int // 0 for what is inserted at the offset, 1 for the text there
	number int32
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.text, b.text), cmp.Compare(a.number, b.number))
}

func (d *Document) placeOf(number int32) place {
	p := place{d.nodes[number].start, 1, number}
	if p.offset != added {
		return p
	}
	p.text = 0
	for at := number; ; {
		parent, ok := d.nodeNumber[d.nodeEdits[at].new.parent]
		if ok && d.nodes[parent].start == added {
			at = parent
			continue
		}
		g := int32(0)
		if ok {
			g = d.graphIn(parent)
		}
		switch {
		case g == none:
			p.offset = d.nodes[parent].end
		case d.graphs[g].lastNode != none:
			p.offset = d.nodes[d.graphs[g].lastNode].end
		default:
			p.offset = d.graphs[g].end
		}
		return p
	}
}

// edgeKeys are the keys of the edges that are there: their numbers, since those of the text come before
// those that edits have added.
func (d *Document) edgeKeys() []int {
	keys := make([]int, 0, len(d.edges))
	for i := range d.edges {
		e := d.edgeEdits[i]
		if e != nil && e.new != nil {
			d.newEdges[i] = int32(i)
		}
		if !e.gone() {
			keys = append(keys, i)
		}
	}
	return keys
}

// keyOf is the key of an element.
func (d *Document) keyOf(at ref) int {
	e := d.editOf(at)
	switch {
	case e != nil && e.new != nil:
		return e.new.key
	case at.domain == ofNode && d.keyByNumber != nil:
		return d.keyByNumber[at.number]
	}
	return int(at.number)
}

// TakeOver wants all values that another document of the same file wants, whose nodes and edges are those of
// its text. edges are the keys of these edges here.
func (d *Document) TakeOver(from *Document, edges []int) error {
	for _, at := range from.touched {
		e := from.editOf(at)
		for _, w := range e.wants {
			var err error
			switch at.domain {
			case ofNode:
				err = d.setNode(from.nodeID(at.number), w)
			case ofEdge:
				err = d.setEdge(edges[at.number], w)
			default:
				err = d.set(at, w)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
