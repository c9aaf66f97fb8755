package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"wf/graph/picture"
)

// Sizes of a cell in inches, as of a terminal with text of 13 pixels.
const cellWidth, cellHeight = 8.0 / 72, 19.0 / 72

// layOut lets dot lay out the boxes and dependencies of a scene, and returns the lines that it draws with a setting of
// splines.
func layOut(s *picture.Scene, splines string) ([]line, error) {
	var in strings.Builder
	in.WriteString("digraph {\nrankdir=LR; splines=" + splines + "; node [shape=box, fixedsize=true]\n")
	for i := range s.Boxes {
		b := &s.Boxes[i]
		fmt.Fprintf(&in, "n%d [width=%.3f, height=%.3f]\n", i, float64(b.W)*cellWidth, float64(b.H)*cellHeight)
	}
	for i := range s.Tracks {
		for _, a := range s.Tracks[i].Arcs {
			fmt.Fprintf(&in, "n%d -> n%d\n", a.From, a.To)
		}
	}
	in.WriteString("}\n")
	cmd := exec.Command("dot", "-Tplain", "-y")
	cmd.Stdin = strings.NewReader(in.String())
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("dot: %w: %s", err, strings.TrimSpace(messages.String()))
	}
	return readPlain(out.String())
}

// readPlain reads the edges of dot's plain format: "edge TAIL HEAD N X1 Y1 … XN YN …", the control points of curves. The
// curves of polygons are straight, so that every third point is a corner.
func readPlain(text string) (lines []line, err error) {
	for row := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		fields := strings.Fields(row)
		if len(fields) < 4 || fields[0] != "edge" {
			continue
		}
		n, err := strconv.Atoi(fields[3])
		if err != nil || len(fields) < 4+2*n {
			return nil, fmt.Errorf("dot printed %q", row)
		}
		var l line
		for i := 0; i < n; i += 3 {
			x, errX := strconv.ParseFloat(fields[4+2*i], 64)
			y, errY := strconv.ParseFloat(fields[5+2*i], 64)
			if errX != nil || errY != nil {
				return nil, fmt.Errorf("dot printed %q", row)
			}
			l = append(l, point{x, y})
		}
		lines = append(lines, l)
	}
	return lines, nil
}
