// Package attribute is the table of the attributes of a workfile that wf reads or writes. It tells for
// each one the elements that may have it, the kind of its value, and its meaning. The check for
// misspelt and misplaced attributes, wf edit, the terminal interface, completion and the documentation
// use this table. The package knows neither graphs nor files.
package attribute

import (
	"iter"
)

// Element is a set of kinds of elements of a workfile.
type Element uint8

// The kinds of elements.
const (
	Command Element = 1 << iota // a node that executes a command
	SubFlow                     // a node that repeats the nodes in it
	Group                       // a node that only holds other nodes
	Edge
	Graph

	Container = SubFlow | Group
	Node      = Command | Container
)

// String is the word for the elements, with an article.
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
	}
	return "an element"
}

// A Role says what a mistake in the name or the place of an attribute costs.
type Role uint8

// The roles.
const (
	// Decides is an attribute that says what runs, when and how often. A run that ignored it would do
	// something else than its author meant, so a mistake is an error.
	Decides Role = iota
	// Shapes is an attribute that says how something runs or looks. A mistake is a warning.
	Shapes
	// Shared is an attribute whose name other programs use for their own purposes, on any element and in
	// any spelling. Nobody can tell a mistake from another program's attribute.
	Shared
	// Written is an attribute that runs write. People do not set it.
	Written
)

// A Kind says what the value of an attribute is.
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
	Expression             // true or false, for the data of a run
	JSON
	Other // as its Meaning says
)

// An Attribute is one row of the table. Values are for reading.
type Attribute struct {
	Name  string
	On    Element // where it means something
	Role  Role
	Kind  Kind
	Words []string // that Value can be, or begin with; of a Word the first is the default

	// Meaning says in a line what the attribute does, for people who are about to set it.
	Meaning string
	// Mistaken are other names that people write for it.
	Mistaken []string
	// Long says that the value may be worth an editor.
	Long bool
}

// All yields the table, in the order in which attributes are shown.
func All() iter.Seq[*Attribute] { return On(Node | Edge | Graph) }

// On yields the attributes that mean something on one of the elements, in the order in which they are
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

// Find returns the attribute with a name that means something on one of the elements, nil if there is
// none.
func Find(e Element, name string) *Attribute {
	for _, a := range byName[name] {
		if a.On&e != 0 {
			return a
		}
	}
	return nil
}

// Settable says whether people set the attribute themselves.
func (a *Attribute) Settable() bool { return a.Role != Written }

// byName finds the rows with a name. A name may have a row for each element where it means something
// else.
var byName = func() map[string][]*Attribute {
	m := make(map[string][]*Attribute, len(table))
	for i := range table {
		m[table[i].Name] = append(m[table[i].Name], &table[i])
	}
	return m
}()
