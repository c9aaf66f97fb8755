package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// results are the reports of one commit, oldest first, for the table.
type results struct {
	reports  []*report
	commands *commandReport // nil = not measured
}

// A caseKey selects a case of the table. All its cases run commands without a shell.
type caseKey struct {
	shape string // "" for a recorded workflow
	name  string // of a recorded workflow
	nodes int
	jobs  int
	load  bool
}

// find returns the newest report of a case, or nil if it was not measured.
func (r *results) find(key caseKey) *report {
	for _, rep := range slices.Backward(r.reports) {
		if rep.Shell == shellPlain && rep.Shape == key.shape && strings.HasPrefix(rep.Case, key.name) &&
			rep.Nodes == key.nodes && rep.Jobs == key.jobs && rep.Load == key.load {
			return rep
		}
	}
	return nil
}

// conditions returns a sentence about the commit and the machine.
func (r *results) conditions() string {
	var m machine
	rounds := 0
	if n := len(r.reports); n > 0 {
		m, rounds = r.reports[n-1].Machine, r.reports[0].Rounds
		for _, rep := range r.reports {
			rounds = min(rounds, rep.Rounds)
		}
	} else if r.commands != nil {
		m, rounds = r.commands.Machine, r.commands.Rounds
	}
	commit := m.Commit
	if m.Dirty {
		commit += " with changes"
	}
	return fmt.Sprintf("Commit %s, %d cores (%s), %s; medians of at least %d rounds in turn.", commit, m.Cores, m.CPU, m.Kernel, rounds)
}

// readResults reads the results of the commit that was measured last.
func readResults(path string) (*results, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(results)
	var last machine
	for line := range bytes.Lines(data) {
		var head struct {
			Case    string  `json:"case"`
			Machine machine `json:"machine"`
		}
		if err := json.Unmarshal(line, &head); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if head.Machine.Commit != last.Commit || head.Machine.Dirty != last.Dirty {
			r, last = new(results), head.Machine
		}
		if err := r.add(line, head.Case); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return r, nil
}

// add takes a line of results.jsonl.
func (r *results) add(line []byte, name string) error {
	if name == caseCommands {
		r.commands = new(commandReport)
		return json.Unmarshal(line, r.commands)
	}
	rep := new(report)
	r.reports = append(r.reports, rep)
	return json.Unmarshal(line, rep)
}
