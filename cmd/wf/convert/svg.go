package convert

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/graph/layered"
	"wf/tui/words"
)

// The measures of an SVG drawing, in pixels. A box has space for about thirty characters.
var boxes = layered.Options{Length: 240, Width: 44, Gap: 70, Space: 18}

const (
	svgMargin = 20
	svgColumn = 7.3 // width of a character, rounded up
	svgLoop   = 14  // how far the arrow of a node to itself stands out
)

// SVG draws a graph in layers from left to right, in one self-contained file. The title of a node, which
// browsers show under the pointer, is the whole command.
func SVG(g *api.Graph, name string) []byte {
	v := newView(g)
	d := layered.Draw(len(v.nodes), v.edges, boxes)
	width, height := d.Size.Along+2*svgMargin, d.Size.Across+2*svgMargin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img">`+"\n",
		px(width), px(height), px(width), px(height))
	fmt.Fprintf(&b, "<title>%s</title>\n", xmlText(name))
	b.WriteString(svgHead)
	fmt.Fprintf(&b, `<rect width="%s" height="%s" fill="white"/>`+"\n", px(width), px(height))
	for i, e := range v.edges {
		class := "edge"
		if e.Weak {
			class = "edge weak"
		}
		if v.when[i] != "" {
			class += " when"
		}
		path := svgCurve(d.Edges[i])
		if e.From == e.To {
			path = svgSelf(d.Nodes[e.From])
		}
		if when := v.when[i]; when != "" {
			fmt.Fprintf(&b, `<path class="%s" d="%s"><title>%s</title></path>`+"\n", class, path, xmlText("when "+when))
			continue
		}
		fmt.Fprintf(&b, `<path class="%s" d="%s"/>`+"\n", class, path)
	}
	for i, n := range v.nodes {
		svgNode(&b, n, v.groups[i], d.Nodes[i])
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

const svgHead = `<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 1 10 5 0 9z" fill="#667"/></marker></defs>
<style>
.edge { fill: none; stroke: #667; stroke-width: 1.4; marker-end: url(#arrow) }
.when { stroke: #a05a00 }
.weak { stroke-dasharray: 6 4 }
.box { fill: #f6f6f8; stroke: #778; stroke-width: 1.2 }
.queued { fill: #d5f3f6; stroke: #1893a0 } .running { fill: #d3e4ff; stroke: #2060c8; stroke-width: 2.4 }
.ok { fill: #d9f2d9; stroke: #2c8a2c } .failed { fill: #ffd6d6; stroke: #c02020; stroke-width: 2.4 }
.waiting { fill: #eedcf7; stroke: #80309c } .retrying { fill: #fbe3cb; stroke: #a05a00 } .skipped { fill: #eee; stroke: #999; stroke-dasharray: 3 3 }
.cancelled { fill: #fbeecb; stroke: #a07810 } .blocked { fill: #f3ecd2; stroke: #a07810; stroke-dasharray: 3 3 }
text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #223 }
.name { font-weight: bold }
.command { fill: #556; font-size: 11px }
</style>
`

func svgNode(b *strings.Builder, n *api.GraphNode, group string, at layered.Position) {
	x, y := at.Along+svgMargin, at.Across+svgMargin
	title := n.Name + " (" + string(n.State) + ")"
	if group != "" {
		title += ", in " + group
	}
	fmt.Fprintf(b, "<g><title>%s\n%s</title>", xmlText(title), xmlText(n.Command))
	fmt.Fprintf(b, `<rect class="box %s" x="%s" y="%s" width="%s" height="%s" rx="6"/>`, n.State, px(x), px(y), px(boxes.Length), px(boxes.Width))
	name := words.LookOf(n.State).Glyph + " " + n.Name
	command := cmp.Or(n.SubFlow, n.Command)
	room := int((boxes.Length - 20) / svgColumn)
	fmt.Fprintf(b, `<text class="name" x="%s" y="%s">%s</text>`, px(x+10), px(y+18), xmlText(ansi.Truncate(visible(name), room, "…")))
	fmt.Fprintf(b, `<text class="command" x="%s" y="%s">%s</text></g>`+"\n", px(x+10), px(y+34), xmlText(ansi.Truncate(visible(oneLine(command)), room+2, "…")))
}

// svgCurve draws a line through the points of an edge: curved between layers, straight across them.
func svgCurve(points []layered.Position) string {
	var b strings.Builder
	for i, p := range points {
		x, y := p.Along+svgMargin, p.Across+svgMargin
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M%s %s", px(x), px(y))
		case i%2 == 1:
			before := points[i-1]
			middle := (before.Along+p.Along)/2 + svgMargin
			fmt.Fprintf(&b, "C%s %s %s %s %s %s", px(middle), px(before.Across+svgMargin), px(middle), px(y), px(x), px(y))
		default:
			fmt.Fprintf(&b, "L%s %s", px(x), px(y))
		}
	}
	return b.String()
}

// svgSelf draws the arrow of a node to itself, above its right corner.
func svgSelf(at layered.Position) string {
	x, y := at.Along+svgMargin+boxes.Length, at.Across+svgMargin
	return fmt.Sprintf("M%s %sC%s %s %s %s %s %s", px(x-2*svgLoop), px(y), px(x-2*svgLoop), px(y-2*svgLoop),
		px(x+2*svgLoop), px(y-svgLoop), px(x), px(y+svgLoop))
}

// px formats a length, short and the same on every machine.
func px(f float64) string { return strconv.FormatFloat(round(f), 'f', -1, 64) }

// oneLine returns a command in one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// xmlText escapes text for an element.
func xmlText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(visible(text))
}
