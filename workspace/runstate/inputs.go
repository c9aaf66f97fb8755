package runstate

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wf/api"
	"wf/graph/pattern"
	"wf/scheduler/flow"
)

// secretName matches the names of variables that suggest a secret. Their values are never recorded.
var secretName = pattern.Of(`(?i)(^|_)(secret|token|password|passwd|passphrase|credentials?|api_?key|private_?key|access_?key)s?(_|$)`)

// masked replaces a secret value.
const masked = flow.Hidden

// maxInput bounds a value in a record, in bytes. A longer value is shortened, with a mark.
const maxInput = 4 << 10

// InputsOf returns what an execution gets in addition to the environment of its run: computed variables, its item, its
// iteration, its attempt, its executor and the resources that it asks for. It returns nil for a plain command. hide removes secret
// values from a text.
func (r *State) InputsOf(i int, hide func(string) string) *api.Inputs {
	env, attempt := r.Sched.Environment(i), r.Sched.Attempt(i)
	in := &api.Inputs{Executor: ExecutorOf(r, i), Resources: describeResources(r.Sched.Resources(i))}
	if len(env) == 0 && attempt == 0 && in.Executor == "" && in.Resources == nil {
		return nil
	}
	if attempt > 0 {
		in.Attempt = attempt + 1
	}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		switch number, err := strconv.Atoi(value); {
		case name == "WF_ITEM":
			in.Item = new(clipInput(hide(value)))
		case name == "WF_INDEX" && err == nil:
			in.Index = new(number)
		case name == "WF_ITERATION" && err == nil:
			in.Iteration = new(number)
		case secretName.Get().MatchString(name) || r.Sched.SecretVariable(i, name) || r.Request.Secrets.Has(name):
			in.Set(name, masked)
		default:
			in.Set(name, clipInput(hide(value)))
		}
	}
	return in
}

// clipInput shortens a value and converts it to valid UTF-8.
func clipInput(value string) string {
	value = strings.ToValidUTF8(value, "\ufffd")
	if len(value) <= maxInput {
		return value
	}
	end := maxInput
	for !utf8.RuneStart(value[end]) {
		end--
	}
	return value[:end] + "… (" + strconv.Itoa(len(value)) + " bytes)"
}

// ReadInputs decodes recorded inputs. It returns nil if there are none.
func ReadInputs(data json.RawMessage) *api.Inputs {
	if len(data) == 0 {
		return nil
	}
	var in api.Inputs
	if json.Unmarshal(data, &in) != nil {
		return nil
	}
	return &in
}

// inputSentence describes inputs, as in "Its latest execution got item S5 (number 4), attempt 2, FILE=a.txt."
func inputSentence(in *api.Inputs) string {
	if in == nil {
		return ""
	}
	var parts []string
	switch {
	case in.Item != nil && in.Index != nil:
		parts = append(parts, "item "+*in.Item+" (number "+strconv.Itoa(*in.Index)+")")
	case in.Index != nil:
		parts = append(parts, "number "+strconv.Itoa(*in.Index))
	}
	if in.Iteration != nil {
		parts = append(parts, "iteration "+strconv.Itoa(*in.Iteration))
	}
	if in.Attempt > 0 {
		parts = append(parts, "attempt "+strconv.Itoa(in.Attempt))
	}
	for _, name := range slices.Sorted(maps.Keys(in.Env)) {
		parts = append(parts, name+"="+in.Env[name])
	}
	if parts = append(parts, resourceTexts(in.Resources)...); len(parts) == 0 {
		return ""
	}
	return "Its latest execution got " + api.Several(parts, 8) + "."
}
