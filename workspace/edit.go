package workspace

import (
	"context"

	"wf/api"
)

// Edit makes a list of edits together, or none of them, and returns when they are in the file. When the
// file cannot be written at present a note says so: the edits wait in the workspace.
func (w *Workspace) Edit(ctx context.Context, by api.Author, req api.EditRequest) (api.EditResult, error) {
	return w.file.Edit(ctx, by, req)
}

// Undo takes back the latest edit of a person.
func (w *Workspace) Undo(ctx context.Context, by api.Author) (api.EditResult, error) {
	return w.file.Undo(ctx, by)
}

// Redo makes the edit again that a person has undone last.
func (w *Workspace) Redo(ctx context.Context, by api.Author) (api.EditResult, error) {
	return w.file.Redo(ctx, by)
}

// Reset clears statuses, marks and captured output, and returns when they are out of the file. Nodes of an
// active run are refused.
func (w *Workspace) Reset(ctx context.Context, client string, req api.ResetRequest) (api.ResetResult, error) {
	res, err := w.file.Reset(ctx, client, req)
	if err == nil {
		w.priorFile.writePrior(ctx)
	}
	return res, err
}

// SaveAs copies the workfile with everything that is not on disk yet. It returns the copy's path.
func (w *Workspace) SaveAs(ctx context.Context, req api.SaveAsRequest) (string, error) {
	return w.file.SaveAs(ctx, req)
}

// SetResults takes over what the configuration of a client's user says about results; "" says nothing. It
// counts where the workfile does not decide.
func (w *Workspace) SetResults(word string) { w.file.SetResults(word) }

// Params lists the parameters of the workfile, with the choices that their commands print now, and what is wrong with the
// values in req.
func (w *Workspace) Params(ctx context.Context, req api.ParamsRequest) (api.ParamList, error) {
	return w.planner.Params(ctx, req)
}

// Plan returns what a run would do, in a possible order. It changes nothing.
func (w *Workspace) Plan(ctx context.Context, req api.RunRequest) (api.Plan, error) {
	return w.planner.Plan(ctx, req)
}

// Check lists what is wrong with the workfile, with lines.
func (w *Workspace) Check(ctx context.Context) (api.Check, error) { return w.planner.Check(ctx) }
