package main

import (
	"math"
	"slices"

	"wf/graph/picture"
)

// A point is a place in a drawing.
type point struct{ x, y float64 }

// A line is what is drawn for a dependency, or for several that share it: straight parts from point to point.
type line []point

// linesOf returns the lines of a scene: the straight parts of each track, and where they turn. arcs is the number of
// dependencies between boxes that have a line.
func linesOf(s *picture.Scene) (lines []line, arcs int) {
	for i := range s.Tracks {
		t := &s.Tracks[i]
		arcs += len(t.Arcs)
		lines = append(lines, straights(t)...)
	}
	return lines, arcs
}

// straights divides a track at its branches: each line is a way between two ends or branches.
func straights(t *picture.Track) (lines []line) {
	at := map[picture.Point][]int{}
	for i := range t.Pieces {
		at[t.Pieces[i].A] = append(at[t.Pieces[i].A], i)
		at[t.Pieces[i].B] = append(at[t.Pieces[i].B], i)
	}
	end := map[picture.Point]bool{}
	for _, e := range slices.Concat(t.Tails, t.Heads) {
		end[e.At] = true
	}
	done := make([]bool, len(t.Pieces))
	follow := func(from picture.Point, piece int) {
		way := line{{float64(from.X), float64(from.Y)}}
		for !done[piece] {
			done[piece] = true
			if p := &t.Pieces[piece]; p.A == from {
				from = p.B
			} else {
				from = p.A
			}
			way = append(way, point{float64(from.X), float64(from.Y)})
			if end[from] || len(at[from]) != 2 {
				break
			}
			if next := at[from][0]; next != piece {
				piece = next
			} else {
				piece = at[from][1]
			}
		}
		if len(way) > 1 {
			lines = append(lines, way)
		}
	}
	for i := range t.Pieces {
		for _, from := range [2]picture.Point{t.Pieces[i].A, t.Pieces[i].B} {
			if !done[i] && (end[from] || len(at[from]) != 2) {
				follow(from, i)
			}
		}
	}
	return lines
}

// turns counts where lines change their direction.
func turns(lines []line) (n int) {
	for _, l := range lines {
		for i := 1; i+1 < len(l); i++ {
			a := math.Atan2(l[i].y-l[i-1].y, l[i].x-l[i-1].x)
			b := math.Atan2(l[i+1].y-l[i].y, l[i+1].x-l[i].x)
			const visible = 0.05 // radians
			if d := math.Abs(math.Remainder(a-b, 2*math.Pi)); d > visible {
				n++
			}
		}
	}
	return n
}

// A segment is a straight part of a line.
type segment struct {
	a, b point
	of   int // its line
}

// crossings counts the points in which different lines cross. Lines that meet at their ends do not cross.
func crossings(lines []line) (n int) {
	var list []segment
	for i, l := range lines {
		for k := 1; k < len(l); k++ {
			list = append(list, segment{l[k-1], l[k], i})
		}
	}
	left := func(s segment) float64 { return min(s.a.x, s.b.x) }
	slices.SortFunc(list, func(s, t segment) int {
		switch {
		case left(s) < left(t):
			return -1
		case left(s) > left(t):
			return 1
		}
		return 0
	})
	for i, s := range list {
		right := max(s.a.x, s.b.x)
		for _, t := range list[i+1:] {
			if left(t) > right {
				break
			}
			if t.of != s.of && cross(s, t) {
				n++
			}
		}
	}
	return n
}

// cross reports whether two segments have one inner point of both in common.
func cross(s, t segment) bool {
	side := func(p, q, r point) float64 { return (q.x-p.x)*(r.y-p.y) - (q.y-p.y)*(r.x-p.x) }
	return side(s.a, s.b, t.a)*side(s.a, s.b, t.b) < 0 && side(t.a, t.b, s.a)*side(t.a, t.b, s.b) < 0
}
