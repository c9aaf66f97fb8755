package executor

import (
	"fmt"
	"slices"
	"strings"
)

// An EngineLister is an Executor with engines besides this machine.
type EngineLister interface {
	// Engines returns the names of the engines that jobs can have, without "", in the order in which people shall see them.
	Engines() []string
}

// LocalEngine is the name of this machine in lists of engines. In a Job it is "".
const LocalEngine = "local"

// EnginesOf returns the names of the engines of an executor besides this machine.
func EnginesOf(x Executor) []string {
	if lister, ok := x.(EngineLister); ok {
		return lister.Engines()
	}
	return nil
}

// CheckEngine returns an error that lists the known engines if name is none of them. "" and LocalEngine are this machine.
func CheckEngine(name string, engines []string) error {
	known := append([]string{LocalEngine}, engines...)
	if name == "" || slices.Contains(known, name) {
		return nil
	}
	return &UnknownEngineError{Name: name, Known: known}
}

// An UnavailableError says that a run cannot be followed at present, and that this may change: its commands may go on.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string { return e.Err.Error() }

// Unwrap returns why the run cannot be followed.
func (e *UnavailableError) Unwrap() error { return e.Err }

// An UnknownEngineError says that an executor has no engine of a name.
type UnknownEngineError struct {
	Name  string
	Known []string
}

func (e *UnknownEngineError) Error() string {
	return fmt.Sprintf("there is no executor %s here; known: %s", e.Name, strings.Join(e.Known, ", "))
}
