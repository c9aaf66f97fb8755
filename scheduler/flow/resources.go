package flow

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"wf/graph"
	"wf/graph/attribute"
	"wf/graph/timespan"
	"wf/scheduler/expression"
)

// Resources is what a command needs of the machine that executes it, and how an engine is to place it. 0 and "" = not given.
type Resources struct {
	CPUs       int           // processors
	Memory     int64         // bytes
	GPUs       int           // graphics processors
	Time       time.Duration // after which an engine ends the command
	Partition  string
	Account    string
	Constraint string
	Options    string // further options for the engine, as its commands have them
	Mode       string // how a cluster gets the command: auto, pool, array or job
}

// resourceNames are the attributes, in the order of ResourceTexts.
var resourceNames = [...]string{"cpus", "mem", "gpus", "time", "partition", "account", "constraint", "cluster_options", "cluster_mode"}

// ResourceNames returns the names of the attributes that Resources.Set parses.
func ResourceNames() []string { return slices.Clone(resourceNames[:]) }

// attrExecutor is the attribute with the executor of a command. A command has that of the nearest element that has it, like
// its resources; but the default of the graph can be replaced by the request for a run.
const attrExecutor = "executor"

// LocalExecutor is the name of the executor that needs no configuration: this machine.
const LocalExecutor = "local"

// CheckExecutor returns an error if text cannot be the name of an executor. The error contains what is wrong and what to write,
// without the text itself.
func CheckExecutor(text string) error {
	switch {
	case expression.HasTemplate(text):
		return errors.New("is computed, and must be known before the run starts; write a name, or use wf run --executor")
	case strings.Trim(text, nameCharacters) != "" || strings.HasPrefix(text, "-"):
		return errors.New("is not a name; write local, slurm or the name of an executor of the configuration")
	}
	return nil
}

// nameCharacters are the characters of names in workfiles: of pools, of executors.
const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

// ResourceTexts are the attributes of which the resources of each attempt are computed, in the order of resourceNames; nil =
// not given. A node has those of the nearest element that has them: itself, the containers around it, the graph.
type ResourceTexts [len(resourceNames)]*expression.Text

// Render computes the resources for an attempt. The error names the attribute.
func (t *ResourceTexts) Render(env expression.Env) (Resources, error) {
	var r Resources
	for i, text := range t {
		if text == nil {
			continue
		}
		value, err := text.Render(env)
		if err == nil {
			err = r.Set(resourceNames[i], value)
		}
		if err != nil {
			return Resources{}, fmt.Errorf("%s: %w", resourceNames[i], err)
		}
	}
	return r, nil
}

// Set parses the value of an attribute. The error contains the value, what is wrong and what to write.
func (r *Resources) Set(name, value string) (err error) {
	value = strings.TrimSpace(value)
	switch name {
	case "cpus":
		r.CPUs, err = parseWhole(value, 1)
	case "gpus":
		r.GPUs, err = parseWhole(value, 0)
	case "mem":
		r.Memory, err = ParseMemory(value)
	case "time":
		if r.Time, err = timespan.Parse(value); err == nil && r.Time == 0 {
			err = errors.New("is 0, which everything exceeds; leave it out for no limit")
		}
	case "partition":
		r.Partition, err = parseWord(value)
	case "account":
		r.Account, err = parseWord(value)
	case "constraint":
		r.Constraint, err = parseWord(value)
	case "cluster_options":
		r.Options, err = parseLine(value)
	case "cluster_mode":
		r.Mode, err = value, CheckClusterMode(value)
	}
	if err != nil {
		return fmt.Errorf("%s %w", shown(value), err)
	}
	return nil
}

// ClusterModes are the values of the attribute cluster_mode.
var ClusterModes = []string{"auto", "pool", "array", "job"}

// CheckClusterMode returns an error if text is no mode of a cluster. The error contains what is wrong and what to write, without
// the text itself.
func CheckClusterMode(text string) error {
	if slices.Contains(ClusterModes, text) {
		return nil
	}
	return errors.New("is no mode of a cluster; write auto, pool, array or job")
}

