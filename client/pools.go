package client

import (
	"context"

	"wf/api"
)

// Pools lists the pools of the daemon.
func (c *Client) Pools(ctx context.Context) (api.PoolList, error) {
	return get[api.PoolList](ctx, c, api.PathPools, nil)
}

// ResizePool gives a pool its size and returns all of them.
func (c *Client) ResizePool(ctx context.Context, size api.PoolSize) (api.PoolList, error) {
	return post[api.PoolList](ctx, c, api.PathPools, size)
}
