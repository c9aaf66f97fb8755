package convert

import (
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"wf/graph/pattern"
)

// readDagu reads a workflow of Dagu: steps with their commands, scripts, folders, environment,
// preconditions, retries, timeouts, outputs and repetitions, parameters, and the order given by depends
// and type. Keys about when and where Dagu runs the workflow are left out with a note; other keys that
// change what happens are errors.
func readDagu(b *builder, data []byte) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		failYAML(err)
	}
	if len(doc.Content) == 0 {
		fail(1, "the text is empty")
	}
	visited := 0
	checkSize(&doc, 0, &visited)
	root := doc.Content[0]
	if root.Tag == "!!null" {
		fail(1, "the file is empty") // the line of root may be after the last line
	}
	r := &daguReader{b: b}
	r.fields(root, r.rootKeys())
	if r.steps == nil {
		fail(root.Line, "there are no steps")
	}
	r.build()
}

// checkSize refuses a document whose aliases expand to too much, or to themselves.
func checkSize(n *yaml.Node, depth int, visited *int) {
	if *visited++; *visited > maxEdges || depth > maxNesting {
		fail(n.Line, "values are nested more than %d deep, or stand for more than %d", maxNesting, maxEdges)
	}
	for _, inner := range append(n.Content, n.Alias) {
		if inner != nil {
			checkSize(inner, depth+1, visited)
		}
	}
}

var yamlLine = pattern.Of(`^yaml: (?:unmarshal errors:\n  )?line (\d+): `)

// failYAML fails with an error of the YAML library, at the line that it names.
func failYAML(err error) {
	if m := yamlLine.Get().FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		fail(line, "%s", strings.TrimPrefix(err.Error(), m[0]))
	}
	fail(1, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
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
type keys map[string]func(*yaml.Node)

func (r *daguReader) rootKeys() keys {
	attr := func(name string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			if text := scalar(n); text != "" {
				r.b.attr(name, text)
			}
		}
	}
	preconditions := func(n *yaml.Node) { r.preLine, r.preconditions = n.Line, conditions(n) }
	return keys{
		"name": attr("name"), "description": attr("description"), "params": r.readParams,
		"maxactivesteps": r.jobs, "dotenv": r.dotenv, "workingdir": attr("cwd"), "shell": func(n *yaml.Node) { r.b.attr("shell", scalar(n)) },
		"env":           func(n *yaml.Node) { r.env = append(r.env, environment(n)...) },
		"container":     r.container(r.b.attr),
		"preconditions": preconditions, "precondition": preconditions,
		"type": func(n *yaml.Node) {
			if r.kind = scalar(n); r.kind != "graph" && r.kind != "chain" {
				fail(n.Line, "type %q: must be graph or chain", r.kind)
			}
		},
		"steps": r.readSteps,
	}
}

// fields reads a mapping. An unknown key is an error.
func (r *daguReader) fields(n *yaml.Node, known keys) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		fail(n.Line, "a mapping of keys to values was expected")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		name := strings.ToLower(strings.ReplaceAll(key.Value, "_", ""))
		read, ok := known[name]
		if !ok && hasWord(daguElsewhere, name) {
			r.elsewhere(key)
			continue
		}
		if !ok {
			panic(&Error{Line: key.Line, Msg: clip(key.Value) + " is not translated", Fix: daguInstead[name]})
		}
		read(resolve(n.Content[i+1]))
	}
}

// resolve returns the target of an alias.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// scalar returns a plain value as text.
func scalar(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		fail(n.Line, "a plain value was expected")
	}
	if n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// into returns a reader of a plain value.
func into(to *string) func(*yaml.Node) { return func(n *yaml.Node) { *to = scalar(n) } }

// texts returns a plain value or a list of them.
func texts(n *yaml.Node) (list []string) {
	if n.Kind != yaml.SequenceNode {
		if text := scalar(n); text != "" {
			list = []string{text}
		}
		return list
	}
	for _, item := range n.Content {
		list = append(list, scalar(resolve(item)))
	}
	return list
}

func (r *daguReader) jobs(n *yaml.Node) {
	text := scalar(n)
	if count, err := strconv.Atoi(text); err != nil || count < 0 {
		fail(n.Line, "%q is not a number of steps", text)
	}
	r.b.attr("jobs", text)
}

