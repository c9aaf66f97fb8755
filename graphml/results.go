package graphml

import (
	"strings"

	"wf/graph"
)

// Results are the values that runs write into a workfile: statuses of nodes, marks of edges, captured output.

// isResult reports whether an attribute of an element is a result.
func isResult(dom domain, name string) bool {
	return name == "status" && dom != ofGraph || dom == ofNode && graph.Captured(name)
}

// isBlank reports whether a result means the same as none. Unknown statuses count as none.
func isBlank(dom domain, name, value string) bool {
	switch {
	case name != "status":
		return strings.TrimSpace(value) == ""
	case dom == ofEdge:
		mark, _ := graph.ParseMark(value)
		return mark == graph.Unmarked
	}
	status, _ := graph.ParseStatus(value)
	return status == graph.Idle
}

// HasOutput reports whether a node of the file has captured output, as it would be saved now.
func (d *Document) HasOutput() bool {
	for id, number := range d.nodeNumber {
		for i := d.nodes[number].first; i != none; i = d.slots[i].next {
			k := d.keys.key(ofNode, &d.slots[i])
			if k == nil || !graph.Captured(k.name) {
				continue
			}
			if value, _ := d.NodeAttr(id, k.name); !isBlank(ofNode, k.name, value) {
				return true
			}
		}
	}
	return false
}

// ClearNode removes the results of a node. It reports whether that is a change.
func (d *Document) ClearNode(id string) bool {
	number, ok := d.nodeNumber[id]
	return ok && d.clear(ref{ofNode, number}, "status", "command", "stdout", "stderr", "pid", "error_code", "log")
}

// ClearEdge removes the mark of an edge. It reports whether that is a change.
func (d *Document) ClearEdge(key int) bool {
	number, ok := d.edgeNumber(key)
	return ok && !d.edits.edges[number].gone() && d.clear(ref{ofEdge, number}, "status")
}

func (d *Document) clear(r ref, names ...string) (changed bool) {
	for _, name := range names {
		_, present, wanted := d.edits.of(r).get(name)
		if !wanted {
			present = d.element(r).start != added && d.find(r, name) != none
		}
		if !present {
			continue
		}
		w := want{Name: name}
		if inherited(d.defaults[r.domain], name) != "" {
			w.Present = true // an absent value would mean the default
		}
		changed = d.set(r, w) == nil || changed
	}
	return changed
}

// Bare removes all results and their traces. origin is the workfile before any run wrote into it, nil
// if it is unknown. With origin, keys that were declared for results are removed as well, empty values
// are written as in origin, and if only results have changed, Render returns the bytes of origin.
// Setting a result ends this. Bare reports whether there were results.
func (d *Document) Bare(origin []byte) (had bool) {
	for id := range d.nodeNumber {
		had = d.ClearNode(id) || had
	}
	for i := range d.edges {
		if e := d.edits.edges[i]; !e.gone() {
			had = d.clear(ref{ofEdge, int32(i)}, "status") || had
		}
	}
	d.bare = &bareness{}
	if origin == nil {
		return had
	}
	if o, _, _, err := Parse(origin, Limits{}); err == nil {
		d.bare.origin, d.bare.edges = o, o.edgesByEnds()
	}
	return had
}

// isBare reports whether Bare was called and no result was set since.
func (d *Document) isBare() bool { return d.bare != nil }

// strips reports whether Bare removes an attribute. One with a default gets an empty value instead.
func (d *Document) strips(dom domain, name string) bool {
	return d.bare != nil && isResult(dom, name) && inherited(d.defaults[dom], name) == ""
}

// bareness is the workfile before any run, which Bare restores.
type bareness struct {
	origin *Document // nil if unknown
	edges  map[endIDs][]int32
}

// endIDs are the ids of the nodes that an edge connects.
type endIDs struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

// A stripper makes the patches that remove results from a file.
type stripper struct {
	*renderer
	origin  *Document     // nil if unknown
	removed map[int32]int // number of removed values, by number of the key id
}