func parseWhole(value string, least int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > 1<<20 {
		return 0, fmt.Errorf("is not a whole number from %d to %d", least, 1<<20)
	}
	return n, nil
}

// parseWord returns a value that becomes one argument of an engine's command.
func parseWord(value string) (string, error) {
	if strings.ContainsFunc(value, unicode.IsSpace) {
		return "", errors.New("has spaces; write one word")
	}
	return parseLine(value)
}

// parseLine returns a value that becomes a part of a command line.
func parseLine(value string) (string, error) {
	if strings.ContainsFunc(value, unicode.IsControl) {
		return "", errors.New("has line breaks or control characters; write it on one line")
	}
	return value, nil
}

// memoryUnits are the factors of the units, which cluster engines count in powers of 1024, too.
var memoryUnits = map[string]float64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

// ParseMemory parses an amount of memory and returns it in bytes: 500M, 16G, 1.5T. GB and GiB mean the same as G. The error
// contains what is wrong and what to write, without the text itself.
func ParseMemory(value string) (int64, error) {
	number := strings.TrimRight(value, "KMGTkmgtiIbB ")
	unit := strings.ToUpper(strings.TrimSpace(value[len(number):]))
	n, err := strconv.ParseFloat(number, 64)
	switch factor, known := memoryUnits[strings.TrimSuffix(strings.TrimSuffix(unit, "B"), "I")]; {
	case err != nil || !(n > 0) || math.IsInf(n, 0):
		return 0, errors.New("is not an amount of memory; write it like 500M, 16G or 1.5T")
	case unit == "":
		return 0, fmt.Errorf("has no unit; write %sM or %[1]sG", number)
	case !known:
		return 0, errors.New("is not an amount of memory; write it like 500M, 16G or 1.5T")
	case n*factor > 1<<60:
		return 0, errors.New("is more memory than any machine has")
	default:
		return max(1, int64(n*factor)), nil
	}
}

// resourceReader reads the attributes of all nodes.
type resourceReader struct {
	*reader
	shared   map[*graph.Node]*Rules // by the container around them: the rules of nodes that have nothing else
	reported map[faultyText]bool
}

// A faultyText is an attribute whose mistake was reported. The element is nil for the graph.
type faultyText struct {
	on   *graph.Node
	name string
}

// resources reads the resources and the executors of all commands.
func (r *reader) resources() {
	a := resourceReader{reader: r, shared: map[*graph.Node]*Rules{}, reported: map[faultyText]bool{}}
	for _, n := range r.g.Nodes() {
		if n.Container && !strings.HasPrefix(attrText(n, graph.AttrForeach), linesPrefix) {
			continue
		}
		if !hasResources(n) {
			a.inherit(n)
			continue
		}
		texts, executor := a.texts(n), a.executor(n)
		rules := r.f.rules[n]
		if rules == nil {
			rules = &Rules{certain: isCertain(texts, executor)}
			r.f.rules[n] = rules
		}
		rules.Resources, rules.Executor = texts, executor
	}
}

func isCertain(texts *ResourceTexts, executor string) bool {
	computed := func(t *expression.Text) bool { return t != nil && !t.Plain() }
	return (executor == "" || executor == LocalExecutor) && (texts == nil || !slices.ContainsFunc(texts[:], computed))
}

// graphHasResources reports whether the graph has one of the attributes. Its executor is not one of them: it is the default of
// all runs, see Flow.Executor.
func (r *reader) graphHasResources() bool {
	return slices.ContainsFunc(resourceNames[:], func(name string) bool { return r.graphText(name) != "" })
}

func (r *reader) graphText(name string) string {
	text, _ := r.g.Attr(name)
	return strings.TrimSpace(text)
}

