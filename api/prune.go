package api

// PruneRequest removes old runs: all that exceed one of the limits. Without limits, the limits of the daemon apply
// (by default the newest 100, 90 days).
type PruneRequest struct {
	Keep    int   `json:"keep,omitempty"`     // newest runs to keep, 0 = no such limit
	None    bool  `json:"none,omitempty"`     // remove all runs that are over
	Bytes   int64 `json:"bytes,omitempty"`    // keep as many of the newest as fit into this size, at least the latest; 0 = no such limit
	OlderMS int64 `json:"older_ms,omitempty"` // remove runs that ended longer ago, 0 = no such limit
	DryRun  bool  `json:"dry_run,omitempty"`
}

// PruneResult is the answer to a PruneRequest, and `wf runs prune --json` and `wf runs rm --json`.
type PruneResult struct {
	Schema  string   `json:"schema,omitempty"`
	DryRun  bool     `json:"dry_run,omitempty"`
	Removed []string `json:"removed"`
}
