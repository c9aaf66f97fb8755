package client

import (
	"context"

	"wf/api"
)

// Pools lists the pools of the daemon.
func (c *Client) Pools(ctx context.Context) (api.PoolList, error) {
	return call(ctx, c, api.ListPools, api.None{})
}

// ResizePool sets the size of a pool and returns all pools.
func (c *Client) ResizePool(ctx context.Context, size api.PoolSize) (api.PoolList, error) {
	return call(ctx, c, api.ResizePool, size)
}
