package console

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"wf/cmd/wf/console/consoletest"

	"pgregory.net/rapid"
)

// TestRegionKeepsLines prints lines and draws rows in random order, and checks that the screen contains all printed lines,
// complete and in order, followed by the rows drawn last.
func TestRegionKeepsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := consoletest.NewScreen(rapid.IntRange(10, 40).Draw(t, "width"), rapid.IntRange(6, 12).Draw(t, "height"))
		r := NewRegion(s)
		aside := r.Aside(s)
		var kept, rows, waiting []string
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			line := fmt.Sprintf("line %d", i)
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				rows = nil
				for j := range rapid.IntRange(1, 5).Draw(t, "rows") {
					rows = append(rows, fmt.Sprint(j)+strings.Repeat("x", rapid.IntRange(0, s.Width-2).Draw(t, "columns")))
				}
				r.Show(rows)
				kept, waiting = append(kept, waiting...), nil
			case 2:
				r.Print([]byte(line + "\n"))
				waiting = append(waiting, line)
			case 3:
				io.WriteString(r, line+"\n")
				kept, waiting, rows = append(append(kept, waiting...), line), nil, nil
			case 4:
				io.WriteString(aside, line+"\n")
				kept, waiting, rows = append(append(kept, waiting...), line), nil, nil
			case 5:
				r.Redraw()
				kept, waiting, rows = append(kept, waiting...), nil, nil
			}
		}
		want := strings.TrimRight(strings.Join(append(append([]string{}, kept...), rows...), "\n"), "\n") + "\n"
		if got := s.Text(); got != want {
			t.Fatalf("the screen shows\n%s\nwant\n%s", got, want)
		}
		r.Clear()
		want = strings.TrimRight(strings.Join(append(kept, waiting...), "\n"), "\n") + "\n"
		if got := s.Text(); got != want || s.Hidden || s.NoWrap || s.X != 0 {
			t.Fatalf("after the end the screen shows\n%s\nwant\n%s\ncursor hidden %v, no wrap %v, column %d", got, want, s.Hidden, s.NoWrap, s.X)
		}
	})
}

// TestRegionIsQuiet checks that unchanged rows are not written again.
func TestRegionIsQuiet(t *testing.T) {
	s := consoletest.NewScreen(40, 10)
	r := NewRegion(s)
	for range 3 {
		r.Show([]string{"one", "two"})
	}
	if s.Frames != 1 {
		t.Errorf("%d frames for one picture", s.Frames)
	}
	r.Show([]string{"one"})
	if got := s.Text(); got != "one\n" || s.Frames != 2 {
		t.Errorf("%q after %d frames", got, s.Frames)
	}
}

// TestRegionLongLines checks that the rows are replaced correctly below printed lines that wrap.
func TestRegionLongLines(t *testing.T) {
	s := consoletest.NewScreen(10, 6)
	r := NewRegion(s)
	r.Show([]string{"row"})
	r.Print([]byte("0123456789abcdef\n"))
	r.Show([]string{"new"})
	if got := s.Text(); got != "0123456789\nabcdef\nnew\n" {
		t.Errorf("%q", got)
	}
}
