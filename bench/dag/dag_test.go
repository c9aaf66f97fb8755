package dag

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"wf/graphml"
)

func mustNew(t *testing.T, shape string, n int, command string) *Graph {
	t.Helper()
	g, err := New(shape, n, command, 1)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func render(t *testing.T, g *Graph, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := g.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestShapes(t *testing.T) {
	for _, tc := range []struct {
		shape               string
		n                   int
		minEdges, maxEdges  int
		minLevels, maxLevel int
	}{
		{"flat", 1000, 0, 0, 0, 0},
		{"chain", 1000, 999, 999, 999, 999},
		{"fan", 1000, 2 * 998, 2 * 998, 2, 2},
		{"fan", 1, 0, 0, 0, 0},
		{"fan", 2, 1, 1, 1, 1},
		{"fan", 3, 2, 2, 2, 2},
		{"layered", 5, 0, 0, 0, 0},
		{"layered", 10_000, 24_500, 25_500, 10_000/maxWidth - 1, 10_000 / minWidth},
	} {
		t.Run(fmt.Sprintf("%s-%d", tc.shape, tc.n), func(t *testing.T) {
			g := mustNew(t, tc.shape, tc.n, "true")
			level, err := g.levels()
			if err != nil {
				t.Fatal(err)
			}
			if len(g.Nodes) != tc.n || g.Edges() < tc.minEdges || g.Edges() > tc.maxEdges {
				t.Errorf("%d nodes, %d edges", len(g.Nodes), g.Edges())
			}
			if depth := slices.Max(level); depth < tc.minLevels || depth > tc.maxLevel {
				t.Errorf("%d levels", depth)
			}
		})
	}
}

func TestLayersAreWideEnough(t *testing.T) {
	g := mustNew(t, "layered", 5000, "true")
	level, err := g.levels()
	if err != nil {
		t.Fatal(err)
	}
	width := make([]int, slices.Max(level)+1)
	for i, l := range level {
		width[l]++
		for _, p := range g.Nodes[i].After {
			if level[p] != l-1 {
				t.Fatalf("node %d of layer %d comes after one of layer %d", i, l, level[p])
			}
		}
	}
	for l, w := range width[:len(width)-1] { // the last one may be shorter
		if w < minWidth || w > maxWidth {
			t.Errorf("layer %d has %d nodes", l, w)
		}
	}
}

func TestSameArgumentsSameBytes(t *testing.T) {
	for _, format := range Formats() {
		a := render(t, mustNew(t, "layered", 500, "true"), format)
		b := render(t, mustNew(t, "layered", 500, "true"), format)
		other, err := New("layered", 500, "true", 2)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) || bytes.Equal(a, render(t, other, format)) {
			t.Errorf("%s: the seed does not decide", format)
		}
	}
}

func TestBadArguments(t *testing.T) {
	if _, err := New("star", 5, "true", 1); err == nil || !strings.Contains(err.Error(), "layered") {
		t.Errorf("unknown shape: %v", err)
	}
	if _, err := New("flat", 0, "true", 1); err == nil {
		t.Error("a graph without nodes was made")
	}
	g := mustNew(t, "flat", 2, "true")
	if err := g.Write(&bytes.Buffer{}, "yaml"); err == nil || !strings.Contains(err.Error(), "ninja") {
		t.Errorf("unknown format: %v", err)
	}
	g.SetCommand("one\ntwo")
	for _, format := range []string{"ninja", "make"} {
		if err := g.Write(&bytes.Buffer{}, format); err == nil || !strings.Contains(err.Error(), "n000000") {
			t.Errorf("%s took a command of two lines: %v", format, err)
		}
	}
}

// awkward is a command with all characters that some format has to escape.
const awkward = `test "$((1+1))" = 2 && test '<&>"#ü' != "$$"`

func TestWorkfileRoundTrip(t *testing.T) {
	g := mustNew(t, "layered", 300, awkward)
	g.Wrapper = `bash -c '{}'`
	path := filepath.Join(t.TempDir(), "Workfile")
	if err := os.WriteFile(path, render(t, g, "workfile"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, g) {
		t.Errorf("read %d nodes, %d edges, wrapper %q", len(got.Nodes), got.Edges(), got.Wrapper)
	}
}

func TestReadWfFormat(t *testing.T) {
	want := &Graph{Nodes: []Node{
		{"align_2", "sleep 0.012 # align_2", []int{1}},
		{"split_1", "sleep 0.002 # split_1", nil},
		{"merge_3", "sleep 0.000 # merge_3", []int{0, 1}},
	}}
	for _, version := range []string{"1.3", "1.5"} {
		got, err := ReadFile("testdata/wfformat-" + version + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("version %s: %+v, want %+v", version, got, want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"cycle.json":   {`{"workflow":{"tasks":[{"name":"a","parents":["b"]},{"name":"b","parents":["a"]}]}}`, "cycle"},
		"unknown.json": {`{"workflow":{"tasks":[{"name":"a","parents":["x"]}]}}`, `names "x", which is not a task`},
		"empty.json":   {`{}`, "no workflow"},
		"loop.graphml": {`<graphml><key id="t" for="edge" attr.name="edge_type"/><graph edgedefault="directed"><node id="a"/>` +
			`<edge source="a" target="a"><data key="t">non-blocking</data></edge></graph></graphml>`, "non-blocking"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRecordedWorkfiles converts the shared recorded workflows to every format.
func TestRecordedWorkfiles(t *testing.T) {
	files, err := filepath.Glob("../../../shared/workfiles/wfinstances/*.graphml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no ../shared/workfiles beside the repository")
	}
	for _, file := range files {
		g, err := ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, format := range Formats() {
			if err := g.Write(&bytes.Buffer{}, format); err != nil {
				t.Errorf("%s: %v", filepath.Base(file), err)
			}
		}
	}
}

// TestToolsRunEveryNodeOnceInOrder runs the written files with the real tools.
func TestToolsRunEveryNodeOnceInOrder(t *testing.T) {
	for tool, args := range map[string][]string{
		"ninja": {"--quiet", "-j", "4", "-f"},
		"make":  {"-r", "-j", "4", "-f"},
	} {
		t.Run(tool, func(t *testing.T) {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skip(tool + " is not installed")
			}
			g := mustNew(t, "layered", 120, "")
			dir := t.TempDir()
			for i := range g.Nodes {
				g.Nodes[i].Command = fmt.Sprintf("%s && echo %d >> log", awkward, i)
			}
			if err := os.WriteFile(filepath.Join(dir, "file"), render(t, g, tool), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(tool, append(args, "file")...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			checkOrder(t, g, filepath.Join(dir, "log"))
		})
	}
}

func checkOrder(t *testing.T, g *Graph, log string) {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	done := make(map[int]bool)
	for _, word := range strings.Fields(string(data)) {
		var i int
		if _, err := fmt.Sscan(word, &i); err != nil || done[i] {
			t.Fatalf("node %q ran twice, or is none", word)
		}
		for _, p := range g.Nodes[i].After {
			if !done[p] {
				t.Fatalf("node %d ran before %d", i, p)
			}
		}
		done[i] = true
	}
	if len(done) != len(g.Nodes) {
		t.Errorf("%d of %d nodes ran", len(done), len(g.Nodes))
	}
}

// TestWorkfileIsWhatWfReads checks that a workfile has no warnings, labels as commands, and idle nodes.
func TestWorkfileIsWhatWfReads(t *testing.T) {
	_, g, warnings, err := graphml.Parse(render(t, mustNew(t, "fan", 50, "true"), "workfile"), graphml.Limits{})
	if err != nil || len(warnings) > 0 || len(g.Nodes()) != 50 || g.Nodes()[7].Label != "true" {
		t.Errorf("warnings %v, %v", warnings, err)
	}
}
