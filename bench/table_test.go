package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tableReport returns a report of layered with figures of wf with and without a client, ninja and make.
func tableReport(nodes, jobs int, wfMS float64) *report {
	us := func(f float64) *float64 { return &f }
	return &report{Case: "layered", Shape: "layered", Shell: shellPlain, Nodes: nodes, Jobs: jobs, Rounds: 5,
		Machine: machine{Commit: "c0ffee", Cores: 2, CPU: "a processor", Kernel: "Linux 6"},
		Tools: []*figures{
			{Name: toolWf, MedianMS: wfMS, CPUPerNodeUS: 900, SelfPerNodeUS: us(300), Processes: []process{
				{"client", 10, 0.2}, {"daemon", 200, 3.5}, {"runner", 90, 2}}},
			{Name: toolWf + noClient.suffix, MedianMS: 95, CPUPerNodeUS: 800, SelfPerNodeUS: us(130), Processes: []process{
				{"client", 1, 0}, {"daemon", 39, 0.1}, {"runner", 90, 2}}},
			{Name: toolNinja, MedianMS: 100, CPUPerNodeUS: 700, SelfPerNodeUS: us(120)},
			{Name: toolMake, MedianMS: 90, CPUPerNodeUS: 600, SelfPerNodeUS: us(100)},
		}}
}

func TestTableComparesWithItsLimits(t *testing.T) {
	r := &results{reports: []*report{tableReport(1000, 2, 500), tableReport(1000, 2, 120)}, commands: &commandReport{
		Commands: []*commandFigures{{Command: titleHelp, MedianMS: 6}, {Command: titleVersion, MedianMS: 4}}}}
	var text bytes.Buffer
	printTable(&text, r)
	for _, want := range []string{
		"| layered 1,000, `-j 2`, to ninja / make | **1.20** / **1.33** | – / – | 0.95 / 1.06 | 0.95 / 1.10 | 0.80 / 0.92 |",
		"| layered 10,000, `-j 2` | – / – | – / – | – / – | 0.95 / 1.10 | 0.80 / 0.92 |",
		"`-j 2` | **3.00**, – (300 µs to 100) | –, – | 1.30, – (130 µs to 100) | 1.30 | 1.00 |",
		"and its context switches | **200 µs**, – / **3.50**, – | –, – / –, – | 39 µs, – / 0.10, – | 40 µs / 0.30 | 15 µs |",
		"| CPU of a command more than under make, the same cases | 100 µs, – | –, – | 170 µs, – | – | – |",
		"| `wf --help` to `make --version` | **1.50** | – | – | 1.30 | 1.00 |",
		"Commit c0ffee, 2 cores (a processor), Linux 6; medians of at least 5 rounds in turn.",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

func TestTableStepsMeasureEveryRow(t *testing.T) {
	var all results
	add := func(name, shape string, nodes, jobs int, load bool) {
		rep := tableReport(nodes, jobs, 100)
		rep.Case, rep.Shape, rep.Load = name, shape, load
		all.reports = append(all.reports, rep)
	}
	cli := 0
	for _, s := range tableSteps(options{rounds: 5, files: []string{blast + ".graphml"}}) {
		for _, jobs := range s.jobs {
			for _, n := range s.sizes {
				for _, shape := range s.shapes {
					add(shape, shape, n, jobs, s.load)
				}
			}
			for range s.files {
				add(blast, "", 43, jobs, s.load)
			}
		}
		if s.cli {
			cli++
		}
	}
	if cli != 1 || len(all.reports) != 9 {
		t.Errorf("%d cases, single commands %d times", len(all.reports), cli)
	}
	for _, row := range tableRows() {
		if text := row.measured(&all, toolWf); strings.Contains(text, "–") && !strings.Contains(row.title, "--help") {
			t.Errorf("%s is not measured: %s", row.title, text)
		}
	}
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRecordedResultsAreThoseOfTheLastCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	before, after := tableReport(1000, 2, 100), tableReport(1000, 8, 100)
	before.Machine.Commit = "before"
	commands := &commandReport{Case: caseCommands, Machine: after.Machine, Commands: []*commandFigures{{Command: titleHelp, MedianMS: 6}}}
	text := jsonText(t, before) + "\n" + jsonText(t, after) + "\n" + jsonText(t, commands) + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := readResults(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.reports) != 1 || r.reports[0].Jobs != 8 || r.commands.median(titleHelp) != 6 {
		t.Errorf("results %+v", r)
	}
	if p := r.reports[0].tool(toolWf).process("daemon"); p == nil || p.SwitchesPerNode != 3.5 {
		t.Errorf("processes %+v", r.reports[0].tool(toolWf).Processes)
	}
}
