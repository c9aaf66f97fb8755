package workspace

import (
	"wf/api"
)

func errClosed() *api.Error {
	return &api.Error{Code: api.CodeGone, Message: "the workspace has closed"}
}
