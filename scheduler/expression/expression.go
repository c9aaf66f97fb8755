// Package expression evaluates the small texts with which a workfile decides: conditions of edges,
// sources of items, values of environment variables. They see the data of a run and change nothing:
// no clock, no randomness and no machine except through Env, so the same Env gives the same value.
// The cost of each text is bounded.
package expression

import (
	"fmt"
	"strings"
)

// A Scope lists the names that a text may use. Compile rejects any other name.
type Scope struct {
	Params []string // parameters of the workfile
	// Secrets are the parameters that only a command may see. A text that is only for a command
	// may contain one directly, ${{ params.NAME }}; no other expression may use it, because decisions and
	// shown texts are recorded.
	Secrets []string
	// Hidden are the environment variables that only a command may see.
	Hidden     []string
	ForCommand bool // the text is only for a command

	Attempt bool // attempt is known: the text is rendered for each attempt

	Node func(name string) bool // whether nodes.NAME is a visible node; nil = none is
	// Results reports whether such a node is a sub-flow and has results; nil = all are.
	Results func(name string) bool
	// Hint returns what to write instead of a node that is not visible, or ""; nil = no hints.
	Hint func(name string) string

	// The names of the innermost sub-flow around the text. A name that it does not have means that of the
	// nearest sub-flow around it that has it, so Env must have one level for each Scope.
	Item      bool // item is known: a foreach
	Row       bool // item is a row of a table: item.NAME must be one of its columns, and item?.NAME may be
	Index     bool // index is known: a foreach or times
	Iteration bool // iteration is known: a while or until, also for its own test
	// Previous reports whether previous.NAME is a node of that while or until; nil where Iteration is false.
	Previous func(name string) bool
	Parent   *Scope // the scope of parent.NAME: around the innermost sub-flow; nil = none
}

// Env is the values of one moment. Nothing in it may change while a text is evaluated. Values are nil,
// bool, int, float64, string, []any and map[string]any, as Decode returns them.
type Env struct {
	Params           map[string]any
	Node             func(name string) Node
	Variable         func(name string) string // an environment variable of the client, "" if it has none
	Item             any
	Index, Iteration int // from 0
	Attempt          int // of the present activation, from 1
	// Previous returns a node in the iteration before the one that Node means; nil = there was none.
	Previous func(name string) Node
	Parent   *Env // as Scope.Parent; only its Item, Index, Iteration, Previous and Parent are used
	Run      Run
	// Stored returns a value of wf kv, nil if there is none; the function is nil if there are none at all.
	Stored func(name string) (*Kept, error)
	Now    int64         // nanoseconds since 1970, UTC
	UUID   func() string // the next one
}

// Run is the part of the run that expressions can refer to.
type Run struct {
	ID, Workfile string
	// Trigger and TriggerTime are the trigger that started it, and its instant; "" for none.
	Trigger, TriggerTime string
	// TriggerBody is the path of the file with what the sender of a webhook sent, TriggerEvent the event that it named.
	TriggerBody, TriggerEvent string
	// TriggerFiles are the paths of the files that arrived, for a trigger that waits for files.
	TriggerFiles []string
}

// Node is the part of a node that expressions can refer to. The zero value is a node that has not run.
type Node struct {
	Status   string // as in the workfile
	ExitCode *int   // of the last execution; nil if there was none
	Outputs  map[string]any
	// Stdout is what it printed, without blanks at both ends; nil if that is not known, because the node has not run or no text
	// reads it.
	Stdout *Kept
	// Results are the instances of a sub-flow in the order of its items, each with all its nodes by their
	// local names; nil for other nodes. Only texts that use results call it.
	Results func() []map[string]Node
	// Arrivals are the instances that have ended, in the order in which they ended.
	Arrivals func() []map[string]Node
}

