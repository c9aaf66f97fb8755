package graphml

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"wf/graph"
)

// A Box is position and size of a node in a drawing. X and Y are the corner nearest to the origin.
type Box struct{ X, Y, Width, Height float64 }

// graphmlNamespace is that of GraphML.
const graphmlNamespace = "http://graphml.graphdrawing.org/xmlns"

// yedSpace is the namespace of the graphics of yEd.
const yedSpace = "http://www.yworks.com/xml/graphml"

// Yed returns the workfile as it would be saved now, with added graphics for yEd: a box with the
// command for each node, and an arrow for each edge, dashed if it is non-blocking. The rest of the
// file, including existing graphics, stays the same. Nodes get their id as the attribute uid, because
// yEd changes ids when it saves. boxes returns the places of the nodes of a graph, in its order.
func (d *Document) Yed(boxes func(*graph.Graph) []Box) (Pieces, error) {
	copied, g, _, err := Parse(bytes.Join(d.Render(), nil), Limits{})
	if err != nil {
		return nil, fmt.Errorf("read what would be saved: %w", err)
	}
	y := yedWriter{r: &renderer{d: copied, layout: newLayout(copied), opened: map[ref]*insertion{}}}
	y.prefix = y.bind()
	places := boxes(g)
	for i, n := range g.Nodes() {
		y.node(n, places[i])
	}
	for _, e := range g.Edges() {
		y.edge(e)
	}
	for _, at := range y.r.order {
		y.r.insert(at, y.r.opened[at])
	}
	y.r.declareKeys()
	y.r.sortPatches()
	return copied.form.pack(y.r.splice()), nil
}

// A yedWriter adds graphics to a document.
type yedWriter struct {
	r      *renderer
	prefix string // of yedSpace, with the colon
}

// bind returns the prefix of yEd's namespace and declares it if necessary.
func (y *yedWriter) bind() string {
	t := y.r.d.startTag(&y.r.d.root)
	taken := map[string]bool{}
	for _, a := range t.attrs {
		prefix, ok := strings.CutPrefix(a.name, "xmlns:")
		if ok && a.value == yedSpace {
			return prefix + ":"
		}
		taken[prefix] = true
	}
	prefix := "y"
	for i := 2; taken[prefix]; i++ {
		prefix = "y" + strconv.Itoa(i)
	}
	at := y.r.d.root.inner - int32(len(">"))
	declared := ` xmlns:` + prefix + `="` + yedSpace + `"`
	if _, has := t.get("xmlns"); !has && t.prefix == "" {
		declared = ` xmlns="` + graphmlNamespace + `"` + declared // networkx reads nothing without it
	}
	y.r.patch(at, at, []byte(declared))
	return prefix + ":"
}

// key returns the id of the key for graphics of a domain.
func (y *yedWriter) key(dom domain, graphics string) string {
	for i := range y.r.d.keys.keys {
		k := &y.r.d.keys.keys[i]
		if k.graphics == graphics && k.serves(dom) {
			return y.r.d.keyIDs.ids[k.id]
		}
	}
	for _, k := range y.r.newKeys {
		if k.graphics == graphics {
			return k.id
		}
	}
	k := newKey{id: y.r.freeID(dom, graphics), domain: dom, graphics: graphics}
	y.r.newKeys = append(y.r.newKeys, k)
	return k.id
}

// drawn reports whether an element already has graphics.
func (y *yedWriter) drawn(at ref) bool {
	for v := y.r.d.element(at).first; v != none; v = y.r.d.slots[v].next {
		if y.r.d.slots[v].structured {
			return true
		}
	}
	return false
}

// data wraps graphics in their <data> element.
func (y *yedWriter) data(dom domain, graphics, content string) string {
	name := y.r.d.prefix + "data"
	return "<" + name + ` key="` + y.r.attr(y.key(dom, graphics)) + `">` + content + "</" + name + ">"
}

