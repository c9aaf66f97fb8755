package workspace

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/api"
	"wf/graph"
	"wf/graphml"
)

// sharedFiles finds real workfiles beside the repository; without them the test is skipped.
func sharedFiles(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "shared", "workfiles", folder, "*.graphml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no real workfiles in ../shared/workfiles/%s beside the repository", folder)
	}
	return files
}

// openCopy opens a copy of a workfile with an executor that succeeds at once.
func openCopy(t *testing.T, file string) *Workspace {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "Workfile")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Open(path, Config{Executor: instant{}, State: filepath.Join(dir, "state"), Slots: &freeSlots{n: 8},
		Version: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(context.Background()) })
	return w
}

// runToEnd runs and returns the events.
func runToEnd(t *testing.T, w *Workspace, req api.RunRequest) (api.RunAccepted, []api.Event) {
	t.Helper()
	b := &testbed{t: t, w: w}
	v := b.watch()
	req.Env = []string{}
	acc, err := w.StartRun(context.Background(), "c", req)
	if err != nil {
		t.Fatal(err)
	}
	<-v.over
	v.checkGapless(t)
	v.v.Close()
	<-v.closed
	return acc, v.events
}

func parsed(t *testing.T, path string) *graph.Graph {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, g, _, err := graphml.Parse(data, graphml.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Every node of a recorded workflow executes once and after all it waits for.
func TestRecordedWorkflows(t *testing.T) {
	for _, file := range sharedFiles(t, "wfinstances") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			w := openCopy(t, file)
			g := parsed(t, w.path)
			_, events := runToEnd(t, w, api.RunRequest{Mode: api.ModeFresh})
			over := map[string]int{}
			for _, e := range events {
				switch e.Type {
				case api.NodeStarted:
					for _, in := range g.Node(e.Node).In {
						if in.Type == graph.Blocking && over[in.Source.ID] == 0 {
							t.Fatalf("%s was started before %s was over", e.Node, in.Source.ID)
						}
					}
				case api.NodeFinished:
					over[e.Node]++
				}
			}
			for _, n := range g.Nodes() {
				if over[n.ID] != 1 {
					t.Errorf("%s was executed %d times", n.ID, over[n.ID])
				}
			}
			for _, n := range parsed(t, w.path).Nodes() {
				if n.Status != graph.Ran {
					t.Fatalf("the file says %q of %s", n.Status, n.ID)
				}
			}
		})
	}
}

// Files of Python Workforce in every state that was found open, show it, and can be resumed.
func TestPythonWorkforceFiles(t *testing.T) {
	seen := map[string]int{}
	for _, file := range sharedFiles(t, "python-workforce") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			g := parsed(t, file)
			w := openCopy(t, file)
			st, err := w.Status(context.Background(), true)
			if err != nil {
				t.Fatal(err)
			}
			failed := false
			for i, n := range g.Nodes() {
				want := n.Status
				if want == graph.Running { // nobody here runs it
					want = graph.Failed
				}
				if st.Nodes[i].Status != want.String() || st.Nodes[i].FromFile != (want != graph.Idle) {
					t.Errorf("node %s: status %q, the file says %q", n.ID, st.Nodes[i].Status, n.Status)
				}
				seen[n.Status.String()]++
				failed = failed || n.Status != graph.Idle && n.Status != graph.Ran
			}
			prefix, _ := g.Attr("prefix")
			suffix, _ := g.Attr("suffix")
			if prefix+suffix != "" && !strings.Contains(w.file.Wrapper(), "{}") {
				t.Errorf("wrapper %q", w.file.Wrapper())
			}
			acc, _ := runToEnd(t, w, api.RunRequest{})
			if failed != (acc.Mode == api.ModeResume) {
				t.Errorf("something had failed: %v, but the run was %q", failed, acc.Mode)
			}
		})
	}
	for _, word := range []string{"ran", "fail", "run", "running", ""} {
		if seen[word] == 0 {
			t.Errorf("no file with status %q was seen", word)
		}
	}
}
