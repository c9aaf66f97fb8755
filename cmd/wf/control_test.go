package main

import (
	"errors"
	"strings"
	"testing"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/report"
	"wf/tui/words"
)

func TestPickApproval(t *testing.T) {
	waiting := []api.Approval{
		{Run: "3", Node: "id-1", Name: "deploy", Text: "Deploy?"},
		{Run: "4", Node: "id-1", Name: "deploy", Text: "Deploy?"},
		{Run: "4", Node: "align[3]/check", Name: "align[3]/check", Text: "Good?"},
		{Run: "4", Node: "deploy", Name: "other"},
	}
	for _, c := range []struct{ node, run, want, fails string }{
		{"align[3]/check", "", "4 align[3]/check", ""},
		{"4/align[3]/check", "", "4 align[3]/check", ""},
		{"4/deploy", "", "4 deploy", ""},
		{"deploy", "3", "3 deploy", ""},
		{"id-1", "4", "4 deploy", ""},
		{"other", "", "4 other", ""}, // the handle, not the equal id of another node
		{"deploy", "", "", "deploy waits for a person in 2 runs: name one"},
		{"align[2]/check", "", "", "align[2]/check does not wait for a person: did you mean align[3]/check?"},
		{"deploy", "7", "", "deploy does not wait for a person in run 7"},
		{"", "", "", "name the node"},
	} {
		a, err := pickApproval(waiting, c.node, c.run, "wf approve", "")
		var f *exit.Failure
		switch {
		case c.fails == "" && (err != nil || a.Run+" "+a.Name != c.want):
			t.Errorf("%s %s: %+v, %v", c.node, c.run, a, err)
		case c.fails != "" && (!errors.As(err, &f) || f.What != c.fails || f.Status != exit.BadUsage || !strings.Contains(f.Why, "align[3]/check in run 4") && f.Fix != "wf approve deploy --run 3"):
			t.Errorf("%s %s: %#v", c.node, c.run, err)
		}
	}
	var f *exit.Failure
	if _, err := pickApproval(nil, "deploy", "", "wf approve", ""); !errors.As(err, &f) || f.Status != exit.BadUsage {
		t.Errorf("%v", err)
	}
}

func TestParseMock(t *testing.T) {
	e := &env{Console: console.Console{Dir: t.TempDir()}}
	for text, want := range map[string]string{"a=exit:3": "exit 3", "a=exit:0": "succeeds", `a[1]/b={"x": [1, 2.50], "y": "z"}`: `gives x='[1,2.50]' y=z`} {
		m, err := parseMock(e, text)
		if node, _, _ := strings.Cut(text, "="); err != nil || m.Nodes != node || report.MockText(m) != want {
			t.Errorf("%s: %+v, %v", text, m, err)
		}
	}
	for _, text := range []string{"a=exit:-1", "a=exit:256", "a=exit:x", "a=[1]", "a={", `a={"x":1} 2`, "a=@none", "a=yes"} {
		if _, err := parseMock(e, text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

func TestValueText(t *testing.T) {
	for want, value := range map[string]any{"": nil, "a b\n": "a b\n", "3": 3.0, "true": true, `[1,"<x>"]`: []any{1.0, "<x>"}, `{"a":null}`: map[string]any{"a": nil}} {
		if got := words.Value(value); got != want {
			t.Errorf("%v is %q, want %q", value, got, want)
		}
	}
}

func TestChosenAnswer(t *testing.T) {
	p := api.Param{Choices: []string{"test", "prod", "7"}}
	for answer, want := range map[string]string{"1": "test", "3": "7", "7": "7", "4": "4", "0": "0", "prod": "prod"} {
		if got := chosenAnswer(p, answer); got != want {
			t.Errorf("%s means %s, want %s", answer, got, want)
		}
	}
}
