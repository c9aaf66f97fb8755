package api

import "encoding/json"

// ParamsRequest asks which parameters a workfile has, and what is wrong with values for them.
type ParamsRequest struct {
	Params map[string]any `json:"params,omitempty"` // texts, or typed values of a file, as in a RunRequest
	Env    []string       `json:"env,omitempty"`    // KEY=VALUE: the environment of commands that list choices
}

// EvalRequest asks for the value of an expression.
type EvalRequest struct {
	Expr string   `json:"expr"`           // or a text that holds ${{ EXPR }}
	Node string   `json:"node,omitempty"` // whose place is meant: a handle, the path of an instance (align[3]) or of a node in one; "" = the outer flow
	Run  string   `json:"run,omitempty"`  // whose data is meant; "" = the active run, else the latest
	Env  []string `json:"env,omitempty"`  // KEY=VALUE: what env.KEY is where the run's own environment is gone
}

// Evaluated is `wf eval --json`.
type Evaluated struct {
	Schema string          `json:"schema"`
	Expr   string          `json:"expr"`
	Value  json.RawMessage `json:"value"`
	Type   string          `json:"type"` // of the value, as type() calls it
	Run    string          `json:"run,omitempty"`
	Node   string          `json:"node,omitempty"`
}

// ParamList is the parameters of a workfile in the order of its declaration.
type ParamList struct {
	Schema string  `json:"schema"`
	Params []Param `json:"params"`
	// Problems are those of the given values, unknown names among them, in the order of the parameters.
	Problems []ParamProblem `json:"problems,omitempty"`
}

// Param is one parameter of a workfile.
type Param struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"` // "string", "int", "float", "bool", "path", "list", "json", "secret"
	Required  bool     `json:"required,omitempty"`
	Default   any      `json:"default,omitempty"`
	Help      string   `json:"help,omitempty"`
	Min       *float64 `json:"min,omitempty"`
	Max       *float64 `json:"max,omitempty"`
	MinLength *int     `json:"min_length,omitempty"` // in characters
	MaxLength *int     `json:"max_length,omitempty"`
	Pattern   string   `json:"pattern,omitempty"`
	MustExist bool     `json:"must_exist,omitempty"` // of a path: there has to be something
	// Choices are those of the workfile, or what the command ChoicesFrom prints now. There are none as
	// long as a parameter that the command depends on has no value.
	Choices     []string `json:"choices,omitempty"`
	ChoicesFrom string   `json:"choices_from,omitempty"`
	DependsOn   []string `json:"depends_on,omitempty"`
}

// ParamProblem is something that is wrong with a parameter or a value for it.
type ParamProblem struct {
	Param  string `json:"param,omitempty"` // "" = none in particular
	Reason string `json:"reason"`
	Remedy string `json:"remedy,omitempty"`
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
	return text
}

// DecisionReport is `wf approve --json` and `wf reject --json`.
type DecisionReport struct {
	Schema   string       `json:"schema"`
	Approval Approval     `json:"approval"`
	Decision DecisionMade `json:"decision"`
}
