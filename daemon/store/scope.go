package store

import (
	"bytes"
	"strconv"
	"strings"
)

// A Scope is a namespace of keys. The same key in another scope has another value.
type Scope struct{ name string }

// Machine returns the scope that everything of this user on this machine shares.
func Machine() Scope { return Scope{machineName} }

// Workfile returns the scope of a workspace.
func Workfile(workspace string) Scope { return Scope{workfilePrefix + workspace} }

// Run returns the scope of a run of a workspace. It is removed with the run.
func Run(workspace string, run int) Scope {
	return Scope{runPrefix + workspace + "/" + strconv.Itoa(run)}
}

// Names of scopes in the file. They contain no zero byte.
const (
	machineName    = "machine"
	workfilePrefix = "workfile/"
	runPrefix      = "run/"
)

// run parses the name of a run's scope.
func (s Scope) run() (workspace string, run int, ok bool) {
	rest, ok := strings.CutPrefix(s.name, runPrefix)
	if !ok {
		return "", 0, false
	}
	workspace, number, _ := strings.Cut(rest, "/")
	run, err := strconv.Atoi(number)
	return workspace, run, err == nil
}

// expiryKey returns the key of a value in the bucket of expiries: time, scope, key.
func expiryKey(expires int64, scope Scope, key []byte) []byte {
	b := appendTime(make([]byte, 0, timeBytes+len(scope.name)+1+len(key)), expires)
	b = append(append(b, scope.name...), 0)
	return append(b, key...)
}

// parseExpiryKey parses an expiryKey; ok is false if b is not one.
func parseExpiryKey(b []byte) (expires int64, scope Scope, key []byte, ok bool) {
	if len(b) < timeBytes {
		return 0, Scope{}, nil, false
	}
	name, key, ok := bytes.Cut(b[timeBytes:], []byte{0})
	return readTime(b), Scope{string(name)}, key, ok
}
