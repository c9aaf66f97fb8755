package daemon

import (
	"context"
	"errors"

	"wf/api"
)

// checkParams returns an error if a run of a trigger would be refused because of its parameters: the user is there now, and not
// at two in the night. Whatever else would be refused now may be mended by then.
func (t *triggers) checkParams(ctx context.Context, q api.TriggerEnable) error {
	e, err := t.d.workspaces.open(ctx, q.Path, false)
	if err != nil {
		return nil // the keeper reads the file, too
	}
	defer t.d.workspaces.release(e)
	seen := map[string]bool{}
	for _, l := range q.Lines {
		if seen[l.Node] {
			continue
		}
		seen[l.Node] = true
		req := q.Request
		req.Mode = api.ModeFresh
		if l.Node != "" {
			req.From = []string{"id:" + l.Node}
		}
		var refused *api.Error
		if _, err := e.ws.Plan(ctx, req); errors.As(err, &refused) && len(refused.Problems) > 0 {
			refused.Message = "the triggers cannot be enabled: " + refused.Message
			refused.Fix = "wf trigger enable -p NAME=VALUE, or --params FILE, for every run"
			return refused
		}
	}
	return nil
}
