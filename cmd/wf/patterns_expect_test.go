package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"wf/api"
)

// A patternEnd is the expected end of a run, from the comment of its workfile:
//
//	expect: ran a b; skip c; fail d(cancelled); idle e; stopped f; times b=2; instances each=3;
//	output b.pages=4; args -p n=2; await b; approve d case=again; result succeeded
//
// It describes all nodes of the outer flow. Stopped nodes have failed or not started, depending on the timing. await,
// approve and reject are steps, in this order: after await the next step waits until a node has finished.
type patternEnd struct {
	states           map[string]wantedState
	times, instances map[string]int
	outputs          []wantedOutput
	args             []string
	steps            []step
	result           api.Result
}

type wantedOutput struct{ node, key, value string }

// A step is executed while the run is active.
type step struct {
	verb, node string
	args       []string
}

// wantedState is a status in the file, optionally with the displayed state; or "stopped".
type wantedState struct {
	status string
	state  api.State
}

func (s wantedState) String() string { return fmt.Sprintf("%q (%s)", s.status, s.state) }

func (s wantedState) fits(n api.NodeStatus) bool {
	if s.status == "stopped" {
		return n.Status == "" || n.State == api.StateCancelled
	}
	return n.Status == s.status && (s.state == "" || n.State == s.state)
}

var expectText = regexp.MustCompile(`(?s)\bexpect:(.*?)-->`)

// readExpectation reads the expectation from the comment of a workfile.
func readExpectation(t *testing.T, workfile string) *patternEnd {
	t.Helper()
	found := expectText.FindStringSubmatch(workfile)
	if found == nil {
		t.Fatal("the comment of the workfile has no expectation")
	}
	e := &patternEnd{states: map[string]wantedState{}, times: map[string]int{}, instances: map[string]int{}}
	for clause := range strings.SplitSeq(found[1], ";") {
		if words := strings.Fields(clause); len(words) < 2 || !e.clause(words[0], words[1:]) {
			t.Fatalf("expect: %q is not understood", clause)
		}
	}
	if e.result == "" {
		t.Fatal("expect: no result")
	}
	return e
}

func (e *patternEnd) clause(verb string, words []string) bool {
	switch verb {
	case "ran", "skip", "fail", "idle", "stopped":
		return e.state(verb, words)
	case "times":
		return counts(e.times, words)
	case "instances":
		return counts(e.instances, words)
	case "output":
		for _, word := range words {
			name, value, _ := strings.Cut(word, "=")
			node, key, _ := strings.Cut(name, ".")
			e.outputs = append(e.outputs, wantedOutput{node, key, value})
		}
	case "args":
		e.args = words
	case "await":
		e.steps = append(e.steps, step{verb: verb, node: words[0]})
	case "approve", "reject":
		s := step{verb: verb, node: words[0]}
		for _, value := range words[1:] {
			s.args = append(s.args, "--set", value)
		}
		e.steps = append(e.steps, s)
	case "result":
		e.result = api.Result(words[0])
	default:
		return false
	}
	return true
}

func (e *patternEnd) state(verb string, nodes []string) bool {
	for _, node := range nodes {
		want := wantedState{status: verb}
		if verb == "idle" {
			want.status = ""
		}
		name, state, _ := strings.Cut(node, "(")
		want.state = api.State(strings.TrimSuffix(state, ")"))
		if _, twice := e.states[name]; twice {
			return false
		}
		e.states[name] = want
	}
	return true
}

// counts reads NODE=NUMBER.
func counts(into map[string]int, words []string) bool {
	for _, word := range words {
		name, number, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(number)
		if err != nil {
			return false
		}
		into[name] = n
	}
	return true
}

// TestPatternsListed checks that docs/patterns.md has a row for each of the 43 patterns, in order, with the workfiles of
// its number.
func TestPatternsListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/patterns.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| (?:\[.*?\]\(\.\./examples/patterns/(\S+?)\)|[^\[|]+) \| (directly|combination|no)\b`)
	rows := row.FindAllStringSubmatch(string(text), -1)
	if len(rows) != 43 {
		t.Errorf("%d rows, want 43", len(rows))
	}
	listed := map[string]bool{}
	for i, r := range rows {
		if r[1] != strconv.Itoa(i+1) {
			t.Errorf("row %d is of pattern %s", i+1, r[1])
		}
		if (r[2] == "") != (r[3] == "no") {
			t.Errorf("pattern %s is %q and its workfile is %q", r[1], r[3], r[2])
		}
		if r[2] != "" && !strings.HasPrefix(r[2], fmt.Sprintf("wcp-%02d-", i+1)) {
			t.Errorf("pattern %s names %s", r[1], r[2])
		}
		listed[r[2]] = true
	}
	files, err := filepath.Glob(filepath.Join(patternFolder, "*.graphml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !listed[filepath.Base(file)] {
			t.Errorf("%s is in no row", file)
		}
	}
}
