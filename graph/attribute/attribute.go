// Package attribute is the table of the attributes of a workfile that wf reads or writes. For each one it
// contains the elements that may have it, the kind of its value, and its meaning. The check for misspelt
// and misplaced attributes, wf edit, the terminal interface, completion and the documentation use this
// table. The package does not read graphs or files.
package attribute

import (
	"iter"
)

// Element is a set of kinds of elements of a workfile.
type Element uint8

// The kinds of elements.
const (
	Command Element = 1 << iota // a node that executes a command
	SubFlow                     // a node that repeats the nodes inside it
	Group                       // a node that only contains other nodes
	Edge
	Graph

	Container = SubFlow | Group
	Node      = Command | Container
)

// String returns the word for the elements, with an article.
func (e Element) String() string {
	switch {
	case e&^Command == 0:
		return "a command"
	case e&^Container == 0:
		return "a container"
	case e&^Node == 0:
		return "a node"
	case e&^Edge == 0:
		return "an edge"
	case e&^Graph == 0:
		return "the graph"
	case e&^(Node|Graph) == 0:
		return "a node or graph"
	}
	return "an element"
}

// A Role says how serious a mistake in the name or the place of an attribute is.
type Role uint8

// The roles.
const (
	// Decides is an attribute that says what runs, when and how often. If a run ignored it, the workflow
	// would differ from what its author meant, so a mistake is an error.
	Decides Role = iota
	// Shapes is an attribute that says how something runs or looks. A mistake is a warning.
	Shapes
	// Shared is an attribute whose name other programs use for their own purposes, on any element and in
	// any spelling. A mistake cannot be distinguished from an attribute of another program.
	Shared
	// Written is an attribute that runs write. Users do not set it.
	Written
)

// A Kind is the type of the value of an attribute.
type Kind uint8

// The kinds of values.
const (
	Text       Kind = iota // one line or several
	Word                   // one of Words
	Number                 // a whole number from 0
	Count                  // a whole number from 1
	Factor                 // a number
	Duration               // 30s, 1h30m, 7d
	Moment                 // 2026-01-31T18:00:00Z
	Truth                  // true or false
	Expression             // an expression that is true or false
	JSON
	Other // see Meaning
)

// An Attribute is one row of the table. Callers must not change it.
type Attribute struct {
	Name  string
	On    Element // the elements on which it has a meaning
	Role  Role
	Kind  Kind
	Words []string // possible values or starts of values; for the kind Word the first is the default

	// Meaning describes in one line what the attribute does.
	Meaning string
	// Mistaken are wrong names that users write for it.
	Mistaken []string
	// Long means that the value may be long, so that an editor is useful.
	Long bool
}

// All yields the table, in the order in which attributes are shown.
func All() iter.Seq[*Attribute] { return On(Node | Edge | Graph) }

// On yields the attributes that have a meaning on one of the elements, in the order in which they are
// shown.
func On(e Element) iter.Seq[*Attribute] {
	return func(yield func(*Attribute) bool) {
		for i := range table {
			if table[i].On&e != 0 && !yield(&table[i]) {
				return
			}
		}
	}
}

// Find returns the attribute with the name on one of the elements, or nil.
func Find(e Element, name string) *Attribute {
	for _, a := range byName[name] {
		if a.On&e != 0 {
			return a
		}
	}
	return nil
}

// Surrounds reports whether an attribute says in which surroundings a command is executed: what wraps it, in which shell, folder,
// container or environment. A command has that of the nearest element that has it: itself, the containers around it, the graph.
func Surrounds(name string) bool {
	switch name {
	case "wrapper", "shell", "cwd", "env_file", "container", "container_engine", "container_args", "conda", "pixi", "nix":
		return true
	}
	return false
}

// Settable reports whether users set the attribute.
func (a *Attribute) Settable() bool { return a.Role != Written }

// byName maps a name to its rows. A name has several rows if its meaning depends on the element.
var byName = func() map[string][]*Attribute {
	m := make(map[string][]*Attribute, len(table))
	for i := range table {
		m[table[i].Name] = append(m[table[i].Name], &table[i])
	}
	return m
}()
