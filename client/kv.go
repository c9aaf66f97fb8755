package client

import (
	"context"
	"net/http"
	"net/url"

	"wf/api"
)

// KVGet is the value of key.
func (c *Client) KVGet(ctx context.Context, where api.KVScope, key string) (api.KVAnswer, error) {
	query := kvQuery(where)
	query.Set("key", key)
	return call[api.KVAnswer](ctx, c, http.MethodGet, api.PathKV, query, nil)
}

// KVKeys lists the keys that begin with prefix. It asks for one page after the other: what changes
// meanwhile may be in the list or not.
func (c *Client) KVKeys(ctx context.Context, where api.KVScope, prefix string) ([]api.KVKey, error) {
	query := kvQuery(where)
	query.Set("prefix", prefix)
	var keys []api.KVKey
	for {
		page, err := call[api.KVKeys](ctx, c, http.MethodGet, api.PathKVKeys, query, nil)
		if err != nil {
			return nil, err
		}
		keys = append(keys, page.Keys...)
		if !page.More || len(page.Keys) == 0 {
			return keys, nil
		}
		query.Set("after", keys[len(keys)-1].Key)
	}
}

// KVSet gives a key a value. When it returns without an error, the answer is on the disk.
func (c *Client) KVSet(ctx context.Context, req api.KVSet) (api.KVAnswer, error) {
	return call[api.KVAnswer](ctx, c, http.MethodPost, api.PathKVSet, nil, req)
}

// KVDelete takes the value of a key away.
func (c *Client) KVDelete(ctx context.Context, req api.KVDelete) (api.KVAnswer, error) {
	return call[api.KVAnswer](ctx, c, http.MethodPost, api.PathKVDelete, nil, req)
}

// KVIncr adds to a number. It is done once, also when the daemon is lost on the way.
func (c *Client) KVIncr(ctx context.Context, req api.KVIncr) (api.KVAnswer, error) {
	return call[api.KVAnswer](ctx, c, http.MethodPost, api.PathKVIncr, nil, req)
}

func kvQuery(where api.KVScope) url.Values {
	query := url.Values{"scope": {where.Scope}}
	if where.Workfile != "" {
		query.Set("workfile", where.Workfile)
	}
	if where.Run != "" {
		query.Set("run", where.Run)
	}
	return query
}
