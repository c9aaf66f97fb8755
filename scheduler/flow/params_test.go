package flow

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/scheduler/expression"
)

const goodParams = `{
	"name":  {"type": "string", "required": true, "min_length": 2, "max_length": 5, "pattern": "[a-z]+", "help": "who"},
	"count": {"type": "int", "default": 3, "min": 1, "max": 10},
	"rate":  {"type": "float", "default": 1, "min": 0.5},
	"force": {"type": "bool"},
	"file":  {"type": "path", "default": "in.csv"},
	"mode":  {"choices": ["fast", "slow"], "default": "fast"},
	"level": {"type": "int", "choices": [1, 2]},
	"host":  {"choices_from": "hosts $WF_PARAM_MODE", "depends_on": ["mode"]}
}`

func TestParseParams(t *testing.T) {
	params, problems := ParseParams(goodParams)
	if problems != nil {
		t.Fatal(problems)
	}
	var got []string
	for _, p := range params {
		got = append(got, fmt.Sprintf("%s %v required %v default %v choices %v from %q after %v", p.Name, p.Type, p.Required, p.Default, p.Choices, p.ChoicesFrom, p.DependsOn))
	}
	want := []string{
		`name string required true default <nil> choices [] from "" after []`,
		`count int required false default 3 choices [] from "" after []`,
		`rate float required false default 1 choices [] from "" after []`,
		`force bool required false default <nil> choices [] from "" after []`,
		`file path required false default in.csv choices [] from "" after []`,
		`mode string required false default fast choices [fast slow] from "" after []`,
		`level int required false default <nil> choices [1 2] from "" after []`,
		`host string required false default <nil> choices [] from "hosts $WF_PARAM_MODE" after [mode]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if params[2].Default != 1.0 || *params[1].Min != 1 || *params[0].MaxLength != 5 || params[0].Help != "who" {
		t.Errorf("%+v", params)
	}
}

func TestProblemsOfParams(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no JSON", `name: string`, `is not a JSON object; write it like {"name": {"type": "string", "default": "x"}}`},
		{"a list", `[]`, `is not a JSON object; write it like {"name": {"type": "string", "default": "x"}}`},
		{"cut off", "{\n\"a\": {", `is not JSON (line 2: it ends too early); write it like {"name": {"type": "string", "default": "x"}}`},
		{"two objects", "{} {}", `there is text after the JSON object; write it like {"name": {"type": "string", "default": "x"}}`},
		{"not an object in it", `{"a": "string"}`, `a: is not a JSON object; write it like {"type": "string"}`},
		{"an unknown word", `{"a": {"typ": "int"}}`, `a: "typ" is unknown; the allowed words are type, required, default, default_env, min, max, min_length, max_length, pattern, must_exist, choices, choices_from, depends_on, help (did you mean type?)`},
		{"an unknown type", `{"a": {"type": "integer"}}`, `a: its type "integer" is unknown; write string, int, float, bool, path, list, json, secret`},
		{"a word of another kind", `{"a": {"required": "yes"}}`, `a: required is a string, and has to be true or false`},
		{"a length that is not a number", `{"a": {"min_length": 1.5}}`, `a: min_length is a number 1.5, and has to be a whole number`},
		{"names", `{"": {}, "1a": {}, "a b": {}, "-a": {}}`, "is not a name of a parameter; write letters, digits, _ and -, a letter or _ first\n1a: is not a name of a parameter; write letters, digits, _ and -, a letter or _ first\na b: is not a name of a parameter; write letters, digits, _ and -, a letter or _ first\n-a: is not a name of a parameter; write letters, digits, _ and -, a letter or _ first"},
		{"twice", `{"a": {}, "a": {}}`, "a: is declared twice; leave one of them out"},
		{"one variable", `{"a-b": {}, "A_B": {}}`, "A_B: would be the same variable as a-b: WF_PARAM_A_B; choose another name"},
		{"a default of another type", `{"a": {"type": "int", "default": "3"}, "b": {"type": "int", "default": 2.5}, "c": {"default": 1}, "d": {"type": "bool", "default": 1}, "e": {"type": "float", "default": "x"}}`,
			"a: its default \"3\" is not a whole number\nb: its default 2.5 is not a whole number\nc: its default 1 is not a text\nd: its default 1 is neither true nor false\ne: its default \"x\" is not a number"},
		{"a default out of range", `{"a": {"type": "int", "default": 0, "min": 1}, "b": {"default": "abc", "max_length": 2}, "c": {"default": "a1", "pattern": "[a-z]+"}, "d": {"default": "x", "choices": ["a"]}, "e": {"type": "path", "default": ""}}`,
			"a: its default 0 is below the least, 1\nb: its default \"abc\" is longer than 2 characters\nc: its default \"a1\" does not match [a-z]+\nd: its default \"x\" is not one of its choices: a\ne: its default \"\" is not a path: it is empty"},
		{"required and a default", `{"a": {"required": true, "default": "x"}}`, "a: is required and has a default; leave required or default out"},
		{"bounds", `{"a": {"type": "int", "min": 2, "max": 1}, "b": {"min_length": 3, "max_length": 2}, "c": {"min_length": -1}, "d": {"min": 1}, "e": {"type": "bool", "pattern": "x"}, "f": {"pattern": "("}}`,
			"a: min is 2, above max, which is 1\nb: min_length is 3, above max_length, which is 2\nc: a length is negative\nd: min and max are for numbers, and its type is string; min_length and max_length bound a text\ne: min_length, max_length and pattern are for texts, and its type is bool\nf: its pattern does not compile: error parsing regexp: missing closing ): `(`"},
		{"choices", `{"a": {"choices": []}, "b": {"choices": "x"}, "c": {"type": "int", "choices": [1, "x"]}, "d": {"choices": ["a"], "choices_from": "ls"}}`,
			"a: choices is not a list of at least one value\nb: choices is not a list of at least one value\nc: its choice \"x\" is not a whole number\nd: has choices and choices_from; leave one of them out"},
		{"lists, JSON and secrets", `{"a": {"type": "list", "default": "x"}, "b": {"type": "list", "default": ["x", "y"], "choices": ["x"]}, "c": {"type": "list", "pattern": "x"}, "d": {"type": "json", "default": 3}, "e": {"type": "json", "choices": [[1]]}, "f": {"type": "secret", "default": "x"}, "g": {"type": "secret", "choices": ["x"]}, "h": {"must_exist": true}, "i": {"type": "list", "default": [1], "min_length": 2}, "j": {"type": "json", "min_length": 2}}`,
			"a: its default \"x\" is not a list; write a,b,c or [\"a\", \"b\"]\nb: its default [\"x\",\"y\"] is not one of its choices: x\nc: min_length, max_length and pattern are for texts, and its type is list\nd: its default 3 is neither an object nor a list in JSON\ne: choices are for texts, numbers and lists, and its type is json\nf: a secret has no default, because every reader of the workfile could see it; leave default out\ng: choices would show a secret; leave them out\nh: must_exist is for paths, and its type is string\ni: its default [1] has fewer than 2 elements\nj: min_length, max_length and pattern are for texts, and its type is json"},
		{"depends_on", `{"a": {"depends_on": ["b"]}, "b": {"choices_from": "ls", "depends_on": ["c", "d", "b"]}, "d": {}}`,
			"a: depends_on has no meaning without choices_from\nb: depends_on names \"c\", which is not a parameter\nb: depends_on names d, which is not declared before it; declare d first\nb: depends_on names b, which is not declared before it; declare b first"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := ParseParams(tt.text)
			if got := lines(problems); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func lines(problems []ParamProblem) string {
	var list []string
	for _, p := range problems {
		list = append(list, p.String())
	}
	return strings.Join(list, "\n")
}

func TestResolve(t *testing.T) {
	params, _ := ParseParams(goodParams)
	hosts := func(p Param, known map[string]any) ([]string, error) {
		switch known["mode"] {
		case "fast":
			return []string{"cheetah", "falcon"}, nil
		case "slow":
			return nil, nil
		}
		return nil, errors.New("hosts: exit status 1")
	}
	type m = map[string]any
	for _, tt := range []struct {
		name  string
		given m
		want  any
	}{
		{"defaults", m{"name": "anna"}, m{"name": "anna", "count": 3, "rate": 1.0, "file": "in.csv", "mode": "fast"}},
		{"texts", m{"name": "anna", "count": " 7 ", "rate": "0.5", "force": "Yes", "file": "x", "mode": "slow", "level": "2"},
			m{"name": "anna", "count": 7, "rate": 0.5, "force": true, "file": "x", "mode": "slow", "level": 2}},
		{"typed", m{"name": "anna", "count": 7, "rate": 2, "force": false, "level": 2.0},
			m{"name": "anna", "count": 7, "rate": 2.0, "force": false, "file": "in.csv", "mode": "fast", "level": 2}},
		{"nil is absent", m{"name": "anna", "count": nil}, m{"name": "anna", "count": 3, "rate": 1.0, "file": "in.csv", "mode": "fast"}},
		{"choices of a command", m{"name": "anna", "host": "falcon"}, m{"name": "anna", "count": 3, "rate": 1.0, "file": "in.csv", "mode": "fast", "host": "falcon"}},
		{"all problems together", m{"name": "A", "count": "many", "rate": "0.1", "force": "perhaps", "file": "", "mode": "fats", "level": 3, "host": "cheeta", "nam": 1},
			"name: \"A\" is shorter than 2 characters\ncount: \"many\" is not a whole number\nrate: 0.1 is below the least, 0.5\nforce: \"perhaps\" is neither true nor false\nfile: \"\" is not a path: it is empty\nmode: \"fats\" is not one of the choices; did you mean fast?\nlevel: 3 is not one of the choices; the choices are 1, 2\nnam: there is no such parameter; did you mean name?"},
		{"required", m{}, "name: is required; give it: -p name=STRING"},
		{"bounds", m{"name": "annabel", "count": 11}, "name: \"annabel\" is longer than 5 characters\ncount: 11 is above the most, 10"},
		{"the whole text has to match", m{"name": "an1"}, "name: \"an1\" does not match [a-z]+"},
		{"typed wrongly", m{"name": 5, "force": 1, "count": 2.5, "file": true, "rate": []any{}},
			"name: 5 is not a text\ncount: 2.5 is not a whole number\nrate: [] is not a number\nforce: 1 is neither true nor false\nfile: true is not a text"},
		{"none of the choices of a command", m{"name": "anna", "host": "snail"}, "host: \"snail\" is not one of the choices; the choices are cheetah, falcon"},
		{"a typing error of such a choice", m{"name": "anna", "host": "falcn"}, "host: \"falcn\" is not one of the choices; did you mean falcon?"},
		{"no choices", m{"name": "anna", "mode": "slow", "host": "snail"}, "host: \"snail\" is not one of the choices; there are none"},
		{"unknown", m{"name": "anna", "zzzzz": 1}, "zzzzz: there is no such parameter; the parameters are name, count, rate, force, file, mode, level, host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			values, problems := Resolve(params, tt.given, Machine{Choices: hosts})
			got := any(values)
			if problems != nil {
				got = lines(problems)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%v\nwant\n%v", got, tt.want)
			}
		})
	}
}

func TestUnlistableChoicesAreAProblem(t *testing.T) {
	params, _ := ParseParams(`{"a": {"choices_from": "x"}}`)
	_, problems := Resolve(params, map[string]any{"a": "1"}, Machine{Choices: func(Param, map[string]any) ([]string, error) { return nil, errors.New("exit status 1") }})
	if got := lines(problems); got != "a: its choices could not be listed: exit status 1" {
		t.Error(got)
	}
	if values, problems := Resolve(params, map[string]any{"a": "1"}, Machine{}); problems != nil || values["a"] != "1" {
		t.Errorf("unchecked: %v, %v", values, problems)
	}
	if values, problems := Resolve(nil, map[string]any{"a": "1"}, Machine{}); values != nil || lines(problems) != "a: there is no such parameter; the workfile declares none" {
		t.Errorf("none declared: %v, %v", values, problems)
	}
}

// TestParamsRoundTrip gives each parameter its value as a text, as on the command line, and typed, as in files.
func TestParamsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]ParamType{String, Int, Float, Bool, Path}).Draw(t, "type")
		var value any
		switch kind {
		case Int:
			value = rapid.Int().Draw(t, "value")
		case Float:
			value = rapid.Float64Range(-1e300, 1e300).Draw(t, "value")
		case Bool:
			value = rapid.Bool().Draw(t, "value")
		default:
			value = strings.ReplaceAll(rapid.String().Draw(t, "value"), "\x00", "") + "'; $(x)\n"
		}
		params := []Param{{Name: "p", Type: kind}}
		for _, given := range []any{value, expression.Format(value)} {
			values, problems := Resolve(params, map[string]any{"p": given}, Machine{})
			if problems != nil || values["p"] != value {
				t.Fatalf("%v %#v became %#v, %v", kind, given, values["p"], problems)
			}
		}
	})
}

// TestResolveData resolves lists, JSON, secrets and paths that must exist.
func TestResolveData(t *testing.T) {
	params, problems := ParseParams(`{"l": {"type": "list", "choices": ["a", "b", "c"], "max_length": 3}, "of": {"type": "list", "choices_from": "x"},
		"j": {"type": "json"}, "s": {"type": "secret", "min_length": 3}, "p": {"type": "path", "must_exist": true}, "d": {"type": "list", "default": ["x", 1]}}`)
	if problems != nil {
		t.Fatal(lines(problems))
	}
	m := Machine{Choices: func(Param, map[string]any) ([]string, error) { return []string{"u", "v"}, nil },
		Exists: func(path string) error {
			if path != "there" {
				return errors.New("does not exist")
			}
			return nil
		}}
	type object = map[string]any
	type list = []any
	for _, tt := range []struct {
		given object
		want  any
	}{
		{object{"l": "a, b", "j": `{"x": [1, 2.5]}`, "s": "geheim", "p": "there"}, object{"l": list{"a", "b"}, "j": object{"x": list{1, 2.5}}, "s": "geheim", "p": "there", "d": list{"x", 1}}},
		{object{"l": `["c"]`, "of": "v,u", "j": list{1}, "d": ""}, object{"l": list{"c"}, "of": list{"v", "u"}, "j": list{1}, "d": list{}}},
		{object{"l": "a,x", "of": "u,w", "j": "{x", "s": "ab", "p": "gone", "d": "[1"},
			"l: \"x\" is not one of the choices; the choices are a, b, c\nof: \"w\" is not one of the choices; the choices are u, v\nj: \"{x\" is neither an object nor a list in JSON\ns: its value is shorter than 3 characters\np: \"gone\" does not exist\nd: \"[1\" is not a list; write a,b,c or [\"a\", \"b\"]"},
		{object{"l": "a,b,c,a", "j": "3", "s": list{1}}, "l: [\"a\",\"b\",\"c\",\"a\"] has more than 3 elements\nj: 3 is neither an object nor a list in JSON\ns: its value is not a text"},
	} {
		values, problems := Resolve(params, tt.given, m)
		got := any(values)
		if problems != nil {
			got = lines(problems)
		} else if again, problems := Resolve(params, values, m); !reflect.DeepEqual(again, values) {
			t.Errorf("what was resolved became %v, %v", again, problems)
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("got\n%v\nwant\n%v", got, tt.want)
		}
	}
	if values, problems := Resolve(params, object{"s": Hidden}, m); problems != nil || values["s"] != nil {
		t.Errorf("a hidden value became %v, %v", values, problems)
	}
	shown := Hide(params, object{"s": "geheim", "l": list{"a"}})
	if want := (object{"s": "***", "l": list{"a"}}); !reflect.DeepEqual(shown, want) {
		t.Errorf("shown is %v", shown)
	}
}

func TestParamVariable(t *testing.T) {
	for name, want := range map[string]string{"name": "WF_PARAM_NAME", "a-b.c": "WF_PARAM_A_B_C", "X1": "WF_PARAM_X1", "ä": "WF_PARAM__"} {
		if got := ParamVariable(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func FuzzParseParams(f *testing.F) {
	for _, text := range []string{"", "{}", goodParams, `{"a": {"type": "int", "default": "x"}}`, `{"a": {"default": null}, "b": {"choices": [1]}}`, `{"a":{}} x`, `{"a": {"pattern": "("}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		params, problems := ParseParams(text)
		for _, p := range problems {
			if p.Reason == "" || strings.Contains(p.String(), "\n") {
				t.Errorf("%q is not one line", p.String())
			}
		}
		given := map[string]any{}
		for _, p := range params {
			if p.Required {
				given[p.Name] = "1"
			}
		}
		values, problems := Resolve(params, map[string]any{}, Machine{})
		for _, p := range params {
			if problems == nil && p.Default != nil && !reflect.DeepEqual(values[p.Name], p.Default) {
				t.Errorf("%s is %v by default, want %v", p.Name, values[p.Name], p.Default)
			}
		}
		Resolve(params, given, Machine{})
	})
}
