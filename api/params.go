package api

import "encoding/json"

// ParamsRequest asks for the parameters of a workfile and checks values for them.
type ParamsRequest struct {
	Params map[string]any `json:"params,omitempty"` // texts, or typed values of a file, as in a RunRequest
	Env    []string       `json:"env,omitempty"`    // KEY=VALUE: the environment for commands that list choices
}

// EvalRequest asks for the value of an expression.
type EvalRequest struct {
	Expr string   `json:"expr"`           // or a text that holds ${{ EXPR }}
	Node string   `json:"node,omitempty"` // where it is evaluated: a handle, the path of an instance (align[3]) or of a node in one; "" = the outer flow
	Run  string   `json:"run,omitempty"`  // the run with the data; "" = the active run, otherwise the latest
	Env  []string `json:"env,omitempty"`  // KEY=VALUE: the value of env.KEY if the environment of the run is gone
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

// ParamList has the parameters of a workfile in the order of their declaration.
type ParamList struct {
	Schema string  `json:"schema"`
	Params []Param `json:"params"`
	// Problems lists the problems of the given values, including unknown names, in the order of the parameters.
	Problems []ParamProblem `json:"problems,omitempty"`
}

// Param is one parameter of a workfile.
type Param struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // "string", "int", "float", "bool", "path", "list", "json", "secret"
	Required bool   `json:"required,omitempty"`
	Default  any    `json:"default,omitempty"`
	// DefaultEnv is the variable of the environment that gives the default, if it is set and not empty; EnvValue is what it says for the
	// client that asks, *** for a secret.
	DefaultEnv string   `json:"default_env,omitempty"`
	EnvValue   string   `json:"env_value,omitempty"`
	Help       string   `json:"help,omitempty"`
	Min        *float64 `json:"min,omitempty"`
	Max        *float64 `json:"max,omitempty"`
	MinLength  *int     `json:"min_length,omitempty"` // in characters
	MaxLength  *int     `json:"max_length,omitempty"`
	Pattern    string   `json:"pattern,omitempty"`
	MustExist  bool     `json:"must_exist,omitempty"` // of a path: it must exist
	// Choices lists the choices of the workfile, or the present output of the command ChoicesFrom. It is empty as long as
	// a parameter in DependsOn has no value.
	Choices     []string `json:"choices,omitempty"`
	ChoicesFrom string   `json:"choices_from,omitempty"`
	DependsOn   []string `json:"depends_on,omitempty"`
}

// ParamProblem is a problem with a parameter or its value.
type ParamProblem struct {
	Param  string `json:"param,omitempty"` // "" = not about one parameter
	Reason string `json:"reason"`
	Remedy string `json:"remedy,omitempty"`
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
	return text
}

// DecisionReport is `wf approve --json` and `wf reject --json`.
type DecisionReport struct {
	Schema   string       `json:"schema"`
	Approval Approval     `json:"approval"`
	Decision DecisionMade `json:"decision"`
}