func (y *yedWriter) node(n *graph.Node, box Box) {
	at := ref{ofNode, y.r.d.nodeNumber[n.ID]}
	g := y.r.open(at)
	if _, has := n.Extra["uid"]; !has {
		g.values = append(g.values, y.r.data(ofNode, want{"uid", n.ID, true}))
	}
	if y.drawn(at) {
		return
	}
	if n.Container {
		if y.r.d.implicit[at.number] {
			y.r.markGroup(at)
		}
		g.values = append(g.values, y.data(ofNode, "nodegraphics", y.group(n, box)))
		return
	}
	g.values = append(g.values, y.data(ofNode, "nodegraphics", y.shape(n, box)))
}

// shape returns a box that contains the command.
func (y *yedWriter) shape(n *graph.Node, box Box) string {
	p := y.prefix
	return "<" + p + "ShapeNode>" + y.geometry(box) +
		"<" + p + `Fill color="#F6F6F8" transparent="false"/><` + p + `BorderStyle color="#777788" type="line" width="1.0"/>` +
		y.label(n.Label, !n.NoCommand, `alignment="left" `) + y.caption(n) +
		"<" + p + `Shape type="roundrectangle"/></` + p + "ShapeNode>"
}

// label returns the text that yEd shows. A node without a command has none, because the text would
// be read as its command.
func (y *yedWriter) label(text string, shown bool, attrs string) string {
	name := y.prefix + "NodeLabel"
	head := "<" + name + " " + attrs + `autoSizePolicy="content" fontFamily="Monospaced" fontSize="12" modelName="internal" modelPosition="c" textColor="#222233" visible="true"`
	if !shown || strings.TrimSpace(text) == "" {
		return head + ` hasText="false"/>`
	}
	return head + ">" + string(appendText(nil, text, &y.r.d.form)) + "</" + name + ">"
}

// caption returns the name of a node, shown above its box. It is a second label: the first label is
// read as the command.
func (y *yedWriter) caption(n *graph.Node) string {
	if n.Name == "" {
		return ""
	}
	name := y.prefix + "NodeLabel"
	return "<" + name + ` fontFamily="Dialog" fontSize="11" fontStyle="bold" modelName="sides" modelPosition="n" textColor="#222233" visible="true">` +
		string(appendText(nil, n.Name, &y.r.d.form)) + "</" + name + ">"
}

// group returns the rectangle around the nodes of a container.
func (y *yedWriter) group(n *graph.Node, box Box) string {
	p := y.prefix
	return "<" + p + `ProxyAutoBoundsNode><` + p + `Realizers active="0"><` + p + "GroupNode>" + y.geometry(box) +
		"<" + p + `Fill color="#FAFAFA" transparent="false"/><` + p + `BorderStyle color="#777788" type="dashed" width="1.0"/>` +
		y.label(n.Label, n.Label != "", "") + "<" + p + `Shape type="roundrectangle"/><` + p +
		`State closed="false" innerGraphDisplayEnabled="false"/></` + p + "GroupNode></" + p + "Realizers></" + p + "ProxyAutoBoundsNode>"
}

func (y *yedWriter) geometry(box Box) string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
	return "<" + y.prefix + `Geometry height="` + number(box.Height) + `" width="` + number(box.Width) +
		`" x="` + number(box.X) + `" y="` + number(box.Y) + `"/>`
}

func (y *yedWriter) edge(e *graph.Edge) {
	number, ok := y.r.d.edgeNumber(e.Key)
	at := ref{ofEdge, number}
	if !ok || y.drawn(at) {
		return
	}
	kind := "line"
	if e.Type == graph.NonBlocking {
		kind = "dashed"
	}
	p := y.prefix
	g := y.r.open(at)
	g.values = append(g.values, y.data(ofEdge, "edgegraphics", "<"+p+`PolyLineEdge><`+p+`Path sx="0.0" sy="0.0" tx="0.0" ty="0.0"/><`+p+`LineStyle color="#666677" type="`+kind+
		`" width="1.0"/><`+p+`Arrows source="none" target="standard"/><`+p+`BendStyle smoothed="true"/></`+p+"PolyLineEdge>"))
}

// YedSize returns the size of the box that a command needs in yEd.
func YedSize(command string) (width, height float64) {
	const column, line, margin = 7.3, 16, 20
	longest, lines := 0, 0
	for text := range strings.Lines(command) {
		longest = max(longest, utf8.RuneCountInString(text))
		lines++
	}
	return max(80, float64(longest)*column+margin), max(30, float64(lines)*line+margin/2)
}
