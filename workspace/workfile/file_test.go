package workfile

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/graphml"
	"wf/workspace/history"
	"wf/workspace/loop"
)

// fakeHost is a workspace without runs, unless a test sets its fields. They belong to the loop.
type fakeHost struct {
	f          *File
	events     []api.Event
	running    bool
	busy       map[string]string // node id → run
	ran        map[string]bool
	executions map[string]*Execution
	frozen     []byte
	forgotten  int
	relinked   int
	published  chan struct{} // has something when there are new events; nil: nobody waits for them
}

// testLimit is how long a test waits for what must happen.
const testLimit = 30 * time.Second

func (h *fakeHost) Publish(ev api.Event) {
	h.events = append(h.events, ev)
	select {
	case h.published <- struct{}{}:
	default:
	}
}

func (h *fakeHost) Refusal() error                     { return nil }
func (h *fakeHost) Running() bool                      { return h.running }
func (h *fakeHost) RunOf(n *graph.Node) string         { return h.busy[n.ID] }
func (h *fakeHost) States() func(*graph.Node) string   { return func(*graph.Node) string { return "" } }
func (h *fakeHost) Ran(id string) bool                 { return h.ran[id] }
func (h *fakeHost) Execution(n *graph.Node) *Execution { return h.executions[n.ID] }
func (h *fakeHost) Lost(n *graph.Node)                 { h.f.Statuses().Fail(n) }
func (h *fakeHost) Forget([]*graph.Node)               { h.forgotten++ }
func (h *fakeHost) ForgetAll()                         { h.ran = nil }
func (h *fakeHost) Relink()                            { h.relinked++ }
func (h *fakeHost) FirstCopy() []byte                  { return nil }

func (h *fakeHost) Frozen(context.Context, string) ([]byte, error) { return h.frozen, nil }

// bareFile is a file without a running loop and without a disk: a graph and a document to edit.
func bareFile(t rapid.TB, text []byte) *File {
	f := New(Config{Loop: loop.New(loop.Hooks{}), Disk: history.LocalDisk{}, Log: slog.New(slog.DiscardHandler), Host: &fakeHost{}})
	var err error
	if f.doc, f.g, _, err = graphml.Parse(text, graphml.Limits{}); err != nil {
		t.Fatal(err)
	}
	f.raw = f.g
	return f
}

// bench is an open file on a disk, with its loop.
type bench struct {
	*testing.T
	path, folder string
	host         *fakeHost
	f            *File
	loop         *loop.Loop
}

// newBench writes a workfile with the nodes a, b and c, in a chain of edges, and opens it.
func newBench(t *testing.T, attrs map[string]string) *bench {
	dir := t.TempDir()
	b := &bench{T: t, path: filepath.Join(dir, "Workfile"), folder: filepath.Join(dir, "state")}
	nodes := []graphml.NewNode{{ID: "a", Label: "x"}, {ID: "b", Label: "y"}, {ID: "c", Label: "z"}}
	data, err := graphml.CreateGraph(nodes, []graphml.NewEdge{{Source: "a", Target: "b"}, {Source: "b", Target: "c"}}, attrs)
	if err == nil {
		err = os.Mkdir(b.folder, 0o700)
	}
	if err == nil {
		err = WriteNew(b.path, graphml.Pieces{data})
	}
	if err != nil {
		t.Fatal(err)
	}
	b.open()
	t.Cleanup(b.close)
	return b
}

// open opens the file as a workspace does.
func (b *bench) open() {
	b.Helper()
	b.host = &fakeHost{ran: map[string]bool{}, published: make(chan struct{}, 1)}
	var f *File
	b.loop = loop.New(loop.Hooks{Settle: func() { f.Tend() }, Leave: func() { f.Leave() }})
	f = New(Config{Path: b.path, Folder: b.folder, Loop: b.loop, Disk: history.LocalDisk{}, Log: slog.New(slog.DiscardHandler), Host: b.host})
	b.f, b.host.f = f, f
	if err := f.Load(); err != nil {
		b.Fatal(err)
	}
	f.Statuses().Restore(func(int) bool { return false })
	f.RestoreEdits()
	if err := f.Watch(); err != nil {
		b.Fatal(err)
	}
	b.loop.Start()
}

