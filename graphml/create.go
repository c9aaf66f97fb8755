package graphml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"

	gographml "github.com/yaricom/goGraphML/graphml"

	"wf/graph"
)

// A NewNode is a node of a file that does not exist yet.
type NewNode struct {
	ID    string // "" = n0, n1, … by position
	Name  string
	Label string // the command
	X, Y  string // "" = placed by position
}

// newFileKeys are the declarations of a new file. The ids are what people see in a diff.
var newFileKeys = []newKey{
	{"wrapper", ofGraph, "wrapper", typeString},
	{"label", ofNode, "label", typeString},
	{"name", ofNode, "name", typeString},
	{"status", ofNode, "status", typeString},
	{"x", ofNode, "x", typeDouble},
	{"y", ofNode, "y", typeDouble},
	{"edge_id", ofEdge, "id", typeString},
	{"edge_type", ofEdge, "edge_type", typeString},
	{"edge_status", ofEdge, "status", typeString},
}

// Create returns a new workfile with these nodes. In a chain each node waits for the one before
// it; else there are no edges. It fails for an id that is used twice and for a text that XML
// cannot hold.
func Create(nodes []NewNode, chain bool) ([]byte, error) {
	ops := make([]graph.Op, 0, 2*len(nodes))
	last := ""
	for i, n := range nodes {
		spec, err := n.spec(i, chain)
		if err != nil {
			return nil, err
		}
		ops = append(ops, graph.AddNode{Node: spec})
		if chain && i > 0 {
			ops = append(ops, graph.AddEdge{Key: i - 1, Source: last, Target: spec.ID, Type: graph.Blocking.String()})
		}
		last = spec.ID
	}
	return fill(ops)
}

// spec fills in what a new node leaves open.
func (n NewNode) spec(i int, chain bool) (graph.NodeSpec, error) {
	const apart = 100 // between neighbours in a picture
	spec := graph.NodeSpec{ID: n.ID, Key: i, Name: n.Name, Label: n.Label, HasLabel: true, X: n.X, Y: n.Y}
	if spec.ID == "" {
		spec.ID = "n" + strconv.Itoa(i)
	}
	for _, text := range []string{spec.ID, spec.Name, spec.Label} {
		if !isWritable(text) {
			return spec, fmt.Errorf("node %s: %q holds a character that XML cannot hold", spec.ID, text)
		}
	}
	switch {
	case n.X != "" || n.Y != "":
	case chain:
		spec.X, spec.Y = "0", strconv.Itoa(i*apart)
	default:
		spec.X, spec.Y = strconv.Itoa(i*apart), "0"
	}
	return spec, nil
}

// fill splices elements into the skeleton of a new file.
func fill(ops []graph.Op) ([]byte, error) {
	empty, err := skeleton()
	if err != nil {
		return nil, err
	}
	d, _, _, err := Parse(empty, Limits{})
	if err != nil {
		return nil, fmt.Errorf("create a workfile: %w", err)
	}
	if err := d.Apply(graph.Batch{Ops: ops}); err != nil {
		return nil, err
	}
	return bytes.Join(d.Render(), nil), nil
}

// skeleton is a workfile without nodes. goGraphML knows the frame of a document; it would write
// line ends in commands as references, so the elements are not its business.
func skeleton() ([]byte, error) {
	doc := gographml.NewGraphML("")
	for _, k := range newFileKeys {
		doc.Keys = append(doc.Keys, &gographml.Key{
			ID: k.id, Target: gographml.KeyForElement(k.domain.String()), Name: k.name, KeyType: gographml.DataType(k.kind),
		})
	}
	doc.Graphs = []*gographml.Graph{{ID: "G", EdgeDefault: "directed"}}
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("create a workfile: %w", err)
	}
	text = bytes.ReplaceAll(text, []byte("></key>"), []byte("/>")) // as the keys that are added later
	return append(append([]byte(xml.Header), text...), '\n'), nil
}
