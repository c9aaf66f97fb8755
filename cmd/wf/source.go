package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"wf/cmd/wf/definition"
	"wf/cmd/wf/exit"
	"wf/graph/pattern"
	"wf/tui/plain"
	"wf/tui/words"
)

// sourceHelp says which versions of a workfile commands can read.
const sourceHelp = `a file (a workfile, or a text as wf text prints it), "-" for standard input, 41: for the workfile
as run 41 had it (41:FILE for the run of another workfile than ./Workfile), or a revision of git
as in HEAD:Workfile or main:./night.wf`

// runSource matches 41: and 41:FILE.
var runSource = pattern.Of(`^([1-9][0-9]*):(.*)$`)

// A source is a version of a workfile that a command reads.
type source struct {
	name string // as the user wrote it
	data []byte
}

// readSource reads a version of a workfile; see sourceHelp. "" is ./Workfile.
func readSource(ctx context.Context, e *env, arg string) (*source, error) {
	if arg == "-" {
		data, err := io.ReadAll(e.Stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return &source{"standard input", data}, nil
	}
	if arg != "" && !exists(e, arg) {
		if m := runSource.Get().FindStringSubmatch(arg); m != nil {
			return readRun(ctx, e, arg, m[1], m[2])
		}
		if rev, path, found := strings.Cut(arg, ":"); found && !isURL(arg) {
			return readRevision(ctx, e, arg, rev, path)
		}
	}
	path, err := e.workfile(arg)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &exit.Failure{Status: exit.BadWorkfile, What: plain.Line(e.rel(path)) + " is not a regular file"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &exit.Failure{Status: exit.BadWorkfile, What: "cannot read " + plain.Line(e.rel(path)), Why: exit.Obstacle(err)}
	}
	return &source{e.rel(path), data}, nil
}

// readRun reads the workfile as a run had it.
func readRun(ctx context.Context, e *env, arg, run, file string) (*source, error) {
	s := &source{name: arg}
	err := e.open(ctx, file, func(ctx context.Context, _ *env, t *target) error {
		frozen, err := t.Workspace.FrozenWorkfile(ctx, run)
		if err != nil {
			return err
		}
		defer frozen.Close()
		s.data, err = io.ReadAll(frozen)
		return err
	})
	return s, err
}

// readRevision reads a file of a revision.
func readRevision(ctx context.Context, e *env, arg, rev, path string) (*source, error) {
	if strings.HasPrefix(rev, "-") {
		return nil, exit.Usage("%s is no revision", words.Quote(rev))
	}
	data, err := runGit(ctx, e, "cat-file", "blob", rev+":"+path)
	if err != nil {
		f := &exit.Failure{Status: exit.BadWorkfile, What: "git has no " + plain.Line(arg), Why: err.Error()}
		if !strings.HasPrefix(path, "./") && inSubfolder(ctx, e) {
			f.Fix = "a path relative to this folder begins with ./: " + words.Quote(rev+":./"+path)
		}
		return nil, f
	}
	return &source{arg, data}, nil
}

// inSubfolder reports whether the working folder is below the top of the work tree.
func inSubfolder(ctx context.Context, e *env) bool {
	prefix, err := runGit(ctx, e, "rev-parse", "--show-prefix")
	return err == nil && len(bytes.TrimSpace(prefix)) > 0
}

// runGit runs a command of git and returns what it prints. The error is what git says.
func runGit(ctx context.Context, e *env, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = e.Dir, append(e.Environ[:len(e.Environ):len(e.Environ)], "LC_ALL=C")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var notFound *exec.Error
	switch {
	case err == nil:
		return out, nil
	case errors.As(err, &notFound) || errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("git is not installed, or not in PATH")
	}
	first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
	if first = plain.Line(strings.TrimPrefix(first, "fatal: ")); first == "" {
		first = err.Error()
	}
	return nil, errors.New(first)
}

// version reads a source as a workfile or a text.
func (s *source) version(e *env) (*definition.Version, error) {
	v, err := definition.Read(s.data)
	if err != nil {
		return nil, s.mistake(e, err)
	}
	return v, nil
}

// mistake returns the failure about a source that cannot be read.
func (s *source) mistake(e *env, err error) error {
	line, column, message, remedy := definition.Where(err)
	f := exit.Failure{Status: exit.BadWorkfile, What: unusable, Why: message, Fix: remedy, Where: s.name}
	if definition.IsText(s.data) {
		if kind := kindOf(filepath.Base(s.name), s.data[:min(len(s.data), 4096)]); kind.what != "" && kind.what != textKind {
			return &exit.Failure{Status: exit.BadWorkfile, What: plain.Line(s.name) + " is not a workfile but " + kind.what,
				Fix: strings.ReplaceAll(kind.fix, "FILE", words.Quote(s.name))}
		}
		f.What, f.Why = message, ""
	}
	if line > 0 {
		f.Where = fmt.Sprintf("%s:%d:%d", plain.Line(s.name), line, column)
	}
	return &f
}

// exists reports whether there is something with this name.
func exists(e *env, name string) bool {
	_, err := os.Stat(e.Abs(name))
	return name != "" && err == nil
}
