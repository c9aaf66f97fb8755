package text

import (
	"bytes"
	"encoding/json"
	"strings"

	"wf/graph"
	"wf/graph/attribute"
)

// object is a JSON object; its members are sorted when it is written.
type object = map[string]any

// Schema returns a JSON Schema of the texts, made from the table of attributes. Editors use it to complete and to check what
// people write. It allows all forms that Read understands, and not only the canonical ones.
func Schema() []byte {
	doc := object{
		"$schema":              "http://json-schema.org/draft-07/schema#", // the version that YAML language servers know
		"$id":                  "workfile.json",
		"title":                "The text of a workfile",
		"description":          "what wf text prints, and wf new --from yaml and wf edit text read",
		"type":                 "object",
		"required":             []string{wordNodes},
		"additionalProperties": false,
		"properties":           withAttributes(object{wordNodes: reference("nodes")}, attribute.Graph),
		"definitions": object{
			"nodes":     nullable(object{"type": "object", "additionalProperties": reference("node"), "description": "the nodes, by name"}),
			"node":      object{"anyOf": []object{{"type": []string{"string", "number", "boolean", "null"}, "description": "its command"}, nodeSchema()}},
			"edges":     edgesSchema(),
			"edge":      edgeSchema(),
			"condition": conditionSchema(),
			"value":     object{"type": []string{"string", "number", "boolean"}},
		},
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		panic("internal error: the schema: " + err.Error())
	}
	return b.Bytes()
}

func reference(name string) object { return object{"$ref": "#/definitions/" + name} }

func described(schema object, text string) object {
	return object{"description": text, "allOf": []object{schema}}
}

// nullable allows a schema, or nothing.
func nullable(schema object) object {
	return object{"anyOf": []object{schema, {"type": "null"}}}
}

// nodeSchema describes a node that is more than a command.
func nodeSchema() object {
	properties := object{
		wordRun:            object{"type": []string{"string", "number", "boolean", "null"}, "description": "what the shell runs; several lines behind run: |"},
		wordAfter:          described(reference("edges"), "what it waits for: a name, a list of names, or names with conditions"),
		graph.AttrWhen:     described(reference("condition"), "the condition of all edges in after that have none of their own"),
		wordTriggers:       described(reference("edges"), "nodes that run again after it (non-blocking edges)"),
		wordRenamed:        object{"type": "string", "description": "the name that it had before, in wf edit text"},
		wordNodes:          described(reference("nodes"), "the nodes inside this container"),
		"needs":            described(reference("edges"), "the same as after"),
		"depends":          described(reference("edges"), "the same as after"),
		"depends_on":       described(reference("edges"), "the same as after"),
		graph.AttrConflict: object{"type": "string", "description": "what the other version of a merge says; remove it when that is settled"},
	}
	return object{"type": "object", "additionalProperties": false, "properties": withAttributes(properties, attribute.Node)}
}

// withAttributes adds the attributes of the elements to properties.
func withAttributes(properties object, on attribute.Element) object {
	for a := range attribute.On(on) {
		if _, own := properties[a.Name]; !own && shown(a) {
			properties[a.Name] = attributeSchema(a)
		}
	}
	return properties
}

// attributeSchema describes the values of an attribute.
func attributeSchema(a *attribute.Attribute) object {
	value := object{"type": []string{"string", "number", "boolean"}}
	switch f := formOf(a); {
	case f == formJSON:
		value = object{"type": []string{"object", "string"}}
	case f == formList:
		value = object{"type": []string{"array", "string"}}
	case f == formVariables:
		value = object{"anyOf": []object{
			{"type": "object", "additionalProperties": object{"type": []string{"string", "number", "boolean", "null"}}},
			{"type": []string{"string", "array"}}}}
	case f == formLines:
		pairs := object{"type": "object", "additionalProperties": reference("value")}
		if words := starts(a); len(words) > 0 {
			properties := object{}
			for _, word := range words {
				properties[word] = reference("value")
			}
			pairs = object{"type": "object", "properties": properties, "additionalProperties": false}
		}
		value = object{"anyOf": []object{{"type": "string"}, pairs,
			{"type": "array", "items": object{"anyOf": []object{{"type": "string"}, pairs}}}}}
	case a.Kind == attribute.Word:
		value = object{"enum": a.Words}
	case a.Kind == attribute.Truth:
		value = object{"anyOf": []object{{"type": "boolean"}, {"type": "string"}}}
	case a.Kind == attribute.Count:
		value = object{"anyOf": []object{{"type": "integer", "minimum": 1}, {"type": "string"}}}
	case a.Kind == attribute.Number:
		value = object{"anyOf": []object{{"type": "integer", "minimum": 0}, {"type": "string"}}}
	case listsWords(a):
		value = object{"type": []string{"string", "array"}}
	}
	value["description"] = a.Meaning
	return value
}

// starts returns the words with which lines of an attribute may begin in front of a colon, if all of its words are such.
func starts(a *attribute.Attribute) (words []string) {
	for _, word := range a.Words {
		start, found := strings.CutSuffix(word, ":")
		if !found {
			return nil
		}
		words = append(words, start)
	}
	return words
}

// edgesSchema describes a list of edges.
func edgesSchema() object {
	name := object{"type": []string{"string", "number"}}
	return object{"anyOf": []object{
		name,
		{"type": "null"},
		{"type": "array", "items": object{"anyOf": []object{name, {"type": "object", "additionalProperties": reference("edge"),
			"properties": object{wordNode: name, graph.AttrWhen: reference("condition"), wordType: reference("edge")}}}}},
		{"type": "object", "additionalProperties": reference("edge")},
	}}
}

// edgeSchema describes an edge behind the name of its other end.
func edgeSchema() object {
	return object{"anyOf": []object{
		reference("condition"),
		{"type": "null"},
		{"type": "object", "additionalProperties": false, "properties": object{
			graph.AttrWhen: reference("condition"),
			wordType:       object{"enum": []string{"blocking", "non-blocking"}},
			"condition":    object{"const": "service_completed_successfully"},
		}},
	}}
}

// conditionSchema describes a condition, with the words that editors offer.
func conditionSchema() object {
	words := attribute.Find(attribute.Edge, graph.AttrWhen).Words
	return object{"type": "string", "description": attribute.Find(attribute.Edge, graph.AttrWhen).Meaning, "examples": words,
		"pattern": `^\s*(success|failure|done|else|exit:|case:|if:)`}
}
