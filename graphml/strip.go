package graphml

import (
	"bytes"
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

// Strip returns a workfile without results. origin is the workfile before any run wrote into it, nil if
// nobody knows: with it also the keys that were declared for results vanish, empty values look as they
// did, and if nothing but results has changed, the bytes are those of origin.
func Strip(data, origin []byte) ([]byte, error) {
	d, g, _, err := Parse(data, Limits{})
	if err != nil {
		return nil, err
	}
	s := stripper{renderer: renderer{d: d, layout: newLayout(d)}, removed: map[int32]int{}}
	var og *graph.Graph
	if origin != nil {
		if s.origin, og, _, err = Parse(origin, Limits{}); err != nil {
			s.origin = nil
		}
	}
	s.elements(g, og)
	s.dropKeys()
	pieces := s.splice()
	text := bytes.Join(pieces, nil)
	switch {
	case s.origin != nil && bytes.Equal(text, s.origin.text):
		return origin, nil
	case len(s.patches) == 0:
		return data, nil
	}
	return bytes.Join(d.form.pack(Pieces{text}), nil), nil
}

// A stripper makes the patches that take results out of a file.
type stripper struct {
	renderer
	origin  *Document     // nil if there is none
	removed map[int32]int // values that are taken away, by number of the key id
}

// elements strips nodes and edges. Those of origin are found by id, and by ends and order.
func (s *stripper) elements(g, origin *graph.Graph) {
	for id, number := range s.d.nodeNumber {
		at, was := ref{ofNode, number}, ref{ofNode, none}
		if s.origin != nil {
			if n, ok := s.origin.nodeNumber[id]; ok {
				was.number = n
			}
		}
		s.element(at, was)
	}
	type ends struct{ source, target string }
	seen := map[ends]int{}
	for _, e := range g.Edges() {
		between := ends{e.Source.ID, e.Target.ID}
		was := ref{ofEdge, none}
		if s.origin != nil {
			src, dst := origin.Node(e.Source.ID), origin.Node(e.Target.ID)
			if src != nil && dst != nil {
				if edges := origin.EdgesBetween(src, dst); seen[between] < len(edges) {
					was.number = int32(edges[seen[between]].Key)
				}
			}
		}
		seen[between]++
		s.element(ref{ofEdge, int32(e.Key)}, was)
	}
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
		if k == nil || v.structured || !isResult(at.domain, k.name) {
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
	if empty && blank(e.close) {
		patches = s.collapse(e, was)
	}
	s.patches = append(s.patches, patches...)
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
