package workspace

import (
	"fmt"

	"wf/api"
)

func errClosed() *api.Error {
	return &api.Error{Code: api.CodeGone, Message: "the workspace has closed"}
}

// noOutput is the error about an execution that there has not been.
func noOutput(format string, args ...any) error {
	return &api.Error{Code: api.CodeNoOutput, Message: fmt.Sprintf(format, args...)}
}
