package inquiry

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"wf/api"
	"wf/executor/ownfile"
	"wf/workspace/history"
)

// mostHooks is how much of the output of the hooks of a run is read, in bytes.
const mostHooks = 16 << 20

// Hooks returns what the hooks of a run printed, without secret values unless unmasked is set.
func (q *Reader) Hooks(ctx context.Context, name string, unmasked bool) ([]byte, error) {
	n, err := q.RunNumber(name)
	if err != nil {
		return nil, err
	}
	data, err := ownfile.Read(filepath.Join(q.store.Dir(n), history.HooksFile), mostHooks)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := q.store.Summary(n); err != nil {
			return nil, q.noRun(ctx, n)
		}
		return nil, api.NotFound("no hook has run in run %s", name)
	case err != nil:
		return nil, api.Internal("the output of hooks", err)
	}
	if unmasked {
		return data, nil
	}
	masks, err := q.masksOf(q.store.Dir(n))
	if err != nil {
		return nil, err
	}
	return masks.Bytes(data), nil
}
