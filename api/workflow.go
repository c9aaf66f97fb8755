package api

// A NewNode is a node of a workfile that does not exist yet.
type NewNode struct {
	ID        string            `json:"id,omitempty"` // "" = the daemon generates one
	Name      string            `json:"name,omitempty"`
	Command   string            `json:"command,omitempty"`
	NoCommand bool              `json:"no_command,omitempty"` // the node has no command yet; runs refuse it
	Group     string            `json:"group,omitempty"`
	Parent    string            `json:"parent,omitempty"`    // id of its container, which comes earlier in the list
	Container bool              `json:"container,omitempty"` // it contains the nodes that name it as Parent, and has no command
	X         *float64          `json:"x,omitempty"`         // nil = placed by position
	Y         *float64          `json:"y,omitempty"`
	Attrs     map[string]string `json:"attrs,omitempty"` // other attributes
}

// A NewEdge is an edge of a workfile that does not exist yet.
type NewEdge struct {
	Source string `json:"source"` // ids of nodes
	Target string `json:"target"`
	Type   string `json:"edge_type,omitempty"` // "" = blocking
	When   string `json:"when,omitempty"`      // its condition; "" = after a success
}

// SchemaGraph is the schema of Graph.
const SchemaGraph = "wf.graph/v1"

// A Graph is the content of a workfile for programs that draw it: `wf graph --format json`. Everything is in file order.
type Graph struct {
	Schema   string `json:"schema"`
	Workfile string `json:"workfile"`
	Wrapper  string `json:"wrapper,omitempty"`
	// Attrs are the attributes of the graph: params, jobs, cwd and so on, the wrapper included.
	Attrs map[string]string `json:"attributes,omitempty"`
	Nodes []GraphNode       `json:"nodes"`
	Edges []GraphEdge       `json:"edges"`
}

// A GraphNode is one node of a Graph.
type GraphNode struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"` // handle: unique in the workfile
	Command   string   `json:"command"`
	Status    string   `json:"status"` // the value in the file
	State     State    `json:"state"`
	Handled   bool     `json:"handled,omitempty"` // it failed, and an edge handled the failure
	Group     string   `json:"group,omitempty"`
	Container bool     `json:"container,omitempty"` // contains other nodes and has no command
	SubFlow   string   `json:"sub_flow,omitempty"`  // "foreach", "times", "while", "until": a container that repeats its nodes
	Parent    string   `json:"parent,omitempty"`    // id of its container
	X         *float64 `json:"x,omitempty"`
	Y         *float64 `json:"y,omitempty"`
	// Attrs are the control-flow attributes of the node.
	Attrs map[string]string `json:"attributes,omitempty"`
}

// A GraphEdge is one edge of a Graph.
type GraphEdge struct {
	ID     string `json:"id"` // from the file; may be empty or repeat
	Source string `json:"source"`
	Target string `json:"target"`
	Type   string `json:"edge_type"`
	Status string `json:"status"`
	When   string `json:"when,omitempty"`  // its condition, as in the file
	Taken  bool   `json:"taken,omitempty"` // it has fired in the last run
	Dead   bool   `json:"dead,omitempty"`  // its source has taken other edges
}
