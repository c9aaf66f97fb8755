package client

import (
	"context"

	"wf/api"
)

// Pools lists the pools of the daemon.
func (c *Client) Pools(ctx context.Context) (api.PoolList, error) {
	return call(ctx, c, api.ListPools, api.None{})
}

// ResizePool gives a pool its size and returns all of them.
func (c *Client) ResizePool(ctx context.Context, size api.PoolSize) (api.PoolList, error) {
	return call(ctx, c, api.ResizePool, size)
}
