package runner

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/executor/rundir"
	"wf/executor/wire"
)

var update = flag.Bool("update", false, "rewrite the expected results of kept runner logs")

// TestKeptLogs reads logs of runners of earlier versions, which are kept beside the journals of package history: a runner
// of this version may have to take over such a run.
func TestKeptLogs(t *testing.T) {
	records, err := filepath.Glob("../../workspace/history/testdata/kept/v*/*/" + rundir.RunnerLogFile)
	if err != nil || len(records) == 0 {
		t.Fatalf("no kept logs: %v", err)
	}
	for _, path := range records {
		folder := filepath.Dir(path)
		t.Run(filepath.Base(filepath.Dir(folder))+" "+filepath.Base(folder), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := describeLog(t, text)
			golden := filepath.Join(folder, "executor.txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("read as\n%swant\n%s", got, want)
			}
		})
	}
}

// describeLog applies the complete lines of a runner log as a runner does at its start, and describes what it would announce
// and adopt. It skips the lines of the log format itself.
func describeLog(t *testing.T, text []byte) string {
	t.Helper()
	p := newReplayState()
	for line := range bytes.Lines(text) {
		_, payload, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
		if !bytes.HasSuffix(line, []byte("\n")) || !bytes.HasPrefix(payload, []byte(`{"k":`)) {
			continue // incomplete, or a line of the log format
		}
		var e wire.Entry
		if err := e.Decode(payload); err != nil {
			t.Fatalf("%s: %v", payload, err)
		}
		p.replay(&e, payload)
	}
	var b strings.Builder
	for line := range bytes.Lines(p.news) {
		var e wire.Entry
		if err := e.Decode(bytes.TrimSpace(line)); err != nil {
			t.Fatalf("news %s: %v", line, err)
		}
		kind := map[string]int{wire.EntryStart: 1, wire.EntryEnd: 2}[e.Kind]
		fmt.Fprintf(&b, "kind %d of %d/%d: out %v, err %v, code %d, signal %d, stopped %v, lost %v\n",
			kind, e.Node, e.Execution, describeOutput(e.Slot, "out", e.Out), describeOutput(e.Slot, "err", e.Err), e.Code, e.Signal, e.Stopped, e.Lost)
	}
	for _, id := range p.order {
		if x := p.open[id]; x != nil {
			fmt.Fprintf(&b, "to adopt: %d/%d, forked %v, started %v, being stopped %v\n", id.Node, id.Execution, x.earlier.forked, x.pid != 0, x.stop != nil)
		}
	}
	return b.String()
}

// describeOutput describes an output as {file start end}.
func describeOutput(slot int, stream string, x wire.Extent) string {
	if slot == 0 || x == wire.NoExtent {
		return "{ 0 0}"
	}
	return fmt.Sprintf("{%s/%s %d %d}", rundir.OutputFolder, rundir.OutputName(slot, stream), x[0], x[1])
}
