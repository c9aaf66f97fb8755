package workspace

import (
	"fmt"
	"strings"

	"wf/api"
)

func errClosed() *api.Error {
	return &api.Error{Code: api.CodeGone, Message: "the workspace has closed"}
}

func invalid(format string, args ...any) *api.Error {
	return &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) *api.Error {
	return &api.Error{Code: api.CodeNotFound, Message: fmt.Sprintf(format, args...)}
}

// agreed is "1 node", "2 nodes".
func agreed(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// noOutput is the error about an execution that there has not been.
func noOutput(format string, args ...any) error {
	return &api.Error{Code: api.CodeNoOutput, Message: fmt.Sprintf(format, args...)}
}

func internal(what string, err error) *api.Error {
	return &api.Error{Code: api.CodeInternal, Message: what + ": " + err.Error()}
}

// some joins at most n names and counts the rest.
func some(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
