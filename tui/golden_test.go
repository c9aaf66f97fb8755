package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/tui/drawing"
)

var update = flag.Bool("update", false, "rewrite the golden screens in testdata")

const output = "Processing single-end reads on 1 core ...\nRun \"cutadapt --help\" to see command-line options.\n" +
	"\x1b[31mcutadapt: error\x1b[0m: adapter file 'adapters.fa' not found\n"

// A shot is a screen that a golden file has: a state of the model, in any size.
type shot struct {
	title string
	model func(width, height int, ascii bool) *model
}

// text returns the screen as text.
func (s shot) text(width, height int, ascii bool) string { return frame(s.model(width, height, ascii)) }

// goldens are the golden files: which shots, in which size. An empty list of titles means all of them. The smallest
// size at which a screen shows what it has to show is enough.
func goldens() []golden {
	return []golden{
		{"main", 60, 20, mainShots(), nil},
		{"main-beside", 100, 20, mainShots(), []string{"main: graph", "main: list", "inspector", "run menu", "runs", "palette"}},
		{"main-wide", 130, 20, mainShots(), []string{"main: list", "tint by time", "critical path"}},
		{"main-small", 40, 10, mainShots(), []string{"main: list", "whole log, search", "stop menu", "help", "failures", "daemon lost"}},
		{"main-too-small", 38, 9, mainShots(), []string{"main: list"}},
		{"edit", 60, 20, editShots(), nil},
		{"edit-small", 40, 10, editShots(), []string{"connect: found", "form", "wrapper", "review"}},
		{"flow", 60, 20, flowShots(), nil},
		{"flow-beside", 100, 24, flowShots(), []string{"open: graph", "open: list", "folded: graph", "boxes", "inbox", "approve: a choice"}},
		{"flow-small", 40, 10, flowShots(), []string{"open: list", "inbox", "approve", "parameters"}},
	}
}

// golden is a file of testdata.
type golden struct {
	name          string
	width, height int
	shots         []shot
	titles        []string
}

// TestScreensMatchGoldenFiles: Read the diff of testdata after -update.
func TestScreensMatchGoldenFiles(t *testing.T) {
	inUTC(t)
	for _, g := range goldens() {
		t.Run(g.name, func(t *testing.T) {
			var b strings.Builder
			for _, s := range g.shots {
				if g.titles == nil || slices.Contains(g.titles, s.title) {
					fmt.Fprintf(&b, "==== %s\n%s", s.title, s.text(g.width, g.height, false))
				}
			}
			compare(t, g.name, b.String())
		})
	}
}

// TestColorsMatchGoldenFiles: It compares some screens with their colors and attributes.
func TestColorsMatchGoldenFiles(t *testing.T) {
	inUTC(t)
	var b strings.Builder
	for _, s := range flowShots() {
		if slices.Contains([]string{"open: graph", "open: list", "folded: graph", "inbox: marked", "approve"}, s.title) {
			m := s.model(60, 20, false)
			m.draw()
			fmt.Fprintf(&b, "==== %s\n%s\n", s.title, strings.ReplaceAll(m.term.screen.Encode(true), "\x1b", `\e`))
		}
	}
	compare(t, "colors", b.String())
}

// inUTC makes screens with times of day independent of the time zone.
func inUTC(t *testing.T) {
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
}

// mainShots returns the screens of a workfile of plain commands in the middle of a run.
func mainShots() (shots []shot) {
	show := func(title string, prepare func(m *model)) {
		shots = append(shots, shot{title, func(width, height int, ascii bool) *model {
			m := testModel(width, height, pipeline(5))
			m.opt.ASCII = ascii
			prepare(m)
			m.refresh()
			return m
		}})
	}
	for _, view := range []drawing.View{drawing.Chart, drawing.List} {
		show("main: "+view.String(), func(m *model) {
			m.doc.picture.view, m.doc.picture.chosen = view, true
			m.refresh()
			press(m, "n")
			writeLog(m, output)
		})
	}
	show("tint by time", func(m *model) {
		m.doc.picture.view, m.doc.picture.chosen = drawing.List, true
		m.refresh()
		press(m, "T")
	})
	show("critical path", func(m *model) {
		m.doc.picture.view, m.doc.picture.chosen = drawing.List, true
		m.refresh()
		press(m, "T", "T")
		m.doc.lens.record = record{run: "42", critical: map[string]bool{"id-fetch_ref": true, "id-index_ref": true, "id-align_S000": true},
			execs: map[string][]api.Execution{"id-align_S000": {{Node: "id-align_S000", Execution: 1, Started: ptr(noon.Add(-64 * time.Second)), WaitMS: ptr(int64(20_000))}}}}
	})
	show("filter", func(m *model) { press(m, "/", "s", ":", "f") })
	show("inspector", func(m *model) {
		press(m, "n")
		m.side.inspect = true
		m.side.why.text = []string{"It failed: its command ended with exit code 1."}
	})
	show("whole log, search", func(m *model) {
		press(m, "n", "L")
		writeLog(m, output)
		m.side.log.Search("error")
	})
	show("whole log, times and standard error", func(m *model) {
		press(m, "n", "L", "t")
		showOutputs(m, apart{"reading adapters.fa\nreading S001.fq\n", "warning: S001.fq has no quality scores, which are assumed to be 30\n"})
	})
	show("run menu", func(m *model) { press(m, "n", "space", "r") })
	show("stop menu", func(m *model) { press(m, "x") })
	show("help", func(m *model) { press(m, "?") })
	show("palette", func(m *model) { press(m, ":", "r", "u", "n") })
	show("runs", func(m *model) {
		m.page = runsPage
		m.runs.known, m.runs.runs = true, someRuns()
	})
	show("failures", func(m *model) { m.page, m.digest = digestPage, someFailures() })
	show("home", func(m *model) {
		m.page = homePage
		m.home.known = true
		m.home.files = []Recent{{"/data/proj/pipeline.graphml", "42", "", noon.Add(-2 * time.Minute)}, {"/data/other/Workfile", "7", api.ResFailed, noon.Add(-26 * time.Hour)}}
		m.home.open = map[string]api.WorkspaceInfo{"/data/proj/pipeline.graphml": {Runs: []string{"42"}}}
	})
	show("daemon lost", func(m *model) {
		m.Update(news{m.link.feed, batch{ended: fmt.Errorf("cannot reach the daemon: no answer in time")}})
	})
	return shots
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
