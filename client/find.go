package client

import (
	"context"
	"path/filepath"
)

// Opened returns the workspace of the workfile at path if the daemon has it open, else nil: unlike
// Open it makes the daemon do nothing.
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
