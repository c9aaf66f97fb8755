package flow

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wf/scheduler/expression"
)

// ParamVariable returns the environment variable that contains a parameter in commands.
func ParamVariable(name string) string { return "WF_PARAM_" + VariableName(name) }

// VariableName returns a name in capitals. A character that names of variables cannot have becomes an underscore.
func VariableName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// Resolve computes the values of a run from the given ones: texts (from -p) are converted to the type of
// their parameter, other values (from a JSON file) must have it. It finds all problems together, in the
// order of the parameters, unknown names last. values has every parameter that has a value, and is nil if
// there is a problem.
func Resolve(params []Param, given map[string]any, m Machine) (values map[string]any, problems []ParamProblem) {
	values = map[string]any{}
	failed := map[string]bool{}
	for i := range params {
		p := &params[i]
		value, fromEnv, problem := p.resolve(given, m.Variable)
		if problem == nil && value != nil && p.ChoicesFrom != "" && m.Choices != nil {
			problem = p.offered(value, values, failed, m.Choices)
		}
		if problem == nil && value != nil && p.MustExist && m.Exists != nil {
			problem = p.exists(value, m.Exists)
		}
		switch {
		case problem != nil:
			if fromEnv {
				problem.Reason += " (from the variable " + p.DefaultEnv + ")"
			}
			problems = append(problems, *problem)
			failed[p.Name] = true
		case value != nil:
			values[p.Name] = value
		}
	}
	names := make([]string, len(params))
	for i := range params {
		names[i] = params[i].Name
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			problems = append(problems, unknownParam(name, names))
		}
	}
	if problems != nil {
		return nil, problems
	}
	return values, nil
}

func unknownParam(name string, names []string) ParamProblem {
	p := ParamProblem{Param: name, Reason: "there is no such parameter", Remedy: expression.DidYouMean(name, names)}
	switch {
	case p.Remedy != "":
	case len(names) == 0:
		p.Remedy = "the workfile declares none"
	default:
		p.Remedy = "the parameters are " + strings.Join(names, ", ")
	}
	return p
}

// resolve returns the value of one parameter, nil if it has none, and whether it is from the environment. variable may be nil.
func (p *Param) resolve(given map[string]any, variable func(name string) string) (value any, fromEnv bool, problem *ParamProblem) {
	value, ok := given[p.Name]
	if !ok || value == nil || p.Type == Secret && value == Hidden {
		text := ""
		if p.DefaultEnv != "" && variable != nil {
			text = variable(p.DefaultEnv)
		}
		switch {
		case text != "":
			value, problem = p.accept(text)
			return value, true, problem
		case p.Required:
			return nil, false, p.missing()
		}
		return p.Default, false, nil
	}
	value, problem = p.accept(value)
	return value, false, problem
}

// missing is the problem of a required parameter without a value.
func (p *Param) missing() *ParamProblem {
	problem := &ParamProblem{Param: p.Name, Reason: ReasonRequired, Remedy: "give it: -p " + p.Name + "=" + strings.ToUpper(p.Type.String())}
	if p.DefaultEnv != "" {
		problem.Reason += ", and the variable " + p.DefaultEnv + " is not set"
	}
	return problem
}

// ReasonRequired begins the reason of a problem of a required parameter without a value.
const ReasonRequired = "is required"

// accept checks and converts a given value.
func (p *Param) accept(value any) (any, *ParamProblem) {
	text, isText := value.(string)
	if isText {
		value = p.read(text)
	}
	converted, problem := p.convert(value)
	if problem == "" {
		problem = p.bounds(converted)
	}
	remedy := ""
	if wrong := p.notChosen(converted); problem == "" && wrong != nil {
		value, problem, remedy = wrong, "is not one of the choices", "the choices are "+p.listed()
		if meant := expression.DidYouMean(expression.Format(wrong), p.choiceTexts()); meant != "" {
			remedy = meant
		}
	}
	if problem != "" && p.Type == Secret {
		return nil, &ParamProblem{Param: p.Name, Reason: "its value " + problem}
	}
	if problem != "" {
		return nil, &ParamProblem{Param: p.Name, Reason: quoted(value) + " " + problem, Remedy: remedy}
	}
	return converted, nil
}

// notChosen returns the value, or the first element of a list, that is not one of the choices; nil if all are, or
// everything is allowed.
func (p *Param) notChosen(value any) any {
	if p.Choices == nil {
		return nil
	}
	elements := []any{value}
	if list, isList := value.([]any); isList {
		elements = list
	}
	for _, e := range elements {
		if !slices.Contains(p.choiceTexts(), expression.Format(e)) {
			return e
		}
	}
	return nil
}

// element returns the parameter that the choices must fit: for a list, a parameter of its elements, which are texts.
func (p *Param) element() *Param {
	if p.Type == List {
		return &Param{Name: p.Name}
	}
	return p
}

// exists checks that there is something at a path.
func (p *Param) exists(value any, look func(path string) error) *ParamProblem {
	path, _ := value.(string)
	if err := look(path); err != nil {
		return &ParamProblem{Param: p.Name, Reason: quoted(value) + " " + err.Error()}
	}
	return nil
}

