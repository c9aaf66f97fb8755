package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"wf/executor/checksum"
	"wf/executor/fault"
	"wf/executor/ownfile"
	"wf/executor/shell"
)

// WriteEnvironment writes env for the runners of a run to the new file at path, as a whole or not at all. The file is
// not synced, so its first entry is a checksum of the others: a command must not run with half of its environment. An
// existing file is an error. Only this user can read the file.
func WriteEnvironment(path string, env []string) error {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return &os.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	var text bytes.Buffer
	for _, v := range env {
		text.WriteString(v)
		text.WriteByte(0)
	}
	if err := fault.Check(fault.OpKeep, path); err != nil {
		return err
	}
	return ownfile.Replace(path, append(environmentHead(text.Bytes()), text.Bytes()...), false)
}

// environmentMark begins the first entry, with the checksum. No variable has such a name. Old versions wrote no such
// entry.
const environmentMark = "\x01"

// environmentHead returns the first entry: the length and the checksum of the entries in text.
func environmentHead(text []byte) []byte {
	return fmt.Appendf(nil, "%s%d %08x\x00", environmentMark, len(text), checksum.Of(text))
}

// maxEnvironment is the largest size of the file in bytes. The kernel gives a program 6 MiB for arguments and environment
// together.
const maxEnvironment = 16 << 20

// parseEnvironment returns the variables in text. ok is false if text is not complete, which can happen after a crash of
// the machine.
func parseEnvironment(text []byte) (vars []string, ok bool) {
	entries := text
	if bytes.HasPrefix(text, []byte(environmentMark)) {
		var head []byte
		head, entries, _ = bytes.Cut(text, []byte{0})
		if !bytes.Equal(append(bytes.Clone(head), 0), environmentHead(entries)) {
			return nil, false
		}
	} else if first, _, whole := bytes.Cut(text, []byte{0}); !whole || !bytes.Contains(first, []byte("=")) || text[len(text)-1] != 0 {
		return nil, false
	}
	if len(entries) == 0 {
		return nil, true
	}
	return strings.Split(string(entries[:len(entries)-1]), "\x00"), true
}

// ReadEnvironment reads what WriteEnvironment wrote. whole is false if the file is missing or incomplete. That is not an
// error, because the daemon can still ask a runner without environment for its news.
func ReadEnvironment(path string) (vars []string, whole bool, err error) {
	if err := fault.Check(fault.OpEnvironment, path); err != nil {
		return nil, false, fmt.Errorf("environment of the run: %w", err)
	}
	text, err := ownfile.Read(path, maxEnvironment)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("environment of the run: %w", err)
	}
	vars, whole = parseEnvironment(text)
	return vars, whole, nil
}

// SameKey reports whether two KEY=VALUE have the same key.
func SameKey(a, b string) bool {
	keyA, _, _ := strings.Cut(a, "=")
	keyB, _, _ := strings.Cut(b, "=")
	return keyA == keyB
}

// NodeVariable is the variable with the handle of the command's node.
const NodeVariable = "WF_NODE_ID"

// A Marker identifies the run and the execution of a process by the variables that all processes of a command inherit,
// even if they leave its session.
type Marker struct {
	Run  string // workfile and run, separated by NUL
	Node string // node and execution, separated by NUL; "" if the environment does not contain them
}

// MarkerOf returns the marker in environments; the first one that contains a variable counts. It is zero if no run is
// named.
func MarkerOf(envs ...[]string) Marker {
	get := func(key string) string {
		for _, env := range envs {
			if v, ok := shell.Value(env, key); ok {
				return v
			}
		}
		return ""
	}
	run, node, execution := get("WF_RUN_ID"), get(NodeVariable), get("WF_EXECUTION")
	var m Marker
	if run != "" {
		m.Run = get("WF_WORKFILE") + "\x00" + run
	}
	if run != "" && node != "" && execution != "" {
		m.Node = node + "\x00" + execution
	}
	return m
}
