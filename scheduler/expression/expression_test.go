package expression

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// testScope is the scope of a node in a foreach in a while.
func testScope() Scope {
	return Scope{
		Params:  []string{"count", "name", "rate"},
		Node:    func(name string) bool { return strings.Contains(" build test align a-b ", " "+name+" ") },
		Results: func(name string) bool { return name == "align" },
		Hint: func(name string) string {
			if name == "trim" {
				return "trim is in the sub-flow align: write nodes.align.results[i].trim"
			}
			return ""
		},
		Item: true, Index: true,
		Parent: &Scope{Iteration: true, Parent: &Scope{}, Previous: func(name string) bool { return strings.Contains(" test try-it ", " "+name+" ") },
			Results: func(string) bool { return false }, Node: func(name string) bool { return name == "build" || name == "test" }},
	}
}

func testEnv() Env {
	three, last := 3, 0
	nodes := map[string]Node{
		"test": {Stdout: &Kept{Bytes: 70000}},
		"build": {Status: "ran", ExitCode: &three, Stdout: Keep("v1.2\n\xff"), Outputs: map[string]any{
			"score": "0.7", "number": 7, "ok": "true", "list": []any{1, 2.5, "x", nil, true}, "big": 1 << 60,
			"deep": map[string]any{"a": []any{map[string]any{"b": 1}}},
		}},
		"align": {Status: "ran", Results: func() []map[string]Node {
			return []map[string]Node{{"trim": {Stdout: Keep("first"), Outputs: map[string]any{"score": 1}}}, {"trim": {Outputs: map[string]any{"score": 2}}}}
		}, Arrivals: func() []map[string]Node {
			return []map[string]Node{{"trim": {Outputs: map[string]any{"score": 2}}}}
		}},
	}
	return Env{
		Params: map[string]any{"count": 5, "name": "Anna", "rate": 0.25},
		Node:   func(name string) Node { return nodes[name] },
		Variable: func(name string) string {
			return map[string]string{"HOME": "/home/x"}[name]
		},
		Item: map[string]any{"k": "v"}, Index: 4,
		Parent: &Env{Iteration: 9, Parent: &Env{}, Previous: func(string) Node { return Node{Status: "ran", ExitCode: &three, Outputs: map[string]any{"score": 0.5}} }},
		Run: Run{ID: "r1", Workfile: "/w/Workfile", Trigger: "cron: 0 2 * * *", TriggerTime: "2026-11-23T02:00:00+01:00",
			TriggerFiles: []string{"/w/in/a.csv", "/w/in/b c.csv"}, TriggerBody: "/state/runs/7/trigger-body", TriggerEvent: "push"},
		Now:  1_700_000_000_000_000_000,
		UUID: func() string { last++; return fmt.Sprintf("uuid-%d", last) },
		Stored: func(name string) (*Kept, error) {
			if name == "broken" {
				return nil, errors.New("the file of the store is damaged")
			}
			return map[string]*Kept{"ready": Keep("yes"), "large": {Bytes: 1 << 20}, "a-b": Keep("7")}[name], nil
		},
	}
}

// TestExpressions checks the value or error of every text in testdata/expressions.txt. Lines that begin with # are headings.
func TestExpressions(t *testing.T) {
	path := filepath.Join("testdata", "expressions.txt")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "    ") {
			continue
		}
		out.WriteString(line + "\n")
		if line != "" && !strings.HasPrefix(line, "## ") {
			out.WriteString("    " + evaluated(line) + "\n")
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != string(data) && !*update {
		t.Errorf("got\n%s", out.String())
	}
}

