package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"wf/api"
)

// Forward sends a request about the workspace whose question was encoded by another program: values fill the
// placeholders of the route after the id of the workspace, query belongs to a GET, body is the JSON of any other
// request. The request is sent until it is answered, like all others. The caller closes the answer: JSON, or the bytes
// of a Stream.
func (w *Workspace) Forward(ctx context.Context, route api.Endpoint, query url.Values, body []byte, values ...string) (io.ReadCloser, error) {
	req, err := newRequest(api.Route[api.None, api.None]{Endpoint: route}, api.None{}, append([]string{w.ID}, values...)...)
	if err != nil {
		return nil, err
	}
	if route.Method == http.MethodGet {
		req.query = query
	} else if len(body) > 0 {
		req.body = body
	}
	return sendUntilAnswered(ctx, w.c, req, w.reopen(ctx), func() (io.ReadCloser, error) { return w.c.attempt(ctx, req) })
}
