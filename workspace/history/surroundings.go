package history

import "strings"

// Surroundings is how the commands of some nodes are executed where that differs from the run: what was found in the attributes of
// the nodes, of the containers around them and of the graph when the run started. Empty fields are as for the run.
type Surroundings struct {
	Nodes    []string `json:"nodes"` // ids in the workfile
	Wrapper  *string  `json:"wrapper,omitempty"`
	Shell    *string  `json:"shell,omitempty"`
	Cwd      string   `json:"cwd,omitempty"`       // absolute
	EnvFiles []string `json:"env_files,omitempty"` // absolute paths; variables of later ones replace those of earlier ones

	Box         *Box         `json:"box,omitempty"`
	Environment *Environment `json:"environment,omitempty"`
}

// A Box is the container of an image in which commands are executed. It is called so because a container of the workfile is
// something else.
type Box struct {
	Image  string   `json:"image"`
	Engine string   `json:"engine"` // docker, podman or apptainer
	Args   []string `json:"args,omitempty"`
}

// An Environment is a set of installed programs that a package manager made or finds.
type Environment struct {
	Kind    string `json:"kind"`           // conda, pixi or nix
	Ref     string `json:"ref"`            // as in the workfile
	Path    string `json:"path,omitempty"` // of the file or folder that describes it, absolute; "" = Ref is a name or an address
	Name    string `json:"name,omitempty"` // in conda, or in the pixi.toml
	Program string `json:"program"`        // path of the package manager
	Sum     string `json:"sum,omitempty"`  // of what describes it
}

// Words describes surroundings for people, as name=value: container=debian:12 (docker), cwd=/data. It returns nil for nil.
func (s *Surroundings) Words() (list []string) {
	if s == nil {
		return nil
	}
	add := func(name, value string) { list = append(list, name+"="+value) }
	if s.Box != nil {
		add("container", s.Box.Image+" ("+strings.Join(append([]string{s.Box.Engine}, s.Box.Args...), " ")+")")
	}
	if s.Environment != nil {
		add(s.Environment.Kind, s.Environment.Ref)
	}
	if s.Wrapper != nil {
		add("wrapper", *s.Wrapper)
	}
	if s.Shell != nil {
		add("shell", *s.Shell)
	}
	if s.Cwd != "" {
		add("cwd", s.Cwd)
	}
	for _, path := range s.EnvFiles {
		add("env_file", path)
	}
	return list
}
