package workspace

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/loop"
)

// answer is what a request got.
type answer[T any] struct {
	value T
	err   error
}

// awaitLog asks for the output of b and hands over the answer when it comes.
func (b *testbed) awaitLog(run string, execution int) <-chan answer[api.LogInfo] {
	ch := make(chan answer[api.LogInfo], 1)
	asked := make(chan struct{})
	go func() {
		close(asked)
		info, err := b.w.LogInfo(context.Background(), "id-b", run, execution, true)
		ch <- answer[api.LogInfo]{info, err}
	}()
	<-asked
	b.sync()
	return ch
}

// sync returns when the loop has handled what was sent to it before.
func (b *testbed) sync() {
	b.t.Helper()
	if _, err := b.w.Status(context.Background(), false); err != nil {
		b.t.Fatal(err)
	}
}

// TestLogsOfANodeThatWillStart: a request that waits for the output of a node that has not started gets this output, not that of an
// earlier run.
func TestLogsOfANodeThatWillStart(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.open()
	v := b.watch()
	for n, want := range []string{"1", "2"} {
		_, s := b.run(api.RunRequest{Mode: api.ModeFresh})
		a := b.next(s)
		ch := b.awaitLog("", 0)
		info, err := b.w.LogInfo(context.Background(), "id-b", "", 0, false)
		if n == 0 && !isNoOutput(err) || n == 1 && (err != nil || info.Run != "1" || info.Pending != "2") {
			t.Errorf("run %s, without waiting: %+v, %v", want, info, err)
		}
		select {
		case got := <-ch:
			t.Fatalf("run %s: answered before b began: %+v", want, got)
		default:
		}
		s.end(a.ID, executor.Exit{})
		job := b.next(s)
		if got := <-ch; got.err != nil || got.value.Run != want || got.value.Execution != 1 || got.value.Pending != "" {
			t.Errorf("run %s: %+v", want, got)
		}
		s.end(job.ID, executor.Exit{})
		<-v.over
		if got := <-b.awaitLog("", 0); got.err != nil || got.value.Run != want {
			t.Errorf("after run %s: %+v", want, got)
		}
		if got := <-b.awaitLog(want, 2); !isNoOutput(got.err) {
			t.Errorf("a second execution in run %s: %+v", want, got)
		}
	}
}

// TestLogsOfANodeThatNeverStarts: the wait ends with the run.
func TestLogsOfANodeThatNeverStarts(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.play(v, s, nil)
	_, s = b.run(api.RunRequest{Mode: api.ModeFresh})
	job := b.next(s)
	ch := b.awaitLog("", 0)
	for waiting := 0; waiting == 0; { // or the question comes when the run is over
		waiting, _ = loop.Ask(context.Background(), b.w.loop, func() (int, error) { return b.w.Reader.Waiting(), nil })
	}
	s.end(job.ID, executor.Exit{Code: 1})
	<-v.over
	if got := <-ch; !isNoOutput(got.err) {
		t.Errorf("of a node that is not reached: %+v", got)
	}
}

// TestLogsOfNextExecution: in a loop a request can wait for the next execution. After the last one it gets an error.
func TestLogsOfNextExecution(t *testing.T) {
	b := newTestbed(t, "a~b", "c~b")
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	a, c := b.next(s), b.next(s)
	s.end(a.ID, executor.Exit{})
	first := b.next(s)
	s.end(c.ID, executor.Exit{}) // b is activated once more, and waits for its own end
	ch := b.awaitLog("1", 2)
	s.end(first.ID, executor.Exit{})
	second := b.next(s)
	if got := <-ch; got.err != nil || got.value.Execution != 2 {
		t.Errorf("the second execution: %+v", got)
	}
	ch = b.awaitLog("1", 3)
	s.end(second.ID, executor.Exit{})
	if got := <-ch; !isNoOutput(got.err) {
		t.Errorf("a third execution: %+v", got)
	}
	<-v.over
}

func isNoOutput(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Code == api.CodeNoOutput
}

// TestMergedOutput: both streams are one output unless the workfile says otherwise, or has places for two.
func TestMergedOutput(t *testing.T) {
	const (
		graphKey = `<key id="og" for="graph" attr.name="output" attr.type="string"/>`
		nodeKey  = `<key id="on" for="node" attr.name="output" attr.type="string"/>`
		captures = `<key id="so" for="node" attr.name="stdout" attr.type="string"/><key id="se" for="node" attr.name="stderr" attr.type="string"/>`
		split    = `<data key="og">split</data>`
	)
	for name, c := range map[string]struct {
		keys, graph, b string
		merged         []bool // a, b
	}{
		"nothing is said":           {merged: []bool{true, true}},
		"the graph says split":      {keys: graphKey, graph: split, merged: []bool{false, false}},
		"a node says split":         {keys: nodeKey, b: `<data key="on">split</data>`, merged: []bool{true, false}},
		"the graph, but not a node": {keys: graphKey + nodeKey, graph: split, b: `<data key="on">merged</data>`, merged: []bool{false, true}},
		"places for both":           {keys: captures, merged: []bool{false, false}},
		"a file with results":       {keys: `<key id="re" for="graph" attr.name="results" attr.type="string"/>`, graph: `<data key="re">file</data>`, merged: []bool{false, false}},
		"places, and no results":    {keys: captures + `<key id="re" for="graph" attr.name="results" attr.type="string"/>`, graph: `<data key="re">none</data>`, merged: []bool{true, true}},
		"places, and merged":        {keys: captures + graphKey, graph: `<data key="og">merged</data>`, merged: []bool{true, true}},
		"a word that is none":       {keys: graphKey, graph: `<data key="og">both</data>`, merged: []bool{true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestbed(t, "a>b")
			text := strings.Replace(b.read(), `<graph edgedefault="directed">`, c.keys+`<graph edgedefault="directed">`+c.graph, 1)
			b.write(strings.Replace(text, `<node id="id-b">`, `<node id="id-b">`+c.b, 1))
			b.open()
			v := b.watch()
			_, s := b.run(api.RunRequest{})
			var got []bool
			for range 2 {
				j := b.next(s)
				got = append(got, j.Merge)
				s.end(j.ID, executor.Exit{})
			}
			<-v.over
			if !slices.Equal(got, c.merged) {
				t.Errorf("merged %v, want %v", got, c.merged)
			}
		})
	}
}
