package flow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"wf/scheduler/expression"
)

// maxParams bounds the number of parameters of a workfile.
const maxParams = 1000

// ParseParams reads the graph attribute params: a JSON object of parameters by name, in the order of the
// text. It leaves out parameters with a problem.
func ParseParams(text string) ([]Param, []ParamProblem) {
	p := &paramParser{}
	names, texts, err := object(text)
	if err != nil {
		return nil, []ParamProblem{{Reason: err.Error(), Remedy: `write it like {"name": {"type": "string", "default": "x"}}`}}
	}
	for i, name := range names {
		if i >= maxParams {
			p.add("", "", "there are more than %d parameters", maxParams)
			break
		}
		p.param(name, texts[i], names[:i])
	}
	p.dependencies()
	return p.params, p.problems
}

// object splits a JSON object into its members, in order.
func object(text string) (names []string, values []json.RawMessage, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, nil, errors.New("is not a JSON object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, jsonProblem(text, d, err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, jsonProblem(text, d, err)
		}
		names, values = append(names, name.(string)), append(values, value)
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, jsonProblem(text, d, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("there is text after the JSON object")
	}
	return names, values, nil
}

func jsonProblem(text string, d *json.Decoder, err error) error {
	line := 1 + strings.Count(text[:min(int(d.InputOffset()), len(text))], "\n")
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errors.New("it ends too early")
	}
	return fmt.Errorf("is not JSON (line %d: %v)", line, err)
}

type paramParser struct {
	params   []Param
	problems []ParamProblem
	declared []string // also those with problems
}

func (p *paramParser) add(param, remedy, format string, args ...any) {
	p.problems = append(p.problems, ParamProblem{Param: param, Reason: fmt.Sprintf(format, args...), Remedy: remedy})
}

// declaration is one parameter in JSON.
type declaration struct {
	Type        string          `json:"type"`
	Required    bool            `json:"required"`
	Default     json.RawMessage `json:"default"`
	DefaultEnv  string          `json:"default_env"`
	Min         *float64        `json:"min"`
	Max         *float64        `json:"max"`
	MinLength   *int            `json:"min_length"`
	MaxLength   *int            `json:"max_length"`
	Pattern     string          `json:"pattern"`
	MustExist   bool            `json:"must_exist"`
	Choices     json.RawMessage `json:"choices"`
	ChoicesFrom string          `json:"choices_from"`
	DependsOn   []string        `json:"depends_on"`
	Help        string          `json:"help"`
}

var declarationWords = []string{"type", "required", "default", "default_env", "min", "max", "min_length", "max_length", "pattern", "must_exist", "choices", "choices_from", "depends_on", "help"}

// param reads a parameter.
func (p *paramParser) param(name string, text json.RawMessage, before []string) {
	p.declared = append(p.declared, name)
	if slices.Contains(before, name) {
		p.add(name, "leave one of them out", "is declared twice")
		return
	}
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || strings.Trim(name[:1], "0123456789-") == "" {
		p.add(name, "write letters, digits, _ and -, a letter or _ first", "is not a name of a parameter")
		return
	}
	for _, other := range before {
		if strings.EqualFold(strings.ReplaceAll(other, "-", "_"), strings.ReplaceAll(name, "-", "_")) {
			p.add(name, "choose another name", "would be the same variable as %s: %s", other, ParamVariable(name))
			return
		}
	}
	var d declaration
	if !p.decode(name, text, &d) {
		return
	}
	problems := len(p.problems)
	param := Param{Name: name, Required: d.Required, DefaultEnv: d.DefaultEnv, Help: d.Help, Min: d.Min, Max: d.Max, MinLength: d.MinLength, MaxLength: d.MaxLength,
		Pattern: d.Pattern, MustExist: d.MustExist, ChoicesFrom: strings.TrimSpace(d.ChoicesFrom), DependsOn: d.DependsOn}
	if i := slices.Index(typeWords[:], d.Type); i >= 0 {
		param.Type = ParamType(i)
	} else if d.Type != "" {
		p.add(name, "write "+strings.Join(typeWords[:], ", ")+closest(d.Type, typeWords[:]...), "its type %q is unknown", d.Type)
		return
	}
	if d.DefaultEnv != "" && badVariable(d.DefaultEnv, nil) != "" {
		p.add(name, `write the name of a variable without $, like "HOME"`, "default_env is %q", d.DefaultEnv)
	}
	p.limits(&param)
	p.fits(&param, &d)
	p.choices(&param, d.Choices)
	p.fallback(&param, d.Default)
	if len(p.problems) == problems {
		p.params = append(p.params, param)
	}
}

// decode reads the JSON of one parameter and rejects unknown members.
func (p *paramParser) decode(name string, text json.RawMessage, d *declaration) bool {
	words, _, err := object(string(text))
	if err != nil {
		p.add(name, `write it like {"type": "string"}`, "%v", err)
		return false
	}
	for _, word := range words {
		if !slices.Contains(declarationWords, word) {
			p.add(name, "the allowed words are "+strings.Join(declarationWords, ", ")+closest(word, declarationWords...), "%q is unknown", word)
			return false
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(d); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			p.add(name, "", "%s is a %s, and has to be %s", kind.Field, kind.Value, jsonKind(kind.Type.String()))
		} else {
			p.add(name, "", "%v", err)
		}
		return false
	}
	return true
}

