package flow

import (
	"strings"
	"testing"

	"wf/graph"
	"wf/scheduler/expression"
)

// A variable of the environment gives the default of a parameter, before the one of the workfile and after a given value. It is
// checked like a given value, and a required parameter needs no other.
func TestDefaultFromTheEnvironment(t *testing.T) {
	params, problems := ParseParams(`{"n": {"type": "int", "required": true, "max": 9, "default_env": "N"},
		"mode": {"choices": ["fast", "slow"], "default": "slow", "default_env": "MODE"}, "token": {"type": "secret", "default_env": "TOKEN"}}`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, tt := range []struct{ env, given, want string }{
		{"N=3", "", "mode=slow n=3"},
		{"N=3 MODE=fast TOKEN=geheim", "", "mode=fast n=3 token=geheim"},
		{"N=3 MODE=fast", "n=4 mode=slow", "mode=slow n=4"},
		{"N=", "", "n: is required, and the variable N is not set; give it: -p n=INT"},
		{"N=x", "", `n: "x" is not a whole number (from the variable N)`},
		{"N=12", "", `n: 12 is above the most, 9 (from the variable N)`},
		{"N=1 MODE=fats", "", `mode: "fats" is not one of the choices (from the variable MODE); did you mean fast?`},
		{"N=x", "n=1", "mode=slow n=1"},
	} {
		given := map[string]any{}
		for _, word := range strings.Fields(tt.given) {
			name, value, _ := strings.Cut(word, "=")
			given[name] = value
		}
		values, problems := Resolve(params, given, Machine{Variable: func(name string) string {
			for _, word := range strings.Fields(tt.env) {
				if key, value, _ := strings.Cut(word, "="); key == name {
					return value
				}
			}
			return ""
		}})
		var got []string
		for _, name := range []string{"mode", "n", "token"} {
			if value, has := values[name]; has {
				got = append(got, name+"="+expression.Format(value))
			}
		}
		for _, p := range problems {
			got = append(got, p.String())
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s, given %q: %s, want %s", tt.env, tt.given, text, tt.want)
		}
	}
}

// A variable that gives a secret is itself one, for expressions.
func TestVariableOfASecret(t *testing.T) {
	g, err := graph.Build([]graph.NodeSpec{{ID: "a", Label: "a", Parent: -1, Extra: map[string]string{"env": "X=${{ env.TOKEN }}"}}}, nil,
		map[string]string{"params": `{"token": {"type": "secret", "default_env": "TOKEN"}}`})
	if err != nil {
		t.Fatal(err)
	}
	_, problems := Read(g)
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "the variable TOKEN is secret") {
		t.Errorf("%v", problems)
	}
	for text, want := range map[string]string{
		`{"a": {"default_env": "A B"}}`:      `a: default_env is "A B"; write the name of a variable without $, like "HOME"`,
		`{"a": {"default_env": "$HOME"}}`:    `a: default_env is "$HOME"; write the name of a variable without $, like "HOME"`,
		`{"a": {"default_env": ["A", "B"]}}`: "a: default_env is a array, and has to be a text",
	} {
		if _, problems := ParseParams(text); len(problems) != 1 || problems[0].String() != want {
			t.Errorf("%s: %v", text, problems)
		}
	}
	if _, problems := ParseFields(`{"a": {"default_env": "A"}}`); len(problems) != 1 {
		t.Error("the answer to a question has no environment")
	}
}
