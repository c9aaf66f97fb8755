// Package expression evaluates the small texts with which a workfile decides: conditions of edges,
// sources of items, values of environment variables. They see the data of a run and change nothing:
// no clock, no randomness and no machine but what Env says, so the same Env gives the same value.
// What a text may cost is bounded, whoever wrote it.
package expression

import (
	"fmt"
	"strings"
)

// A Scope says which names a text may use. Any other one is an error of Compile.
type Scope struct {
	Params []string // parameters of the workfile
	// Secrets are those of the parameters that only a command gets to see. A text that is for a command alone
	// may hold one as it is, ${{ params.NAME }}; no other expression may use it, because what is decided and
	// shown is recorded.
	Secrets    []string
	ForCommand bool // the text is for a command alone

	Node func(name string) bool // whether nodes.NAME is a node that can be seen from here; nil = none
	// Results says whether such a node is a sub-flow, so that it has results; nil = all are.
	Results func(name string) bool
	// Hint says what to write instead of a node that cannot be seen, "" if it does not know; nil = never.
	Hint func(name string) string

	// What the innermost sub-flow around the text gives. A name that it does not give means that of the
	// nearest sub-flow around it that does, so Env must be one level for each Scope.
	Item      bool // item is known: a foreach
	Index     bool // index is known: a foreach or times
	Iteration bool // iteration is known: a while or until, also for its own test
	// Previous says whether previous.NAME is a node of that while or until; nil where Iteration is false.
	Previous func(name string) bool
	Parent   *Scope // what parent.NAME sees: the place around the innermost sub-flow; nil = none
}

// Env is the values of one moment. Nothing in it may change while a text is evaluated. Values are nil,
// bool, int, float64, string, []any and map[string]any, as Decode gives them.
type Env struct {
	Params           map[string]any
	Node             func(name string) Node
	Variable         func(name string) string // an environment variable of the client, "" if it has none
	Item             any
	Index, Iteration int // from 0
	// Previous is what a node was in the iteration before the one that Node means; nil = there was none.
	Previous func(name string) Node
	Parent   *Env // as Scope.Parent; only Item, Index, Iteration, Previous and Parent of it are looked at
	Run      Run
	Now      int64         // nanoseconds since 1970, UTC
	UUID     func() string // the next one
}

// Run is what an expression sees of the run.
type Run struct{ ID, Workfile string }

// Node is what an expression sees of a node. The zero value is one that has not run.
type Node struct {
	Status   string // as in the workfile
	ExitCode *int   // of the last execution; nil if there was none
	Outputs  map[string]any
	// Results are the instances of a sub-flow in the order of its items, each with all its nodes by their
	// local names; nil for other nodes. It is asked for only by texts that use results.
	Results func() []map[string]Node
	// Arrivals are the instances that have ended, in the order in which they did.
	Arrivals func() []map[string]Node
}

// An Expr is a text that has been understood. It may be evaluated by several goroutines at once.
type Expr struct {
	text      string
	op        op
	slots     int // variables of let
	names     names
	varies    bool   // there is a name of a run, now or uuid in it
	certainly string // the kind that every value of it has, "" if that is not known
}

// maxText bounds the length of an expression in bytes, maxBrackets how deep its brackets may lie.
const (
	maxText     = 16 << 10
	maxBrackets = 100
)

// Compile understands an expression. The error is an *Error.
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
	return &Expr{text: text, op: op, slots: c.slots, names: c.names, varies: c.varies, certainly: kind}, nil
}

// String returns the text as it was written.
func (e *Expr) String() string { return e.text }

// Nodes returns the names that the text gives to nodes, each once.
func (e *Expr) Nodes() []string { return e.names.nodes }

// Variables returns the environment variables of the client that the text asks for, each once.
func (e *Expr) Variables() []string { return e.names.variables }

// Secret says that the value is one that only a command gets to see.
func (e *Expr) Secret() bool { return e.names.secret }

// Constant says that the value is the same whatever happens in a run.
func (e *Expr) Constant() bool { return !e.varies }

// Certainly returns the kind of all values of the expression that are not nil: "true or false",
// "a number", "a text", "a list", "a map"; "" where that depends on the data.
func (e *Expr) Certainly() string { return e.certainly }

// Eval returns the value, which may share lists and maps with env. The error is an *Error that says where and why.
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

// Bool evaluates a condition. A value that is neither true nor false is an error.
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

// List evaluates a source of items. A value that is no list is an error.
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

// remedyFor knows the mistakes that are made most: outputs are texts, and nothing has run yet.
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
