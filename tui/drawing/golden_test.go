package drawing

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"wf/api"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

// parseGraph reads a graph as testdata has it: lines `NAME STATE[+] [DETAIL] : COMMAND` (+ is a mark),
// `FROM -> TO` and `FROM ~> TO` (non-blocking), the latter with a sign behind it for tokens (*) and dead
// edges (!). \t and \e in names stand for what they do.
func parseGraph(t *testing.T, text string) *Graph {
	g, at := &Graph{}, map[string]int{}
	node := func(name string) int {
		i, found := at[name]
		if !found {
			t.Fatalf("no node %q", name)
		}
		return i
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		fields := strings.Fields(line)
		switch {
		case line == "" || line[0] == '#':
		case len(fields) > 2 && (fields[1] == "->" || fields[1] == "~>"):
			sign := strings.Join(fields[3:], "")
			g.Edges = append(g.Edges, Edge{From: node(fields[0]), To: node(fields[2]), NonBlocking: fields[1] == "~>", Marked: sign == "*", Dead: sign == "!"})
		default:
			head, command, _ := strings.Cut(line, " : ")
			fields = strings.SplitN(head, " ", 3)
			word, marked := strings.CutSuffix(fields[1], "+")
			n := Node{ID: fields[0], Name: strings.NewReplacer(`\t`, "\t", `\e`, "\x1b").Replace(fields[0]), Command: command, Marked: marked}
			n.State = State(slices.Index(stateWords[:], api.State(word)))
			if len(fields) > 2 {
				n.Detail = fields[2]
				n.Time = strings.TrimPrefix(n.Detail, "running ")
			}
			at[fields[0]] = len(g.Nodes)
			g.Nodes = append(g.Nodes, n)
		}
	}
	return g
}

// TestViewsMatchGoldenFiles: It draws every view of the graphs in testdata in several sizes, in Unicode and ASCII.
func TestViewsMatchGoldenFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.graph")
	if err != nil || len(files) == 0 {
		t.Fatal("no graphs", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g := parseGraph(t, string(text))
		for view := List; view <= Chart; view++ {
			name := strings.TrimSuffix(file, ".graph") + "." + view.String()
			t.Run(filepath.Base(name), func(t *testing.T) { golden(t, name+".golden", screens(g, view)) })
		}
	}
}

// screens draws a view in all sizes.
func screens(g *Graph, view View) string {
	var b strings.Builder
	sizes := []Zoom{Fit}
	if view == Chart {
		sizes = []Zoom{Fit, Chips, Stages}
	}
	for _, zoom := range sizes {
		l := New(g, Options{View: view, Zoom: zoom})
		selected := Nothing
		if list, ok := l.view.(*list); ok && list.lanes.star != nil {
			selected = NodeItem(len(g.Nodes) / 2) // only its lanes are shown
		}
		for _, width := range []int{60, 100, 200} {
			for _, ascii := range []bool{false, true} {
				l.Show(Look{Width: width, Height: 24, ASCII: ascii, Selected: selected})
				w, h := l.Size()
				if zoom != Fit && (width != 200 || ascii) || width > 60 && w <= width/2 {
					continue // adds nothing to the other sizes
				}
				grid := NewGrid(width, min(h, 40))
				l.Draw(grid, Point{})
				fmt.Fprintf(&b, "== %v, %d columns, ascii %v: %dx%d\n%s", zoom, width, ascii, w, h, grid)
			}
		}
	}
	return b.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff.Diff(file, want, "drawn", []byte(got)); d != nil {
		t.Errorf("%s", d)
	}
}
