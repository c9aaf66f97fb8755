package convert

import (
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// readSteps reads a list of steps, or a mapping of them by name. A list in the list is steps at
// the same time.
func (r *daguReader) readSteps(n *yaml.Node) error {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if err := r.step(resolve(item), ""); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if err := r.step(resolve(n.Content[i+1]), n.Content[i].Value); err != nil {
				return err
			}
		}
	default:
		return errorAt(n.Line, "steps are a list")
	}
	return nil
}

func (r *daguReader) step(n *yaml.Node, name string) error {
	s := &daguStep{line: n.Line, name: name, chained: true}
	r.steps = append(r.steps, s)
	if n.Kind == yaml.ScalarNode { // a step may be just its command
		var err error
		s.command, err = scalar(n)
		return err
	}
	if n.Kind == yaml.SequenceNode {
		return errorAt(n.Line, "steps within a list of steps: write type: graph, and depends for each")
	}
	text := func(to *string) func(*yaml.Node) error {
		return func(n *yaml.Node) (err error) { *to, err = scalar(n); return err }
	}
	command := func(n *yaml.Node) error {
		if n.Kind == yaml.SequenceNode {
			return &Error{Line: n.Line, Msg: "a command that is a list: some versions of Dagu take it for one command, others for several",
				Fix: "write it as text"}
		}
		return text(&s.command)(n)
	}
	return r.fields(n, keys{
		"name": text(&s.name), "id": text(&s.id), "description": text(&s.description),
		"command": command, "run": command, "script": text(&s.script),
		"dir": text(&s.dir), "workingdir": text(&s.dir),
		"env":           func(n *yaml.Node) (err error) { s.env, err = environment(n); return err },
		"preconditions": func(n *yaml.Node) (err error) { s.preconditions, err = conditions(n); return err },
		"precondition":  func(n *yaml.Node) (err error) { s.preconditions, err = conditions(n); return err },
		"depends": func(n *yaml.Node) (err error) {
			s.depends, err = texts(n)
			s.chained = false
			return err
		},
	})
}

// build makes nodes and edges of the steps.
func (r *daguReader) build() error {
	for _, s := range r.steps {
		if err := r.buildStep(s); err != nil {
			return err
		}
	}
	if err := r.join(); err != nil {
		return err
	}
	guarded := len(r.preconditions) > 0
	for _, s := range r.steps {
		guarded = guarded || len(s.preconditions) > 0
	}
	if guarded {
		r.b.note("a step whose precondition is not met fails here, where Dagu skips it; what depends on it does not run in either")
	}
	return r.guard()
}

// buildStep makes a node of a step. One without a name is called by its place.
func (r *daguReader) buildStep(s *daguStep) error {
	if s.name == "" {
		s.name = s.id
	}
	if s.name == "" {
		s.name = "step_" + strconv.Itoa(slices.Index(r.steps, s)+1)
	}
	if _, twice := r.b.at[s.name]; twice {
		return errorAt(s.line, "a second step is called %q", clip(s.name))
	}
	command, err := s.shell(r.env)
	if err != nil {
		return err
	}
	n := r.b.node(s.name, s.line)
	setCommand(n, command)
	if s.description != "" {
		n.Attrs = map[string]string{"description": s.description}
	}
	return nil
}

// shell is everything that a step does as text for a shell.
func (s *daguStep) shell(env []string) (string, error) {
	body, err := s.body()
	if err != nil {
		return "", err
	}
	for _, text := range []string{body, s.dir} {
		if err := expandable(text, s.line); err != nil {
			return "", err
		}
	}
	lines := slices.Concat(env, s.env)
	if s.dir != "" {
		lines = append(lines, "cd "+inQuotes(s.dir)+" || exit")
	}
	lines = append(lines, s.preconditions...)
	return strings.Join(append(lines, body), "\n"), nil
}

// interpreters take a script as an argument behind this option.
var interpreters = map[string]string{"sh": "", "bash": "-c", "zsh": "-c", "dash": "-c", "ksh": "-c", "python": "-c", "python3": "-c",
	"perl": "-e", "ruby": "-e", "node": "-e"}

// body is the command or the script of a step. A script may be given to a program: the command, or
// the one that its first line names.
func (s *daguStep) body() (string, error) {
	program, script := strings.TrimSpace(s.command), strings.TrimRight(s.script, "\n")
	if script == "" {
		return strings.TrimRight(s.command, "\n"), nil
	}
	if first, rest, ok := strings.Cut(script, "\n"); program == "" && ok && strings.HasPrefix(first, "#!") {
		words := strings.Fields(strings.TrimPrefix(first, "#!"))
		if len(words) > 1 && strings.HasSuffix(words[0], "/env") {
			words = words[1:]
		}
		program, script = strings.Join(words, " "), rest
	}
	if program == "" {
		return script, nil
	}
	words := strings.Fields(program)
	option, known := interpreters[words[0][strings.LastIndexByte(words[0], '/')+1:]]
	if !known {
		return "", errorAt(s.line, "a script for %q: it cannot be given to this program in a command", clip(program))
	}
	if option == "" && len(words) == 1 {
		return script, nil
	}
	if option == "" {
		option = "-c"
	}
	return program + " " + option + " " + shellWord(script), nil
}

// join adds the edges.
func (r *daguReader) join() error {
	byID := map[string]string{}
	for _, s := range r.steps {
		if s.id != "" {
			byID[s.id] = s.name
		}
	}
	for i, s := range r.steps {
		for _, name := range s.depends {
			if _, ok := r.b.at[name]; !ok {
				other, ok := byID[name]
				if !ok {
					return errorAt(s.line, "step %s depends on %q, which is no step", s.name, clip(name))
				}
				name = other
			}
			if err := r.b.edge(name, s.name, link{}, s.line); err != nil {
				return err
			}
		}
		if i == 0 || !s.chained || r.kind == "graph" {
			continue
		}
		if r.kind == "" {
			return &Error{Line: s.line, Msg: "step " + s.name + " has no depends: some versions of Dagu run it behind the step before, others at once",
				Fix: "write type: chain or type: graph at the top of the file"}
		}
		if err := r.b.edge(r.steps[i-1].name, s.name, link{}, s.line); err != nil {
			return err
		}
	}
	return nil
}

// guard puts the preconditions of the whole before all steps that wait for nothing.
func (r *daguReader) guard() error {
	if len(r.preconditions) == 0 {
		return nil
	}
	waits := map[int]bool{}
	for _, e := range r.b.ends {
		waits[e.To] = true
	}
	const name = "preconditions"
	if _, taken := r.b.at[name]; taken {
		return errorAt(r.preLine, "the preconditions become a node of that name, and a step has it already")
	}
	count := len(r.b.wf.Nodes)
	setCommand(r.b.node(name, r.preLine), strings.Join(slices.Concat(r.env, r.preconditions), "\n"))
	for i := range count {
		if !waits[i] {
			if err := r.b.edge(name, r.b.wf.Nodes[i].ID, link{}, r.preLine); err != nil {
				return err
			}
		}
	}
	return nil
}
