package main

import (
	"testing"

	"wf/graph/picture"
)

func TestCrossingsAndTurns(t *testing.T) {
	for story, test := range map[string]struct {
		lines            []line
		crossings, turns int
	}{
		"a cross":                 {[]line{{{0, 0}, {2, 2}}, {{0, 2}, {2, 0}}}, 1, 0},
		"lines that meet":         {[]line{{{0, 0}, {2, 2}}, {{2, 2}, {4, 0}}}, 0, 0},
		"a line with two corners": {[]line{{{0, 0}, {2, 0}, {2, 2}, {4, 2}}}, 0, 2},
		"a straight one in parts": {[]line{{{0, 0}, {2, 0}, {4, 0}}}, 0, 0},
	} {
		if c, n := crossings(test.lines), turns(test.lines); c != test.crossings || n != test.turns {
			t.Errorf("%s: %d crossings and %d turns, want %d and %d", story, c, n, test.crossings, test.turns)
		}
	}
}

// TestLinesOfAScene: Two sources with the same two targets share a line, which crosses nothing.
func TestLinesOfAScene(t *testing.T) {
	vertices := []picture.Vertex{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}
	edges := []picture.Edge{{From: 0, To: 2}, {From: 0, To: 3}, {From: 1, To: 2}, {From: 1, To: 3}}
	lines, arcs := linesOf(picture.New(vertices, edges, picture.Options{Whole: true}))
	if arcs != 4 || crossings(lines) != 0 || len(lines) < 3 {
		t.Errorf("%d lines for %d arcs with %d crossings", len(lines), arcs, crossings(lines))
	}
}

func TestReadPlain(t *testing.T) {
	lines, err := readPlain("graph 1 2 3\nnode n0 1 1 1 1\nedge n0 n1 4 0 0 1 1 2 2 3 \\\n3 solid black\nstop\n")
	if err != nil || len(lines) != 1 || len(lines[0]) != 2 || lines[0][1] != (point{3, 3}) {
		t.Errorf("%v, %v", lines, err)
	}
	if _, err := readPlain("edge a b 4 0 0\n"); err == nil {
		t.Error("a short row is read")
	}
}
