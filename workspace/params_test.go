package workspace

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
)

// answering is an executor that answers questions as told.
type answering struct {
	*fakeExecutor
	answers map[string]string // by command; none = an error
	asked   []executor.Question
}

func (a *answering) Ask(_ context.Context, q executor.Question) ([]byte, error) {
	a.asked = append(a.asked, q)
	text, known := a.answers[q.Command]
	if !known {
		return nil, errors.New("exit status 1: no network")
	}
	return []byte(text), nil
}

const declaredParams = `{
  "env": {"type": "string", "required": true, "choices": ["test", "prod"], "help": "where to"},
  "host": {"type": "string", "required": true, "choices_from": "list-hosts", "depends_on": ["env"]},
  "tries": {"type": "int", "default": 3, "min": 1},
  "key": {"choices_from": "list-keys"}
}`

func paramBed(t *testing.T) (*testbed, *answering) {
	t.Helper()
	b := newTestbed(t, "a")
	a := &answering{fakeExecutor: b.fake, answers: map[string]string{"list-hosts": "h1\r\n\nh2\n", "list-keys": "k"}}
	b.cfg.Executor = a
	text := strings.Replace(b.read(), "<key ", `<key id="p" for="graph" attr.name="params" attr.type="string"/><key `, 1)
	b.write(strings.Replace(text, `"directed">`, `"directed"><data key="p">`+declaredParams+`</data>`, 1))
	return b, a
}

func TestParams(t *testing.T) {
	b, a := paramBed(t)
	w := b.open()
	got, err := w.planner.Params(t.Context(), api.ParamsRequest{Params: map[string]any{"tries": "0", "odd": "1"}, Env: []string{"A=1"}})
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

	got, err = w.planner.Params(t.Context(), api.ParamsRequest{Params: map[string]any{"env": "prod", "host": "h3"}, Env: []string{"A=1"}})
	if err != nil || !slices.Equal(got.Params[1].Choices, []string{"h1", "h2"}) || len(got.Problems) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	hosts := a.asked[len(a.asked)-2]
	if hosts.Command != "list-hosts" || !slices.Equal(hosts.Env, []string{"A=1", "WF_WORKFILE=" + w.path, "WF_PARAM_ENV=prod"}) || hosts.Cwd != w.planner.Folder() {
		t.Errorf("asked %+v", hosts)
	}
}

func TestParamChoicesThatCannotBeListed(t *testing.T) {
	b, a := paramBed(t)
	delete(a.answers, "list-keys")
	got, err := b.open().planner.Params(t.Context(), api.ParamsRequest{Params: map[string]any{"env": "prod", "host": "h1"}})
	want := []api.ParamProblem{{Param: "key", Reason: "its choices could not be listed: exit status 1: no network"}}
	if err != nil || !reflect.DeepEqual(got.Problems, want) {
		t.Errorf("%+v, %v", got.Problems, err)
	}
}

func TestResolveParams(t *testing.T) {
	b, a := paramBed(t)
	w := b.open()
	values, err := w.planner.ResolveParams(t.Context(), api.RunRequest{Params: map[string]any{"env": "test", "host": "h2", "key": "k"}})
	if want := map[string]any{"env": "test", "host": "h2", "key": "k", "tries": 3}; err != nil || !reflect.DeepEqual(values, want) {
		t.Errorf("%v, %v", values, err)
	}
	if len(a.asked) != 2 {
		t.Errorf("asked %d times: %+v", len(a.asked), a.asked)
	}
	_, err = w.planner.ResolveParams(t.Context(), api.RunRequest{Params: map[string]any{"env": "tset"}})
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeInvalid || len(refused.Problems) != 2 || strings.Count(refused.Why, "\n") != 1 {
		t.Errorf("%#v", err)
	}
}

func TestInvalidParams(t *testing.T) {
	b, _ := paramBed(t)
	b.write(strings.Replace(b.read(), `"type": "int"`, `"type": "itn"`, 1))
	w := b.open()
	if _, err := w.planner.Params(t.Context(), api.ParamsRequest{}); apiCode(err) != api.CodeWorkfile {
		t.Errorf("%v", err)
	}
	plain := newTestbed(t, "a").open()
	if got, err := plain.planner.Params(t.Context(), api.ParamsRequest{}); err != nil || len(got.Params)+len(got.Problems) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
