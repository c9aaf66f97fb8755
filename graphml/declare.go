package graphml

import (
	"slices"
	"strconv"
	"strings"
)

// A newKey is a declaration to be added for a wanted value.
type newKey struct {
	id     string
	domain domain
	name   string
	kind   string
	// graphics is the yfiles.type of a key for drawings, which has neither name nor kind.
	graphics string
}

// keyFor returns the id of the key for a new value. It declares a key if none of the file fits.
func (r *renderer) keyFor(dom domain, w want) string {
	if i := r.d.keys.choose(dom, w.Name, w.Value); i != none {
		return r.d.keyIDs.ids[r.d.keys.keys[i].id]
	}
	kind := kindFor(dom, w.Name, w.Value)
	for _, k := range r.newKeys {
		if k.domain == dom && k.name == w.Name && k.kind == kind {
			return k.id
		}
	}
	k := newKey{id: r.freeID(dom, w.Name), domain: dom, name: w.Name, kind: kind}
	r.newKeys = append(r.newKeys, k)
	return k.id
}

// kindFor chooses the type of a new key: coordinates are numbers, because programs that draw graphs
// require that; all others are strings.
func kindFor(dom domain, name, value string) string {
	if dom == ofNode && (name == "x" || name == "y") && fits(typeDouble, value) {
		return typeDouble
	}
	return typeString
}

// freeID returns a readable id for a key that neither a key nor a value uses.
func (r *renderer) freeID(dom domain, name string) string {
	id := keyID(dom, name)
	for i := 2; !r.isFree(id); i++ {
		id = keyID(dom, name) + "_" + strconv.Itoa(i)
	}
	return id
}

// isFree also looks at ids that are used without a declaration: such values must not become readable
// by accident.
func (r *renderer) isFree(id string) bool {
	_, used := r.d.keyIDs.number[id]
	return !used && !slices.ContainsFunc(r.newKeys, func(k newKey) bool { return k.id == id })
}

// keyID returns the name itself for nodes and the graph, and edge_NAME for edges: all keys share one
// space of ids.
func keyID(dom domain, name string) string {
	id := strings.Map(func(r rune) rune {
		if r < 0x80 && endsName[r] || r == ':' {
			return '_'
		}
		return r
	}, name)
	if dom == ofEdge && !strings.HasPrefix(id, "edge_") {
		id = "edge_" + id
	}
	if startsNoName[id[0]] {
		id = "_" + id
	}
	return id
}

// declareKeys inserts the new declarations after the last one, or as the first children of the
// document.
func (r *renderer) declareKeys() {
	if len(r.newKeys) == 0 {
		return
	}
	at, lead := r.d.root.inner, r.layout.spaceAfter(r.d.root.inner)
	if r.d.text[int(at)+len(lead)] != '<' {
		lead = ""
	}
	g := &r.d.graphs[0]
	for i := range r.d.keys.keys {
		if k := &r.d.keys.keys[i]; k.end < g.start || k.start > g.end {
			at, lead = k.end, r.layout.before(k.start)
		}
	}
	var b strings.Builder
	for _, k := range r.newKeys {
		b.WriteString(lead + `<` + r.d.prefix + `key id="` + r.attr(k.id) + `" for="` + k.domain.String())
		if k.graphics != "" {
			b.WriteString(`" yfiles.type="` + k.graphics + `"/>`)
			continue
		}
		b.WriteString(`" attr.name="` + r.attr(k.name) + `" attr.type="` + k.kind + `"/>`)
	}
	r.patch(at, at, []byte(b.String()))
}
