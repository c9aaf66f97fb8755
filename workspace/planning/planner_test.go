package planning

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/workfile/workfiletest"
)

// newPlanner returns a planner of a workfile of these elements, see workfiletest.Text. Its loop runs until the test ends.
func newPlanner(t *testing.T, elements ...string) (*Planner, *answers) {
	t.Helper()
	path := workfiletest.Write(t, elements...)
	l := loop.New(loop.Hooks{})
	file := workfiletest.Open(t, path, l, history.LocalDisk{})
	a := &answers{text: map[string]string{"list-hosts": "h1\r\n\nh2\n", "list-keys": "k"}}
	pl := &Planner{ID: "w", Path: path, Loop: l, File: file, Asker: a, Store: history.At(t.TempDir()), Usable: func() error { return nil },
		Nodes: &nodestate.Table{File: file, Latest: map[string]nodestate.Latest{}}}
	l.Start()
	t.Cleanup(func() { l.Post(l.End); l.Wait() })
	return pl, a
}

// draft returns the draft of a run, nil if there is nothing to resume.
func (pl *Planner) draft(req api.RunRequest) (*Draft, api.RunAccepted, error) {
	var acc api.RunAccepted
	d, err := loop.Ask(context.Background(), pl.Loop, func() (d *Draft, err error) {
		d, acc, err = pl.Draft("c1", req)
		return d, err
	})
	return d, acc, err
}

