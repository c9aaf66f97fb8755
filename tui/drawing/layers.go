package drawing

import "wf/graph/layered"

// A link is the part of a bundle of arcs between two neighbouring layers, with its vertical line.
type link struct {
	*layered.Link
	track       int32   // of its vertical line, from the left; -1 = it is straight
	merges      []int32 // right ends in whose rows it joins another line
	hubs        []int32 // right ends in whose rows all lines belong together
	top, bottom int32   // rows of the outermost ends

	top2, bottom2 int32 // rows of the ends next to them
}

// layers is the layered drawing of a web in abstract units: layers, rows and tracks.
type layers struct {
	*layered.Layers
	shares  []share // by bundle
	of      []int32 // bundle by arc
	links   []link
	row     []int32 // by point
	rows    int
	bottoms []int32 // last rows of the components
	tracks  []int   // number of tracks to the right of each layer
}

// newLayers computes the layout of a web: layers and their order (see package layered), rows and tracks. across
// contains the positions of the vertices in the file across the arcs; nil = not known.
func newLayers(w *web, across []float64) *layers {
	rank := layered.Rank(w.size, w.plainArcs())
	l := &layers{shares: shares(w, rank), of: make([]int32, len(w.arcs))}
	bundles := make([]layered.Bundle, len(l.shares))
	for i, s := range l.shares {
		bundles[i] = s.Bundle
		for _, a := range s.arcs {
			l.of[a] = int32(i)
		}
	}
	l.Layers = layered.New(rank, bundles, across)
	l.links = make([]link, len(l.Links))
	for i := range l.links {
		l.links[i] = link{Link: &l.Links[i], track: -1}
	}
	l.straighten()
	l.route()
	return l
}

// linksOf returns the links of a bundle, from left to right.
func (l *layers) linksOf(bundle int32) []link { return l.links[l.First[bundle]:l.First[bundle+1]] }
