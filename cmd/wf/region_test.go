package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRegionKeepsLines: whatever is printed and drawn in whatever order, each line that was printed
// stays, whole and in order, with the rows of the last frame below, and nothing else.
func TestRegionKeepsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScreen(rapid.IntRange(10, 40).Draw(t, "width"), rapid.IntRange(6, 12).Draw(t, "height"))
		r := &region{w: s}
		aside := r.aside(s)
		var kept, rows, waiting []string
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			line := fmt.Sprintf("line %d", i)
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				rows = nil
				for j := range rapid.IntRange(1, 5).Draw(t, "rows") {
					rows = append(rows, fmt.Sprint(j)+strings.Repeat("x", rapid.IntRange(0, s.width-2).Draw(t, "columns")))
				}
				r.show(rows)
				kept, waiting = append(kept, waiting...), nil
			case 2:
				r.print([]byte(line + "\n"))
				waiting = append(waiting, line)
			case 3:
				io.WriteString(r, line+"\n")
				kept, waiting, rows = append(append(kept, waiting...), line), nil, nil
			case 4:
				io.WriteString(aside, line+"\n")
				kept, waiting, rows = append(append(kept, waiting...), line), nil, nil
			case 5:
				r.redraw()
				kept, waiting, rows = append(kept, waiting...), nil, nil
			}
		}
		want := strings.TrimRight(strings.Join(append(append([]string{}, kept...), rows...), "\n"), "\n") + "\n"
		if got := s.text(); got != want {
			t.Fatalf("the screen shows\n%s\nwant\n%s", got, want)
		}
		r.clear()
		want = strings.TrimRight(strings.Join(append(kept, waiting...), "\n"), "\n") + "\n"
		if got := s.text(); got != want || s.hidden || s.noWrap || s.x != 0 {
			t.Fatalf("after the end the screen shows\n%s\nwant\n%s\ncursor hidden %v, no wrap %v, column %d", got, want, s.hidden, s.noWrap, s.x)
		}
	})
}

// TestRegionIsQuiet: an unchanged frame is not written.
func TestRegionIsQuiet(t *testing.T) {
	s := newScreen(40, 10)
	r := &region{w: s}
	for range 3 {
		r.show([]string{"one", "two"})
	}
	if s.frames != 1 {
		t.Errorf("%d frames for one picture", s.frames)
	}
	r.show([]string{"one"})
	if got := s.text(); got != "one\n" || s.frames != 2 {
		t.Errorf("%q after %d frames", got, s.frames)
	}
}

// TestRegionLongLines: lines that stay wrap as the terminal does it; the rows are still replaced.
func TestRegionLongLines(t *testing.T) {
	s := newScreen(10, 6)
	r := &region{w: s}
	r.show([]string{"row"})
	r.print([]byte("0123456789abcdef\n"))
	r.show([]string{"new"})
	if got := s.text(); got != "0123456789\nabcdef\nnew\n" {
		t.Errorf("%q", got)
	}
}
