package flow

import (
	"maps"
	"slices"
	"strings"
)

// ParseFields reads the attribute approve_fields: the values that an answer gives, declared as parameters are.
// Fields with a problem are left out.
func ParseFields(text string) ([]Param, []ParamProblem) {
	fields, problems := ParseParams(text)
	kept := fields[:0]
	for _, f := range fields {
		reason := ""
		switch {
		case f.Type == Secret:
			reason = "answers are recorded, so none can be secret; ask for a parameter of the run"
		case f.ChoicesFrom != "":
			reason = "choices_from is for parameters of a run; write choices"
		case f.DefaultEnv != "":
			reason = "default_env is for parameters of a run; write default"
		case f.MustExist:
			reason = "must_exist is for parameters of a run; leave it out"
		}
		if reason != "" {
			problems = append(problems, ParamProblem{Param: f.Name, Reason: reason})
			continue
		}
		kept = append(kept, f)
	}
	return kept, problems
}

// ResolveFields checks and converts the values of an answer, as Resolve does for the parameters of a run. The value
// "case", which chooses an edge, need not be declared.
func ResolveFields(fields []Param, given map[string]any) (values map[string]any, problems []ParamProblem) {
	declared, rest := maps.Clone(given), map[string]any{}
	if value, chosen := given["case"]; chosen && !slices.ContainsFunc(fields, func(p Param) bool { return p.Name == "case" }) {
		rest["case"] = value
		delete(declared, "case")
	}
	values, problems = Resolve(fields, declared, Machine{})
	for i := range problems {
		p := &problems[i]
		p.Reason = strings.Replace(p.Reason, "there is no such parameter", "the approval does not ask for it", 1)
		p.Remedy = strings.Replace(p.Remedy, "give it: -p ", "give it: --set ", 1)
	}
	if problems == nil {
		maps.Copy(values, rest)
	}
	return values, problems
}
