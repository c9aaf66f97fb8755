package history

// A Profile is a named set of attributes that a user has described for runs of workfiles. A run with a profile is a run of the
// workfile with these attributes: its frozen workfile has them.
type Profile struct {
	Name string `json:"name"`
	// Attributes are set on the nodes that a selector selects, in this order.
	Attributes []ProfileAttributes `json:"attributes,omitempty"`
}

// ProfileAttributes are attributes of the nodes that a selector selects.
type ProfileAttributes struct {
	Selector string            `json:"selector,omitempty"` // "" = the graph
	Set      map[string]string `json:"set"`
}
