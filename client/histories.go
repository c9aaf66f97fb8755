package client

import (
	"context"

	"wf/api"
)

// Move moves a workfile with its history.
func (c *Client) Move(ctx context.Context, req api.MoveRequest) (api.MoveResult, error) {
	return call(ctx, c, api.MoveWorkfile, req)
}

// Gone lists the histories of workfiles that no longer exist and removes those in req.
func (c *Client) Gone(ctx context.Context, req api.GoneRequest) (api.GoneList, error) {
	return call(ctx, c, api.ListHistories, req)
}
