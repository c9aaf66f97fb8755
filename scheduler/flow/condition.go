package flow

import (
	"fmt"
	"strings"
)

// String returns the condition as the attribute "when" has it.
func (c *Condition) String() string {
	if c == nil {
		return "success"
	}
	switch c.Kind {
	case OnFailure:
		return "failure"
	case OnDone:
		return "done"
	case OnExit:
		return "exit:" + c.Exit.String()
	case OnCase:
		return "case:" + c.Case
	case OnTrue:
		return "if:" + c.Expr.String()
	case OnElse:
		return "else"
	}
	return "success"
}

// String returns the list as a workfile has it: 2,10-20.
func (c Codes) String() string {
	parts := make([]string, len(c))
	for i, r := range c {
		parts[i] = fmt.Sprint(r[0])
		if r[1] != r[0] {
			parts[i] += fmt.Sprintf("-%d", r[1])
		}
	}
	return strings.Join(parts, ",")
}
