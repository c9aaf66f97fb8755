package api

// A Profile is a named set of changes to a workfile for a run, from the table [profile.NAME] of a configuration.
type Profile struct {
	Name       string              `json:"name"`
	Params     map[string]any      `json:"params,omitempty"` // for parameters that the request does not set
	Attributes []ProfileAttributes `json:"attributes,omitempty"`
}

// ProfileAttributes are attributes that a profile sets on the nodes that a selector selects.
type ProfileAttributes struct {
	Selector string            `json:"selector,omitempty"` // "" = the graph
	Set      map[string]string `json:"set"`
}

// A RunFile is what the planner has read of a file that an attribute such as env_file or conda names.
type RunFile struct {
	Vars    []string `json:"vars,omitempty"`    // KEY=VALUE
	Sum     string   `json:"sum,omitempty"`     // of its content
	Problem string   `json:"problem,omitempty"` // why it cannot be used
}
