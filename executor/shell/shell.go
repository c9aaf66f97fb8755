// Package shell reads command lines as a POSIX shell does: it splits a line into words, decides whether the line needs a
// shell, and inserts a command into a wrapper. It executes nothing.
package shell

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// defaultShell is the shell of jobs that name none.
const defaultShell = "/bin/sh"

// Strict is the name of a shell that ends with the first command that fails, also within a pipe, and at the use of a variable
// that is not set: bash -euo pipefail.
const Strict = "bash-strict"

// Find returns the path of the shell of a job and the beginning of its argument list: the path, and the options that the
// job gives, as in "bash -euo pipefail". A name without a slash is looked up in the PATH of env.
func Find(shell string, env []string) (path string, argv []string, err error) {
	words, err := Words(shell)
	if err != nil {
		return "", nil, err
	}
	if path = words[0]; !strings.Contains(path, "/") {
		list, _ := Value(env, "PATH")
		found := false
		if path, found = FindProgram(words[0], list); !found {
			return "", nil, errors.New(NotFound(shell, words[0]))
		}
	}
	words[0] = path
	return path, words, nil
}

// Words returns the program and the options of the shell of a job, without -c.
func Words(shell string) ([]string, error) {
	switch {
	case shell == "":
		return []string{defaultShell}, nil
	case shell == Strict:
		return []string{"bash", "-euo", "pipefail"}, nil
	case !strings.ContainsAny(shell, " \t'\"") || isProgram(shell) == nil:
		return []string{shell}, nil
	}
	words, plain := PlainWords(shell)
	if !plain {
		return nil, fmt.Errorf("shell %q: it is not a program with options", shell)
	}
	if last := len(words) - 1; last > 0 && words[last] == "-c" {
		words = words[:last]
	}
	return words, nil
}

// NotFound returns the message about a shell whose program does not exist.
func NotFound(shell, program string) string {
	if strings.Contains(program, "/") {
		return fmt.Sprintf("shell %s: there is no program %s", shell, program)
	}
	return fmt.Sprintf("shell %s: %s: not found in PATH", shell, program)
}

// Check returns an error if a shell cannot execute commands with this environment in the folder dir.
func Check(shell string, env []string, dir string) error {
	path, _, err := Find(shell, env)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	switch err := isProgram(path); {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return errors.New(NotFound(shell, path))
	default:
		return fmt.Errorf("shell %s: %s: %w", shell, path, err)
	}
}