func code(err error) api.Code {
	var e *api.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Which nodes a run consists of, and in which mode.
func TestScope(t *testing.T) {
	unfinished := []string{"a status=ran", "b status=fail", "c", "d", "a>b", "b>c"}
	sel := func(s ...string) []string { return s }
	for name, c := range map[string]struct {
		elements []string
		req      api.RunRequest
		want     string
	}{
		"new":                {[]string{"a", "b", "a>b"}, api.RunRequest{}, "fresh a b"},
		"unfinished":         {unfinished, api.RunRequest{}, "resume a b c d"},
		"fresh":              {unfinished, api.RunRequest{Mode: api.ModeFresh}, "fresh a b c d"},
		"a node":             {unfinished, api.RunRequest{Nodes: sel("b")}, "fresh b"},
		"several":            {unfinished, api.RunRequest{Nodes: sel("c,a")}, "fresh a c"},
		"what follows":       {unfinished, api.RunRequest{Nodes: sel("b+")}, "fresh b c"},
		"what leads to it":   {unfinished, api.RunRequest{Nodes: sel("+b")}, "fresh a b"},
		"without":            {unfinished, api.RunRequest{Mode: api.ModeFresh, Exclude: sel("c")}, "fresh a b d"},
		"from":               {unfinished, api.RunRequest{From: sel("b")}, "fresh b c"},
		"until":              {unfinished, api.RunRequest{Until: sel("c")}, "fresh a b"},
		"from and until":     {unfinished, api.RunRequest{From: sel("b"), Until: sel("c")}, "fresh b"},
		"done":               {[]string{"a status=ran"}, api.RunRequest{}, "fresh a"},
		"nothing to resume":  {[]string{"a status=ran"}, api.RunRequest{Mode: api.ModeResume}, "nothing"},
		"no such mode":       {unfinished, api.RunRequest{Mode: "again"}, "invalid"},
		"no such node":       {unfinished, api.RunRequest{Nodes: sel("e")}, "unknown_node"},
		"an empty selection": {unfinished, api.RunRequest{Nodes: sel(" ,", "")}, "invalid"},
		"a cycle":            {[]string{"a", "b", "a>b", "b>a"}, api.RunRequest{}, "cycle"},
		"no command":         {[]string{"a", `<node id="b"/>`}, api.RunRequest{}, "workfile"},
	} {
		t.Run(name, func(t *testing.T) {
			pl, _ := newPlanner(t, c.elements...)
			d, acc, err := pl.draft(c.req)
			got := string(code(err))
			switch {
			case err != nil && got == "":
				got = err.Error()
			case err == nil && d == nil:
				got = "nothing"
			case err == nil:
				slices.Sort(d.Request.Scope)
				got = strings.Join(append([]string{d.Request.Mode}, d.Request.Scope...), " ")
				if acc.Nodes != d.Sched.Total() || acc.Mode != d.Request.Mode {
					t.Errorf("accepted %+v", acc)
				}
			}
			if got != c.want {
				t.Errorf("%s (%v), want %s", got, err, c.want)
			}
		})
	}
}

// A run must not overlap an active one.
func TestScopeOfAnActiveRunIsRefused(t *testing.T) {
	pl, _ := newPlanner(t, "a", "b", "c", "a>b")
	active, _, err := pl.draft(api.RunRequest{Nodes: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	active.ID = "7"
	pl.Loop.Post(func() { pl.Nodes.Runs = append(pl.Nodes.Runs, active.Run) })
	_, _, err = pl.draft(api.RunRequest{Nodes: []string{"b", "c"}})
	var busy *api.Error
	if !errors.As(err, &busy) || busy.Code != api.CodeConflict || busy.Run != "7" || !slices.Equal(busy.Nodes, []string{"b"}) {
		t.Errorf("%+v", err)
	}
	if _, _, err := pl.draft(api.RunRequest{Nodes: []string{"c"}}); err != nil {
		t.Errorf("another part: %v", err)
	}
}

// A plan says which executor each node gets: its own, or that of the request or the workfile.
func TestExecutorsOfAPlan(t *testing.T) {
	for asked, want := range map[string]string{"": "a hpc, b slurm, c ", "slurm": "a slurm, b slurm, c ", "local": "a , b slurm, c "} {
		pl, _ := newPlanner(t, "=executor=hpc", "a", "b executor=slurm", "c executor=local")
		pl.Engines = func() []string { return []string{"slurm", "hpc"} }
		plan, err := pl.Plan(t.Context(), api.RunRequest{Executor: asked})
		if err != nil {
			t.Fatal(err)
		}
		var steps []string
		for _, s := range plan.Steps {
			steps = append(steps, s.Name+" "+s.Executor)
		}
		if got := strings.Join(steps, ", "); got != want {
			t.Errorf("%q: %q, want %q", asked, got, want)
		}
	}
}

// The request comes before the workfile, and the workfile before the defaults of the user.
func TestSettingsOfARun(t *testing.T) {
	defaults := &api.RunDefaults{Jobs: new(7), Wrapper: new("sh -c {}")}
	for name, c := range map[string]struct {
		elements []string
		req      api.RunRequest
		want     string
	}{
		"nothing":         {[]string{"a"}, api.RunRequest{}, "0 false "},
		"of the user":     {[]string{"a"}, api.RunRequest{Defaults: defaults}, "7 false sh -c {}"},
		"of the workfile": {[]string{"a", "=jobs=3", "=wrapper=bash_-c_{}"}, api.RunRequest{Defaults: defaults}, "3 false bash -c {}"},
		"of the request":  {[]string{"a", "=jobs=3"}, api.RunRequest{Jobs: new(0), Wrapper: new("{}"), Defaults: defaults}, "0 true {}"},
		"not a number":    {[]string{"a", "=jobs=many"}, api.RunRequest{}, "workfile"},
		"below 0":         {[]string{"a"}, api.RunRequest{Jobs: new(-1)}, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			pl, _ := newPlanner(t, c.elements...)
			d, _, err := pl.draft(c.req)
			got := string(code(err))
			if err == nil {
				got = fmt.Sprint(d.Request.Jobs, d.Request.NoLimit, " ", d.Request.Wrapper)
			}
			if got != c.want {
				t.Errorf("%q (%v), want %q", got, err, c.want)
			}
		})
	}
}

// A plan lists the steps of the run that would start, and changes nothing.
func TestPlan(t *testing.T) {
	pl, _ := newPlanner(t, "a status=ran", "b status=fail", "c", "d", "a>b", "b>c", "c>d")
	plan, err := pl.Plan(t.Context(), api.RunRequest{Nodes: []string{"b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, s := range plan.Steps {
		steps = append(steps, fmt.Sprint(s.Name, " after ", s.After, " ignores ", s.Ignored))
	}
	if want := []string{"b after [] ignores [a]", "c after [b] ignores []"}; !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	if plan.Nodes != 2 || plan.Total != 4 || !slices.Equal(plan.Beyond, []string{"d"}) {
		t.Errorf("%d of %d nodes, beyond %q", plan.Nodes, plan.Total, plan.Beyond)
	}
	if _, err := pl.Plan(t.Context(), api.RunRequest{Nodes: []string{"e"}}); code(err) != api.CodeUnknownNode {
		t.Errorf("a plan of nothing: %v", err)
	}
}

// answers is an executor that answers questions.
type answers struct {
	text  map[string]string // by command; none = an error
	asked []executor.Question
}

func (a *answers) Ask(_ context.Context, q executor.Question) ([]byte, error) {
	a.asked = append(a.asked, q)
	text, known := a.text[q.Command]
	if !known {
		return nil, errors.New("exit status 1: no network")
	}
	return []byte(text), nil
}

const declaredParams = `<data key="graph-params">{
  "env": {"type": "string", "required": true, "choices": ["test", "prod"], "help": "where to"},
  "host": {"type": "string", "required": true, "choices_from": "list-hosts", "depends_on": ["env"]},
  "tries": {"type": "int", "default": 3, "min": 1},
  "key": {"choices_from": "list-keys"}
}</data>`

func TestParams(t *testing.T) {
	pl, a := newPlanner(t, declaredParams, "a")
	got, err := pl.Params(t.Context(), api.ParamsRequest{Params: map[string]any{"tries": "0", "odd": "1"}, Env: []string{"A=1"}})
	if err != nil {
		t.Fatal(err)
	}
	var names, choices, problems []string
	for _, p := range got.Params {
		names = append(names, p.Name+" "+p.Type)
		choices = append(choices, strings.Join(p.Choices, " "))
	}
	for _, p := range got.Problems {
		problems = append(problems, p.String())
	}
	if want := []string{"env string", "host string", "tries int", "key string"}; !slices.Equal(names, want) {
		t.Errorf("parameters %q", names)
	}
	if want := []string{"test prod", "", "", "k"}; !slices.Equal(choices, want) {
		t.Errorf("choices %q, want %q: those of host depend on env", choices, want)
	}
	want := []string{"env: is required; give it: -p env=STRING", "host: is required; give it: -p host=STRING",
		"tries: 0 is below the least, 1", "odd: there is no such parameter; the parameters are env, host, tries, key"}
	if !slices.Equal(problems, want) {
		t.Errorf("problems\n%q\nwant\n%q", problems, want)
	}

	got, err = pl.Params(t.Context(), api.ParamsRequest{Params: map[string]any{"env": "prod", "host": "h3"}, Env: []string{"A=1"}})
	if err != nil || !slices.Equal(got.Params[1].Choices, []string{"h1", "h2"}) || len(got.Problems) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	hosts := a.asked[len(a.asked)-2]
	if hosts.Command != "list-hosts" || !slices.Equal(hosts.Env, []string{"A=1", "WF_WORKFILE=" + pl.Path, "WF_PARAM_ENV=prod"}) || hosts.Cwd != pl.Folder() {
		t.Errorf("asked %+v", hosts)
	}
}

func TestParamChoicesThatCannotBeListed(t *testing.T) {
	pl, a := newPlanner(t, declaredParams, "a")
	delete(a.text, "list-keys")
	got, err := pl.Params(t.Context(), api.ParamsRequest{Params: map[string]any{"env": "prod", "host": "h1"}})
	want := []api.ParamProblem{{Param: "key", Reason: "its choices could not be listed: exit status 1: no network"}}
	if err != nil || !reflect.DeepEqual(got.Problems, want) {
		t.Errorf("%+v, %v", got.Problems, err)
	}
}

func TestParamsOfARun(t *testing.T) {
	pl, a := newPlanner(t, declaredParams, "a")
	req, err := pl.Complete(t.Context(), api.RunRequest{Params: map[string]any{"env": "test", "host": "h2", "key": "k"}})
	if want := map[string]any{"env": "test", "host": "h2", "key": "k", "tries": 3}; err != nil || !reflect.DeepEqual(req.Params, want) {
		t.Errorf("%v, %v", req.Params, err)
	}
	if len(a.asked) != 2 {
		t.Errorf("asked %d times: %+v", len(a.asked), a.asked)
	}
	_, err = pl.Complete(t.Context(), api.RunRequest{Params: map[string]any{"env": "tset"}})
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeInvalid || len(refused.Problems) != 2 || strings.Count(refused.Why, "\n") != 1 {
		t.Errorf("%#v", err)
	}
}

func TestInvalidParams(t *testing.T) {
	pl, _ := newPlanner(t, strings.Replace(declaredParams, `"type": "int"`, `"type": "itn"`, 1), "a")
	if _, err := pl.Params(t.Context(), api.ParamsRequest{}); code(err) != api.CodeWorkfile {
		t.Errorf("%v", err)
	}
	plain, _ := newPlanner(t, "a")
	if got, err := plain.Params(t.Context(), api.ParamsRequest{}); err != nil || len(got.Params)+len(got.Problems) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