// evaluated returns the value of a text, or its error.
func evaluated(text string) string {
	e, err := Compile(text, testScope())
	if err != nil {
		return "does not compile: " + err.Error()
	}
	value, err := e.Eval(testEnv())
	if err != nil {
		return "fails: " + err.Error()
	}
	shown := jsonText(value)
	if names := e.Nodes(); names != nil {
		shown += fmt.Sprintf("    of %v", names)
	}
	for _, list := range []struct {
		word  string
		names []string
	}{{"reads stdout of", e.Names().Printed}, {"reads stdout inside of", e.Names().Inner}, {"reads from kv", e.Names().Stored}} {
		if list.names != nil {
			shown += fmt.Sprintf("    %s %q", list.word, list.names)
		}
	}
	if e.Certainly() != "" {
		shown += "    always " + e.Certainly()
	}
	return shown
}

func TestBoolAndListRejectOtherKinds(t *testing.T) {
	for text, want := range map[string]string{
		"nodes.build.outputs.ok":     `column 1: gives a text, "true", which is neither true nor false; outputs written as key=value are texts: compare them, == "true"`,
		"nodes.test.outputs.ok":      "column 1: gives nil, which is neither true nor false; the output of a node that has not run is nil: compare it, or give another value with ??",
		"params.count":               "column 1: gives a number, 5, which is neither true nor false; compare it with something",
		"nodes.build.outputs.list":   `column 1: gives a list, [1,2.5,"x",null,true], which is neither true nor false; compare it with something`,
		"nodes.build.exit_code == 4": "false",
	} {
		e, err := Compile(text, testScope())
		if err != nil {
			t.Fatal(err)
		}
		yes, err := e.Bool(testEnv())
		if got := said(yes, err); got != want {
			t.Errorf("%s as a condition: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"nodes.build.outputs.ok":         `column 1: gives a text, "true", which is not a list; split(TEXT, "\n") makes a list of lines, fromJSON(TEXT) reads JSON`,
		"nodes.test.outputs.x":           "column 1: gives nil, which is not a list; the output of a node that has not run is nil: compare it, or give another value with ??",
		"nodes.build.outputs.list[0:2]":  "[1 2.5]",
		"nodes.align.results | map(1)":   "[1 1]",
		"keys(nodes.build.outputs.deep)": "[a]",
	} {
		e, err := Compile(text, testScope())
		if err != nil {
			t.Fatal(err)
		}
		list, err := e.List(testEnv())
		if got := said(list, err); got != want {
			t.Errorf("%s as a list: %s, want %s", text, got, want)
		}
	}
}

func said(value any, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(value)
}

func TestSameEnvGivesSameValue(t *testing.T) {
	e, err := Compile(`[now().Unix(), keys(nodes.build.outputs), toPairs(nodes.build.outputs), values(nodes.build.outputs)]`, testScope())
	if err != nil {
		t.Fatal(err)
	}
	first, err := e.Eval(testEnv())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if again, err := e.Eval(testEnv()); err != nil || Format(again) != Format(first) {
			t.Fatalf("%s, then %s, %v", Format(first), Format(again), err)
		}
	}
}

func TestMissingEnvIsAnError(t *testing.T) {
	for _, text := range []string{"params", "params.name", "nodes.build.outputs.x", "nodes.align.results", "env.HOME", "item", "index",
		"parent.iteration", "previous.test.outputs.x", "run.id", "now()", "uuid()", "nodes.build.exit_code"} {
		e, err := Compile(text, testScope())
		if err != nil {
			t.Fatal(err)
		}
		value, err := e.Eval(Env{})
		t.Logf("%s: %v, %v", text, value, err)
		if err != nil && !strings.HasPrefix(err.Error(), "column ") {
			t.Errorf("%s: %v has no place", text, err)
		}
	}
}

// TestCompileConcurrently is for the race detector: each workspace compiles in its own goroutine.
func TestCompileConcurrently(t *testing.T) {
	texts := []string{"now().Year() > params.count", "len(nodes.align.results) + index", "filter([1, 2], # > 1) | map(#.x)", "env.HOME + (", "date(\"2024-01-01\").Format(params.name)"}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				e, err := Compile(texts[(i+j)%len(texts)], testScope())
				if err == nil {
					_, _ = e.Eval(testEnv())
				}
			}
		})
	}
	all.Wait()
}
