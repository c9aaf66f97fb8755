package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

// recorded reads testdata/perf.txt twice, as if there were two equal runs: samples of a run of twelve nodes, and
// of two processes that have nothing to do with it. Perf is process 100, the daemon 200.
func recorded(t *testing.T) *profile {
	t.Helper()
	p := newProfile()
	for range 2 {
		f, err := os.Open(filepath.Join("testdata", "perf.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.read(f, newFamily("wf", 100, 200)), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestSamplesAreSeparatedByProcess(t *testing.T) {
	p := recorded(t)
	for role, want := range map[string]int{roleClient: 8, roleDaemon: 10, roleRunner: 10, roleCommands: 10} {
		if got := p.stacks[role].count; got != want {
			t.Errorf("%s: %d samples, want %d", role, got, want)
		}
	}
}

func TestPicturesOfRecordedSamples(t *testing.T) {
	p := recorded(t)
	for _, role := range roles {
		g := graph{name: role, conditions: "twelve nodes & a <test>", sampleUS: 1e6 / 1999 / 24}
		got := g.svg(p.stacks[role])
		golden := filepath.Join("testdata", role+".svg")
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs; look at the difference after go test ./bench/flame -update", golden)
		}
		if bytes.Contains(got, []byte("/usr/bin")) {
			t.Errorf("%s contains paths of this machine", golden)
		}
	}
}

func TestRolesFollowFromForks(t *testing.T) {
	f := newFamily("wf", 100, 200)
	for _, event := range []string{
		"PERF_RECORD_FORK(200:200):(1:1)",
		"PERF_RECORD_FORK(200:201):(200:200)",
		"PERF_RECORD_FORK(300:300):(100:100)",
		"PERF_RECORD_COMM exec: wf:300/300",
		"PERF_RECORD_FORK(301:301):(200:201)",
		"PERF_RECORD_COMM exec: wf:301/301",
		"PERF_RECORD_FORK(302:302):(200:201)",
		"PERF_RECORD_COMM exec: sh:302/302",
		"PERF_RECORD_FORK(303:303):(301:301)",
		"PERF_RECORD_COMM exec: a name: with (signs):303/303",
		"PERF_RECORD_FORK(304:304):(303:303)",
		"PERF_RECORD_FORK(305:305):(301:301)",
		"PERF_RECORD_EXIT(305:305):(301:301)",
		"PERF_RECORD_FORK(305:305):(1:1)",
	} {
		if !f.event(event) {
			t.Errorf("%s is a sample", event)
		}
	}
	want := "map[200:daemon 300:client 301:runner 302:commands 303:commands 304:commands]"
	if got := fmt.Sprint(f.roles); got != want {
		t.Errorf("roles %s, want %s", got, want)
	}
	if f.event("cpu-clock: ") {
		t.Error("a sample is an event of processes")
	}
}

func TestFrames(t *testing.T) {
	for _, tc := range []struct {
		function, file string
		want           frame
	}{
		{"do_syscall_64", "[kernel.kallsyms]", frame{"do_syscall_64", kindKernel}},
		{"runtime.goexit.abi0", "/a/wf", frame{"runtime.goexit", kindRuntime}},
		{"internal/runtime/maps.newTable", "/a/wf", frame{"internal/runtime/maps.newTable", kindRuntime}},
		{"wf/api.Read[go.shape.struct { X []int }]", "/a/wf", frame{"wf/api.Read[…]", kindOurs}},
		{"main.main", "/a/wf", frame{"main.main", kindOurs}},
		{"encoding/json.Marshal", "/a/wf", frame{"encoding/json.Marshal", kindOther}},
		{"_dl_start", "/lib/ld.so", frame{"_dl_start", kindOther}},
	} {
		if got := newFrame(tc.function, tc.file); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.function, got, tc.want)
		}
	}
}

func TestUnknownFramesAreLeftOut(t *testing.T) {
	const script = `wf 200/200 1.000000: cpu-clock: 
	ffffffff81000130 read (inode) (/lib/a b (deleted))
	               0 [unknown] ([unknown])
	          400000 main.main (/a/wf)

wf 200/201 1.000200: cpu-clock: 
	               0 [unknown] ([unknown])

`
	p := newProfile()
	if err := p.read(strings.NewReader(script), newFamily("wf", 100, 200)); err != nil {
		t.Fatal(err)
	}
	root := p.stacks[roleDaemon]
	outer := root.children[frame{"main.main", kindOurs}]
	if outer == nil || outer.children[frame{"read (inode)", kindOther}] == nil || root.children[frame{unknown, kindOther}] == nil {
		t.Errorf("stacks %+v", root.children)
	}
}

func TestTextsOfFramesFit(t *testing.T) {
	const name = "wf/workspace/loop.(*Loop).run"
	for letters, want := range map[int]string{29: name, 28: "loop.(*Loop).run", 15: "(*Loop).run", 10: "(*Loop).r…", 3: "(*…", 2: "", -1: ""} {
		if got := fit(name, letters); got != want {
			t.Errorf("%d letters: %q, want %q", letters, got, want)
		}
	}
	if got := fit("a.F[wf/b.T]", 10); got != "F[wf/b.T]" {
		t.Errorf("a type in brackets: %q", got)
	}
}

func TestRareFramesAreNotDrawn(t *testing.T) {
	s := new(stack)
	for range 999 {
		s.add([]frame{{"often", kindOurs}})
	}
	s.add([]frame{{"rarely", kindOurs}, {"deep", kindOurs}})
	text := string(graph{name: "a", sampleUS: 1}.svg(s))
	if !strings.Contains(text, "often: 99.9 %, 999.0 µs per node") || strings.Contains(text, "rarely") {
		t.Error(text)
	}
	if empty := (graph{name: "a"}).svg(new(stack)); !bytes.Contains(empty, []byte("0.0 µs")) {
		t.Errorf("no samples: %s", empty)
	}
}
