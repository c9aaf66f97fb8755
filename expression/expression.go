// Package expression evaluates the small texts with which a workfile decides: conditions of edges,
// sources of items, values of environment variables. They see the data of a run and change nothing:
// no clock, no randomness and no machine but what Env says, so the same Env gives the same value.
package expression

// A Scope says which names a text may use. Any other one is an error of Compile.
type Scope struct {
	Params    []string               // parameters of the workfile
	Node      func(name string) bool // whether nodes.NAME is a node that can be seen from here; nil = none
	Item      bool                   // item and index are known: the text lies in a foreach or times
	Iteration bool                   // iteration is known: the text lies in or belongs to a while or until
	Parent    *Scope                 // what parent.NAME sees: the place around the innermost sub-flow; nil = none
}

// Env is the values of one moment. Nothing in it may change while a text is evaluated.
type Env struct {
	Params           map[string]any
	Node             func(name string) Node
	Variable         func(name string) string // an environment variable of the client, "" if it has none
	Item             any
	Index, Iteration int // from 0
	Parent           *Env
	Run              Run
	Now              int64         // nanoseconds since 1970, UTC
	UUID             func() string // the next one
}

// Run is what an expression sees of the run.
type Run struct{ ID, Workfile string }

// Node is what an expression sees of a node. The zero value is one that has not run.
type Node struct {
	Status   string // as in the workfile
	ExitCode *int   // of the last execution; nil if there was none
	Outputs  map[string]any
	// Results are the instances of a sub-flow in the order of its items, each with its nodes by their
	// local names; nil for other nodes. It is asked for only by texts that use results.
	Results func() []map[string]Node
}
