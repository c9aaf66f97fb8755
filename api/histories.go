package api

import "time"

// MoveRequest moves a workfile with its history. If the file was moved already, only the history moves.
type MoveRequest struct {
	From string `json:"from"` // absolute
	To   string `json:"to"`   // absolute; must not exist unless From is missing; in a folder the file keeps its name
}

// MoveResult is the answer to a MoveRequest.
type MoveResult struct {
	From string `json:"from"`
	To   string `json:"to"`
	Runs int    `json:"runs"` // the number of moved runs

	FromID string `json:"from_id"` // of the workspaces
	ToID   string `json:"to_id"`
}

// GoneRequest lists the histories of workfiles that no longer exist.
type GoneRequest struct {
	Remove []string `json:"remove,omitempty"` // ids of the histories to remove
}

// GoneList is the answer to a GoneRequest and `wf runs prune --gone --json`.
type GoneList struct {
	Schema    string        `json:"schema"`
	Histories []GoneHistory `json:"histories"`
}

// GoneHistory is the history of a workfile that no longer exists.
type GoneHistory struct {
	ID       string     `json:"id"`
	Workfile string     `json:"workfile"`
	Runs     int        `json:"runs"`
	Bytes    int64      `json:"bytes"`
	LastRun  *time.Time `json:"last_run,omitempty"` // when it started
	Keep     string     `json:"keep,omitempty"`     // why it cannot be removed
	Removed  bool       `json:"removed,omitempty"`
}