// An Expr is a compiled expression. Several goroutines may evaluate it at once.
type Expr struct {
	text      string
	op        op
	slots     int // variables of let
	names     Names
	secret    bool   // the text is a secret parameter
	varies    bool   // it contains a name of a run, now or uuid
	certainly string // the kind of all its values, "" if that is unknown
}

// maxText is the greatest length of an expression in bytes, maxBrackets the greatest depth of its brackets.
const (
	maxText     = 16 << 10
	maxBrackets = 100
)

// Compile compiles an expression. The error is an *Error.
func Compile(text string, s Scope) (*Expr, error) {
	tree, err := parse(text)
	if err != nil {
		return nil, err
	}
	c := &compiler{text: []rune(text), scope: &s, whole: tree.Node}
	op, err := c.all(tree.Node)
	if err != nil {
		return nil, err
	}
	kind, err := check(tree, c)
	if err != nil {
		return nil, err
	}
	return &Expr{text: text, op: op, slots: c.slots, names: c.names, secret: c.secret, varies: c.varies, certainly: kind}, nil
}

// String returns the text as it was written.
func (e *Expr) String() string { return e.text }

// Nodes returns the names of nodes in the text, each once.
func (e *Expr) Nodes() []string { return e.names.Nodes }

// Names returns the names in the text that the run has to know values of. They must not be changed.
func (e *Expr) Names() *Names { return &e.names }

// Secret reports that the value is one that only a command may see.
func (e *Expr) Secret() bool { return e.secret }

// Constant reports whether the value is the same in every run.
func (e *Expr) Constant() bool { return !e.varies }

// Certainly returns the kind of all values of the expression that are not nil: "true or false",
// "a number", "a text", "a list", "a map"; "" where that depends on the data.
func (e *Expr) Certainly() string { return e.certainly }

// Eval returns the value, which may share lists and maps with env. The error is an *Error with the place
// and the cause.
func (e *Expr) Eval(env Env) (value any, err error) {
	v := &evaluation{env: &env, variables: make([]any, e.slots)}
	defer func() {
		if failure := recover(); failure != nil {
			known, ok := failure.(*failed)
			if !ok {
				panic(failure)
			}
			value, err = nil, known.in([]rune(e.text))
		}
	}()
	value = plainValue(v, e.op(v))
	return value, nil
}

// Bool evaluates a condition. A value that is not true or false is an error.
func (e *Expr) Bool(env Env) (bool, error) {
	value, err := e.Eval(env)
	if err != nil {
		return false, err
	}
	yes, ok := value.(bool)
	if !ok {
		return false, e.notA("neither true nor false", value)
	}
	return yes, nil
}

// List evaluates a source of items. A value that is not a list is an error.
func (e *Expr) List(env Env) ([]any, error) {
	value, err := e.Eval(env)
	if err != nil {
		return nil, err
	}
	list, ok := value.([]any)
	if !ok {
		return nil, e.notA("not a list", value)
	}
	return list, nil
}

func (e *Expr) notA(what string, value any) error {
	shown := kindOf(value)
	if text := Format(value); text != "" && len(text) <= 40 && !strings.ContainsAny(text, "\n\r") {
		shown = fmt.Sprintf("%s, %s", shown, quoteUnlessPlain(text, value))
	}
	return &Error{Line: 1, Column: 1, Problem: fmt.Sprintf("gives %s, which is %s", shown, what), Remedy: remedyFor(what, value)}
}

func quoteUnlessPlain(text string, value any) string {
	if _, ok := value.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// remedyFor returns a hint for the most frequent mistakes: outputs are texts, or the node has not run yet.
func remedyFor(what string, value any) string {
	switch value.(type) {
	case nil:
		return "the output of a node that has not run is nil: compare it, or give another value with ??"
	case string:
		if what == "not a list" {
			return "split(TEXT, \"\\n\") makes a list of lines, fromJSON(TEXT) reads JSON"
		}
		return "outputs written as key=value are texts: compare them, == \"true\""
	}
	if what == "neither true nor false" {
		return "compare it with something"
	}
	return ""
}
