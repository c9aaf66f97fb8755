package graphml

import (
	"strconv"
	"strings"

	"wf/graph"
)

// A keyTable maps a <data> to its declaration. Declarations may follow the data, and one id may be
// declared once for nodes and once for edges, so the table is made after the scan and indexed by
// domain and id.
type keyTable struct {
	keys     []keyElement
	resolved [domains][]int32 // by domain and number of the key id: index in keys, or none
}

// newKeyTable resolves every key id for every domain in advance, since lookups are frequent.
func newKeyTable(x *index) keyTable {
	t := keyTable{keys: x.keys}
	for d := range domains {
		t.resolved[d] = make([]int32, len(x.keyIDs.ids))
		for i := range t.resolved[d] {
			t.resolved[d][i] = none
		}
		for i := len(t.keys) - 1; i >= 0; i-- { // of several declarations the first counts
			if t.keys[i].all {
				t.resolved[d][t.keys[i].id] = int32(i)
			}
		}
		for i := len(t.keys) - 1; i >= 0; i-- { // and one for the domain takes precedence over for="all"
			if t.keys[i].domain == d && !t.keys[i].all {
				t.resolved[d][t.keys[i].id] = int32(i)
			}
		}
	}
	return t
}

// key returns the declaration that a slot of an element of the domain refers to, nil if there is
// none.
func (t *keyTable) key(d domain, v *slot) *keyElement {
	if i := t.resolved[d][v.key]; i != none {
		return &t.keys[i]
	}
	return nil
}

// serves reports whether elements of the domain may have values with the key.
func (k *keyElement) serves(d domain) bool { return k.all || k.domain == d }

// defaults returns the default values of the domain.
func (t *keyTable) defaults(d domain) []graph.Attr {
	var list []graph.Attr
	for i := range t.keys {
		if k := &t.keys[i]; k.has && k.name != "" && k.serves(d) {
			list = append(list, graph.Attr{Name: k.name, Value: k.fallback})
		}
	}
	return list
}

// choose finds a declared key for a new value: one whose type the value fits, preferably a string. It
// returns none if a key must be declared.
func (t *keyTable) choose(d domain, name, value string) int32 {
	best := int32(none)
	for i := range t.keys {
		k := &t.keys[i]
		if k.name != name || !k.serves(d) || t.resolved[d][k.id] != int32(i) || !fits(k.kind, value) {
			continue
		}
		if k.kind == typeString {
			return int32(i)
		}
		if best == none {
			best = int32(i)
		}
	}
	return best
}

// Types of keys that other programs enforce. Any other is read as a string.
const (
	typeString  = "string"
	typeDouble  = "double"
	typeBoolean = "boolean"
)

// fits reports whether programs that convert values can read a value with a key of the type. An
// empty value always fits.
func fits(kind, value string) bool {
	value = strings.TrimSpace(value)
	if value == "" {
		return true
	}
	var err error
	switch kind {
	case "int":
		_, err = strconv.ParseInt(value, 10, 32)
	case "long":
		_, err = strconv.ParseInt(value, 10, 64)
	case "float", typeDouble:
		_, err = strconv.ParseFloat(value, 64)
	case typeBoolean:
		switch value {
		case "true", "false", "True", "False", "1", "0":
			return true
		}
		return false
	}
	return err == nil
}
