package api

import "time"

// SchemaOutlook is the schema of RunOutlook.
const SchemaOutlook = "wf.outlook/v1"

// RunOutlook contains the data that a display of an active run needs in addition to its events: the present states of the
// nodes, and their durations in earlier runs.
type RunOutlook struct {
	Schema  string        `json:"schema"`
	Run     string        `json:"run"`
	Seq     uint64        `json:"seq"`     // every event with a larger Seq is later
	Earlier int           `json:"earlier"` // number of runs that the expectations come from
	Nodes   []NodeOutlook `json:"nodes"`   // the nodes of the scope, without sub-flows whose instances are known
	Total   int           `json:"total"`   // nodes of the run, including those that have not started
	Kept    int           `json:"kept,omitempty"`
}

// NodeOutlook is one node of a RunOutlook.
type NodeOutlook struct {
	Node       string     `json:"node"`
	Name       string     `json:"name"`
	Group      string     `json:"group,omitempty"`
	State      State      `json:"state"`
	Executions int        `json:"executions"` // started in this run; 0 and ok: kept from an earlier run
	Started    *time.Time `json:"started,omitempty"`
	// ExpectedMS is the median duration of the node in earlier runs, nil if it never succeeded. PathMS is the
	// longest expected time from its start over blocking edges to the end.
	ExpectedMS *int64 `json:"expected_ms,omitempty"`
	PathMS     int64  `json:"path_ms,omitempty"`
}

// RunLive contains the state of a run that changes without events: the latest output of running nodes. It includes the
// counts, which a client could otherwise compute only with the edges.
type RunLive struct {
	Counts Counts     `json:"counts"`
	Tails  []NodeTail `json:"tails"`
}

// NodeTail is the end of the output of a running node, of the stream that it wrote to last.
type NodeTail struct {
	Node      string `json:"node"`
	Execution int    `json:"execution"`
	Text      []byte `json:"text"` // raw; at most a kilobyte, may begin in the middle of a line
}
