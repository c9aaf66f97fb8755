package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"strings"

	"wf/executor/fault"
	"wf/executor/ownfile"
	"wf/executor/shell"
)

// WriteEnvironment keeps env for the runner, and for the runner after it, behind a variable without a
// name that holds the sum of the rest: the file is not synced, and half an environment is worse than
// none. It appears whole under its name. That there is one already is an error; mode and O_EXCL keep
// others from reading it and from having put something there.
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
	tmp := path + unfinished
	if err := DropUnfinished(path); err != nil {
		return err
	}
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(environmentHead(text.Bytes()), text.Bytes()...))
	if err == nil {
		err = fault.Check(fault.OpKeep, path)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// unfinished ends the name of an environment that is being written.
const unfinished = ".new"

// DropUnfinished removes what a daemon has left that died while it wrote the environment.
func DropUnfinished(path string) error {
	if err := os.Remove(path + unfinished); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// environmentMark begins the first entry, which tells how the others were written: no variable has
// such a name. A file without it is of a version that wrote none.
const environmentMark = "\x01"

// environmentHead vouches for the entries in text: commands must not run with a part of their
// environment.
func environmentHead(text []byte) []byte {
	return fmt.Appendf(nil, "%s%d %08x\x00", environmentMark, len(text), crc32.Checksum(text, castagnoli))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxEnvironment bounds the file in bytes; the kernel gives a program 6 MiB for arguments and
// environment together.
const maxEnvironment = 16 << 20

// parseEnvironment returns the variables in text, or false when it is not what was written: a crash of
// the machine has left less.
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

// ReadEnvironment reads what WriteEnvironment wrote. whole is false if the file is missing or incomplete,
// which is not an error: the run can still be asked for what happened.
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

// SameKey reports whether two KEY=VALUE are of the same variable.
func SameKey(a, b string) bool {
	keyA, _, _ := strings.Cut(a, "=")
	keyB, _, _ := strings.Cut(b, "=")
	return keyA == keyB
}

// NodeVariable tells a command which node it is.
const NodeVariable = "WF_NODE_ID"

// A marker is what commands of the run carry in their environment and hand on to all they start.
// It finds what has left its family.
type Marker struct {
	Run  string // workfile and run, NUL-separated
	Node string // node and execution; "" when the job names none
}

// MarkerOf reads the marker from environments, of which the first to have a variable counts. It is
// zero where a command belongs to no run.
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
