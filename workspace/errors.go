package workspace

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"wf/api"
	"wf/graph"
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

// selectorError turns a selector that names nothing into an answer with suggestions.
func (w *Workspace) selectorError(err error) error {
	var sel *graph.SelectorError
	if !errors.As(err, &sel) {
		return invalid("%s", err)
	}
	e := &api.Error{Code: api.CodeUnknownNode, Fix: "wf ls lists all",
		Message: fmt.Sprintf("%s in %s (%s)", sel, filepath.Base(w.path), agreed(len(w.g.Nodes()), "node", "nodes"))}
	if len(sel.Suggestions) > 0 {
		e.Why = "did you mean " + strings.Join(sel.Suggestions, ", ") + "?"
	}
	return e
}

// some joins at most n names and counts the rest.
func some(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
