package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"wf/api"
)

// A LogQuery names the output of one execution.
type LogQuery struct {
	Node      string // handle, id or unique id prefix
	Run       string // "" = the last one the node took part in
	Execution int    // from 1; 0 = the last
	Times     bool   // LogInfo has Times, too
}

func (q LogQuery) values() url.Values {
	v := url.Values{"node": {q.Node}}
	if q.Run != "" {
		v.Set("run", q.Run)
	}
	setInt(v, "execution", int64(q.Execution))
	if q.Times {
		v.Set("times", "1")
	}
	return v
}

// LogInfo describes an output.
func (w *Workspace) LogInfo(ctx context.Context, q LogQuery) (api.LogInfo, error) {
	return wsGet[api.LogInfo](ctx, w, w.path(api.SubLog), q.values())
}

// AwaitLog is LogInfo for an execution that a run which is going may still have to begin: it returns when
// that has happened. An error with api.CodeNoOutput says that there is no such execution and none to come.
func (w *Workspace) AwaitLog(ctx context.Context, q LogQuery) (api.LogInfo, error) {
	v := q.values()
	v.Set("wait", "1")
	return wsGet[api.LogInfo](ctx, w, w.path(api.SubLog), v)
}

// Output reads the bytes of stream ("stdout", "stderr", or "output" for both where they are one) from offset on. With follow it ends
// with the execution, else at the present end. It also ends with ctx. The caller closes it.
func (w *Workspace) Output(ctx context.Context, q LogQuery, stream string, offset int64, follow bool) (io.ReadCloser, error) {
	v := q.values()
	v.Set("stream", stream)
	setInt(v, "offset", offset)
	if follow {
		v.Set("follow", "1")
	}
	question := &question{method: http.MethodGet, path: w.path(api.SubOutput), query: v}
	return persist(ctx, w.c, question, w.reopen(ctx), func() (io.ReadCloser, error) { return w.c.attempt(ctx, question) })
}
