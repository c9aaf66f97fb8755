package runner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// values returns the variables of a job in the form NAME=value. A value that is too long for a variable, or contains a
// zero byte, is an error that names the variable, unless the command mentions WF_INPUT. In that case all values are
// written into a file, and the environment gets those that fit.
func (c *commands) values(e *execution) ([]string, error) {
	reads := strings.Contains(e.job.Command, inputVariable)
	if !reads && !slices.ContainsFunc(e.job.Env, unfit) {
		return e.job.Env, nil
	}
	if !reads {
		i := slices.IndexFunc(e.job.Env, unfit)
		name, value, _ := strings.Cut(e.job.Env[i], "=")
		why := fmt.Sprintf("has %d bytes, and a variable can have %d at most", len(value), maxString-len(name)-2)
		if strings.IndexByte(value, 0) >= 0 {
			why = "contains a zero byte, which no variable can"
		}
		return nil, fmt.Errorf(`the value of %s %s: let the command read the file "$%s", which contains all values as a JSON object`, name, why, inputVariable)
	}
	all := make(map[string]string, len(e.job.Env))
	var env []string
	for _, v := range e.job.Env {
		name, value, _ := strings.Cut(v, "=")
		if all[name] = value; !unfit(v) {
			env = append(env, v)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("write its values: %w", err)
	}
	path, err := c.keepFile(e, "input", string(text))
	if err != nil {
		return nil, err
	}
	return append(env, inputVariable+"="+path), nil
}

// unfit reports whether a variable cannot be passed to a program.
func unfit(variable string) bool {
	return len(variable) >= maxString || strings.IndexByte(variable, 0) >= 0
}

// errTooLarge returns the error for a command and environment that together are too long for the kernel.
func errTooLarge(argv, env []string) error {
	sum, largest := 0, ""
	for _, v := range env {
		sum += len(v) + 1
		if len(v) > len(largest) {
			largest = v
		}
	}
	name, value, _ := strings.Cut(largest, "=")
	for _, arg := range argv {
		sum += len(arg) + 1
	}
	return fmt.Errorf("its command and its variables have %d bytes together, more than the kernel allows; the largest variable is %s with %d", sum, name, len(value))
}
