package convert

import (
	"regexp"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// readDagu reads a workflow of Dagu: steps with their commands, scripts, folders, environment,
// preconditions, retries, timeouts, outputs and repetitions, parameters, and the order given by depends
// and type. Keys about when and where Dagu runs the workflow are left out with a note; other keys that
// change what happens are errors.
func readDagu(b *builder, data []byte) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return yamlError(err)
	}
	if len(doc.Content) == 0 {
		return &Error{Line: 1, Msg: "the text is empty"}
	}
	visited := 0
	if err := checkSize(&doc, 0, &visited); err != nil {
		return err
	}
	if root := doc.Content[0]; root.Tag == "!!null" {
		return &Error{Line: 1, Msg: "the file is empty"} // the line of the error may be after the last line
	}
	r := &daguReader{b: b}
	if err := r.fields(doc.Content[0], r.rootKeys()); err != nil {
		return err
	}
	if r.steps == nil {
		return errorAt(doc.Content[0].Line, "there are no steps")
	}
	return r.build()
}

// checkSize refuses a document whose aliases expand to too much, or to themselves.
func checkSize(n *yaml.Node, depth int, visited *int) error {
	if *visited++; *visited > maxEdges || depth > maxNesting {
		return errorAt(n.Line, "values are nested more than %d deep, or stand for more than %d", maxNesting, maxEdges)
	}
	for _, inner := range append(n.Content, n.Alias) {
		if inner == nil {
			continue
		}
		if err := checkSize(inner, depth+1, visited); err != nil {
			return err
		}
	}
	return nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:unmarshal errors:\n  )?line (\d+): `)

// yamlError extracts the line from an error of the YAML library.
func yamlError(err error) error {
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		return errorAt(line, "%s", strings.TrimPrefix(err.Error(), m[0]))
	}
	return errorAt(1, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
}

// A daguStep is one step of the source.
type daguStep struct {
	line          int
	id, name      string
	command       string
	script        string
	dir           string
	env           []string // lines for the shell
	preconditions []string // lines for the shell
	depends       []string
	chained       bool // it has no depends: with type chain it follows the previous step
	description   string
	attrs         map[string]string // of its node
	output        string            // variable that stores its output for later steps
	stdout        string            // file that its output is appended to
	stderr        string
	repeats       *daguRepeat
	goOn          struct { // results after which the next steps run
		failure, skipped bool
		codes            []string
	}

	setup     []string // lines for the shell before its command: environment and folder
	needs     []string // names of the preceding steps
	guardedBy string   // node that checks its preconditions
}

type daguReader struct {
	b             *builder
	kind          string // graph, chain or "" if not specified
	env           []string
	preconditions []string
	preLine       int
	steps         []*daguStep
	params        []daguParam
	positional    int // number of parameters without a name
}

// keys are the readers for the keys of a mapping, by name in lower case without underscores, since both
// spellings exist.
type keys map[string]func(*yaml.Node) error

func (r *daguReader) rootKeys() keys {
	attr := func(name string) func(*yaml.Node) error {
		return func(n *yaml.Node) error {
			text, err := scalar(n)
			if err == nil && text != "" {
				r.b.attr(name, text)
			}
			return err
		}
	}
	return keys{
		"name": attr("name"), "description": attr("description"), "params": r.readParams,
		"maxactivesteps": r.jobs, "dotenv": r.dotenv, "workingdir": attr("cwd"), "shell": r.shell,
		"env": func(n *yaml.Node) error {
			lines, err := environment(n)
			r.env = append(r.env, lines...)
			return err
		},
		"preconditions": func(n *yaml.Node) (err error) { r.preLine = n.Line; r.preconditions, err = conditions(n); return err },
		"precondition":  func(n *yaml.Node) (err error) { r.preLine = n.Line; r.preconditions, err = conditions(n); return err },
		"type": func(n *yaml.Node) error {
			text, err := scalar(n)
			if err == nil && text != "graph" && text != "chain" {
				err = errorAt(n.Line, "type %q: must be graph or chain", text)
			}
			r.kind = text
			return err
		},
		"steps": r.readSteps,
	}
}

// fields reads a mapping. An unknown key is an error.
func (r *daguReader) fields(n *yaml.Node, known keys) error {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		return errorAt(n.Line, "a mapping of keys to values was expected")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		name := strings.ToLower(strings.ReplaceAll(key.Value, "_", ""))
		read, ok := known[name]
		if !ok && daguElsewhere[name] {
			r.elsewhere(key)
			continue
		}
		if !ok {
			return &Error{Line: key.Line, Msg: clip(key.Value) + " is not translated", Fix: daguInstead[name]}
		}
		if err := read(resolve(n.Content[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// resolve returns the target of an alias.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// scalar returns a plain value as text.
func scalar(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", errorAt(n.Line, "a plain value was expected")
	}
	if n.Tag == "!!null" {
		return "", nil
	}
	return n.Value, nil
}

// texts returns a plain value or a list of them.
func texts(n *yaml.Node) ([]string, error) {
	if n.Kind != yaml.SequenceNode {
		text, err := scalar(n)
		if err != nil || text == "" {
			return nil, err
		}
		return []string{text}, nil
	}
	var list []string
	for _, item := range n.Content {
		text, err := scalar(resolve(item))
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}

func (r *daguReader) jobs(n *yaml.Node) error {
	text, err := scalar(n)
	if err != nil {
		return err
	}
	if count, err := strconv.Atoi(text); err != nil || count < 0 {
		return errorAt(n.Line, "%q is not a number of steps", text)
	}
	r.b.attr("jobs", text)
	return nil
}

func (r *daguReader) shell(n *yaml.Node) error {
	text, err := scalar(n)
	if err != nil {
		return err
	}
	r.b.attr("shell", text)
	return nil
}

// dotenv reads files of variables, which Dagu uses if they exist.
func (r *daguReader) dotenv(n *yaml.Node) error {
	files, err := texts(n)
	for _, file := range files {
		if !strings.ContainsRune(file, '/') {
			file = "./" + file // a shell would search it in PATH
		}
		r.env = append([]string{"[ ! -f " + inQuotes(file) + " ] || { set -a; . " + inQuotes(file) + "; set +a; }"}, r.env...)
	}
	return err
}

// variable matches names of shell variables.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// environment reads variables: a mapping, a list of mappings, or KEY=VALUE. The shell expands variables
// and backquotes in the values, as Dagu does.
func environment(n *yaml.Node) ([]string, error) {
	switch n.Kind {
	case yaml.SequenceNode:
		var lines []string
		for _, item := range n.Content {
			more, err := environment(resolve(item))
			if err != nil {
				return nil, err
			}
			lines = append(lines, more...)
		}
		return lines, nil
	case yaml.MappingNode:
		var lines []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			value, err := scalar(resolve(n.Content[i+1]))
			if err != nil {
				return nil, err
			}
			line, err := export(n.Content[i].Value, value, n.Content[i].Line)
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
		return lines, nil
	}
	text, err := scalar(n)
	if err != nil || text == "" {
		return nil, err
	}
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return nil, errorAt(n.Line, "%q is not KEY=VALUE", clip(text))
	}
	line, err := export(name, value, n.Line)
	return []string{line}, err
}

func export(name, value string, line int) (string, error) {
	if !variable.MatchString(name) {
		return "", errorAt(line, "%q is not a name of a variable", clip(name))
	}
	if err := expandable(value, line); err != nil {
		return "", err
	}
	return "export " + name + "=" + inQuotes(value), nil
}

// inQuotes puts text in double quotes, in which only variables and substitutions are expanded.
func inQuotes(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// daguReference matches values that Dagu inserts itself and that a shell cannot expand.
var daguReference = regexp.MustCompile(`\$\{(params|consts|env|steps|outputs)\.|\$\{[A-Za-z0-9_]+\.|\$\{\{`)

// expandable refuses text with such references.
func expandable(text string, line int) error {
	if found := daguReference.FindString(text); found != "" {
		return errorAt(line, "%s…} is a value that only Dagu knows", strings.TrimSuffix(found, "{"))
	}
	return nil
}

// conditions returns preconditions as lines for the shell, which exit with a message if one is not met.
func conditions(n *yaml.Node) ([]string, error) {
	if n.Kind == yaml.SequenceNode {
		var lines []string
		for _, item := range n.Content {
			more, err := conditions(resolve(item))
			if err != nil {
				return nil, err
			}
			lines = append(lines, more...)
		}
		return lines, nil
	}
	var c daguCondition
	var err error
	if n.Kind == yaml.MappingNode {
		err = c.read(n)
	} else {
		c.condition, err = scalar(n)
	}
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(c.condition) == "" {
		return nil, errorAt(n.Line, "a precondition without a condition")
	}
	if err := expandable(c.condition, n.Line); err != nil {
		return nil, err
	}
	line, err := c.line(n.Line)
	return []string{line}, err
}

type daguCondition struct {
	condition string
	expected  *string
	negate    bool
}

func (c *daguCondition) read(n *yaml.Node) error {
	return (&daguReader{}).fields(n, keys{
		"condition": func(n *yaml.Node) (err error) { c.condition, err = scalar(n); return err },
		"command":   func(n *yaml.Node) (err error) { c.condition, err = scalar(n); return err },
		"expected": func(n *yaml.Node) error {
			text, err := scalar(n)
			c.expected = &text
			return err
		},
		"negate": func(n *yaml.Node) error {
			if err := n.Decode(&c.negate); err != nil {
				return errorAt(n.Line, "negate must be true or false")
			}
			return nil
		},
	})
}

// line returns the condition for a shell: a command that must succeed, or a text with a line equal to the
// expected one.
func (c *daguCondition) line(at int) (string, error) {
	test := c.condition
	if c.expected != nil {
		option, want := "-qxF", *c.expected
		if pattern, ok := strings.CutPrefix(want, "re:"); ok {
			if strings.ContainsAny(pattern, `\`) || strings.Contains(pattern, "(?") {
				return "", errorAt(at, "the pattern %q may mean something else to grep -E", clip(pattern))
			}
			option, want = "-qE", pattern
		}
		test = `printf '%s\n' ` + inQuotes(c.condition) + " | grep " + option + " -e " + shellWord(want)
	}
	then, otherwise := ":", `{ echo case=`+daguUnmet+` >> "$WF_OUTPUT"; exit; }`
	if c.negate {
		then, otherwise = otherwise, then
	}
	return "if ( " + test + "\n) > /dev/null 2>&1; then " + then + "; else " + otherwise + "; fi", nil
}
