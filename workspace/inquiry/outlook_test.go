package inquiry

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/nodestate"
)

func TestExpectFindsTheLongestPath(t *testing.T) {
	nodes := []api.NodeOutlook{{Node: "a"}, {Node: "b"}, {Node: "c"}, {Node: "d"}, {Node: "new"}}
	ms := time.Millisecond
	medians := map[string]time.Duration{"a": 1 * ms, "b": 10 * ms, "c": 100 * ms, "d": 1000 * ms, "gone": ms}
	expect(nodes, []nodestate.Arrow{{Source: 0, Target: 1}, {Source: 0, Target: 2}, {Source: 1, Target: 3}, {Source: 2, Target: 3}, {Source: 4, Target: 3}}, medians)
	for i, want := range []int64{1101, 1010, 1100, 1000, 1000} {
		if nodes[i].PathMS != want {
			t.Errorf("%s: a way of %d ms, want %d", nodes[i].Node, nodes[i].PathMS, want)
		}
	}
	if nodes[4].ExpectedMS != nil || nodes[2].ExpectedMS == nil || *nodes[2].ExpectedMS != 100 {
		t.Errorf("expected: %+v", nodes)
	}

	loop := []api.NodeOutlook{{Node: "a"}, {Node: "b"}}
	expect(loop, []nodestate.Arrow{{Source: 0, Target: 1}, {Source: 1, Target: 0}}, medians) // edited into a cycle while it runs: it must end
	if loop[0].PathMS != 1 || loop[1].PathMS != 10 {
		t.Errorf("a cycle: %+v", loop)
	}
}

func TestLatestText(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, at time.Time) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	write("out", "before|hello", now)
	write("err", "", now.Add(time.Second))
	o := output{dir: dir, out: executor.Range{File: "out", Start: 7, End: -1}, err: executor.Range{File: "err", End: -1}}
	if got := string(o.latestText(nil)); got != "hello" {
		t.Errorf("only its own part of the slot's file: %q", got)
	}
	write("err", "oops", now.Add(time.Second))
	if got := string(o.latestText(nil)); got != "oops" {
		t.Errorf("the stream written to last: %q", got)
	}
	write("out", "before|hello"+string(make([]byte, 2*tailBytes)), now.Add(2*time.Second))
	if got := o.latestText(nil); len(got) != tailBytes {
		t.Errorf("%d bytes", len(got))
	}
	o.out.File, o.err.File = "gone", "gone"
	if got := o.latestText(nil); got != nil {
		t.Errorf("%q of nothing", got)
	}
}
