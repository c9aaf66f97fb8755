// Package definition reads workfiles and texts of workflows as bytes, and writes, compares, cleans and merges them, for
// commands that need no daemon. It opens no files and keeps no state.
package definition

import (
	"bytes"
	"errors"
	"fmt"

	"wf/api"
	"wf/graph"
	"wf/graph/text"
	"wf/graphml"
	"wf/workspace/comparison"
)

// A Version is a workfile as it was at some time.
type Version struct {
	doc   *graphml.Document // nil for a text
	graph *graph.Graph
}

// Read reads a workfile, or a text as Text returns it. Errors are a *graphml.SyntaxError, a *graphml.MemoryError, or
// text.Mistakes.
func Read(data []byte) (*Version, error) {
	if !IsText(data) {
		doc, g, _, err := graphml.Parse(data, graphml.Limits{})
		if err != nil {
			return nil, err
		}
		return &Version{doc, g}, nil
	}
	wf, err := text.Read(data)
	if err != nil {
		return nil, err
	}
	return &Version{graph: wf.Graph()}, nil
}

// Empty returns a version without nodes: a file that does not exist.
func Empty() *Version {
	g, err := graph.Build(nil, nil, nil)
	if err != nil {
		panic("internal error: an empty workflow: " + err.Error())
	}
	return &Version{graph: g}
}

// IsText reports whether data is not XML, packed or not, in any encoding, and so can only be a text.
func IsText(data []byte) bool {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case bytes.HasPrefix(data, []byte("\x1f\x8b")), bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return false
	case bytes.IndexByte(data[:min(len(data), 200)], 0) >= 0:
		return false
	}
	return !bytes.HasPrefix(bytes.TrimSpace(data), []byte("<"))
}

// Text returns the text of the version.
func (v *Version) Text() ([]byte, error) { return text.Write(v.graph) }

// Schema returns the JSON Schema of texts.
func Schema() []byte { return text.Schema() }

// SchemaFile is the name of the schema in the head of a text.
const SchemaFile = text.SchemaFile

// Compare describes how the version after differs from before.
func Compare(before, after *Version) api.DefinitionDiff {
	return comparison.Definition(before.graph, after.graph)
}

// Clean returns a workfile without the results of runs: statuses, marks and outputs. origin is an earlier version without
// results, nil if there is none: keys and empty values that runs added are written as origin has them. Without results, or if
// statuses are not those of wf, it returns the same bytes.
func Clean(data, origin []byte) ([]byte, error) {
	doc, g, _, err := graphml.Parse(data, graphml.Limits{})
	if err != nil {
		return nil, err
	}
	if !hasResults(g) {
		return data, nil
	}
	doc.Bare(origin)
	return bytes.Join(doc.Render(), nil), nil
}

// hasResults reports whether a node has a status that runs write, and none has another one: files of other programs use the
// same names for other things.
func hasResults(g *graph.Graph) bool {
	found := false
	for _, n := range g.Nodes() {
		text, own := n.Attr("status")
		status, known := graph.ParseStatus(text)
		if own && !known {
			return false
		}
		found = found || own && status != graph.Idle
	}
	return found
}

// Where returns the line and the column of a mistake in a workfile or text, 0 if it has none, and its message with what to
// write instead.
func Where(err error) (line, column int, message, remedy string) {
	var syntax *graphml.SyntaxError
	var mistakes text.Mistakes
	switch {
	case errors.As(err, &mistakes):
		first := mistakes[0]
		message, remedy = first.Message, first.Remedy
		if rest := len(mistakes) - 1; rest > 0 {
			message += fmt.Sprintf(" (and %d more)", rest)
		}
		return first.Line, first.Column, message, remedy
	case errors.As(err, &syntax):
		return syntax.Line, syntax.Column, syntax.Msg, ""
	}
	return 0, 0, err.Error(), ""
}
