package graphml

import "strings"

// graphmlSpace is part of the namespace URI in all versions of GraphML.
const graphmlSpace = "graphml.graphdrawing.org"

// A scope records which prefixes mean GraphML at a place of the file. Scopes are values: entering an
// element does not change the scope around it.
type scope struct {
	plain    bool // names without a prefix are GraphML's
	bindings *binding
}

// A binding is one xmlns:prefix declaration in force, and those outside of it.
type binding struct {
	prefix string
	ours   bool
	outer  *binding
}

// ours reports whether a prefix means GraphML in the scope.
func (c *scope) ours(prefix string) bool {
	if prefix == "" {
		return c.plain
	}
	for b := c.bindings; b != nil; b = b.outer {
		if b.prefix == prefix {
			return b.ours
		}
	}
	return false
}

// enter adds the declarations of a tag.
func (c *scope) enter(t *tag) {
	for _, a := range t.attrs {
		ours := strings.Contains(a.value, graphmlSpace)
		if a.name == "xmlns" {
			c.plain = ours || a.value == ""
		} else if prefix, ok := strings.CutPrefix(a.name, "xmlns:"); ok {
			c.bindings = &binding{prefix, ours, c.bindings}
		}
	}
}

// enterRoot is enter for the root element, whose own namespace always counts as GraphML: files with
// none, or with a misspelt one, are common.
func (c *scope) enterRoot(t *tag) {
	c.plain = true
	c.enter(t)
	if t.prefix == "" {
		c.plain = true
	} else {
		c.bindings = &binding{t.prefix, true, c.bindings}
	}
}
