package client

import (
	"context"

	"wf/api"
)

// KVGet returns the value of key.
func (c *Client) KVGet(ctx context.Context, where api.KVScope, key string) (api.KVAnswer, error) {
	return call(ctx, c, api.GetValue, api.KVQuery{KVScope: where, Key: key})
}

// KVKeys lists the keys that begin with prefix, page by page: what changes meanwhile may be in the list or not.
func (c *Client) KVKeys(ctx context.Context, where api.KVScope, prefix string) ([]api.KVKey, error) {
	q := api.KVKeysQuery{KVScope: where, Prefix: prefix}
	var keys []api.KVKey
	for {
		page, err := call(ctx, c, api.ListKeys, q)
		if err != nil {
			return nil, err
		}
		keys = append(keys, page.Keys...)
		if !page.More || len(page.Keys) == 0 {
			return keys, nil
		}
		q.After = keys[len(keys)-1].Key
	}
}

// KVSet sets the value of a key. When it returns without an error, the value is on the disk.
func (c *Client) KVSet(ctx context.Context, req api.KVSet) (api.KVAnswer, error) {
	return call(ctx, c, api.SetValue, req)
}

// KVDelete removes the value of a key.
func (c *Client) KVDelete(ctx context.Context, req api.KVDelete) (api.KVAnswer, error) {
	return call(ctx, c, api.DeleteValue, req)
}

// KVIncr adds to a number exactly once, even if the connection to the daemon is lost.
func (c *Client) KVIncr(ctx context.Context, req api.KVIncr) (api.KVAnswer, error) {
	return call(ctx, c, api.AddToValue, req)
}
