package convert

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"wf/graph/pattern"
)

// daguElsewhere are keys about when and where Dagu runs a workflow and whom it notifies. A workfile has no
// equivalent, and the commands and their order do not depend on them, so they are listed in a note.
const daguElsewhere = `schedule logdir maxactiveruns queue mailon smtp errormail infomail waitmail otel delaysec
	restartwaitsec maxcleanuptimesec skipifsuccessful catchupwindow overlappolicy workerselector runconfig timeoutsec
	mailonerror signalonstop histretentiondays histretentionruns group tags labels logoutput maxoutputsize`

// daguInstead describes how to express in a workfile the keys of Dagu that are not translated.
var daguInstead = map[string]string{
	"handleron": "give the steps edges with when=failure or when=done to the commands of the handler",
	"parallel":  "make a container with foreach, whose nodes are the steps of the child workflow",
	"foreach":   "make a container with foreach, whose nodes are the steps in it",
	"call":      "read the child workflow into a workfile of its own, and write the command wf run FILE",
	"executor":  "write the command that runs it there, such as docker run or ssh",
	"type":      "write the command that runs it there, such as docker run or ssh",
	"action":    "write the command that does it",
	"approval":  "set the attribute approve on a node",
}

// elsewhere adds a note about a key that is left out.
func (r *daguReader) elsewhere(key *yaml.Node) {
	r.b.note("line %d: %s is left out: a workfile has no place for it", key.Line, clip(key.Value))
}

// A daguParam is a parameter of the workflow.
type daguParam struct{ name, preset string }

// params reads parameters: "A=1 B='two words'", a list of such texts or of mappings, or a mapping. A
// parameter without a name is called by its position, as in Dagu.
func (r *daguReader) readParams(n *yaml.Node) {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			r.readParams(resolve(item))
		}
		return
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			r.param(n.Content[i].Value, scalar(resolve(n.Content[i+1])), n.Content[i].Line)
		}
		return
	}
	for _, m := range daguParamText.Get().FindAllStringSubmatch(scalar(n), -1) {
		value := m[2]
		if len(value) > 1 && strings.ContainsRune(`"'`+"`", rune(value[0])) {
			if value[0] == '`' {
				fail(n.Line, "the parameter %s is the output of a command: write its value", clip(m[0]))
			}
			value = value[1 : len(value)-1]
		}
		r.param(strings.TrimSuffix(m[1], "="), value, n.Line)
	}
}

var daguParamText = pattern.Of("([A-Za-z_][A-Za-z0-9_]*=)?(\"[^\"]*\"|'[^']*'|`[^`]*`|[^\\s\"'`]+)")

func (r *daguReader) param(name, preset string, line int) {
	if name == "" {
		r.positional++
		name = fmt.Sprintf("arg%d", r.positional)
	}
	if !variable.Get().MatchString(name) {
		fail(line, "%q is not a name of a parameter", clip(name))
	}
	checkExpandable(preset, line)
	for _, other := range r.params {
		if strings.EqualFold(other.name, name) {
			fail(line, "two parameters are called %s", clip(name))
		}
	}
	r.params = append(r.params, daguParam{name, preset})
}

// declareParams declares the parameters in an attribute of the graph.
func (r *daguReader) declareParams() {
	if len(r.params) == 0 {
		return
	}
	declared := map[string]map[string]string{}
	for _, p := range r.params {
		declared[p.name] = map[string]string{"type": "string", "default": p.preset}
	}
	text, _ := json.Marshal(declared) // texts only
	r.b.attr("params", string(text))
}

// mentions reports whether a text for a shell uses a variable.
func mentions(text, name string) bool {
	found := regexp.MustCompile(`\$(` + name + `\b|\{` + name + `\b)`)
	return found.MatchString(text)
}

// arguments returns lines for the shell that set the parameters used in a text to the values of the run.
func (r *daguReader) arguments(text string) (lines []string) {
	place := 0
	var words []string
	for _, p := range r.params {
		given := `"$WF_PARAM_` + strings.ToUpper(p.name) + `"`
		if strings.HasPrefix(p.name, "arg") && place < r.positional {
			place++
			words = append(words, given)
			continue
		}
		if mentions(text, p.name) {
			lines = append(lines, "export "+p.name+"="+given)
		}
	}
	if len(words) > 0 && regexp.MustCompile(`\$([1-9@*#]|\{[1-9@*#])`).MatchString(text) {
		lines = append(lines, "set -- "+strings.Join(words, " "))
	}
	return lines
}

