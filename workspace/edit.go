package workspace

import (
	"context"

	"wf/api"
	"wf/workspace/planning"
)

// Edit applies a list of edits, or none of them, and returns when they are in the file. If the file cannot be written at
// present, the result contains a note and the edits wait in the workspace.
func (w *Workspace) Edit(ctx context.Context, by api.Author, req api.EditRequest) (api.EditResult, error) {
	return w.file.Edit(ctx, by, req)
}

// Undo reverts the latest edit of a person.
func (w *Workspace) Undo(ctx context.Context, by api.Author) (api.EditResult, error) {
	return w.file.Undo(ctx, by)
}

// Redo repeats the edit that a person has undone last.
func (w *Workspace) Redo(ctx context.Context, by api.Author) (api.EditResult, error) {
	return w.file.Redo(ctx, by)
}

// Reset clears statuses, marks and captured output, and returns when the file no longer contains them. It refuses nodes of
// active runs.
func (w *Workspace) Reset(ctx context.Context, client string, req api.ResetRequest) (api.ResetResult, error) {
	res, err := w.file.Reset(ctx, client, req)
	if err == nil {
		w.priorFile.writePrior(ctx)
	}
	return res, err
}

// SaveAs writes a copy of the workfile, with changes that are not saved yet, and returns its path.
func (w *Workspace) SaveAs(ctx context.Context, req api.SaveAsRequest) (string, error) {
	return w.file.SaveAs(ctx, req)
}

// SetResults sets what the configuration of a client's user says about results; "" if it says nothing. It applies if the
// workfile does not decide.
func (w *Workspace) SetResults(word string) { w.file.SetResults(word) }

// Params lists the parameters of the workfile with their current choices, and the problems of the values in req.
func (w *Workspace) Params(ctx context.Context, req api.ParamsRequest) (api.ParamList, error) {
	return w.planner.Params(ctx, req)
}

// Accept remembers what is there as the results of nodes.
func Accept(w *Workspace, ctx context.Context, req api.AcceptRequest) (api.AcceptResult, error) {
	return planning.Accept(ctx, w.planner, req)
}

// Plan returns the steps of a run in a possible order. It changes nothing.
func (w *Workspace) Plan(ctx context.Context, req api.RunRequest) (api.Plan, error) {
	return w.planner.Plan(ctx, req)
}

// Check lists the problems of the workfile, with line numbers.
func (w *Workspace) Check(ctx context.Context) (api.Check, error) { return w.planner.Check(ctx) }
