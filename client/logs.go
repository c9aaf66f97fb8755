package client

import (
	"context"
	"io"

	"wf/api"
)

// LogQuery names the output of one execution.
type LogQuery = api.LogQuery

// LogInfo describes an output.
func (w *Workspace) LogInfo(ctx context.Context, q LogQuery) (api.LogInfo, error) {
	return ask(ctx, w, api.GetLog, q)
}

// AwaitLog is LogInfo for an execution that an active run may still start: it returns after the start. An error with
// api.CodeNoOutput means that the execution does not exist and will not start.
func (w *Workspace) AwaitLog(ctx context.Context, q LogQuery) (api.LogInfo, error) {
	q.Wait = true
	return ask(ctx, w, api.GetLog, q)
}

// Output reads the bytes of stream ("stdout", "stderr", or "output" for both where they are one) from offset on.
// With follow it ends with the execution, otherwise at the present end. It also ends with ctx. The caller closes it.
func (w *Workspace) Output(ctx context.Context, q LogQuery, stream string, offset int64, follow bool) (io.ReadCloser, error) {
	req, err := newRequest(api.ReadOutput, api.OutputQuery{LogQuery: q, Stream: stream, Offset: offset, Follow: follow}, w.ID)
	if err != nil {
		return nil, err
	}
	return sendUntilAnswered(ctx, w.c, req, w.reopen(ctx), func() (io.ReadCloser, error) { return w.c.attempt(ctx, req) })
}
