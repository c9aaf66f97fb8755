package api

import "time"

// SchemaOutlook is that of a RunOutlook.
const SchemaOutlook = "wf.outlook/v1"

// RunOutlook is what somebody who shows a run that is going needs beyond its events: its nodes as
// they are now, and how long each took in earlier runs.
type RunOutlook struct {
	Schema  string        `json:"schema"`
	Run     string        `json:"run"`
	Seq     uint64        `json:"seq"`     // every event with a larger Seq comes after it
	Earlier int           `json:"earlier"` // runs that the expectations come from
	Nodes   []NodeOutlook `json:"nodes"`   // the nodes of the scope, without sub-flows whose instances are known
	Total   int           `json:"total"`   // nodes of the run, those that are still to begin included
	Kept    int           `json:"kept,omitempty"`
}

// NodeOutlook is one node of a RunOutlook.
type NodeOutlook struct {
	Node       string     `json:"node"`
	Name       string     `json:"name"`
	Group      string     `json:"group,omitempty"`
	State      State      `json:"state"`
	Executions int        `json:"executions"` // begun in this run; 0 and ok: kept from an earlier one
	Started    *time.Time `json:"started,omitempty"`
	// ExpectedMS is the median time that the node took in earlier runs, nil when it never succeeded
	// there. PathMS is the longest way from its start over blocking edges to the end, as far as expected.
	ExpectedMS *int64 `json:"expected_ms,omitempty"`
	PathMS     int64  `json:"path_ms,omitempty"`
}

// RunLive is what changes in a run without an event: the last words of nodes that are running. With
// it come the counts, which a reader would otherwise need the edges for.
type RunLive struct {
	Counts Counts     `json:"counts"`
	Tails  []NodeTail `json:"tails"`
}

// NodeTail is the end of what a running node has written, on the stream it wrote to last.
type NodeTail struct {
	Node      string `json:"node"`
	Execution int    `json:"execution"`
	Text      []byte `json:"text"` // raw; at most a kilobyte, which may begin within a line
}
