package flow

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
	Choices              []any
	ChoicesFrom          string   // a command that prints one choice a line
	DependsOn            []string // parameters that ChoicesFrom sees
}

// ParamType is the type of a parameter.
type ParamType uint8

// The types of parameters.
const (
	String ParamType = iota
	Int
	Float
	Bool
	Path
)
