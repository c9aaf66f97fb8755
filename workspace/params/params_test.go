package params

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"wf/executor"
	"wf/scheduler/flow"
)

// asker answers with the environment that a command gets.
type asker struct {
	asked int
	err   error
}

func (a *asker) Ask(_ context.Context, q executor.Question) ([]byte, error) {
	a.asked++
	return []byte(strings.Join(q.Env, "\n") + "\n\r\n" + q.Command), a.err
}

func newCheck(t *testing.T, declared string, given map[string]any) (*Check, *asker) {
	t.Helper()
	list, problems := flow.ParseParams(declared)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a := &asker{}
	return &Check{Context: t.Context(), Params: list, Given: given, Asker: a, Question: executor.Question{Cwd: t.TempDir(), Env: []string{"A=1"}}}, a
}

// The command of a parameter gets the values on which it depends, and runs once. It does not run while one of them has no
// valid value.
func TestChoicesOfACommand(t *testing.T) {
	const declared = `{"env": {"choices": ["test", "prod"], "required": true}, "host": {"choices_from": "hosts", "depends_on": ["env"]}}`
	c, a := newCheck(t, declared, map[string]any{"env": "test", "host": "x"})
	for range 2 {
		if list := c.List(); !slices.Equal(list.Params[1].Choices, []string{"A=1", "WF_PARAM_ENV=test", "hosts"}) || a.asked != 1 {
			t.Errorf("%+v, asked %d times", list.Params[1], a.asked)
		}
	}
	if problems := c.List().Problems; len(problems) != 1 || problems[0].Param != "host" {
		t.Errorf("host is none of the choices: %+v", problems)
	}
	c, a = newCheck(t, declared, map[string]any{"env": "other"})
	if list := c.List(); list.Params[1].Choices != nil || a.asked != 0 || len(list.Problems) != 1 {
		t.Errorf("%+v, asked %d times", list, a.asked)
	}
	c, a = newCheck(t, declared, map[string]any{"env": "prod"})
	a.err = errors.New("no network")
	if p := c.List().Problems; len(p) != 1 || p[0].Param != "host" || !strings.Contains(p[0].Reason, "no network") {
		t.Errorf("%+v", p)
	}
}

// Paths are checked as commands of the run see them: relative to their folder.
func TestPathThatMustExist(t *testing.T) {
	const declared = `{"in": {"type": "path", "must_exist": true}}`
	for path, want := range map[string]int{".": 0, "missing": 1, "/": 0} {
		c, _ := newCheck(t, declared, map[string]any{"in": path})
		if p := c.List().Problems; len(p) != want {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

// Numbers keep their notation, so that a large integer is not rounded.
func TestValuesAreExact(t *testing.T) {
	values, err := Exact(map[string]any{"n": json.Number("9007199254740993"), "s": "x"})
	if err != nil {
		t.Fatal(err)
	}
	if data, err := json.Marshal(values); err != nil || string(data) != `{"n":9007199254740993,"s":"x"}` {
		t.Errorf("%s, %v", data, err)
	}
	if values, err := Decode(nil); values != nil || err != nil {
		t.Errorf("no values: %v, %v", values, err)
	}
	if _, err := Decode([]byte("[]")); err == nil {
		t.Error("a list is no object of values")
	}
	if _, err := Exact(map[string]any{"f": func() {}}); err == nil {
		t.Error("a function is no value")
	}
}
