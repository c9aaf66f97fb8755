package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/tui/drawing"
)

var update = flag.Bool("update", false, "rewrite the golden screens in testdata")

const output = "Processing single-end reads on 1 core ...\nRun \"cutadapt --help\" to see command-line options.\n" +
	"\x1b[31mcutadapt: error\x1b[0m: adapter file 'adapters.fa' not found\n"

// TestGolden: the screens at the sizes that matter. Read the diff of testdata after -update.
func TestGolden(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {100, 30}, {200, 60}, {40, 10}, {38, 9}} {
		for _, ascii := range []bool{false, true} {
			name := fmt.Sprintf("%dx%d", size[0], size[1])
			if ascii {
				name += "-ascii"
			}
			t.Run(name, func(t *testing.T) { compare(t, name, screens(size[0], size[1], ascii)) })
		}
	}
}

// screens are all screens of one size, one after the other.
func screens(width, height int, ascii bool) string {
	var b strings.Builder
	show := func(title string, prepare func(m *model)) {
		m := testModel(width, height, pipeline(5))
		m.opt.ASCII = ascii
		prepare(m)
		m.refresh()
		fmt.Fprintf(&b, "==== %s\n%s", title, frame(m))
	}
	for _, view := range []drawing.View{drawing.Stages, drawing.Layers, drawing.List} {
		show("main: "+view.String(), func(m *model) {
			m.picture.view, m.picture.chosen = view, true
			m.refresh()
			press(m, "n")
			showLog(m, output)
		})
	}
	if width < leastWidth {
		return b.String()
	}
	show("filter", func(m *model) { press(m, "/", "s", ":", "f") })
	show("inspector", func(m *model) {
		press(m, "n")
		m.inspect = true
		m.why.text = []string{"It failed: its command ended with exit code 1."}
	})
	show("whole log, search", func(m *model) {
		press(m, "n", "L")
		showLog(m, output)
		m.log.Search("error")
	})
	show("run menu", func(m *model) { press(m, "n", "space", "r") })
	show("stop menu", func(m *model) { press(m, "x") })
	show("help", func(m *model) { press(m, "?") })
	show("palette", func(m *model) { press(m, ":", "r", "u", "n") })
	show("runs", func(m *model) {
		m.page = runsPage
		m.runs.known, m.runs.runs = true, someRuns()
	})
	show("home", func(m *model) {
		m.page = homePage
		m.home.known = true
		m.home.files = []Recent{{"/data/proj/pipeline.graphml", "42", "", noon.Add(-2 * time.Minute)}, {"/data/other/Workfile", "7", api.ResFailed, noon.Add(-26 * time.Hour)}}
		m.home.open = map[string]api.WorkspaceInfo{"/data/proj/pipeline.graphml": {Runs: []string{"42"}}}
	})
	show("daemon lost", func(m *model) {
		m.Update(news{m.link.feed, batch{ended: fmt.Errorf("cannot reach the daemon: no answer in time")}})
	})
	return b.String()
}

func someRuns() []api.RunSummary {
	return []api.RunSummary{
		{Run: "43", Result: api.Succeeded, Started: noon.Add(-4 * time.Minute), Resumes: "42", DurationMS: ptr(int64(100_000)), Counts: api.Counts{OK: 6, Kept: 24}},
		{Run: "42", Result: api.ResFailed, Started: noon.Add(-12 * time.Minute), DurationMS: ptr(int64(182_000)), Counts: api.Counts{OK: 24, Failed: 1, Blocked: 5}},
		{Run: "41", Result: api.Cancelled, Started: noon.Add(-26 * time.Hour), DurationMS: ptr(int64(52_000)), Counts: api.Counts{OK: 11}, Selection: []string{"+multiqc"}},
	}
}

func compare(t *testing.T, name, got string) {
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("%s line %d:\nwant %q\ngot  %q", path, i+1, a[i], b[i])
			}
		}
		t.Fatalf("%s has %d lines, the screens %d", path, len(a), len(b))
	}
}
