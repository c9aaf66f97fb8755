package flow

import (
	"maps"
	"slices"
	"strings"
)

// A Param is one parameter of a workfile.
type Param struct {
	Name     string
	Type     ParamType
	Required bool
	Default  any // of the type; nil = none
	// DefaultEnv is a variable of the environment of the run that gives the default, if it is set and not empty; "" = none. A required
	// parameter needs no value then.
	DefaultEnv string
	Help       string

	Min, Max             *float64
	MinLength, MaxLength *int // in characters; of a list, in elements
	Pattern              string
	MustExist            bool     // of a path: it must exist
	Choices              []any    // of the type; of a list, of its elements
	ChoicesFrom          string   // a command that prints one choice a line
	DependsOn            []string // parameters that ChoicesFrom sees
}

// ParamType is the type of a parameter. Values of it are string, int, float64, bool, []any for a list, []any
// or map[string]any for JSON, and string for a path and a secret.
type ParamType uint8

// The types of parameters.
const (
	String ParamType = iota
	Int
	Float
	Bool
	Path
	List
	JSON   // an object or a list
	Secret // a text that only commands may see
)

var typeWords = [...]string{String: "string", Int: "int", Float: "float", Bool: "bool", Path: "path", List: "list", JSON: "json", Secret: "secret"}

// String returns the word that workfiles use.
func (t ParamType) String() string { return typeWords[t] }

// A ParamProblem is something that is wrong with a parameter or a value of one.
type ParamProblem struct {
	Param  string // "" = none in particular
	Reason string
	Remedy string // "" if there is no advice
}

// String returns one line: parameter, reason, remedy.
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

// A Machine answers what only the machine knows about values of parameters. If a field is nil, it is not
// checked.
type Machine struct {
	// Choices returns the choices of a parameter with ChoicesFrom, for the values of the parameters that it
	// depends on.
	Choices func(p Param, known map[string]any) ([]string, error)
	// Exists returns nil if a path exists, otherwise the reason why not.
	Exists func(path string) error
	// Variable returns a variable of the environment of the run, "" if it is not set.
	Variable func(name string) string
}

// Hidden replaces a value that must not be shown in records. As the value of a secret it says that the value is unknown.
const Hidden = "***"

// Hide returns values as they may be recorded and shown: those of secrets are hidden. It returns values
// itself if there are no secrets.
func Hide(params []Param, values map[string]any) map[string]any {
	if !slices.ContainsFunc(params, func(p Param) bool { return p.Type == Secret }) {
		return values
	}
	shown := maps.Clone(values)
	for i := range params {
		if _, given := shown[params[i].Name]; given && params[i].Type == Secret {
			shown[params[i].Name] = Hidden
		}
	}
	return shown
}
