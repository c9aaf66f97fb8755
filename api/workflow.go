package api

// A NewNode is a node of a workfile that does not exist yet.
type NewNode struct {
	ID        string            `json:"id,omitempty"` // "" = one is made
	Name      string            `json:"name,omitempty"`
	Command   string            `json:"command,omitempty"`
	NoCommand bool              `json:"no_command,omitempty"` // nobody has said it yet: runs refuse the node
	Group     string            `json:"group,omitempty"`
	X         *float64          `json:"x,omitempty"` // nil = placed by position
	Y         *float64          `json:"y,omitempty"`
	Attrs     map[string]string `json:"attrs,omitempty"` // other attributes
}

// A NewEdge is an edge of a workfile that does not exist yet.
type NewEdge struct {
	Source string `json:"source"` // ids of nodes
	Target string `json:"target"`
	Type   string `json:"edge_type,omitempty"` // "" = blocking
}