// graphExecutor reads the executor of the graph.
func (r *reader) graphExecutor() {
	text := r.graphText(attrExecutor)
	if err := CheckExecutor(text); err != nil {
		r.add(graph.Error, CodeExecutor, -1, nil, "%s of the graph: %s %v", attrExecutor, shown(text), err)
		r.problems[len(r.problems)-1].Attr = attrExecutor
		return
	}
	r.f.Executor = text
}

// executor returns the executor of the nearest element that has one, without the graph; "" = none has.
func (a *resourceReader) executor(n *graph.Node) string {
	on, text := a.nearest(n, attrExecutor)
	if on == nil {
		return ""
	}
	if err := CheckExecutor(text); err != nil {
		a.wrong(on, CodeExecutor, attrExecutor, fmt.Errorf("%s %w", shown(text), err))
		return ""
	}
	return text
}

// inherit gives a node the resources of the elements around it. Nodes in the same container share them.
func (a *resourceReader) inherit(n *graph.Node) {
	rules, known := a.shared[n.Parent]
	if !known {
		if texts, executor := a.texts(n), a.executor(n); texts != nil || executor != "" {
			rules = &Rules{Resources: texts, Executor: executor, certain: isCertain(texts, executor)}
		}
		a.shared[n.Parent] = rules
	}
	switch own := a.f.rules[n]; {
	case rules == nil:
	case own == nil:
		a.f.rules[n] = rules
	default:
		own.Resources, own.Executor = rules.Resources, rules.Executor
	}
}

// texts compiles the attributes that hold for a node, in the scope of the node; nil = there are none.
func (a *resourceReader) texts(n *graph.Node) *ResourceTexts {
	var texts ResourceTexts
	any := false
	for i, name := range resourceNames {
		on, text := a.nearest(n, name)
		if text == "" {
			continue
		}
		scope := *a.f.scope(n.Home())
		scope.Attempt = true
		t, err := expression.CompileText(text, scope)
		if err != nil {
			a.wrong(on, CodeExpression, name, err)
			continue
		}
		if t.Plain() {
			if err := new(Resources).Set(name, t.String()); err != nil {
				a.wrong(on, CodeResource, name, err)
				continue
			}
		}
		texts[i], any = t, true
	}
	if !any {
		return nil
	}
	return &texts
}

// nearest returns the attribute of the nearest element that has it: the node, a container around it, or the graph, for which
// on is nil.
func (a *resourceReader) nearest(n *graph.Node, name string) (on *graph.Node, text string) {
	for on = n; on != nil; on = on.Parent {
		if text = attrText(on, name); text != "" {
			return on, text
		}
	}
	return nil, a.graphText(name)
}

// wrong reports a mistake once, at the element that has the attribute. Other programs use some of the names, such as time, too,
// so a mistake in them is only a warning, unless an executor is named, which reads them.
func (a *resourceReader) wrong(on *graph.Node, code, name string, err error) {
	severity := graph.Error
	if attribute.Find(attribute.Command, name).Role == attribute.Shared && !a.elsewhere(on) {
		severity = graph.Warning
	}
	key := faultyText{on, name}
	if a.reported[key] {
		return
	}
	a.reported[key] = true
	if on == nil {
		a.add(severity, code, -1, nil, "%s of the graph: %v", name, err)
		a.problems[len(a.problems)-1].Attr = name
		return
	}
	a.nodeProblem(severity, code, on, name, "%s: %v", name, err)
}

// elsewhere reports whether an executor besides this machine is named for an element; nil is the graph.
func (a *resourceReader) elsewhere(on *graph.Node) bool {
	_, text := a.nearest(on, attrExecutor)
	return text != "" && text != LocalExecutor
}

func attrText(n *graph.Node, name string) string {
	text, _ := n.Attr(name)
	return strings.TrimSpace(text)
}

// hasResources reports whether a node itself has one of the attributes.
func hasResources(n *graph.Node) bool {
	if n.Extra == nil && n.Inherited() == nil {
		return false
	}
	for _, name := range resourceNames {
		if attrText(n, name) != "" {
			return true
		}
	}
	return attrText(n, attrExecutor) != ""
}