// offered checks a value against the choices that a command prints.
func (p *Param) offered(value any, known map[string]any, failed map[string]bool, choices func(Param, map[string]any) ([]string, error)) *ParamProblem {
	seen := map[string]any{}
	for _, name := range p.DependsOn {
		if failed[name] {
			return nil // the choices are unknown, and that problem is reported
		}
		if v, ok := known[name]; ok {
			seen[name] = v
		}
	}
	list, err := choices(*p, seen)
	if err != nil {
		return &ParamProblem{Param: p.Name, Reason: fmt.Sprintf("its choices could not be listed: %v", err)}
	}
	elements := []any{value}
	if p.Type == List {
		elements, _ = value.([]any)
	}
	at := slices.IndexFunc(elements, func(e any) bool { return !slices.Contains(list, expression.Format(e)) })
	if at < 0 {
		return nil
	}
	text := expression.Format(elements[at])
	problem := &ParamProblem{Param: p.Name, Reason: quoted(elements[at]) + " is not one of the choices", Remedy: expression.DidYouMean(text, list)}
	switch {
	case problem.Remedy != "":
	case len(list) == 0:
		problem.Remedy = "there are none"
	default:
		problem.Remedy = "the choices are " + shortened(list)
	}
	return problem
}

// read converts a text to a value of the type, if possible.
func (p *Param) read(text string) any {
	trimmed := strings.TrimSpace(text)
	switch p.Type {
	case Int:
		if n, err := strconv.Atoi(trimmed); err == nil {
			return n
		}
	case Float:
		if f, err := strconv.ParseFloat(trimmed, 64); err == nil {
			return f
		}
	case Bool:
		switch strings.ToLower(trimmed) {
		case "true", "yes", "on", "1":
			return true
		case "false", "no", "off", "0":
			return false
		}
	case List:
		if !strings.HasPrefix(trimmed, "[") {
			return listed(trimmed)
		}
		fallthrough
	case JSON:
		if value, err := expression.Decode([]byte(trimmed)); err == nil {
			return value
		}
	}
	return text
}

// listed splits a list of texts at its commas.
func listed(text string) []any {
	list := []any{}
	if text == "" {
		return list
	}
	for word := range strings.SplitSeq(text, ",") {
		list = append(list, strings.TrimSpace(word))
	}
	return list
}

// maxParamText is a little less than the longest environment variable in Linux, in bytes.
const maxParamText = 128_000

// convert converts a value to the type; problem says why that is not possible.
func (p *Param) convert(value any) (converted any, problem string) {
	switch p.Type {
	case Int:
		switch x := value.(type) {
		case int:
			return x, ""
		case float64:
			if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
				return int(x), ""
			}
		}
		return nil, "is not a whole number"
	case Float:
		switch x := value.(type) {
		case int:
			return float64(x), ""
		case float64:
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				return x, ""
			}
		}
		return nil, "is not a number"
	case Bool:
		if _, ok := value.(bool); ok {
			return value, ""
		}
		return nil, "is neither true nor false"
	case List, JSON:
		return p.convertData(value)
	}
	text, ok := value.(string)
	switch {
	case !ok:
		return nil, "is not a text"
	case len(text) > maxParamText:
		return nil, fmt.Sprintf("is longer than %d bytes, more than a command can be given", maxParamText)
	case strings.ContainsRune(text, 0):
		return nil, "contains a zero byte, which no environment variable can"
	case p.Type == Path && text == "":
		return nil, "is not a path: it is empty"
	}
	return text, ""
}

// convertData converts a value to a list or JSON.
func (p *Param) convertData(value any) (converted any, problem string) {
	switch value.(type) {
	case []any:
	case map[string]any:
		if p.Type == List {
			return nil, "is not a list"
		}
	default:
		if p.Type == List {
			return nil, "is not a list; write a,b,c or [\"a\", \"b\"]"
		}
		return nil, "is neither an object nor a list in JSON"
	}
	if text := expression.Format(value); len(text) > maxParamText {
		return nil, fmt.Sprintf("is longer than %d bytes, more than a command can be given", maxParamText)
	}
	return value, ""
}

// bounds returns which bound a value of the type exceeds, or "".
func (p *Param) bounds(value any) string {
	switch x := value.(type) {
	case int:
		return p.within(float64(x))
	case float64:
		return p.within(x)
	case []any:
		switch length := len(x); {
		case p.MinLength != nil && length < *p.MinLength:
			return fmt.Sprintf("has fewer than %d elements", *p.MinLength)
		case p.MaxLength != nil && length > *p.MaxLength:
			return fmt.Sprintf("has more than %d elements", *p.MaxLength)
		}
	case string:
		switch length := utf8.RuneCountInString(x); {
		case p.MinLength != nil && length < *p.MinLength:
			return fmt.Sprintf("is shorter than %d characters", *p.MinLength)
		case p.MaxLength != nil && length > *p.MaxLength:
			return fmt.Sprintf("is longer than %d characters", *p.MaxLength)
		}
		if p.Pattern == "" {
			return ""
		}
		whole, err := regexp.Compile("^(?:" + p.Pattern + ")$")
		if err != nil || !whole.MatchString(x) {
			return "does not match " + p.Pattern
		}
	}
	return ""
}

func (p *Param) within(x float64) string {
	switch {
	case p.Min != nil && x < *p.Min:
		return "is below the least, " + expression.Format(*p.Min)
	case p.Max != nil && x > *p.Max:
		return "is above the most, " + expression.Format(*p.Max)
	}
	return ""
}

func (p *Param) choiceTexts() []string {
	texts := make([]string, len(p.Choices))
	for i := range p.Choices {
		texts[i] = expression.Format(p.Choices[i])
	}
	return texts
}

func (p *Param) listed() string { return shortened(p.choiceTexts()) }

// shortened lists the first ten of some words.
func shortened(words []string) string {
	const most = 10
	if len(words) > most {
		return strings.Join(words[:most], ", ") + fmt.Sprintf(" and %d more", len(words)-most)
	}
	return strings.Join(words, ", ")
}

// quoted formats a value for a message.
func quoted(value any) string {
	text := expression.Format(value)
	if _, ok := value.(string); ok {
		return shown(text)
	}
	if len(text) > 60 {
		return text[:60] + "..."
	}
	return text
}
