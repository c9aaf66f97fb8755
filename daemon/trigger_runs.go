package daemon

import (
	"context"
	"errors"

	"wf/api"
)

// checkRuns returns an error if a run of a trigger would be refused because of its parameters: the user is there now, and not
// at two in the night. Whatever else would be refused now may be mended by then: the first such reason is a warning, "" for none.
func (t *triggers) checkRuns(ctx context.Context, q api.TriggerEnable) (warning string, err error) {
	e, err := t.d.workspaces.open(ctx, q.Path, false)
	if err != nil {
		return "", nil // the keeper reads the file, too
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
		_, err := e.ws.Plan(ctx, req)
		switch {
		case !errors.As(err, &refused):
		case len(refused.Problems) > 0:
			refused.Message = "the triggers cannot be enabled: " + refused.Message
			refused.Fix = "wf trigger enable -p NAME=VALUE, or --params FILE, for every run"
			return "", refused
		case warning == "" && refused.Code == api.CodeWorkfile:
			warning = "a run would be refused now: " + refused.Message
		}
	}
	return warning, nil
}
