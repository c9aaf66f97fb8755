package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Measures of the picture, in pixels.
const (
	pictureWidth = 1200.0
	margin       = 10.0
	headHeight   = 64.0 // title, conditions, legend
	rowHeight    = 17.0
	letterWidth  = 6.7 // at most, of the font of frames
	fewLetters   = 3   // shorter texts are left out
)

// Frames below this share of the samples, or with fewer samples, are not drawn.
const (
	leastShare   = 0.002
	leastSamples = 2
)

// kindStyles are the colours and names of kinds.
var kindStyles = []struct {
	kind        kind
	class, name string
	colour      string
}{
	{kindOurs, "w", "packages of wf", "#8cc87b"},
	{kindRuntime, "r", "Go runtime", "#9fb9d8"},
	{kindKernel, "k", "kernel", "#eba85f"},
	{kindOther, "o", "libraries and other programs", "#ded6bf"},
}

// A graph is a flame graph: the outermost function at the bottom, above it what it called, as wide as its
// share of the samples.
type graph struct {
	name       string
	conditions string
	sampleUS   float64 // CPU time per node for which a sample stands, in µs
}

// svg returns the picture. The same stacks give the same bytes.
func (g graph) svg(s *stack) []byte {
	rows := drawnDepth(s, s.count)
	height := headHeight + float64(rows)*rowHeight + margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="monospace" font-size="11">`+"\n", pictureWidth, height)
	b.WriteString("<style>rect{stroke:#fff;stroke-width:.5}")
	for _, k := range kindStyles {
		fmt.Fprintf(&b, ".%s{fill:%s}", k.class, k.colour)
	}
	b.WriteString("</style>\n")
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" fill="#fff"/>`+"\n", pictureWidth, height)
	g.head(&b, s)
	if s.count > 0 {
		g.frames(&b, s, margin, height-margin-rowHeight, (pictureWidth-2*margin)/float64(s.count), s.count)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// head writes title, conditions and legend.
func (g graph) head(b *bytes.Buffer, s *stack) {
	fmt.Fprintf(b, `<text x="%.0f" y="20" font-size="15" font-weight="bold">%s: %.1f µs of CPU per node</text>`+"\n", margin, html.EscapeString(g.name), float64(s.count)*g.sampleUS)
	fmt.Fprintf(b, `<text x="%.0f" y="37">%s</text>`+"\n", margin, html.EscapeString(g.conditions))
	x := margin
	for _, k := range kindStyles {
		fmt.Fprintf(b, `<rect x="%.0f" y="45" width="11" height="11" class="%s"/><text x="%.0f" y="54">%s</text>`+"\n", x, k.class, x+15, k.name)
		x += 15 + float64(len(k.name)+2)*letterWidth
	}
}

// frames writes what s calls, from left to right by name, with the bottom row at y. scale is the width of a
// sample.
func (g graph) frames(b *bytes.Buffer, s *stack, x, y, scale float64, total int) {
	for _, child := range sorted(s) {
		width := float64(child.count) * scale
		if isDrawn(child, total) {
			g.frame(b, child, x, y, width, total)
			g.frames(b, child, x, y-rowHeight, scale, total)
		}
		x += width
	}
}

func (g graph) frame(b *bytes.Buffer, s *stack, x, y, width float64, total int) {
	class := ""
	for _, k := range kindStyles {
		if k.kind == s.kind {
			class = k.class
		}
	}
	fmt.Fprintf(b, `<g><title>%s: %.1f %%, %.1f µs per node</title><rect x="%.1f" y="%.0f" width="%.1f" height="%.0f" class="%s"/>`,
		html.EscapeString(s.function), 100*float64(s.count)/float64(total), float64(s.count)*g.sampleUS, x, y, width, rowHeight, class)
	if text := fit(s.function, int((width-4)/letterWidth)); text != "" {
		fmt.Fprintf(b, `<text x="%.1f" y="%.0f">%s</text>`, x+2, y+rowHeight-5, html.EscapeString(text))
	}
	b.WriteString("</g>\n")
}

// fit returns as much of a name as fits into a number of letters: all of it, or without the folders of its
// package, or without the package, or the beginning of that, or nothing.
func fit(name string, letters int) string {
	if fits(name, letters) {
		return name
	}
	if slash := strings.LastIndexByte(beforeTypes(name), '/'); slash >= 0 {
		name = name[slash+1:]
	}
	if fits(name, letters) {
		return name
	}
	if dot := strings.IndexByte(beforeTypes(name), '.'); dot > 0 {
		name = name[dot+1:]
	}
	if fits(name, letters) {
		return name
	}
	if letters < fewLetters {
		return ""
	}
	return string([]rune(name)[:letters-1]) + "…"
}

func fits(name string, letters int) bool { return utf8.RuneCountInString(name) <= letters }

// beforeTypes returns the beginning of a name, up to a type, which may contain dots and slashes.
func beforeTypes(name string) string {
	if i := strings.IndexAny(name, "(["); i >= 0 {
		return name[:i]
	}
	return name
}

func isDrawn(s *stack, total int) bool {
	return s.count >= leastSamples && float64(s.count) >= leastShare*float64(total)
}

// drawnDepth returns the number of rows above s.
func drawnDepth(s *stack, total int) (rows int) {
	for _, child := range s.children {
		if isDrawn(child, total) {
			rows = max(rows, 1+drawnDepth(child, total))
		}
	}
	return rows
}

// sorted returns what s calls, by name.
func sorted(s *stack) []*stack {
	return slices.SortedFunc(maps.Values(s.children), func(a, b *stack) int {
		return cmp.Or(cmp.Compare(a.function, b.function), cmp.Compare(a.kind, b.kind))
	})
}