func (b *bench) close() {
	b.loop.Post(func() { b.f.SaveThen(b.loop.End) })
	b.loop.Wait()
}

// on runs f on the loop.
func (b *bench) on(f func()) {
	b.Helper()
	if _, err := loop.Await(b.Context(), b.loop, func(reply func(int, error)) { f(); reply(0, nil) }); err != nil {
		b.Fatal(err)
	}
}

// saved waits until everything is on disk.
func (b *bench) saved() {
	b.Helper()
	_, err := loop.Await(b.Context(), b.loop, func(reply func(int, error)) { b.f.SaveThen(func() { reply(0, nil) }) })
	if err != nil {
		b.Fatal(err)
	}
}

// await waits until the condition holds, which it asks on the loop after each event.
func (b *bench) await(condition func() bool) {
	b.Helper()
	limit := time.After(testLimit)
	for {
		var holds bool
		b.on(func() { holds = condition() })
		if holds {
			return
		}
		select {
		case <-b.host.published:
		case <-limit:
			b.Fatal("it has not happened")
		}
	}
}

func (b *bench) must(errs ...error) {
	b.Helper()
	if err := errors.Join(errs...); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) read() string {
	b.Helper()
	data, err := os.ReadFile(b.path)
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func (b *bench) write(text string) {
	b.Helper()
	if err := os.WriteFile(b.path, []byte(text), 0o666); err != nil {
		b.Fatal(err)
	}
}

// other is the text of another workfile.
func (b *bench) other() string {
	b.Helper()
	data, err := graphml.CreateGraph([]graphml.NewNode{{ID: "x", Label: "true"}}, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func apiCode(err error) api.Code {
	var e *api.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// finish gives a node a status as the end of an execution does.
func (b *bench) finish(id string, s graph.Status, x *Execution) {
	b.Helper()
	b.on(func() {
		n := b.f.Graph().Node(id)
		b.host.ran[id] = true
		b.host.executions = map[string]*Execution{id: x}
		b.f.Graph().SetStatus(n, s)
		b.f.Statuses().TouchOutput(n)
	})
}

func TestChangesOfOthersAreAdopted(t *testing.T) {
	b := newBench(t, nil)
	b.finish("a", graph.Ran, nil)
	b.saved()
	changed := strings.Replace(b.read(), ">y<", ">other<", 1)
	b.write(changed)
	if err := b.f.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.on(func() {
		if n := b.f.Graph().Node("b"); n.Label != "other" {
			t.Errorf("the command is still %q", n.Label)
		}
		if n := b.f.Graph().Node("a"); n.Status != graph.Ran {
			t.Errorf("the status of this machine was lost: %v", n.Status)
		}
		if b.host.relinked != 1 {
			t.Errorf("the host was told %d times", b.host.relinked)
		}
	})
}

func TestAnEditIsMadeAgainOnTheFileOfOthers(t *testing.T) {
	b := newBench(t, nil)
	// Between this write and the save of the edit the file is another one.
	changed := strings.Replace(b.read(), ">y<", ">theirs<", 1)
	b.on(func() {
		if _, err := b.f.edit(ada, api.EditRequest{Edits: []api.Edit{{Op: api.OpSet, Nodes: []string{"a"}, Key: "label", Value: "ours"}}}, nil); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(b.path, []byte(changed), 0o666); err != nil {
			t.Error(err)
		}
	})
	b.saved()
	if got := b.read(); !strings.Contains(got, ">theirs<") || !strings.Contains(got, ">ours<") {
		t.Errorf("one of the two edits is lost:\n%s", got)
	}
}

func TestOutputsArePublishedWithTheFile(t *testing.T) {
	b := newBench(t, map[string]string{"results": api.ResultsFile})
	if err := os.WriteFile(filepath.Join(b.folder, "out"), []byte("said this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.finish("a", graph.Ran, &Execution{Command: "sh -c x", ErrorCode: "0", PID: "7", Dir: b.folder, Out: executor.Range{File: "out", End: 10}})
	b.saved()
	for _, want := range []string{"said this", "sh -c x", ">ran<"} {
		if got := b.read(); !strings.Contains(got, want) {
			t.Errorf("the file has no %q:\n%s", want, got)
		}
	}
}

func TestStatusesStayInTheStateFolder(t *testing.T) {
	b := newBench(t, map[string]string{"results": api.ResultsNone})
	before := b.read()
	b.finish("a", graph.Failed, nil)
	b.close()
	if got := b.read(); got != before {
		t.Errorf("the file was changed:\n%s", got)
	}
	b.open()
	b.on(func() {
		if s := b.f.Graph().Node("a").Status; s != graph.Failed {
			t.Errorf("the status is %v", s)
		}
	})
}

func TestResetIsRefusedDuringARun(t *testing.T) {
	b := newBench(t, nil)
	b.on(func() { b.host.busy = map[string]string{"b": "3"} })
	var refused *api.Error
	if _, err := b.f.Reset(t.Context(), "c", api.ResetRequest{}); !errors.As(err, &refused) || refused.Run != "3" {
		t.Errorf("%v", err)
	}
	if _, err := b.f.Reset(t.Context(), "c", api.ResetRequest{Nodes: []string{"a"}}); err != nil {
		t.Errorf("a node of no run: %v", err)
	}
}

func TestResetTakesResultsOutOfTheFile(t *testing.T) {
	b := newBench(t, nil)
	before := b.read()
	b.finish("a", graph.Ran, nil)
	b.saved()
	if _, err := b.f.Reset(t.Context(), "c", api.ResetRequest{}); err != nil {
		t.Fatal(err)
	}
	if got := b.read(); got != before {
		t.Errorf("after the reset:\n%s\nnot:\n%s", got, before)
	}
	if b.host.forgotten != 1 {
		t.Error("the host was not told")
	}
}

func TestSaveAsHasWhatIsNotOnDisk(t *testing.T) {
	b := newBench(t, nil)
	b.finish("a", graph.Ran, nil)
	path := b.path + "-copy"
	if _, err := b.f.SaveAs(t.Context(), api.SaveAsRequest{Path: path}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Contains(data, []byte(">ran<")) {
		t.Errorf("%v:\n%s", err, data)
	}
}

// A helper may be late: its snapshot must not replace one that was taken after it.
func TestANewerSnapshotOfStatusesStays(t *testing.T) {
	b := newBench(t, map[string]string{"results": api.ResultsNone})
	var older, newer func() error
	b.on(func() { older = b.f.Statuses().Keep() })
	b.finish("a", graph.Ran, nil)
	b.on(func() { newer = b.f.Statuses().Keep() })
	for _, write := range []func() error{newer, older} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(b.folder, StatusesName)); err != nil || !bytes.Contains(data, []byte(`"ran"`)) {
		t.Errorf("%v: %s", err, data)
	}
}

// A kill in the middle of a save leaves a temporary file beside the workfile. The next opening removes it.
func TestLeftoversAreRemoved(t *testing.T) {
	b := newBench(t, nil)
	dir := filepath.Dir(b.path)
	own, other := tmpOf(b.path)+"1"+tmpSuffix, tmpPrefix+"other-1"+tmpSuffix
	for _, name := range []string{own, other} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.f.RemoveLeftovers(true)
	if _, err := os.Lstat(filepath.Join(dir, own)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its own: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, other)); err != nil {
		t.Errorf("that of another workfile, a moment old: %v", err)
	}
}

func TestAFileThatCannotBeReadIsNotOverwritten(t *testing.T) {
	b := newBench(t, nil)
	b.write("garbage")
	if err := b.f.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.finish("a", graph.Ran, nil)
	b.saved()
	if got := b.read(); got != "garbage" {
		t.Errorf("overwritten: %s", got)
	}
	b.on(func() {
		if b.f.Unreadable() == "" || b.f.Problem() == "" {
			t.Error("there is no problem")
		}
	})
}