// dotenv reads files of variables, which Dagu uses if they exist.
func (r *daguReader) dotenv(n *yaml.Node) {
	for _, file := range texts(n) {
		if !strings.ContainsRune(file, '/') {
			file = "./" + file // a shell would search it in PATH
		}
		r.env = append([]string{"[ ! -f " + inQuotes(file) + " ] || { set -a; . " + inQuotes(file) + "; set +a; }"}, r.env...)
	}
}

// variable matches names of shell variables.
var variable = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]*$`)

// environment reads variables: a mapping, a list of mappings, or KEY=VALUE. The shell expands variables
// and backquotes in the values, as Dagu does.
func environment(n *yaml.Node) (lines []string) {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			lines = append(lines, environment(resolve(item))...)
		}
		return lines
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			lines = append(lines, export(n.Content[i].Value, scalar(resolve(n.Content[i+1])), n.Content[i].Line))
		}
		return lines
	}
	text := scalar(n)
	if text == "" {
		return nil
	}
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		fail(n.Line, "%q is not KEY=VALUE", clip(text))
	}
	return []string{export(name, value, n.Line)}
}

func export(name, value string, line int) string {
	if !variable.Get().MatchString(name) {
		fail(line, "%q is not a name of a variable", clip(name))
	}
	checkExpandable(value, line)
	return "export " + name + "=" + inQuotes(value)
}

// inQuotes puts text in double quotes, in which only variables and substitutions are expanded.
func inQuotes(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// daguReference matches values that Dagu inserts itself and that a shell cannot expand.
var daguReference = pattern.Of(`\$\{(params|consts|env|steps|outputs)\.|\$\{[A-Za-z0-9_]+\.|\$\{\{`)

// checkExpandable refuses text with such references.
func checkExpandable(text string, line int) {
	if found := daguReference.Get().FindString(text); found != "" {
		fail(line, "%s…} is a value that only Dagu knows", strings.TrimSuffix(found, "{"))
	}
}

// conditions returns preconditions as lines for the shell, which exit with a message if one is not met.
func conditions(n *yaml.Node) (lines []string) {
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			lines = append(lines, conditions(resolve(item))...)
		}
		return lines
	}
	var c daguCondition
	if n.Kind == yaml.MappingNode {
		c.read(n)
	} else {
		c.condition = scalar(n)
	}
	if strings.TrimSpace(c.condition) == "" {
		fail(n.Line, "a precondition without a condition")
	}
	checkExpandable(c.condition, n.Line)
	return []string{c.line(n.Line)}
}

type daguCondition struct {
	condition string
	expected  *string
	negate    bool
}

func (c *daguCondition) read(n *yaml.Node) {
	(&daguReader{}).fields(n, keys{
		"condition": into(&c.condition), "command": into(&c.condition), "expected": c.readExpected,
		"negate": func(n *yaml.Node) {
			if n.Decode(&c.negate) != nil {
				fail(n.Line, "negate must be true or false")
			}
		},
	})
}

func (c *daguCondition) readExpected(n *yaml.Node) {
	text := scalar(n)
	c.expected = &text
}

// line returns the condition for a shell: a command that must succeed, or a text with a line equal to the
// expected one.
func (c *daguCondition) line(at int) string {
	test := c.condition
	if c.expected != nil {
		option, want := "-qxF", *c.expected
		if pattern, ok := strings.CutPrefix(want, "re:"); ok {
			if strings.ContainsAny(pattern, `\`) || strings.Contains(pattern, "(?") {
				fail(at, "the pattern %q may mean something else to grep -E", clip(pattern))
			}
			option, want = "-qE", pattern
		}
		test = `printf '%s\n' ` + inQuotes(c.condition) + " | grep " + option + " -e " + shellWord(want)
	}
	then, otherwise := ":", `{ echo case=`+daguUnmet+` >> "$WF_OUTPUT"; exit; }`
	if c.negate {
		then, otherwise = otherwise, then
	}
	return "if ( " + test + "\n) > /dev/null 2>&1; then " + then + "; else " + otherwise + "; fi"
}
