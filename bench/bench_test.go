package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeWf replaces the binary: its daemon listens at a pipe, its runs succeed at once.
const fakeWf = `#!/bin/sh
pipe=$WF_RUNTIME_DIR/pipe
case "$1 $2" in
"server start")
	mkdir -p "$WF_RUNTIME_DIR" && mkfifo "$pipe" || exit 1
	echo '{}' > "$WF_RUNTIME_DIR/daemon.json"
	read -r word < "$pipe"
	[ "$word" = stop ] ;;
"server stop")
	echo stop > "$pipe" ;;
"run Workfile")
	case "$3 $4 $5 $6 $7" in
	"--fresh -j 4 --progress none" | "--fresh -j 4 --progress plain") ;;
	*) exit 1 ;;
	esac
	[ -s Workfile ] && [ "$WF_SLOTS" = 4 ] || exit 1
	[ "$8" = --detach ] || exit 0
	mkdir -p "$WF_STATE_DIR/workspaces/w/runs/1" && cd "$WF_STATE_DIR/workspaces/w/runs/1" || exit 1
	echo '{"result":"succeeded"}' > result && mv result result.json && echo 1 ;;
*)
	echo "unknown command: $*" >&2
	exit 2 ;;
esac
`

func writeProgram(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wf")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(p + " is not installed")
		}
	}
}

func TestRunComparesAndRecords(t *testing.T) {
	needs(t, "ninja", "make", "cc")
	results := filepath.Join(t.TempDir(), "results.jsonl")
	args := []string{"-wf", writeProgram(t, fakeWf), "-other", writeProgram(t, fakeWf), "-n", "30", "-j", "4", "-rounds", "2", "-shapes", "layered,chain", "-clients", "quiet,watching,none", "-results", results}
	if err := run(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(results)
	if err != nil {
		t.Fatal(err)
	}
	var cases []string
	for line := range bytes.Lines(data) {
		var r report
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, r.Case)
		checkReport(t, &r)
	}
	want := []string{"layered-30-plain", "layered-30-bash", "chain-30-plain", "chain-30-bash"}
	if !slices.Equal(cases, want) {
		t.Errorf("cases %v, want %v", cases, want)
	}
}

func checkReport(t *testing.T, r *report) {
	t.Helper()
	for i, name := range []string{toolWf, toolOther, toolWf + ", watched", toolOther + ", watched", toolWf + ", no client", toolOther + ", no client", toolNinja, toolMake, toolFloor} {
		f := r.Tools[i]
		if f.Name != name || len(f.WallMS) != 2 || f.MedianMS <= 0 || (f.OwnPerNodeUS == nil) != (name == toolNinja) {
			t.Errorf("%s: %s has %+v", r.Case, name, f)
		}
		fake := strings.Contains(name, toolWf)
		if name != toolWf && r.Ratios[name] <= 0 || !fake && f.CPUPerNodeUS < 50 {
			t.Errorf("%s: %s took %.1f us of CPU per node, ratio %.2f", r.Case, name, f.CPUPerNodeUS, r.Ratios[name])
		}
	}
	if runtime.GOOS == "linux" {
		wf, gnuMake := r.tool(toolWf), r.tool(toolMake)
		if p := wf.process("client"); p == nil || p.CPUPerNodeUS <= 0 || wf.process("runner") != nil || wf.SelfPerNodeUS != nil {
			t.Errorf("%s: processes %+v: the runs are too short for figures of runners", r.Case, wf.Processes)
		}
		if self := gnuMake.SelfPerNodeUS; self == nil || *self <= 0 || *self > gnuMake.CPUPerNodeUS {
			t.Errorf("%s: make alone used %v of %.1f us", r.Case, self, gnuMake.CPUPerNodeUS)
		}
	}
	if r.Nodes != 30 || r.Machine.Cores < 1 || len(r.Absent) > 0 {
		t.Errorf("%+v", r)
	}
}

func TestDaemonThatDoesNotStart(t *testing.T) {
	b := wfBuild{toolWf, writeProgram(t, "#!/bin/sh\necho no room >&2\nexit 4\n"), quiet}
	_, err := startDaemon(t.Context(), b, t.TempDir(), 1)
	if err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("err %v, want what the daemon said", err)
	}
}

