package drawing

import "wf/graph/picture"

// A Picture is a drawing as the page gets it. Lists of numbers are flat, because a graph of 5,000 nodes has tens of
// thousands of lines: each comment says what the numbers of one element are. All positions are cells.
type Picture struct {
	W      int     `json:"w"`
	H      int     `json:"h"`
	Form   string  `json:"form"`   // of its boxes: cards, chips, tags, dots
	Folded bool    `json:"folded"` // some boxes are stages
	Down   bool    `json:"down"`   // layers follow each other downwards
	Rects  []int   `json:"rects"`  // by box: x, y, w, h
	Nodes  [][]int `json:"nodes"`  // by box: its nodes; several = a stage
	Texts  []Text  `json:"texts"`  // by box
	Tracks []Track `json:"tracks"`
	Labels []Label `json:"labels"`
	Frames []Frame `json:"frames"`
	Hidden int     `json:"hidden"` // edges without a line, because others imply them
}

// A Text is what a box says besides states.
type Text struct {
	Name  string `json:"n"`
	Full  string `json:"f,omitempty"` // the whole name, if Name is cut
	Times string `json:"t,omitempty"` // "×8", or what is special about the node
}

// A Track is a line with branches, which joins each of its sources with each of its targets.
type Track struct {
	Weak   bool    `json:"weak,omitempty"`
	Back   bool    `json:"back,omitempty"`
	Arcs   []int   `json:"arcs"`   // each: from box, to box, number of its tail, number of its head
	Edges  [][]int `json:"edges"`  // by arc: edges of the workfile
	Pieces []int   `json:"pieces"` // each: x, y, x, y, first end beyond it, last end beyond it
	Tails  []int   `json:"tails"`  // each: x, y, direction, box
	Heads  []int   `json:"heads"`  // each: x, y, direction, box
}

// A Label is a condition beside a line.
type Label struct {
	At    [3]int `json:"at"` // x, y, width
	Text  string `json:"text"`
	Track int    `json:"track"`
}

// A Frame is around what a sub-flow contains.
type Frame struct {
	At    [4]int `json:"at"` // x, y, w, h
	Title string `json:"title"`
	Node  int    `json:"node"`
}

func encode(s *picture.Scene) *Picture {
	p := &Picture{W: s.W, H: s.H, Form: s.Form.String(), Folded: s.Folded, Down: s.Down, Hidden: len(s.Implied), Labels: []Label{}, Frames: []Frame{},
		Rects: make([]int, 0, 4*len(s.Boxes)), Nodes: make([][]int, len(s.Boxes)), Texts: make([]Text, len(s.Boxes)), Tracks: make([]Track, len(s.Tracks))}
	for i := range s.Boxes {
		b := &s.Boxes[i]
		p.Rects = append(p.Rects, b.X, b.Y, b.W, b.H)
		p.Nodes[i], p.Texts[i] = b.Members, Text{Name: b.Name, Times: b.Times}
		if b.Full != b.Name {
			p.Texts[i].Full = b.Full
		}
	}
	for i := range s.Tracks {
		p.Tracks[i] = track(&s.Tracks[i])
	}
	for _, l := range s.Labels {
		p.Labels = append(p.Labels, Label{[3]int{l.X, l.Y, l.W}, l.Text, l.Track})
	}
	for _, f := range s.Frames {
		p.Frames = append(p.Frames, Frame{[4]int{f.X, f.Y, f.W, f.H}, f.Title, f.Vertex})
	}
	return p
}

func track(t *picture.Track) Track {
	out := Track{Weak: t.Weak, Back: t.Back, Arcs: make([]int, 0, 4*len(t.Arcs)), Edges: make([][]int, len(t.Arcs)),
		Pieces: make([]int, 0, 6*len(t.Pieces)), Tails: ends(t.Tails), Heads: ends(t.Heads)}
	for i := range t.Arcs {
		a := &t.Arcs[i]
		tail, head := a.Numbers()
		out.Arcs, out.Edges[i] = append(out.Arcs, a.From, a.To, tail, head), a.Edges
	}
	for i := range t.Pieces {
		x := &t.Pieces[i]
		first, last := x.Span()
		out.Pieces = append(out.Pieces, x.A.X, x.A.Y, x.B.X, x.B.Y, first, last)
	}
	return out
}

func ends(list []picture.End) []int {
	out := make([]int, 0, 4*len(list))
	for _, e := range list {
		out = append(out, e.At.X, e.At.Y, int(e.Into), e.Box)
	}
	return out
}
