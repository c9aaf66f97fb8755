package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"wf/cmd/wf/exit"
	"wf/executor/shell"
)

// maxValueFile limits a file of values, in bytes, because the values go into the environment of commands.
const maxValueFile = 1 << 20

// readValues reads the file at path for a flag; "-" is standard input.
func (e *env) readValues(flag, path string) (string, error) {
	var in io.Reader = e.Stdin
	if path != "-" {
		f, err := os.Open(e.Abs(path))
		if err != nil {
			return "", exit.Usage("%s %s: %s", flag, path, exit.Obstacle(err))
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxValueFile+1))
	switch {
	case err != nil:
		return "", exit.Usage("%s %s: %s", flag, path, exit.Obstacle(err))
	case len(data) > maxValueFile:
		return "", exit.Usage("%s %s: it is larger than %d bytes", flag, path, maxValueFile)
	}
	return string(data), nil
}

// valueOf returns the value of an argument: @FILE stands for the contents of the file without the last line end, and
// @@ for a leading @. With a file, a secret need not be on the command line, which other users can read.
func (e *env) valueOf(flag, name, value string) (string, error) {
	path, file := strings.CutPrefix(value, "@")
	switch {
	case !file:
		return value, nil
	case strings.HasPrefix(path, "@"):
		return path, nil
	}
	text, err := e.readValues(flag+" "+name+"=@", path)
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), err
}

// envFile reads a file of KEY=VALUE lines, see shell.ReadVariables.
func (e *env) envFile(path string) ([]string, error) {
	text, err := e.readValues("--env-file", path)
	if err != nil {
		return nil, err
	}
	vars, wrong := shell.ReadVariables(text)
	if wrong > 0 {
		return nil, &exit.Failure{Status: exit.BadUsage, What: "--env-file: a line is not KEY=VALUE", Where: fmt.Sprintf("%s:%d", path, wrong)}
	}
	return vars, nil
}