// capture wraps a command so that its output is stored under a name, for later steps.
func capture(name, body string) string {
	return name + "=$(\n" + body + "\n)\nstatus=$?\nprintf '%s\\n' \"$" + name + "\"\n" +
		"printf '" + name + "<<WF_OUTPUT_END\\n%s\\nWF_OUTPUT_END\\n' \"$" + name + "\" >> \"$WF_OUTPUT\"\nexit $status"
}

// received returns lines of the attribute env for the outputs of preceding steps that the text of a step
// uses.
func (r *daguReader) received(s *daguStep, text string) (lines []string) {
	for _, other := range r.steps {
		if other != s && other.output != "" && mentions(text, other.output) && r.before(other, s) {
			lines = append(lines, fmt.Sprintf(`%s=${{ nodes[%s].outputs.%s ?? "" }}`, other.output, strconv.Quote(other.name), other.output))
		}
	}
	return lines
}

// before reports whether a step precedes another one, by edges.
func (r *daguReader) before(first, later *daguStep) bool {
	seen := map[string]bool{}
	queue := []string{later.name}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, s := range r.steps {
			if s.name != name {
				continue
			}
			for _, need := range s.needs {
				if need == first.name {
					return true
				}
				if !seen[need] {
					seen[need] = true
					queue = append(queue, need)
				}
			}
		}
	}
	return false
}

// retry converts a retry policy into attributes.
func (s *daguStep) retry(r *daguReader) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.fields(n, keys{
			"limit":          s.number("retries", "%s"),
			"intervalsec":    s.number("retry_delay", "%ss"),
			"maxintervalsec": s.number("retry_max_delay", "%ss"),
			"backoff": func(n *yaml.Node) {
				switch {
				case n.Tag != "!!bool":
					s.number("retry_backoff", "%s")(n)
				case n.Value == "true":
					s.attrs["retry_backoff"] = "2"
				}
			},
			"exitcode": func(n *yaml.Node) {
				if codes := texts(n); len(codes) > 0 {
					s.attrs["retry_on"] = "exit:" + strings.Join(codes, ",")
				}
			},
		})
	}
}

// number converts a positive number into an attribute; 0 is the default of Dagu.
func (s *daguStep) number(attr, format string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		text := scalar(n)
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || value < 0 {
			fail(n.Line, "%q is not a number that can be kept: write it out", clip(text))
		}
		if value > 0 {
			s.attrs[attr] = fmt.Sprintf(format, text)
		}
	}
}

// continueOn reads after which results of a step the next ones run.
func (s *daguStep) continueOn(r *daguReader) func(*yaml.Node) {
	flag := func(to *bool) func(*yaml.Node) {
		return func(n *yaml.Node) {
			if n.Decode(to) != nil {
				fail(n.Line, "it must be true or false")
			}
		}
	}
	return func(n *yaml.Node) {
		switch {
		case n.Kind == yaml.ScalarNode && (n.Value == "failed" || n.Value == "failure"):
			s.goOn.failure = true
		case n.Kind == yaml.ScalarNode && n.Value == "skipped":
			s.goOn.skipped = true
		default:
			r.fields(n, keys{
				"failure": flag(&s.goOn.failure), "failed": flag(&s.goOn.failure), "skipped": flag(&s.goOn.skipped),
				"exitcode":    func(n *yaml.Node) { s.goOn.codes = texts(n) },
				"marksuccess": func(n *yaml.Node) { r.elsewhere(&yaml.Node{Line: n.Line, Value: "markSuccess"}) },
			})
		}
	}
}

// after returns the condition of the edges out of a step.
func (s *daguStep) after() string {
	switch {
	case s.goOn.failure:
		return "done"
	case len(s.goOn.codes) > 0:
		return "exit:0," + strings.Join(s.goOn.codes, ",")
	}
	return ""
}

// checkCommand refuses a value of run that named another workflow in older versions: in current versions it
// is a command.
func checkCommand(text string, line int) {
	word := strings.TrimSpace(text)
	if strings.ContainsAny(word, " \t\n;|&<>$") || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "/") {
		return
	}
	panic(&Error{Line: line, Msg: fmt.Sprintf("run: %s may be a command, or in older versions of Dagu the workflow %s", clip(word), clip(word)),
		Fix: "write command: " + word + " if it is a command; else read that workflow into a workfile of its own, and write the command wf run FILE"})
}
