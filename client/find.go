package client

import (
	"context"
	"path/filepath"
)

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
