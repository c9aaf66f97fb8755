package api

// PlanHook is a command before or after a run or its nodes.
type PlanHook struct {
	Event     string `json:"event"` // before_run, before_node, after_node, after_run
	Command   string `json:"command"`
	From      string `json:"from"`           // where it stands, for people
	Node      string `json:"node,omitempty"` // handle of the only node that has it
	TimeoutMS int64  `json:"timeout_ms"`
}