// jsonKind returns the JSON name of a Go type.
func jsonKind(name string) string {
	switch name {
	case "bool":
		return "true or false"
	case "float64", "*float64":
		return "a number"
	case "int", "*int":
		return "a whole number"
	case "[]string":
		return "a list of texts"
	}
	return "a text"
}

// limits checks that the bounds of a parameter fit its type and each other.
func (p *paramParser) limits(q *Param) {
	numeric := q.Type == Int || q.Type == Float
	textual := q.Type == String || q.Type == Path || q.Type == Secret
	counted := textual || q.Type == List
	if (q.Min != nil || q.Max != nil) && !numeric {
		p.add(q.Name, "min_length and max_length bound a text", "min and max are for numbers, and its type is %s", q.Type)
	}
	if q.Min != nil && q.Max != nil && *q.Min > *q.Max {
		p.add(q.Name, "", "min is %s, above max, which is %s", expression.Format(*q.Min), expression.Format(*q.Max))
	}
	if (q.MinLength != nil || q.MaxLength != nil) && !counted || q.Pattern != "" && !textual {
		p.add(q.Name, "", "min_length, max_length and pattern are for texts, and its type is %s", q.Type)
	}
	if q.MinLength != nil && *q.MinLength < 0 || q.MaxLength != nil && *q.MaxLength < 0 {
		p.add(q.Name, "", "a length is negative")
	} else if q.MinLength != nil && q.MaxLength != nil && *q.MinLength > *q.MaxLength {
		p.add(q.Name, "", "min_length is %d, above max_length, which is %d", *q.MinLength, *q.MaxLength)
	}
	if _, err := expression.CompilePattern(q.Pattern); err != nil {
		p.add(q.Name, "", "its pattern does not compile: %v", err)
	}
}

// fits checks that a parameter has no members that its type does not support.
func (p *paramParser) fits(q *Param, d *declaration) {
	chosen := d.Choices != nil || q.ChoicesFrom != ""
	switch {
	case q.MustExist && q.Type != Path:
		p.add(q.Name, "", "must_exist is for paths, and its type is %s", q.Type)
	case q.Type == JSON && chosen:
		p.add(q.Name, "", "choices are for texts, numbers and lists, and its type is json")
	case q.Type == Secret && chosen:
		p.add(q.Name, "", "choices would show a secret; leave them out")
	case q.Type == Secret && d.Default != nil && string(d.Default) != "null":
		p.add(q.Name, "leave default out", "a secret has no default, because every reader of the workfile could see it")
	}
}

func (p *paramParser) choices(q *Param, text json.RawMessage) {
	if text == nil || string(text) == "null" {
		if len(q.DependsOn) > 0 && q.ChoicesFrom == "" {
			p.add(q.Name, "", "depends_on has no meaning without choices_from")
		}
		return
	}
	value, err := expression.Decode(text)
	list, ok := value.([]any)
	if err != nil || !ok || len(list) == 0 {
		p.add(q.Name, "", "choices is not a list of at least one value")
		return
	}
	if q.ChoicesFrom != "" {
		p.add(q.Name, "leave one of them out", "has choices and choices_from")
	}
	for _, choice := range list {
		one := q.element()
		value, problem := one.convert(choice)
		if problem == "" {
			problem = one.bounds(value)
		}
		if problem != "" {
			p.add(q.Name, "", "its choice %s %s", quoted(choice), problem)
			continue
		}
		q.Choices = append(q.Choices, value)
	}
}

// fallback reads the default.
func (p *paramParser) fallback(q *Param, text json.RawMessage) {
	if text == nil || string(text) == "null" {
		return
	}
	value, err := expression.Decode(text)
	if err != nil {
		p.add(q.Name, "", "its default is not JSON: %v", err)
		return
	}
	if q.Required {
		p.add(q.Name, "leave required or default out", "is required and has a default")
	}
	converted, problem := q.convert(value)
	if problem == "" {
		problem = q.bounds(converted)
	}
	if problem == "" && q.notChosen(converted) != nil {
		problem = "is not one of its choices: " + q.listed()
	}
	if problem != "" {
		p.add(q.Name, "", "its default %s %s", quoted(value), problem)
		return
	}
	q.Default = converted
}

// dependencies checks depends_on: only parameters that are declared before, so that there is an order.
func (p *paramParser) dependencies() {
	kept := p.params[:0]
	for i := range p.params {
		q := p.params[i]
		own, ok := slices.Index(p.declared, q.Name), true
		for _, name := range q.DependsOn {
			switch at := slices.Index(p.declared, name); {
			case at < 0:
				p.add(q.Name, expression.DidYouMean(name, p.declared), "depends_on names %q, which is not a parameter", name)
				ok = false
			case at >= own:
				p.add(q.Name, "declare "+name+" first", "depends_on names %s, which is not declared before it", name)
				ok = false
			}
		}
		if ok {
			kept = append(kept, q)
		}
	}
	p.params = kept
}
