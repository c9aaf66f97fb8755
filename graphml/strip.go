package graphml

import (
	"slices"
	"strings"

	"wf/graph"
)

// Results are what runs write into a workfile: statuses of nodes, marks of edges, captured output.

// isResult says whether an attribute of an element is one.
func isResult(dom domain, name string) bool {
	return name == "status" && dom != ofGraph || dom == ofNode && graph.Captured(name)
}

// isBlank says whether a result says nothing. Texts that are no status of ours count as none.
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

// HasOutput says whether a node of the file has captured output, as it would be saved now.
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

// ClearNode wants a node without results. It reports whether that is a change.
func (d *Document) ClearNode(id string) bool {
	number, ok := d.nodeNumber[id]
	return ok && d.clear(ref{ofNode, number}, "status", "command", "stdout", "stderr", "pid", "error_code", "log")
}

// ClearEdge wants an edge without a mark. It reports whether that is a change.
func (d *Document) ClearEdge(key int) bool {
	number, ok := d.edgeNumber(key)
	return ok && !d.edgeEdits[number].gone() && d.clear(ref{ofEdge, number}, "status")
}

func (d *Document) clear(r ref, names ...string) (changed bool) {
	for _, name := range names {
		_, present, wanted := d.editOf(r).get(name)
		if !wanted {
			present = d.element(r).start != added && d.find(r, name) != none
		}
		if !present {
			continue
		}
		w := want{name: name}
		if inherited(d.defaults[r.domain], name) != "" {
			w.present = true // without a value of its own the default would show
		}
		changed = d.set(r, w) == nil || changed
	}
	return changed
}

// Bare wants the document without results, and to look as if there never were any. origin is the workfile
// before any run wrote into it, nil if nobody knows: with it also the keys that were declared for results
// vanish, empty values look as they did, and if nothing but results has changed, the bytes are those of
// origin. That holds until a result is wanted again. Bare reports whether there were results.
func (d *Document) Bare(origin []byte) (had bool) {
	for id := range d.nodeNumber {
		had = d.ClearNode(id) || had
	}
	for i := range d.edges {
		if e := d.edgeEdits[i]; !e.gone() {
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

// IsBare says whether Bare holds.
func (d *Document) IsBare() bool { return d.bare != nil }

// strips says whether Bare takes an attribute away. One with a default in the file needs an empty value.
func (d *Document) strips(dom domain, name string) bool {
	return d.bare != nil && isResult(dom, name) && inherited(d.defaults[dom], name) == ""
}

// bareness is what a document without results shall look like.
type bareness struct {
	origin *Document // nil if there is none
	edges  map[endIDs][]int32
}

// endIDs are the ids of the nodes that an edge connects.
type endIDs struct{ source, target string }

func (d *Document) edgesByEnds() map[endIDs][]int32 {
	edges := map[endIDs][]int32{}
	for i := range d.edges {
		if d.edges[i].start != added {
			between := d.ends(int32(i))
			edges[between] = append(edges[between], int32(i))
		}
	}
	return edges
}

func (d *Document) ends(edge int32) endIDs {
	source, _ := d.xmlAttr(ref{ofEdge, edge}, "source")
	target, _ := d.xmlAttr(ref{ofEdge, edge}, "target")
	return endIDs{source, target}
}

// A stripper makes the patches that take results out of a file.
type stripper struct {
	*renderer
	origin  *Document     // nil if there is none
	removed map[int32]int // values that are taken away, by number of the key id
}

// strip takes all results out. Elements of origin are found by id, and by ends and order.
func (r *renderer) strip(b *bareness) {
	s := stripper{renderer: r, origin: b.origin, removed: map[int32]int{}}
	for number := range r.d.nodes {
		at, was := ref{ofNode, int32(number)}, ref{ofNode, none}
		if r.d.nodes[number].start == added || r.d.editOf(at).gone() {
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
		if !r.d.editOf(at).gone() {
			s.element(at, was)
		}
	}
	s.dropKeys()
}

// element strips one element; was is the same one in origin, with the number none if there is none.
func (s *stripper) element(at, was ref) {
	var patches []patch
	empty := true // what stays is white space
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
			patches = append(patches, patch{start, end, []byte(raw)})
			continue
		}
		s.removed[v.key]++
		patches = append(patches, patch{start - int32(len(s.layout.before(start))), end, nil})
		empty = empty && blank(start)
		pos = end
	}
	if len(patches) == 0 {
		return
	}
	if empty && blank(e.close) && s.d.editOf(at).onlyResults(at.domain) {
		patches = s.collapse(e, was)
	}
	s.patches = append(s.patches, patches...)
}

// onlyResults says whether an edit is about nothing else.
func (e *edit) onlyResults(dom domain) bool {
	return e == nil || !slices.ContainsFunc(e.wants, func(w want) bool { return !isResult(dom, w.name) })
}

// before returns how origin writes an empty value of a result; ok is false if it has none.
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

// collapse writes an element that has nothing left in it as origin did, else as <node/>.
func (s *stripper) collapse(e *element, was ref) []patch {
	tail := "/>"
	if was.number != none {
		o := s.origin.element(was)
		if !o.selfClosed() {
			inner := s.origin.sub(o.inner, o.close)
			if strings.TrimSpace(inner) != "" {
				inner = ""
			}
			return []patch{{e.inner, e.close, []byte(inner)}}
		}
		tag := s.origin.sub(o.start, o.end)
		tail = tag[len(strings.TrimRight(strings.TrimSuffix(tag, "/>"), " \t\r\n")):]
	}
	head := strings.TrimRight(strings.TrimSuffix(s.d.sub(e.start, e.inner), ">"), " \t\r\n")
	return []patch{{e.start, e.end, []byte(head + tail)}}
}

// dropKeys takes away declarations of results that origin does not have and nothing uses any more.
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
