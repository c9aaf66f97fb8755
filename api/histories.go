package api

import "time"

// MoveRequest moves a workfile with its history. Where the file has been moved already only the history is.
type MoveRequest struct {
	From string `json:"from"` // absolute
	To   string `json:"to"`   // absolute; refused when it exists, unless From does not; a folder keeps the name
}

// MoveResult answers it.
type MoveResult struct {
	From string `json:"from"`
	To   string `json:"to"`
	Runs int    `json:"runs"` // that were moved

	FromID string `json:"from_id"` // of the workspaces
	ToID   string `json:"to_id"`
}

// GoneRequest lists the histories of workfiles that do not exist any more.
type GoneRequest struct {
	Remove []string `json:"remove,omitempty"` // ids of those to forget
}

// GoneList answers it, and is `wf runs prune --gone --json`.
type GoneList struct {
	Schema    string        `json:"schema"`
	Histories []GoneHistory `json:"histories"`
}

// GoneHistory is what is kept of a workfile that is gone.
type GoneHistory struct {
	ID       string     `json:"id"`
	Workfile string     `json:"workfile"`
	Runs     int        `json:"runs"`
	Bytes    int64      `json:"bytes"`
	LastRun  *time.Time `json:"last_run,omitempty"` // when it began
	Keep     string     `json:"keep,omitempty"`     // why it is not forgotten
	Removed  bool       `json:"removed,omitempty"`
}