func TestDaemonIsStoppedAndItsFolderRemoved(t *testing.T) {
	work := t.TempDir()
	d, err := startDaemon(t.Context(), wfBuild{toolWf, writeProgram(t, fakeWf), quiet}, work, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.stop(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(work); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestFailingCommandIsReported(t *testing.T) {
	needs(t, "ninja")
	work := t.TempDir()
	cases, err := makeCases(options{sizes: []int{3}, shapes: []string{"flat"}, shells: []string{shellPlain}, jobs: []int{2}, command: "false"}, work)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ninja(cases[0], false).time(t.Context()); err == nil {
		t.Error("a failed build was timed")
	}
}

func TestFloorCommand(t *testing.T) {
	for _, tc := range []struct {
		command, shell string
		want           []string
	}{
		{"true", shellPlain, []string{"true"}},
		{"sleep 0.1", shellPlain, []string{"sleep", "0.1"}},
		{"echo $HOME", shellPlain, nil},
		{"echo $HOME", shellBash, []string{"bash", "-c", "echo $HOME"}},
	} {
		cases, err := makeCases(options{sizes: []int{3}, shapes: []string{"flat"}, shells: []string{tc.shell}, jobs: []int{2}, command: tc.command}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(cases[0].argv, tc.want) {
			t.Errorf("%s, %s: %q, want %q", tc.command, tc.shell, cases[0].argv, tc.want)
		}
		cases[0].graph.Nodes[1].Command = "other"
		if got := floorCommand(cases[0].graph, tc.shell); got != nil {
			t.Errorf("nodes that differ: %q", got)
		}
	}
}

func TestReportArithmetic(t *testing.T) {
	r := &report{Nodes: 10, Ratios: make(map[string]float64)}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	r.add(toolWf, sample{wall: ms(500), cpu: ms(2)}, true)
	for _, wall := range []int{30, 10, 20} {
		r.add(toolWf, sample{wall: ms(wall), cpu: ms(2)}, false)
		r.add(toolNinja, sample{wall: ms(40), cpu: ms(8)}, false)
		r.add(toolFloor, sample{wall: ms(15), cpu: ms(6), commands: ms(5)}, false)
	}
	r.tool(toolWf).cpu += ms(32)
	r.close() // of 4 runs of 10 nodes
	wf, floor := r.tool(toolWf), r.tool(toolFloor)
	if wf.MedianMS != 20 || r.Ratios[toolNinja] != 0.5 {
		t.Errorf("median %v, ratios %v", wf.MedianMS, r.Ratios)
	}
	if wf.CPUPerNodeUS != 1000 || *wf.OwnPerNodeUS != 500 || *floor.OwnPerNodeUS != 100 {
		t.Errorf("wf %v and %v, floor %v", wf.CPUPerNodeUS, *wf.OwnPerNodeUS, *floor.OwnPerNodeUS)
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Errorf("median of an even number: %v", m)
	}
}

func TestGrowthComparesWithTheSmallestOfItsKind(t *testing.T) {
	of := func(shape string, nodes, jobs int, wallMS float64) *report {
		return &report{Shape: shape, Shell: shellPlain, Nodes: nodes, Jobs: jobs, DaemonPeakKB: int64(1000 + 2*nodes),
			Tools: []*figures{{Name: toolWf, MedianMS: wallMS, CPUPerNodeUS: 100}}}
	}
	var text bytes.Buffer
	printGrowth(&text, []*report{of("flat", 10, 2, 10), of("flat", 100, 2, 120), of("flat", 100, 8, 1), of("", 50, 2, 1)})
	want := "flat plain -j2: a node of 100 costs 1.20 times the wall time of one of 10, 1.00 times the CPU; 2.0 KB of the daemon's memory\n"
	if text.String() != want {
		t.Errorf("%swant\n%s", &text, want)
	}
}

func TestEveryWidthIsACase(t *testing.T) {
	cases, err := makeCases(options{sizes: []int{3}, shapes: []string{"flat"}, shells: []string{shellPlain}, jobs: []int{2, 8}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 2 || cases[0].name != "flat-3-plain-j2" || cases[1].jobs != 8 || cases[0].dir != cases[1].dir {
		t.Errorf("cases %+v", cases)
	}
}

func TestOptions(t *testing.T) {
	for _, args := range [][]string{{"-n", "0"}, {"-n", "x"}, {"-shells", "fish"}, {"-j", "0"}, {"-rounds", "0"}, {"-clients", "all"}, {"-clients", ""}, {"file"}} {
		if _, err := parseOptions(args); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
	if _, err := makeCases(options{shells: []string{shellPlain}}, t.TempDir()); err == nil {
		t.Error("there was nothing to measure, and no error")
	}
}
