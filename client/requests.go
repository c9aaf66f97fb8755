package client

import (
	"context"
	"io"
	"path/filepath"

	"wf/api"
)

// Server returns a description of the daemon and its open workspaces.
func (c *Client) Server(ctx context.Context) (api.ServerStatus, error) {
	return call(ctx, c, api.GetServer, api.None{})
}

// New creates a workfile and opens it.
func (c *Client) New(ctx context.Context, req api.NewRequest) (api.WorkspaceInfo, error) {
	return call(ctx, c, api.CreateWorkfile, req)
}

// Opened returns the workspace of the workfile at path if the daemon has it open, otherwise nil. Unlike Open, it never
// opens the workfile.
func (c *Client) Opened(ctx context.Context, path string) (*Workspace, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	status, err := c.Server(ctx)
	if err != nil {
		return nil, err
	}
	for _, info := range status.Workspaces {
		if info.Workfile == real {
			return &Workspace{ID: info.ID, Workfile: info.Workfile, c: c}, nil
		}
	}
	return nil, nil
}

// Move moves a workfile with its history.
func (c *Client) Move(ctx context.Context, req api.MoveRequest) (api.MoveResult, error) {
	return call(ctx, c, api.MoveWorkfile, req)
}

// Gone lists the histories of workfiles that no longer exist and removes those in req.
func (c *Client) Gone(ctx context.Context, req api.GoneRequest) (api.GoneList, error) {
	return call(ctx, c, api.ListHistories, req)
}

// Metrics returns the metrics of the daemon as text, in the format of OpenMetrics or in that of Prometheus. The caller
// closes it.
func (c *Client) Metrics(ctx context.Context, openMetrics bool) (io.ReadCloser, error) {
	req, err := newRequest(api.GetMetrics, api.MetricsQuery{OpenMetrics: openMetrics})
	if err != nil {
		return nil, err
	}
	return c.attempt(ctx, req)
}

// Pools lists the pools of the daemon.
func (c *Client) Pools(ctx context.Context) (api.PoolList, error) {
	return call(ctx, c, api.ListPools, api.None{})
}

// Notifications returns the outbox of the machine.
func (c *Client) Notifications(ctx context.Context) (api.NotificationList, error) {
	return call(ctx, c, api.ListNotifications, api.None{})
}

// ChangeNotifications sends notifications again or removes them, and returns the outbox.
func (c *Client) ChangeNotifications(ctx context.Context, change api.NotificationChange) (api.NotificationList, error) {
	return call(ctx, c, api.ChangeNotifications, change)
}

// TestNotifications sends a test to each destination. It returns when all have answered or have taken too long.
func (c *Client) TestNotifications(ctx context.Context, req api.NotifyTestRequest) (api.NotifyTestResult, error) {
	return call(ctx, c, api.TestNotifications, req)
}

// ResizePool sets the size of a pool and returns all pools.
func (c *Client) ResizePool(ctx context.Context, size api.PoolSize) (api.PoolList, error) {
	return call(ctx, c, api.ResizePool, size)
}

// Triggers describes the triggers of a workfile, or of all armed ones.
func (c *Client) Triggers(ctx context.Context, q api.TriggersQuery) (api.TriggerList, error) {
	return call(ctx, c, api.ListTriggers, q)
}

// TriggerLog returns what came of the triggers of a workfile.
func (c *Client) TriggerLog(ctx context.Context, path string) (api.TriggerLog, error) {
	return call(ctx, c, api.GetTriggerLog, api.TriggerLogQuery{Path: path})
}

// EnableTriggers arms the triggers of a workfile, and describes them.
func (c *Client) EnableTriggers(ctx context.Context, q api.TriggerEnable) (api.TriggerList, error) {
	return call(ctx, c, api.EnableTriggers, q)
}

// DisableTriggers disarms a workfile.
func (c *Client) DisableTriggers(ctx context.Context, path string) error {
	_, err := call(ctx, c, api.DisableTrigger, api.TriggerDisable{Path: path})
	return err
}

// FireTrigger starts the run of an armed trigger at once.
func (c *Client) FireTrigger(ctx context.Context, q api.TriggerNow) (api.RunAccepted, error) {
	return call(ctx, c, api.FireTrigger, q)
}

// WebhookSecret shows or changes the secret of a webhook.
func (c *Client) WebhookSecret(ctx context.Context, q api.WebhookSecret) (api.WebhookSecretInfo, error) {
	return call(ctx, c, api.UseSecret, q)
}

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
