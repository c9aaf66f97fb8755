package graphml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	gographml "github.com/yaricom/goGraphML/graphml"

	"wf/graph"
)

// A NewNode is a node of a new file.
type NewNode struct {
	ID      string // "" = n0, n1, … by position
	Name    string
	Label   string // the command
	NoLabel bool   // it has no command: Label is ignored
	// Container means that it contains other nodes and has no command: Label is ignored.
	Container bool
	Group     string
	Parent    string // id of its container, an earlier node; "" = none
	X, Y      string // both "" = placed by position in the list
	Attrs     map[string]string
}

// A NewEdge is an edge of a new file.
type NewEdge struct {
	Source, Target string // ids of nodes
	Type           graph.EdgeType
	When           string // its condition; "" = none
}

// newFileKeys are the declarations of a new file. The ids are readable because diffs show them.
var newFileKeys = []newKey{
	{id: "wrapper", domain: ofGraph, name: "wrapper", kind: typeString},
	{id: "label", domain: ofNode, name: "label", kind: typeString},
	{id: "name", domain: ofNode, name: "name", kind: typeString},
	{id: "status", domain: ofNode, name: "status", kind: typeString},
	{id: "x", domain: ofNode, name: "x", kind: typeDouble},
	{id: "y", domain: ofNode, name: "y", kind: typeDouble},
	{id: "edge_type", domain: ofEdge, name: "edge_type", kind: typeString},
	{id: "edge_status", domain: ofEdge, name: "status", kind: typeString},
}

// Create returns a new workfile with these nodes. If chain is true, each node waits for the one
// before it; otherwise there are no edges. It returns an error for an id that is used twice and for
// a text that XML cannot represent.
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
			ops = append(ops, graph.AddEdge{Key: i - 1, ID: newEdgeID(i - 1), Source: last, Target: spec.ID, Type: graph.Blocking.String()})
		}
		last = spec.ID
	}
	return fill(ops)
}

// CreateGraph returns a new workfile with these nodes and edges, and these attributes of the graph.
// It returns the errors of Create, and one for an edge whose source or target does not exist.
func CreateGraph(nodes []NewNode, edges []NewEdge, attrs map[string]string) ([]byte, error) {
	ops := make([]graph.Op, 0, len(attrs)+len(nodes)+len(edges))
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		if !isWritable(name) || !isWritable(attrs[name]) {
			return nil, fmt.Errorf("%s: %q contains a character that XML cannot represent", name, attrs[name])
		}
		ops = append(ops, graph.SetGraph{Attr: name, Value: attrs[name]})
	}
	known := make(map[string]bool, len(nodes))
	for i, n := range nodes {
		spec, err := n.spec(i, false)
		if err != nil {
			return nil, err
		}
		known[spec.ID] = true
		ops = append(ops, graph.AddNode{Node: spec, Parent: n.Parent})
	}
	for i, e := range edges {
		for _, id := range []string{e.Source, e.Target} {
			if !known[id] {
				return nil, fmt.Errorf("edge %s -> %s: no node %q", e.Source, e.Target, id)
			}
		}
		op := graph.AddEdge{Key: i, ID: newEdgeID(i), Source: e.Source, Target: e.Target, Type: e.Type.String()}
		if e.When != "" {
			if !isWritable(e.When) {
				return nil, fmt.Errorf("edge %s -> %s: %q contains a character that XML cannot represent", e.Source, e.Target, e.When)
			}
			op.Extra = map[string]string{graph.AttrWhen: e.When}
		}
		ops = append(ops, op)
	}
	return fill(ops)
}

// newEdgeID returns the id of an edge of a new file, by which other programs and wf edit find it.
func newEdgeID(i int) string { return "e" + strconv.Itoa(i) }

// spec turns a new node into a NodeSpec and fills in a missing id and position.
func (n NewNode) spec(i int, chain bool) (graph.NodeSpec, error) {
	const apart = 100 // between neighbours in a picture
	spec := graph.NodeSpec{ID: n.ID, Key: i, Name: n.Name, Label: n.Label, HasLabel: !n.NoLabel, Group: n.Group,
		X: n.X, Y: n.Y, Extra: maps.Clone(n.Attrs)}
	if spec.ID == "" {
		spec.ID = "n" + strconv.Itoa(i)
	}
	if spec.Container = n.Container; spec.Container {
		spec.HasLabel = false
	}
	if !spec.HasLabel {
		spec.Label = ""
	}
	texts := []string{spec.ID, spec.Name, spec.Label, spec.Group}
	for name, value := range spec.Extra {
		texts = append(texts, name, value)
	}
	for _, text := range texts {
		if !isWritable(text) {
			return spec, fmt.Errorf("node %s: %q contains a character that XML cannot represent", spec.ID, text)
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

// WithComment returns a document with a comment of these lines above its root element. XML forbids
// two hyphens in a row in a comment, so a space is put between them. It returns an error for a
// character that XML cannot represent.
func WithComment(data []byte, lines []string) ([]byte, error) {
	if len(lines) == 0 {
		return data, nil
	}
	var comment bytes.Buffer
	comment.WriteString("<!--\n")
	for _, line := range lines {
		if !isWritable(line) {
			return nil, fmt.Errorf("note %q contains a character that XML cannot represent", line)
		}
		line = strings.ReplaceAll(strings.ReplaceAll(line, "\n", " "), "--", "- -")
		fmt.Fprintf(&comment, "  %s\n", strings.ReplaceAll(line, "--", "- -"))
	}
	comment.WriteString("-->\n")
	return slices.Concat([]byte(xml.Header), comment.Bytes(), bytes.TrimPrefix(data, []byte(xml.Header))), nil
}

// skeleton returns a workfile without nodes. goGraphML writes the outer elements and the keys, but
// not nodes and edges, because it would write line ends in commands as references.
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
	text = bytes.ReplaceAll(text, []byte("></key>"), []byte("/>")) // like the keys that are added later
	return append(append([]byte(xml.Header), text...), '\n'), nil
}
