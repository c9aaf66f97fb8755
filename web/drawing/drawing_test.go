package drawing

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"wf/api"
	"wf/client/runview"
)

// workfile returns a workfile with nodes and edges.
func workfile(nodes []api.NodeStatus, edges [][2]int) *runview.Workfile {
	status := api.Status{Nodes: nodes}
	for i, e := range edges {
		status.Edges = append(status.Edges, api.EdgeStatus{Key: i + 1, Source: nodes[e[0]].ID, Target: nodes[e[1]].ID, Type: "blocking"})
	}
	f := &runview.Workfile{}
	f.Apply(&status, nil, nil)
	return f
}

// large is a workfile of n nodes in layers, each with one or two sources in the layers before.
func large(n, wide int) *runview.Workfile {
	nodes, seed := make([]api.NodeStatus, n), uint64(2)
	below := func(n int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % n
	}
	var edges [][2]int
	for v := range nodes {
		nodes[v] = api.NodeStatus{ID: "n" + strconv.Itoa(v), Name: "task " + strconv.Itoa(v), Command: "own" + strconv.Itoa(v%7) + "x y" + strconv.Itoa(v), State: api.StateIdle}
		if first := v / wide * wide; first > 0 {
			edges = append(edges, [2]int{first - wide + below(wide), v})
			if below(3) == 0 {
				edges = append(edges, [2]int{below(first), v})
			}
		}
	}
	return workfile(nodes, edges)
}

// TestLinesLeadWhereEdgesLead follows the pieces of each track as the page does: those that an arc passes are a way from its
// source to its target, and the arcs are the edges.
func TestLinesLeadWhereEdgesLead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 25).Draw(t, "nodes")
		nodes := make([]api.NodeStatus, n)
		for i := range nodes {
			nodes[i] = api.NodeStatus{ID: fmt.Sprint("n", i), Name: fmt.Sprint(rapid.SampledFrom([]string{"align_", "sort_", "own"}).Draw(t, "name"), i), Command: fmt.Sprint("do ", i), State: api.StateIdle}
		}
		var edges [][2]int
		for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
			edges = append(edges, [2]int{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")})
		}
		f := workfile(nodes, edges)
		p := New(f).Draw(Look{Width: rapid.IntRange(0, 150).Draw(t, "width"), Height: rapid.IntRange(0, 60).Draw(t, "height"),
			Zoom: rapid.SampledFrom([]string{"", "cards", "chips", "tags", "dots", "stages"}).Draw(t, "zoom")})
		box := map[int]int{}
		for i, members := range p.Nodes {
			for _, v := range members {
				box[v] = i
			}
		}
		if len(box) != n || len(p.Rects) != 4*len(p.Nodes) || len(p.Texts) != len(p.Nodes) {
			t.Fatalf("%d nodes are in boxes", len(box))
		}
		shown := map[int]bool{}
		for i := range p.Tracks {
			checkTrack(t, &p.Tracks[i])
			for k, list := range p.Tracks[i].Edges {
				for _, e := range list {
					shown[e] = true
					if box[f.Edges[e].From] != p.Tracks[i].Arcs[4*k] || box[f.Edges[e].To] != p.Tracks[i].Arcs[4*k+1] {
						t.Fatalf("edge %d is an arc between other boxes", e)
					}
				}
			}
		}
		for e := range f.Edges {
			if inside := box[f.Edges[e].From] == box[f.Edges[e].To]; !inside && !shown[e] && p.Hidden == 0 {
				t.Fatalf("edge %d has no line", e)
			}
		}
	})
}

// checkTrack checks for each arc that the pieces that carry it connect its tail with its head.
func checkTrack(t *rapid.T, track *Track) {
	single := len(track.Tails) == 4 && len(track.Heads) == 4
	type cell struct{ x, y int }
	for k := range track.Edges {
		from, to, tail, head := track.Arcs[4*k], track.Arcs[4*k+1], track.Arcs[4*k+2], track.Arcs[4*k+3]
		next := map[cell][]cell{}
		for i := 0; i < len(track.Pieces); i += 6 {
			p := track.Pieces[i : i+6]
			within := func(n int) bool { return p[4] <= n && n < p[5] }
			if a, b := (cell{p[0], p[1]}), (cell{p[2], p[3]}); single || within(tail) != within(head) {
				next[a], next[b] = append(next[a], b), append(next[b], a)
			}
		}
		reached, stack := map[cell]bool{}, []cell{}
		for i := 0; i < len(track.Tails); i += 4 {
			if track.Tails[i+3] == from {
				stack = append(stack, cell{track.Tails[i], track.Tails[i+1]})
			}
		}
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !reached[at] {
				reached[at] = true
				stack = append(stack, next[at]...)
			}
		}
		arrives := false
		for i := 0; i < len(track.Heads); i += 4 {
			arrives = arrives || track.Heads[i+3] == to && reached[cell{track.Heads[i], track.Heads[i+1]}]
		}
		if !arrives {
			t.Fatalf("the line from box %d does not arrive at box %d", from, to)
		}
	}
}

// TestSizeOfALargeDrawing: 5,000 nodes, each with a box, are a message that a slow connection takes.
func TestSizeOfALargeDrawing(t *testing.T) {
	data, err := json.Marshal(New(large(5000, 250)).Draw(Look{Width: 120, Height: 40, Zoom: "chips"}))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(data)
	_ = z.Close()
	t.Logf("%d kB, %d kB packed", len(data)>>10, packed.Len()>>10)
	if packed.Len() > 512<<10 {
		t.Errorf("%d bytes packed", packed.Len())
	}
}

// BenchmarkDrawing computes and encodes the drawing of 5,000 nodes: each with a box, and what fits a pane.
func BenchmarkDrawing(b *testing.B) {
	for _, zoom := range []string{"chips", ""} {
		b.Run("zoom="+zoom, func(b *testing.B) {
			g := New(large(5000, 250))
			for b.Loop() {
				if _, err := json.Marshal(g.Draw(Look{Width: 120, Height: 40, Zoom: zoom})); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
