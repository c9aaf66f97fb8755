package shell

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// MaxString is how many bytes one argument or variable can have for the kernel, including the NUL at its end.
const MaxString = 128 << 10

// InputVariable contains the path of the file with the values of an execution, for commands that mention it.
const InputVariable = "WF_INPUT"

// Values divides the variables of a command, in the form NAME=value. If the command mentions InputVariable, file is the text of
// a file with all of them, a JSON object, and env has those that a program can get. Otherwise file is nil and env has all of them;
// a value that is too long for a variable, or contains a zero byte, is an error that names the variable.
func Values(command string, variables []string) (env []string, file []byte, err error) {
	if !strings.Contains(command, InputVariable) {
		if i := slices.IndexFunc(variables, unfit); i >= 0 {
			return nil, nil, unfitError(variables[i])
		}
		return variables, nil, nil
	}
	all := make(map[string]string, len(variables))
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		if all[name] = value; !unfit(v) {
			env = append(env, v)
		}
	}
	if file, err = json.Marshal(all); err != nil {
		return nil, nil, fmt.Errorf("write its values: %w", err)
	}
	return env, file, nil
}

// unfit reports whether a variable cannot be passed to a program.
func unfit(variable string) bool {
	return len(variable) >= MaxString || strings.IndexByte(variable, 0) >= 0
}

func unfitError(variable string) error {
	name, value, _ := strings.Cut(variable, "=")
	why := fmt.Sprintf("has %d bytes, and a variable can have %d at most", len(value), MaxString-len(name)-2)
	if strings.IndexByte(value, 0) >= 0 {
		why = "contains a zero byte, which no variable can"
	}
	return fmt.Errorf(`the value of %s %s: let the command read the file "$%s", which contains all values as a JSON object`, name, why, InputVariable)
}

// TooLarge returns the error for a command and an environment that together are too long for the kernel.
func TooLarge(argv, env []string) error {
	largest := ""
	for _, v := range env {
		if len(v) > len(largest) {
			largest = v
		}
	}
	name, value, _ := strings.Cut(largest, "=")
	return fmt.Errorf("its command and its variables have %d bytes together, more than the kernel allows; the largest variable is %s with %d", Size(argv)+Size(env), name, len(value))
}

// Size returns how many bytes arguments or variables need.
func Size(list []string) (sum int) {
	for _, s := range list {
		sum += len(s) + 1
	}
	return sum
}
