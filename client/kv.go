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
	return kvCall[api.KVAnswer](ctx, c, http.MethodGet, api.PathKV, query, nil)
}

// KVKeys lists the keys that begin with prefix. It asks for one page after the other: what changes
// meanwhile may be in the list or not.
func (c *Client) KVKeys(ctx context.Context, where api.KVScope, prefix string) ([]api.KVKey, error) {
	query := kvQuery(where)
	query.Set("prefix", prefix)
	var keys []api.KVKey
	for {
		page, err := kvCall[api.KVKeys](ctx, c, http.MethodGet, api.PathKVKeys, query, nil)
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
	return kvCall[api.KVAnswer](ctx, c, http.MethodPost, api.PathKVSet, nil, req)
}

// KVDelete takes the value of a key away.
func (c *Client) KVDelete(ctx context.Context, req api.KVDelete) (api.KVAnswer, error) {
	return kvCall[api.KVAnswer](ctx, c, http.MethodPost, api.PathKVDelete, nil, req)
}

// KVIncr adds to a number. It is never done twice: a daemon that is lost on the way is an error, and
// then nobody knows whether it was done.
func (c *Client) KVIncr(ctx context.Context, req api.KVIncr) (api.KVAnswer, error) {
	return kvCall[api.KVAnswer](ctx, c, http.MethodPost, api.PathKVIncr, nil, req)
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

// kvCall asks the daemon, and the next one while it says that it is ending: then it has done nothing.
func kvCall[T any](ctx context.Context, c *Client, method, path string, query url.Values, body any) (T, error) {
	bounded, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		out, err := call[T](ctx, c, method, path, query, body)
		if code(err) != api.CodeGone {
			return out, err
		}
		if sleep(bounded, wait) != nil {
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			return out, err
		}
	}
}
