package convert

import (
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// readSteps reads a list of steps, or a mapping of them by name. A list inside the list contains parallel
// steps.
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
	s := &daguStep{line: n.Line, name: name, chained: true, attrs: map[string]string{}}
	r.steps = append(r.steps, s)
	if n.Kind == yaml.ScalarNode { // a step may consist of only its command
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
		"command": command, "script": text(&s.script),
		"run": func(n *yaml.Node) error {
			if err := command(n); err != nil {
				return err
			}
			return subWorkflow(n, s.command)
		},
		"retrypolicy": s.retry(r), "repeatpolicy": s.readRepeat(r), "continueon": s.continueOn(r),
		"timeoutsec": s.number("timeout", "%ss"), "stdout": text(&s.stdout), "stderr": text(&s.stderr),
		"output": func(n *yaml.Node) (err error) {
			if s.output, err = scalar(n); err == nil && !variable.MatchString(s.output) {
				err = errorAt(n.Line, "%q is not a name of a variable", clip(s.output))
			}
			return err
		},
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

// build makes nodes and edges from the steps.
func (r *daguReader) build() error {
	for _, s := range r.steps {
		if err := r.buildStep(s); err != nil {
			return err
		}
	}
	if err := r.join(); err != nil {
		return err
	}
	for _, s := range r.steps {
		if err := r.finishStep(s); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(r.steps, func(s *daguStep) bool { return len(s.preconditions) > 0 }) {
		r.b.note("a step that is skipped since its preconditions are not met counts as a way not taken: a step behind it and others runs when one of the others succeeds, where Dagu skips it")
	}
	r.declareParams()
	return r.guardAll()
}

// buildStep makes a node from a step. A step without a name is called by its position.
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
	n := r.b.node(s.name, s.line)
	for name, value := range s.attrs {
		setAttr(n, name, value)
	}
	if s.description != "" {
		setAttr(n, "description", s.description)
	}
	return nil
}

// finishStep sets the command of a step, which depends on the preceding steps, and adds retries and loops
// around it.
func (r *daguReader) finishStep(s *daguStep) error {
	command, err := r.shellOf(s)
	if err != nil {
		return err
	}
	n := r.b.node(s.name, s.line)
	setCommand(n, command)
	if lines := r.received(s, command); lines != nil {
		setAttr(n, "env", strings.Join(lines, "\n"))
	}
	if s.repeats != nil {
		return r.loop(s)
	}
	return nil
}

// shellOf returns all texts of a step for a shell.
func (r *daguReader) shellOf(s *daguStep) (string, error) {
	body, err := s.body()
	if err != nil {
		return "", err
	}
	for _, text := range []string{body, s.dir, s.stdout, s.stderr} {
		if err := expandable(text, s.line); err != nil {
			return "", err
		}
	}
	lines := slices.Clone(s.setup)
	if s.stdout != "" {
		lines = append(lines, "exec >> "+inQuotes(s.stdout))
	}
	if s.stderr != "" {
		lines = append(lines, "exec 2>> "+inQuotes(s.stderr))
	}
	if s.output != "" {
		body = capture(s.output, body)
	}
	return strings.Join(append(lines, body), "\n"), nil
}

// prepare sets the lines that set up the shell of a step, for its command and its preconditions.
func (r *daguReader) prepare(s *daguStep) error {
	body, err := s.body()
	if err != nil {
		return err
	}
	lines := slices.Concat(r.env, s.env)
	used := strings.Join(slices.Concat(lines, s.preconditions, []string{body, s.dir}), "\n")
	s.setup = slices.Concat(r.arguments(used), lines)
	if s.dir != "" {
		s.setup = append(s.setup, "cd "+inQuotes(s.dir)+" || exit")
	}
	return nil
}

// interpreters maps programs to the option for a script as an argument.
var interpreters = map[string]string{"sh": "", "bash": "-c", "zsh": "-c", "dash": "-c", "ksh": "-c", "python": "-c", "python3": "-c",
	"perl": "-e", "ruby": "-e", "node": "-e"}

// body returns the command or the script of a step. The script may be run by a program: that of the
// command, or of its first line.
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

// join adds the edges, and the nodes that check preconditions.
func (r *daguReader) join() error {
	if err := r.name(); err != nil {
		return err
	}
	for _, s := range r.steps {
		if err := r.prepare(s); err != nil {
			return err
		}
		if err := r.guard(s); err != nil {
			return err
		}
	}
	for _, s := range r.steps {
		for _, name := range s.needs {
			if err := r.behind(s, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// behind puts a step, or the node that checks its preconditions, after another one.
func (r *daguReader) behind(s *daguStep, name string) error {
	to := s.name
	if s.guardedBy != "" {
		to = s.guardedBy
	}
	before := r.steps[slices.IndexFunc(r.steps, func(other *daguStep) bool { return other.name == name })]
	if err := r.b.edge(name, to, link{when: before.after()}, s.line); err != nil {
		return err
	}
	if before.goOn.skipped && before.guardedBy != "" {
		return r.b.edge(before.guardedBy, to, link{when: "case:" + daguUnmet}, s.line)
	}
	return nil
}

// name finds the predecessors of each step.
func (r *daguReader) name() error {
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
					return errorAt(s.line, "step %s depends on %q, which is not a step", s.name, clip(name))
				}
				name = other
			}
			s.needs = append(s.needs, name)
		}
		if i == 0 || !s.chained || r.kind == "graph" {
			continue
		}
		if r.kind == "" {
			return &Error{Line: s.line, Msg: "step " + s.name + " has no depends: some versions of Dagu run it behind the step before, others at once",
				Fix: "write type: chain or type: graph at the top of the file"}
		}
		s.needs = append(s.needs, r.steps[i-1].name)
	}
	return nil
}
