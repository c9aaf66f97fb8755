package api

// A NewNode is a node of a workfile that does not exist yet.
type NewNode struct {
	ID        string            `json:"id,omitempty"` // "" = one is made
	Name      string            `json:"name,omitempty"`
	Command   string            `json:"command,omitempty"`
	NoCommand bool              `json:"no_command,omitempty"` // it has none yet: runs refuse the node
	Group     string            `json:"group,omitempty"`
	Parent    string            `json:"parent,omitempty"`    // id of the container it lies in, which comes earlier in the list
	Container bool              `json:"container,omitempty"` // it holds the nodes that name it as their parent, and has no command
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

// A Graph is a workfile as a drawing shows it: `wf graph --format json`. Everything is in file order.
type Graph struct {
	Schema   string `json:"schema"`
	Workfile string `json:"workfile"`
	Wrapper  string `json:"wrapper,omitempty"`
	// Attrs are the attributes of the graph: params, jobs, cwd and so on, the wrapper included.
	Attrs map[string]string `json:"attributes,omitempty"`
	Nodes []GraphNode       `json:"nodes"`
	Edges []GraphEdge       `json:"edges"`
}

// A GraphNode is one node of it.
type GraphNode struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"` // handle: unique in the workfile
	Command   string   `json:"command"`
	Status    string   `json:"status"` // the word in the file
	State     State    `json:"state"`
	Handled   bool     `json:"handled,omitempty"` // it failed, and an edge has fired for that
	Group     string   `json:"group,omitempty"`
	Container bool     `json:"container,omitempty"` // holds other nodes, is no command itself
	SubFlow   string   `json:"sub_flow,omitempty"`  // "foreach", "times", "while", "until": a container that repeats its nodes
	Parent    string   `json:"parent,omitempty"`    // id of the container it lies in
	X         *float64 `json:"x,omitempty"`
	Y         *float64 `json:"y,omitempty"`
	// Attrs are the attributes of control flow that the node has in the file.
	Attrs map[string]string `json:"attributes,omitempty"`
}

// A GraphEdge is one edge of it.
type GraphEdge struct {
	ID     string `json:"id"` // of the file; may be empty or repeat
	Source string `json:"source"`
	Target string `json:"target"`
	Type   string `json:"edge_type"`
	Status string `json:"status"`
	When   string `json:"when,omitempty"`  // its condition, as in the file
	Taken  bool   `json:"taken,omitempty"` // it has fired in the last run
	Dead   bool   `json:"dead,omitempty"`  // its source has decided that this is not the way
}
