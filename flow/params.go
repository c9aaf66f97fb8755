package flow

import "strings"

// A Param is one parameter of a workfile.
type Param struct {
	Name     string
	Type     ParamType
	Required bool
	Default  any // of the type; nil = none
	Help     string

	Min, Max             *float64
	MinLength, MaxLength *int // in characters
	Pattern              string
	Choices              []any    // of the type
	ChoicesFrom          string   // a command that prints one choice a line
	DependsOn            []string // parameters that ChoicesFrom sees
}

// ParamType is the type of a parameter. Values of it are string, int, float64, bool and, for a path,
// string.
type ParamType uint8

// The types of parameters.
const (
	String ParamType = iota
	Int
	Float
	Bool
	Path
)

var typeWords = [...]string{String: "string", Int: "int", Float: "float", Bool: "bool", Path: "path"}

// String returns the word that workfiles use.
func (t ParamType) String() string { return typeWords[t] }

// A ParamProblem is something that is wrong with a parameter or a value of one.
type ParamProblem struct {
	Param  string // "" = none in particular
	Reason string
	Remedy string // "" if there is nothing to advise
}

// String is one line: parameter, reason, remedy.
func (p ParamProblem) String() string {
	text := p.Reason
	if p.Param != "" {
		text = p.Param + ": " + text
	}
	if p.Remedy != "" {
		text += "; " + p.Remedy
	}
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
}
