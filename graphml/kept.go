package graphml

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// A Kept is the persistent form of a document: Resume restores the document from it and the saved
// file. It describes the bytes that were read, which undo needs to restore what an edit replaced, and
// the edits.
//
// A Kept numbers nodes and edges in the order of the bytes that were read, followed by those that
// edits have added: see Numbering.
type Kept struct {
	Spans []Span     `json:"spans,omitempty"` // the bytes that were read, as changes of the saved bytes
	Whole []byte     `json:"whole,omitempty"` // or the bytes themselves, for files that are packed or not UTF-8
	Edits []KeptEdit `json:"edits,omitempty"`
	Bare  bool       `json:"bare,omitempty"` // the saved bytes have no results: see Document.Bare
}

// A Span describes a part of the bytes that were read: it skips some saved bytes, then copies some,
// then inserts a text.
type Span struct {
	Skip int    `json:"skip,omitempty"`
	Copy int    `json:"copy,omitempty"`
	Text []byte `json:"text,omitempty"`
}

// A KeptEdit is the edit of one element.
type KeptEdit struct {
	Of     string `json:"of"` // node, edge or graph
	Number int    `json:"number"`
	edit
}

// A Numbering turns keys of nodes and edges into the numbers of a Kept.
type Numbering struct{ nodes, edges map[int]int }

// Node returns the number of the node with the key, -1 if it is not in the Kept.
func (n *Numbering) Node(key int) int { return numberOf(n.nodes, key) }

// Edge is Node for edges.
func (n *Numbering) Edge(key int) int { return numberOf(n.edges, key) }

func numberOf(numbers map[int]int, key int) int {
	if n, ok := numbers[key]; ok {
		return n
	}
	return -1
}

// Keep returns the Kept that restores the document from the bytes that Render returns now. nodes and
// edges are the keys that undo and redo steps refer to. The Numbering maps these keys, and those of
// the existing elements, to the numbers of the Kept.
func (d *Document) Keep(nodes, edges map[int]bool) (Kept, Numbering) {
	n := Numbering{map[int]int{}, map[int]int{}}
	k := Kept{Bare: d.isBare()}
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
			if of.elements[i].start == added && d.edits.of(at).Removed && !of.used[key] {
				continue // no undo or redo step refers to it
			}
			of.number[key], numbers[at] = next, next
			next++
		}
	}
	for _, at := range d.edits.touched {
		e := d.edits.of(at)
		number, known := numbers[at]
		if at.domain != ofGraph && !known || e.New == nil && !e.Removed && len(e.Wants)+len(e.Spots) == 0 && e.Ends == nil {
			continue
		}
		k.Edits = append(k.Edits, keptEdit(at.domain, number, e))
	}
	switch {
	case d.form.packed || d.form.charset != utf8Charset:
		k.Whole = d.file
	case d.dirty():
		k.Spans = d.spans()
	default:
		k.Spans = []Span{{Copy: len(d.text)}}
	}
	return k, n
}

// keptEdit returns a copy of an edit, which later edits do not change.
func keptEdit(dom domain, number int, e *edit) KeptEdit {
	kept := KeptEdit{Of: dom.String(), Number: number, edit: *e}
	kept.Wants, kept.Spots = slices.Clone(e.Wants), slices.Clone(e.Spots)
	if e.New != nil {
		added := *e.New
		kept.New = &added
	}
	return kept
}

// spans returns the inverse of the patches of the document.
func (d *Document) spans() []Span {
	r := newRenderer(d)
	var spans []Span
	skip := 0
	add := func(s Span) {
		s.Skip, skip = skip, 0
		spans = append(spans, s)
	}
	r.walk(0, int32(len(d.text)), nil, func(from, to int32) { add(Span{Copy: int(to - from)}) }, func(p *patch) {
		if p.end > p.start {
			add(Span{Text: d.text[p.start:p.end]})
		}
		list := r.outputs(nil, p)
		for i := range list {
			skip += len(r.bytes(&list[i]))
		}
	})
	if skip > 0 {
		add(Span{})
	}
	return spans
}

// base returns the bytes that were read.
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

// A Resumed is a restored document. Nodes and Edges are the keys that the graph, as read from the
// saved bytes, must give its nodes and edges, each in the order of the file. Removed elements that can
// be added again have the keys in between.
type Resumed struct {
	*Document
	Nodes, Edges []int
	numbers      NewKeys // keys by number in the Kept
}

