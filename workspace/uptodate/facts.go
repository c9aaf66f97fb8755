// Package uptodate knows which commands need not run again. A command takes part if its node declares outputs: what its
// results depend on (its Facts) and its outputs are then remembered with their digests, and if both are found again, a later
// run does not execute it. Only contents decide, never times: a time merely saves reading a file again that has not changed.
//
// The package does not know nodes, runs and processes: its callers say what a command depends on, and when it has succeeded.
// A Memory may be used by several goroutines.
package uptodate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// A Digest is the SHA-256 of some bytes, in hexadecimal digits.
type Digest string

func digestOf(data []byte) Digest {
	sum := sha256.Sum256(data)
	return Digest(hex.EncodeToString(sum[:]))
}

// Facts are all that the results of a command depend on. They contain no texts of the workfile, which may be secret, but their
// digests. Neither names of nodes, nor edges, nor drawings are part of them.
type Facts struct {
	Command Digest            `json:"command"`           // the line that is executed, with its wrapper and its shell
	Values  map[string]Digest `json:"values,omitempty"`  // variables and parameters, by what people call them
	Inputs  map[string]Digest `json:"inputs,omitempty"`  // files and folders, by the path that the workfile uses
	Outputs []string          `json:"outputs"`           // declared paths, sorted
	Version string            `json:"version,omitempty"` // cache_version
}

// Commanded returns the digest of a command line for Facts.
func Commanded(words ...string) Digest {
	data, err := json.Marshal(words)
	if err != nil {
		panic("internal error: a list of texts cannot be written as JSON")
	}
	return digestOf(data)
}

// ValueOf returns the digest of a value for Facts.
func ValueOf(value string) Digest { return digestOf([]byte(value)) }

// Key identifies the facts: equal ones have equal keys.
func (f *Facts) Key() Digest {
	data, err := json.Marshal(f) // keys of maps are sorted
	if err != nil {
		panic("internal error: facts cannot be written as JSON")
	}
	return digestOf(data)
}

// Difference says in a few words what differs from earlier facts, the most telling thing first; "" if nothing does.
func (f *Facts) Difference(earlier *Facts) string {
	if name, what := differing(f.Inputs, earlier.Inputs); name != "" {
		return fmt.Sprintf("inputs: %s %s", name, what)
	}
	if name, what := differing(f.Values, earlier.Values); name != "" {
		return fmt.Sprintf("%s %s", name, what)
	}
	switch {
	case f.Command != earlier.Command:
		return "the command changed"
	case !slices.Equal(f.Outputs, earlier.Outputs):
		return "other outputs are declared"
	case f.Version != earlier.Version:
		return "cache_version changed"
	}
	return ""
}

// differing returns the first name, in order, that two sets of digests do not have in common, and how it differs: changed
// names come before new and missing ones.
func differing(now, before map[string]Digest) (name, what string) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was, known := before[name]; known && was != now[name] {
			return name, "changed"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, known := before[name]; !known {
			return name, "is new"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, known := now[name]; !known {
			return name, "is not used any more"
		}
	}
	return "", ""
}
