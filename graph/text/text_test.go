package text_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"wf/graph"
	"wf/graph/difference"
	"wf/graph/text"
	"wf/graphml"
)

// read reads a text that has no mistakes.
func read(t testing.TB, data []byte) *text.Workflow {
	t.Helper()
	wf, err := text.Read(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return wf
}

// write writes the text of a graph that is not nested too deep.
func write(t testing.TB, g *graph.Graph) []byte {
	t.Helper()
	data, err := text.Write(g)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCanonical checks which text is written for what people write. An empty want means the same text.
func TestCanonical(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no texts", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		input, want, _ := strings.Cut(string(data), "\n=====\n")
		if want == "" {
			want = input
		}
		got := write(t, read(t, []byte(input)).Graph())
		if d := diff.Diff(file, []byte(want), "written", got); len(d) > 0 {
			t.Errorf("%s", d)
		}
		checkFixed(t, got)
	}
}

// checkFixed checks that reading a written text gives the same text.
func checkFixed(t testing.TB, data []byte) {
	t.Helper()
	again := write(t, read(t, data).Graph())
	if d := diff.Diff("text", withoutComments(data), "text of its graph", withoutComments(again)); len(d) > 0 {
		t.Fatalf("%s", d)
	}
}

// withoutComments removes the lines at the head of a text: those about foreign data have no counterpart in a new workflow.
func withoutComments(data []byte) []byte {
	for strings.HasPrefix(string(data), "#") {
		_, rest, _ := strings.Cut(string(data), "\n")
		data = []byte(rest)
	}
	return data
}

// workfiles calls check for every workfile of a folder.
func workfiles(t *testing.T, folder string, check func(t *testing.T, path string, g *graph.Graph)) {
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("%s is absent", folder)
	}
	count := 0
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(filepath.Ext(path), ".graphml") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, g, _, err := graphml.Parse(data, graphml.Limits{})
		if err != nil {
			return nil // damaged on purpose
		}
		count++
		t.Run(filepath.Base(path), func(t *testing.T) { check(t, path, g) })
		return nil
	})
	if err != nil || count == 0 {
		t.Fatalf("%d workfiles: %v", count, err)
	}
	t.Logf("%d workfiles", count)
}

// TestWorkfiles checks with many workfiles that their texts are fixed points, that the text of a workfile, laid over it, does
// not change it, and that the graph of the text means the same.
func TestWorkfiles(t *testing.T) {
	for _, folder := range []string{"workfiles", "graphml-corpus", "graphml-cases"} {
		t.Run(folder, func(t *testing.T) { workfiles(t, filepath.Join("../../../shared", folder), checkWorkfile) })
	}
	t.Run("examples", func(t *testing.T) { workfiles(t, "../../examples", checkWorkfile) })
}

func checkWorkfile(t *testing.T, path string, g *graph.Graph) {
	data, err := text.Write(g)
	if err != nil && filepath.Base(path) == "55-deep-groups.graphml" {
		return // nested 3000 deep
	}
	if err != nil {
		t.Fatal(err)
	}
	checkFixed(t, data)
	wf := read(t, data)
	over, err := wf.Over(g, func(n *text.Node) string { t.Errorf("%s is a new node", n.Key); return graph.NewID() })
	if err != nil {
		t.Fatal(err)
	}
	if edit, anew := difference.Of(g, over.Graph).Edit(); len(edit.Ops) > 0 || anew > 0 {
		t.Errorf("its own text would change it: %d new nodes, %+v", anew, edit.Ops)
	}
	// The new graph, laid over the old one, changes nothing either: it says all that the text can say.
	again, err := read(t, write(t, wf.Graph())).Over(g, func(n *text.Node) string { t.Errorf("%s is a new node", n.Key); return graph.NewID() })
	if err != nil {
		t.Fatal(err)
	}
	if edit, _ := difference.Of(g, again.Graph).Edit(); len(edit.Ops) > 0 {
		t.Errorf("the text of the graph of its text would change it: %+v", edit.Ops)
	}
}
