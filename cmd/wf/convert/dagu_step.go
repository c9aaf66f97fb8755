package convert

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// readSteps reads a list of steps, or a mapping of them by name. A list inside the list contains parallel
// steps.
func (r *daguReader) readSteps(n *yaml.Node) {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			r.step(resolve(item), "")
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			r.step(resolve(n.Content[i+1]), n.Content[i].Value)
		}
	default:
		fail(n.Line, "steps are a list")
	}
}

func (r *daguReader) step(n *yaml.Node, name string) {
	s := &daguStep{line: n.Line, name: name, chained: true, attrs: map[string]string{}}
	r.steps = append(r.steps, s)
	if n.Kind == yaml.ScalarNode { // a step may consist of only its command
		s.command = scalar(n)
		return
	}
	if n.Kind == yaml.SequenceNode {
		fail(n.Line, "steps within a list of steps: write type: graph, and depends for each")
	}
	command := func(n *yaml.Node) {
		if n.Kind == yaml.SequenceNode {
			panic(&Error{Line: n.Line, Msg: "a command that is a list: some versions of Dagu take it for one command, others for several",
				Fix: "write it as text"})
		}
		s.command = scalar(n)
	}
	preconditions := func(n *yaml.Node) { s.preconditions = conditions(n) }
	r.fields(n, keys{
		"name": into(&s.name), "id": into(&s.id), "description": into(&s.description),
		"command": command, "script": into(&s.script),
		"run": func(n *yaml.Node) {
			command(n)
			checkCommand(s.command, n.Line)
		},
		"retrypolicy": s.retry(r), "repeatpolicy": s.readRepeat(r), "continueon": s.continueOn(r),
		"timeoutsec": s.number("timeout", "%ss"), "stdout": into(&s.stdout), "stderr": into(&s.stderr),
		"output": func(n *yaml.Node) {
			if s.output = scalar(n); !variable.Get().MatchString(s.output) {
				fail(n.Line, "%q is not a name of a variable", clip(s.output))
			}
		},
		"executor": s.executor(r), "container": r.container(func(name, value string) { s.attrs[name] = value }),
		"dir": into(&s.dir), "workingdir": into(&s.dir),
		"env":           func(n *yaml.Node) { s.env = environment(n) },
		"preconditions": preconditions, "precondition": preconditions,
		"depends": func(n *yaml.Node) { s.depends, s.chained = texts(n), false },
	})
}

// build makes nodes and edges from the steps.
func (r *daguReader) build() {
	for _, s := range r.steps {
		r.buildStep(s)
	}
	r.join()
	for _, s := range r.steps {
		r.finishStep(s)
	}
	if slices.ContainsFunc(r.steps, func(s *daguStep) bool { return len(s.preconditions) > 0 }) {
		r.b.note("a step that is skipped since its preconditions are not met counts as a way not taken: a step behind it and others runs when one of the others succeeds, where Dagu skips it")
	}
	r.declareParams()
	r.guardAll()
}

// buildStep makes a node from a step. A step without a name is called by its position.
func (r *daguReader) buildStep(s *daguStep) {
	s.name = cmp.Or(s.name, s.id, "step_"+strconv.Itoa(slices.Index(r.steps, s)+1))
	if _, twice := r.b.at[s.name]; twice {
		fail(s.line, "a second step is called %q", clip(s.name))
	}
	n := r.b.node(s.name, s.line)
	for name, value := range s.attrs {
		setAttr(n, name, value)
	}
	if s.description != "" {
		setAttr(n, "description", s.description)
	}
}

// finishStep sets the command of a step, which depends on the preceding steps, and adds retries and loops
// around it.
func (r *daguReader) finishStep(s *daguStep) {
	command := r.shellOf(s)
	n := r.b.node(s.name, s.line)
	setCommand(n, command)
	if lines := r.received(s, command); lines != nil {
		setAttr(n, "env", strings.Join(lines, "\n"))
	}
	if s.repeats != nil {
		r.loop(s)
	}
}

// shellOf returns all texts of a step for a shell.
func (r *daguReader) shellOf(s *daguStep) string {
	body := s.body()
	for _, text := range []string{body, s.dir, s.stdout, s.stderr} {
		checkExpandable(text, s.line)
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
	return strings.Join(append(lines, body), "\n")
}

// prepare sets the lines that set up the shell of a step, for its command and its preconditions.
func (r *daguReader) prepare(s *daguStep) {
	lines := slices.Concat(r.env, s.env)
	used := strings.Join(slices.Concat(lines, s.preconditions, []string{s.body(), s.dir}), "\n")
	s.setup = slices.Concat(r.arguments(used), lines)
	if s.dir != "" {
		s.setup = append(s.setup, "cd "+inQuotes(s.dir)+" || exit")
	}
}

// interpreters maps programs to the option for a script as an argument.
var interpreters = map[string]string{"sh": "", "bash": "-c", "zsh": "-c", "dash": "-c", "ksh": "-c", "python": "-c", "python3": "-c",
	"perl": "-e", "ruby": "-e", "node": "-e"}

// body returns the command or the script of a step. The script may be run by a program: that of the
// command, or of its first line.
func (s *daguStep) body() string {
	program, script := strings.TrimSpace(s.command), strings.TrimRight(s.script, "\n")
	if script == "" {
		return strings.TrimRight(s.command, "\n")
	}
	if first, rest, ok := strings.Cut(script, "\n"); program == "" && ok && strings.HasPrefix(first, "#!") {
		words := strings.Fields(strings.TrimPrefix(first, "#!"))
		if len(words) > 1 && strings.HasSuffix(words[0], "/env") {
			words = words[1:]
		}
		program, script = strings.Join(words, " "), rest
	}
	if program == "" {
		return script
	}
	words := strings.Fields(program)
	option, known := interpreters[words[0][strings.LastIndexByte(words[0], '/')+1:]]
	if !known {
		fail(s.line, "a script for %q: it cannot be given to this program in a command", clip(program))
	}
	if option == "" && len(words) == 1 {
		return script
	}
	return program + " " + cmp.Or(option, "-c") + " " + shellWord(script)
}

// join adds the edges, and the nodes that check preconditions.
func (r *daguReader) join() {
	r.findNeeds()
	for _, s := range r.steps {
		r.prepare(s)
		r.guard(s)
	}
	for _, s := range r.steps {
		for _, name := range s.needs {
			r.addEdge(s, name)
		}
	}
}

// addEdge puts a step, or the node that checks its preconditions, after another one.
func (r *daguReader) addEdge(s *daguStep, name string) {
	to := cmp.Or(s.guardedBy, s.name)
	before := r.steps[slices.IndexFunc(r.steps, func(other *daguStep) bool { return other.name == name })]
	r.b.edge(name, to, link{when: before.after()}, s.line)
	if before.goOn.skipped && before.guardedBy != "" {
		r.b.edge(before.guardedBy, to, link{when: "case:" + daguUnmet}, s.line)
	}
}

// findNeeds finds the predecessors of each step.
func (r *daguReader) findNeeds() {
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
					fail(s.line, "step %s depends on %q, which is not a step", s.name, clip(name))
				}
				name = other
			}
			s.needs = append(s.needs, name)
		}
		if i == 0 || !s.chained || r.kind == "graph" {
			continue
		}
		if r.kind == "" {
			panic(&Error{Line: s.line, Msg: "step " + s.name + " has no depends: some versions of Dagu run it behind the step before, others at once",
				Fix: "write type: chain or type: graph at the top of the file"})
		}
		s.needs = append(s.needs, r.steps[i-1].name)
	}
}
