package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"wf/cmd/wf/exit"
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

// envFile reads a file of KEY=VALUE lines. It ignores empty lines and lines that begin with #. A value may be
// quoted, and export may stand before a key.
func (e *env) envFile(path string) ([]string, error) {
	text, err := e.readValues("--env-file", path)
	if err != nil {
		return nil, err
	}
	var vars []string
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if ok {
			value, ok = unquoted(value)
		}
		if !ok || key == "" || strings.ContainsAny(key, " \t\"'") || strings.ContainsRune(line, 0) {
			return nil, &exit.Failure{Status: exit.BadUsage, What: "--env-file: a line is not KEY=VALUE", Where: fmt.Sprintf("%s:%d", path, number)}
		}
		vars = append(vars, key+"="+value)
	}
	return vars, nil
}

// unquoted removes the quotes around a value. In double quotes it expands \n, \t, \", \$ and \\. ok is false if a
// quote is not closed.
func unquoted(value string) (text string, ok bool) {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return value, true
	}
	quote, inner := value[0], value[1:]
	if len(inner) == 0 || inner[len(inner)-1] != quote {
		return "", false
	}
	inner = inner[:len(inner)-1]
	if quote == '\'' {
		return inner, !strings.Contains(inner, "'")
	}
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		if c == '"' {
			return "", false
		}
		if c == '\\' {
			if i++; i == len(inner) {
				return "", false
			}
			switch c = inner[i]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case '"', '\\', '$', '`':
			default:
				b.WriteByte('\\')
			}
		}
		b.WriteByte(c)
	}
	return b.String(), true
}
