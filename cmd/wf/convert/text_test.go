package convert

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/api"
	"wf/graph"
	"wf/graph/text"
	"wf/graphml"
	"wf/workspace/workfile"
)

// TestTextsSurviveTheRoundTrip makes workfiles of the texts of many workfiles, as wf new --from yaml does: their texts are the
// same.
func TestTextsSurviveTheRoundTrip(t *testing.T) {
	for _, folder := range []string{"../../../examples", "../../../../shared/workfiles", "../../../../shared/graphml-corpus", "../../../../shared/graphml-cases"} {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			if _, err := os.Stat(folder); err != nil {
				t.Skipf("%s is absent", folder)
			}
			count := 0
			err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() && strings.HasPrefix(filepath.Ext(path), ".graphml") && roundTrip(t, path) {
					count++
				}
				return err
			})
			if err != nil || count == 0 {
				t.Fatalf("%d workfiles: %v", count, err)
			}
			t.Logf("%d workfiles", count)
		})
	}
}

// roundTrip returns false for a file that is no workfile, or one that wf new refuses.
func roundTrip(t *testing.T, path string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, g, _, err := graphml.Parse(data, graphml.Limits{})
	if err != nil {
		return false // damaged on purpose
	}
	const most = 2000
	if len(g.Edges()) > most {
		return false // drawing it takes long, and its text is tested in graph/text
	}
	before, err := text.Write(g)
	if err != nil {
		return false // nested too deep
	}
	flow, err := Import("yaml", before, Options{})
	if err != nil {
		if graph.FindCycle(g.Nodes()) == nil && !strings.Contains(err.Error(), "cannot be kept") {
			t.Errorf("%s: %v", path, err)
		}
		return false
	}
	made := filepath.Join(t.TempDir(), "made.wf")
	if err := workfile.Create(api.NewRequest{Path: made, Nodes: flow.Nodes, Edges: flow.Edges, Attrs: flow.Attrs}); err != nil {
		t.Errorf("%s: %v", path, err)
		return false
	}
	written, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	_, again, _, err := graphml.Parse(written, graphml.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := text.Write(again)
	if err != nil || body(after) != body(before) {
		t.Errorf("%s: %v\n%s\nbecame\n%s", path, err, before, after)
	}
	return true
}

// body returns a text without the comments at its head, which name data that only the first file has.
func body(data []byte) string {
	for strings.HasPrefix(string(data), "#") {
		_, rest, _ := strings.Cut(string(data), "\n")
		data = []byte(rest)
	}
	return string(data)
}