// NodeKey returns the key of the node with a number in the Kept, -1 if there is none.
func (r *Resumed) NodeKey(number int) int { return r.numbers.Node(number) }

// EdgeKey is NodeKey for edges.
func (r *Resumed) EdgeKey(number int) int { return r.numbers.Edge(number) }

// Next returns the lowest keys that are not used by existing or removed nodes and edges.
func (r *Resumed) Next() (node, edge int) { return len(r.nodes), len(r.edges) }

// Resume restores a document. saved are the bytes that Render returned when it was kept, and ids are
// the ids of their nodes, in the order of the file. Resume returns an error if the restored document
// would not render these bytes.
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
	r := &Resumed{Document: d, numbers: d.Reorder()}
	for number, key := range d.edgeKeys {
		if !d.edits.edges[number].gone() {
			r.Edges = append(r.Edges, key)
		}
	}
	slices.Sort(r.Edges)
	r.Nodes, err = d.keysOf(ids)
	return r, err
}

// keysOf returns the keys of the existing nodes, whose ids are given in the order of the file.
func (d *Document) keysOf(ids []string) ([]int, error) {
	if len(ids) != len(d.nodeNumber) {
		return nil, fmt.Errorf("there are %d nodes, not %d", len(ids), len(d.nodeNumber))
	}
	keys := make([]int, len(ids))
	for i, id := range ids {
		number, ok := d.nodeNumber[id]
		if !ok {
			return nil, fmt.Errorf("node %s is not in the file", id)
		}
		if keys[i] = d.nodeKeys[number]; i > 0 && keys[i] <= keys[i-1] {
			return nil, fmt.Errorf("node %s is at another place in the file", id)
		}
	}
	return keys, nil
}

// wanted returns the text with all edits.
func (d *Document) wanted() []byte {
	if !d.dirty() {
		return d.text
	}
	return bytes.Join(newRenderer(d).splice(), nil)
}

// want applies a kept edit.
func (d *Document) want(k *KeptEdit) error {
	at := ref{domain(slices.Index(domainWords[:domains], k.Of)), int32(k.Number)}
	list := map[domain]int{ofNode: len(d.nodes), ofEdge: len(d.edges), ofGraph: 1}
	most, known := list[at.domain]
	if !known || k.Number < 0 || k.New == nil && k.Number >= most || k.New != nil && (k.Number != most || at.domain == ofGraph) {
		return fmt.Errorf("an edit refers to %s %d, which does not exist", k.Of, k.Number)
	}
	switch {
	case k.New == nil:
	case at.domain == ofNode:
		d.nodes = append(d.nodes, element{start: added, first: none})
		d.edits.nodes = append(d.edits.nodes, nil)
	default:
		d.edges = append(d.edges, element{start: added, first: none})
		d.edits.edges = append(d.edits.edges, nil)
	}
	d.change(at, func(e *edit) {
		if e.Removed = k.Removed; k.New != nil {
			added := *k.New
			added.key, e.New = k.Number, &added
		}
		for _, w := range k.Wants {
			e.fill(w)
		}
		e.Spots, e.At, e.Ends = slices.Clone(k.Spots), min(max(0, k.At), len(k.Spots)), k.Ends
	})
	for _, s := range k.Spots {
		if d.ranks = max(d.ranks, s.Rank); s.Near < none || int(s.Near) >= len(d.nodes) || s.Near != none && d.nodes[s.Near].start == added {
			return fmt.Errorf("an edit refers to node %d, which does not exist", s.Near)
		}
	}
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

// keyOf returns the key of an element.
func (d *Document) keyOf(at ref) int {
	e := d.edits.of(at)
	switch {
	case e != nil && e.New != nil:
		return e.New.key
	case at.domain == ofNode && d.nodeKeys != nil:
		return d.nodeKeys[at.number]
	case at.domain == ofEdge && d.edgeKeys != nil:
		return d.edgeKeys[at.number]
	}
	return int(at.number)
}

// TakeOver copies all wanted values from another document of the same file that has neither added nor
// removed elements. edges are the keys of the edges of the other document in this one.
func (d *Document) TakeOver(from *Document, edges []int) error {
	for _, at := range from.edits.touched {
		e := from.edits.of(at)
		for w := range e.wants() {
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
