package workspace

import (
	"fmt"

	"wf/api"
)

func errClosed() *api.Error {
	return &api.Error{Code: api.CodeGone, Message: "the workspace has closed"}
}

// noOutput is the error about an execution that did not take place.
func noOutput(format string, args ...any) error {
	return &api.Error{Code: api.CodeNoOutput, Message: fmt.Sprintf(format, args...)}
}
