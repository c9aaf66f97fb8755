package drawing

import "github.com/charmbracelet/x/ansi"

// maxWhen is the maximum width of a condition on a line.
const maxWhen = 14

// conditions returns, by vertex, the condition of the only edge to it. If several edges lead to a vertex, each of
// them has its own sign.
func conditions(g *Graph, w *web) []string {
	texts := make([]string, w.size)
	for v := range w.in {
		var only *Edge
		ways := 0
		for _, i := range w.in[v] {
			if a := &w.arcs[i]; !a.back {
				ways++
				if a.edge >= 0 {
					only = &g.Edges[a.edge]
				}
			}
		}
		if ways != 1 || only == nil || only.When == "" {
			continue
		}
		texts[v] = ansi.Truncate(head(only.When, maxWhen), maxWhen, "")
	}
	return texts
}

// condition draws the condition of the edge to a row.
func (p *pen) condition(x int, text string) int {
	if text == "" {
		return 0
	}
	return p.put(x, "when "+text, InkDim) + 2
}

// dimDeadLanes dims the lanes of edges that will not fire.
func dimDeadLanes(g *Graph, l *lanes, k *laneLook) {
	for i := range l.all {
		if e := l.all[i].edge; e >= 0 && g.Edges[e].Dead {
			k.inks[i] = InkDim
		}
	}
}
