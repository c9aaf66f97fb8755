package picture

import (
	"testing"

	"pgregory.net/rapid"
)

// TestFramesHoldWhatTheyShould: A frame contains the boxes of its container and no other box, line or frame.
func TestFramesHoldWhatTheyShould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, edges := drawGraph(t)
		containers := rapid.IntRange(1, 3).Draw(t, "containers")
		for v := range vertices {
			if in := rapid.IntRange(0, containers).Draw(t, "in"); v > in {
				vertices[v].In = in
			}
		}
		kept := edges[:0]
		for _, e := range edges {
			if vertices[e.From].In == vertices[e.To].In {
				kept = append(kept, e)
			}
		}
		limit := rapid.IntRange(20, 120).Draw(t, "limit")
		scenes(vertices, kept, rapid.Bool().Draw(t, "fold"), limit, func(s *Scene) {
			wantTraces(t, s, kept)
			wantApart(t, s)
			wantFrames(t, s, vertices)
		})
	})
}

func wantFrames(t *rapid.T, s *Scene, vertices []Vertex) {
	framed := map[int]Rect{}
	for i, f := range s.Frames {
		framed[f.Vertex+1] = f.Rect
		if f.X < 0 || f.Y < 0 || f.X+f.W > s.W || f.Y+f.H > s.H || len([]rune(f.Title))+6 > f.W {
			t.Fatalf("frame %v of %q in a scene of %d x %d", f.Rect, f.Title, s.W, s.H)
		}
		for _, o := range s.Frames[:i] {
			if f.X < o.X+o.W && o.X < f.X+f.W && f.Y < o.Y+o.H && o.Y < f.Y+f.H {
				t.Fatalf("frames %v and %v overlap", f.Rect, o.Rect)
			}
		}
	}
	for i := range s.Boxes {
		b := &s.Boxes[i]
		in := vertices[b.Members[0]].In
		for _, v := range b.Members {
			if vertices[v].In != in {
				t.Fatalf("box %q has nodes of different containers", b.Name)
			}
		}
		for container, f := range framed {
			inner := Rect{f.X + 1, f.Y + 1, f.W - 2, f.H - 2}
			inside := inner.Contains(Point{b.X, b.Y}) && inner.Contains(Point{b.X + b.W - 1, b.Y + b.H - 1})
			outside := b.X >= f.X+f.W || f.X >= b.X+b.W || b.Y >= f.Y+f.H || f.Y >= b.Y+b.H
			if container == in && !inside || container != in && !outside {
				t.Fatalf("box %v in %d, frame of %d %v\n%s", b.Rect, in, container, f, show(s))
			}
		}
		if _, found := framed[in]; in > 0 && !found {
			t.Fatalf("no frame for %d", in)
		}
	}
	c := s.Paint()
	for _, f := range framed { // no line on a frame
		for x := f.X; x < f.X+f.W; x++ {
			if c.At(Point{x, f.Y}).Track >= 0 || c.At(Point{x, f.Y + f.H - 1}).Track >= 0 {
				t.Fatalf("a line on the frame %v", f)
			}
		}
		for y := f.Y; y < f.Y+f.H; y++ {
			if c.At(Point{f.X, y}).Track >= 0 || c.At(Point{f.X + f.W - 1, y}).Track >= 0 {
				t.Fatalf("a line on the frame %v", f)
			}
		}
	}
}