// strip removes all results. It finds nodes of origin by id, and edges by source, target and order.
func (r *renderer) strip(b *bareness) {
	s := stripper{renderer: r, origin: b.origin, removed: map[int32]int{}}
	for number := range r.d.nodes {
		at, was := ref{ofNode, int32(number)}, ref{ofNode, none}
		if r.d.nodes[number].start == added || r.d.edits.of(at).gone() {
			continue
		}
		if s.origin != nil && r.d.nodes[number].first != none {
			if n, ok := s.origin.nodeNumber[r.d.nodeID(int32(number))]; ok {
				was.number = n
			}
		}
		s.element(at, was)
	}
	seen := map[endIDs]int{}
	for number := range r.d.edges {
		at, was := ref{ofEdge, int32(number)}, ref{ofEdge, none}
		if r.d.edges[number].start == added {
			continue
		}
		if s.origin != nil {
			between := r.d.ends(int32(number))
			if edges := b.edges[between]; seen[between] < len(edges) {
				was.number = edges[seen[between]]
			}
			seen[between]++
		}
		if !r.d.edits.of(at).gone() {
			s.element(at, was)
		}
	}
	s.dropKeys()
}

// element strips one element; was is the same element in origin, with the number none if unknown.
func (s *stripper) element(at, was ref) {
	var patches []patch
	empty := true // the rest is white space
	e := s.d.element(at)
	pos := e.inner
	blank := func(to int32) bool { return strings.TrimSpace(s.d.sub(pos, to)) == "" }
	known := map[string]bool{}
	for i := e.first; i != none; i = s.d.slots[i].next {
		v := &s.d.slots[i]
		start, end := s.d.slotStart(v), s.d.slotEnd(v)
		k := s.d.keys.key(at.domain, v)
		if k == nil || v.structured || !s.d.strips(at.domain, k.name) {
			empty = false
			continue
		}
		if raw, ok := s.before(was, k.name); ok && !known[k.name] {
			known[k.name], empty = true, false
			patches = append(patches, patch{start: start, end: end, text: []byte(raw)})
			continue
		}
		s.removed[v.key]++
		patches = append(patches, patch{start: start - int32(len(s.layout.before(start))), end: end})
		empty = empty && blank(start)
		pos = end
	}
	if len(patches) == 0 {
		return
	}
	if empty && blank(e.close) && s.d.edits.of(at).onlyResults(at.domain) {
		patches = s.collapse(e, was)
	}
	s.patches = append(s.patches, patches...)
}

// onlyResults reports whether an edit changes only results.
func (e *edit) onlyResults(dom domain) bool {
	return e == nil || !e.wantsAny(func(w want) bool { return !isResult(dom, w.Name) })
}

// before returns the empty value of a result as it is written in origin; ok is false if it has none.
func (s *stripper) before(was ref, name string) (raw string, ok bool) {
	if was.number == none {
		return "", false
	}
	slot := s.origin.find(was, name)
	if slot == none {
		return "", false
	}
	if value, _ := decodeValue(s.origin.raw(slot)); !isBlank(was.domain, name, value) {
		return "", false
	}
	v := &s.origin.slots[slot]
	return s.origin.sub(s.origin.slotStart(v), s.origin.slotEnd(v)), true
}

// collapse writes an element that is now empty as in origin, or otherwise as <node/>.
func (s *stripper) collapse(e *element, was ref) []patch {
	tail := "/>"
	if was.number != none {
		o := s.origin.element(was)
		if !o.selfClosed() {
			inner := s.origin.sub(o.inner, o.close)
			if strings.TrimSpace(inner) != "" {
				inner = ""
			}
			return []patch{{start: e.inner, end: e.close, text: []byte(inner)}}
		}
		tag := s.origin.sub(o.start, o.end)
		tail = tag[len(strings.TrimRight(strings.TrimSuffix(tag, "/>"), " \t\r\n")):]
	}
	head := strings.TrimRight(strings.TrimSuffix(s.d.sub(e.start, e.inner), ">"), " \t\r\n")
	return []patch{{start: e.start, end: e.end, text: []byte(head + tail)}}
}

// dropKeys removes declarations of results that are not in origin and not used any more.
func (s *stripper) dropKeys() {
	if s.origin == nil {
		return
	}
	declared := map[string]bool{}
	for i := range s.origin.keys.keys {
		k := &s.origin.keys.keys[i]
		declared[s.origin.keyIDs.ids[k.id]+"\x00"+k.name] = true
	}
	used := map[int32]int{}
	for i := range s.d.slots {
		used[s.d.slots[i].key]++
	}
	for i := range s.d.keys.keys {
		k := &s.d.keys.keys[i]
		if k.all || !isResult(k.domain, k.name) || used[k.id] > s.removed[k.id] || declared[s.d.keyIDs.ids[k.id]+"\x00"+k.name] {
			continue
		}
		s.remove(k.start, k.end)
	}
}
