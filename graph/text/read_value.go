package text

import (
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"wf/graph/attribute"
)

// value reads the value of an attribute, as a workfile has it.
func (r *reader) value(a *attribute.Attribute, n *yaml.Node) (text string, ok bool) {
	n = resolve(n)
	if n.Kind == yaml.ScalarNode {
		if isNull(n) {
			r.wrong(n, "remove it, or write a value: "+a.Meaning, "%s has no value", a.Name)
			return "", false
		}
		return textOf(n), true
	}
	switch f := formOf(a); {
	case f == formJSON, f == formList && n.Kind == yaml.SequenceNode:
		v, ok := r.structure(n)
		if !ok {
			return "", false
		}
		return v.json(), true
	case f == formVariables:
		return r.variables(a, n)
	case f == formLines:
		return r.lines(a, n)
	case n.Kind == yaml.SequenceNode && listsWords(a):
		return r.joined(a, n, " ")
	}
	r.wrong(n, a.Meaning, "%s is %s, and a text is needed", a.Name, describe(n))
	return "", false
}

// structure reads a value that becomes JSON. As in YAML 1.2, only true, false, null and the numbers of JSON are no texts.
func (r *reader) structure(n *yaml.Node) (*jsonValue, bool) {
	n = resolve(n)
	switch n.Kind {
	case yaml.SequenceNode:
		v := &jsonValue{list: true}
		for _, item := range n.Content {
			inner, ok := r.structure(item)
			if !ok {
				return nil, false
			}
			v.items = append(v.items, inner)
		}
		return v, true
	case yaml.MappingNode:
		v, good := &jsonValue{fields: []jsonField{}}, true
		r.entries(n, "the value", "", func(key, value *yaml.Node) {
			inner, ok := r.structure(value)
			good = good && ok
			v.fields = append(v.fields, jsonField{key.Value, inner})
		})
		return v, good
	}
	bare := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch {
	case bare && isNull(n):
		return &jsonValue{text: "null", literal: true}, true
	case bare && (n.Value == "true" || n.Value == "false" || isNumber(n.Value)):
		return &jsonValue{text: n.Value, literal: true}, true
	}
	return &jsonValue{text: n.Value}, true
}

// variables reads a mapping, or a list of NAME=value, as the lines of an attribute.
func (r *reader) variables(a *attribute.Attribute, n *yaml.Node) (string, bool) {
	if n.Kind == yaml.SequenceNode {
		return r.joined(a, n, "\n")
	}
	var lines []string
	good := true
	r.entries(n, a.Name, "", func(key, value *yaml.Node) {
		text := ""
		if value = resolve(value); !isNull(value) {
			var ok bool
			if text, ok = r.text(key, value); !ok {
				good = false
				return
			}
		}
		switch {
		case !variableName.Get().MatchString(key.Value):
			r.wrong(key, "use letters, digits and _", "%s is no name of a variable", shortened(key.Value))
		case strings.Contains(text, "\n"):
			r.wrong(value, "let the command read it from a file", "the variable %s has several lines, which a workfile cannot hold", key.Value)
		}
		lines = append(lines, key.Value+"="+text)
	})
	return strings.Join(lines, "\n"), good
}

// lines reads a mapping, or a list of texts and mappings, as lines.
func (r *reader) lines(a *attribute.Attribute, n *yaml.Node) (string, bool) {
	var lines []string
	good := true
	pairs := func(n *yaml.Node) {
		r.entries(n, a.Name, "", func(key, value *yaml.Node) {
			text, ok := r.text(key, value)
			good = good && ok
			lines = append(lines, key.Value+": "+text)
		})
	}
	if n.Kind == yaml.MappingNode {
		pairs(n)
		return strings.Join(lines, "\n"), good
	}
	for _, item := range n.Content {
		if item = resolve(item); item.Kind == yaml.MappingNode {
			pairs(item)
			continue
		}
		text, ok := r.text(&yaml.Node{Value: a.Name}, item)
		good = good && ok
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n"), good
}

// joined reads a list of texts.
func (r *reader) joined(a *attribute.Attribute, n *yaml.Node, between string) (string, bool) {
	var parts []string
	for _, item := range n.Content {
		text, ok := r.text(&yaml.Node{Value: a.Name}, item)
		if !ok {
			return "", false
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, between), true
}
