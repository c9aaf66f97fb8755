package text

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"

	"wf/graph"
	"wf/graph/attribute"
	"wf/graph/pattern"
	"wf/graph/spelling"
)

// A Workflow is what a text says.
type Workflow struct {
	Nodes []*Node // containers before the nodes inside them, otherwise in the order of the text
	Edges []Edge
	Attrs map[string]string // of the graph

	places map[string]position // of the attributes of the graph
}

// A Node is a node of a text.
type Node struct {
	Key       string // unique within its flow
	Renamed   string // the key that it had before, "" if the text does not say so
	Parent    *Node  // its container; nil at the top
	Container bool
	Command   *string           // nil = it has none
	Attrs     map[string]string // all but the command, in the spelling of a workfile

	Line, Column int
	commandAt    position
	places       map[string]position // of its attributes; nil if it has none
}

// place returns the position of an attribute, or of the command as the attribute label. ok is false if the text has none.
func (n *Node) place(attr string) (at position, ok bool) {
	if attr == attrLabel {
		return n.commandAt, n.commandAt != position{}
	}
	at, ok = n.places[attr]
	return at, ok
}

// An Edge is an edge of a text.
type Edge struct {
	Source, Target *Node
	Type           graph.EdgeType
	When           string // "" = success
	Line, Column   int
}

// position is a line and a column.
type position struct{ line, column int }

// subFlow reports whether a node is a container that repeats.
func (n *Node) subFlow() bool {
	for name, value := range n.Attrs {
		if n.Container && graph.MakesSubFlow(name) && strings.TrimSpace(value) != "" {
			return true
		}
	}
	return false
}

// home returns the nearest container around a node that repeats, nil = the outer flow.
func (n *Node) home() *Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.subFlow() {
			return p
		}
	}
	return nil
}

// kind returns which attributes have a meaning on a node.
func (n *Node) kind() attribute.Element {
	switch {
	case n.subFlow():
		return attribute.SubFlow
	case !n.Container && strings.TrimSpace(n.Attrs[graph.AttrWorkfile]) != "":
		return attribute.Command | attribute.SubFlow
	case n.Container:
		return attribute.Group
	}
	return attribute.Command
}

// reader collects a workflow and what is wrong with its text.
type reader struct {
	wf       *Workflow
	mistakes Mistakes
	links    []link
	aliased  int                        // values that aliases stand for
	flow     map[*Node]map[string]*Node // nodes by key, by container that repeats
}

// Read reads a text. An error is Mistakes.
func Read(data []byte) (*Workflow, error) {
	r := &reader{wf: &Workflow{Attrs: map[string]string{}, places: map[string]position{}}, flow: map[*Node]map[string]*Node{}}
	r.read(data)
	if len(r.mistakes) > 0 {
		return nil, r.mistakes.sorted()
	}
	return r.wf, nil
}

func (r *reader) read(data []byte) {
	defer func() {
		if found := recover(); found != nil {
			if _, many := found.(tooMany); !many {
				panic(found)
			}
		}
	}()
	if !utf8.Valid(data) {
		line := 1 + bytes.Count(data[:invalidAt(data)], []byte("\n"))
		r.wrong(&yaml.Node{Line: line}, "save it as UTF-8", "the text is not UTF-8")
		return
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		r.syntax(data, err)
		return
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		r.wrong(&yaml.Node{}, "an empty workflow is nodes: {}", "the text is empty")
		return
	}
	if !r.small(&doc, 0, false) {
		return
	}
	r.root(doc.Content[0])
	if len(r.mistakes) == 0 {
		r.names()
		r.connect()
	}
}

// invalidAt returns the offset of the first byte that is not UTF-8.
func invalidAt(data []byte) (at int) {
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
	return at
}

// maxAliased limits how many values all aliases of a text may stand for together, and maxLevels how deep values may be nested:
// each container takes two levels.
const (
	maxAliased = 100_000
	maxLevels  = 2*maxNesting + maxDepth
)

// small refuses a text whose aliases stand for too much, or for themselves.
func (r *reader) small(n *yaml.Node, depth int, aliased bool) bool {
	if aliased {
		r.aliased++
	}
	switch {
	case depth > maxLevels:
		r.wrong(n, "", "values are nested more than %d deep", maxLevels)
		return false
	case r.aliased > maxAliased:
		r.wrong(n, "write the values out", "aliases stand for more than %d values", maxAliased)
		return false
	}
	for _, inner := range n.Content {
		if !r.small(inner, depth+1, aliased) {
			return false
		}
	}
	return n.Alias == nil || r.small(n.Alias, depth+1, true)
}

var yamlError = pattern.Of(`^yaml: (?:line (\d+): )?(?s:(.*))$`)

// syntax notes an error of the YAML library, at the first character of the line that it names.
func (r *reader) syntax(data []byte, err error) {
	m := yamlError.Get().FindStringSubmatch(err.Error())
	if m == nil {
		r.wrong(&yaml.Node{}, "", "%s", err)
		return
	}
	line, _ := strconv.Atoi(m[1])
	lines := strings.Split(string(data), "\n")
	line = min(max(line, 1), len(lines))
	text := lines[line-1]
	remedy := ""
	switch {
	case strings.Contains(text, "\t") && strings.TrimLeft(text, " \t") != strings.TrimLeft(text, " "):
		remedy = "indent with spaces: YAML does not allow tabs there"
	case strings.Contains(m[2], "mapping values") || strings.Contains(m[2], "did not find expected"):
		remedy = "put a text with a colon or quotes into a block: run: | and the text, indented, in the next line"
	}
	r.wrong(&yaml.Node{Line: line, Column: 1 + len(text) - len(strings.TrimLeft(text, " \t"))}, remedy, "this is not YAML: %s", m[2])
}

// entries calls read for each entry of a mapping. It notes what is no mapping, and keys that stand there twice.
func (r *reader) entries(n *yaml.Node, what, remedy string, read func(key, value *yaml.Node)) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		r.wrong(n, remedy, "%s is %s, and entries name: value are needed", what, describe(n))
		return
	}
	seen := make(map[string]int)
	if len(n.Content) <= 2*fewEntries {
		seen = nil // a search is faster
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), n.Content[i+1]
		line := seen[key.Value]
		for k := 0; seen == nil && k < i && line == 0; k += 2 {
			if earlier := resolve(n.Content[k]); earlier.Value == key.Value {
				line = earlier.Line
			}
		}
		switch {
		case key.Kind != yaml.ScalarNode || key.Value == "":
			r.wrong(key, "", "%s is no name", describe(key))
		case key.Tag == "!!merge":
			r.wrong(key, "write the entries out, or use *alias for a whole value", "<< is not understood")
		case line > 0:
			r.wrong(key, "remove one of them", "%s stands there twice, first in line %d", shortened(key.Value), line)
		default:
			if seen != nil {
				seen[key.Value] = key.Line
			}
			read(key, value)
		}
	}
}

// fewEntries is how many entries a mapping may have so that no table is made for them.
const fewEntries = 8

// resolve returns what an alias stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// describe returns words for a value in a message.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n):
		return "nothing"
	}
	return shortened(n.Value)
}

// isNull reports whether there is no value.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// shortened quotes the beginning of a text.
func shortened(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return strconv.Quote(text)
}

// otherWords are names of other programs for the nodes.
var otherWords = map[string]bool{"steps": true, "tasks": true, "services": true, "stages": true, "rules": true}

// root reads the outermost mapping.
func (r *reader) root(n *yaml.Node) {
	found := false
	const example = "nodes:, and below it NAME: COMMAND"
	r.entries(n, "the text", example, func(key, value *yaml.Node) {
		switch name := key.Value; {
		case name == wordNodes:
			found = true
			r.nodes(value, nil)
		case otherWords[name], name == "jobs" && resolve(value).Kind == yaml.MappingNode:
			r.wrong(key, "write nodes:", "the nodes of a workflow are not under %s", name)
		default:
			r.attribute(attribute.Graph, key, value, r.wf.Attrs, r.wf.places)
		}
	})
	if !found && len(r.mistakes) == 0 {
		r.wrong(n, "write "+example, "the text has no nodes")
	}
}

// attribute reads an attribute.
func (r *reader) attribute(on attribute.Element, key, value *yaml.Node, attrs map[string]string, places map[string]position) {
	name := key.Value
	a := attribute.Find(on, name)
	switch {
	case name == attrX || name == attrY:
		r.wrong(key, "remove it: the file keeps the positions of nodes", "positions are not part of the text")
		return
	case a == nil || !shown(a):
		r.unknown(on, key)
		return
	}
	text, ok := r.value(a, value)
	if !ok {
		return
	}
	attrs[name] = text
	places[name] = position{resolve(value).Line, resolve(value).Column}
	if resolve(value).Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		places[name] = position{resolve(value).Line + 1, key.Column + step}
	}
}

// wordsInstead are names that people know from other programs, with what to write instead.
var wordsInstead = map[string]string{"command": wordRun, "cmd": wordRun, "script": wordRun, "label": wordRun, "shell_command": wordRun,
	"if": "when: if:EXPR", "needs": wordAfter, "depends": wordAfter, "depends_on": wordAfter, "environment": "env", "image": "container",
	"working_directory": "cwd", "workdir": "cwd", "name": "the name as the key of the node", "steps": wordNodes, "tasks": wordNodes}

// unknown notes an attribute that has no meaning.
func (r *reader) unknown(on attribute.Element, key *yaml.Node) {
	name := key.Value
	if flaw := attribute.Judge(on, name); flaw != nil && shown(flaw.Means) {
		r.wrong(key, "", "%s", flaw.Text(on, name))
		return
	}
	if a := attribute.Find(on, name); a != nil && !a.Settable() {
		r.wrong(key, "remove it", "%s is written by runs, and not part of the text", name)
		return
	}
	if word := wordsInstead[name]; word != "" {
		r.wrong(key, "write "+word, "%s is unknown", shortened(name))
		return
	}
	names := []string{wordRun, wordAfter, wordTriggers, wordNodes, graph.AttrWhen}
	for a := range attribute.On(on) {
		names = append(names, a.Name)
	}
	remedy := "wf help attributes lists what there is; data of other programs belongs into the file: wf edit set"
	for _, word := range names {
		if slips := spelling.Slips(word, name); slips < len(word)-1 && slips <= spelling.Most {
			remedy = "did you mean " + word + "?"
			break
		}
	}
	r.wrong(key, remedy, "%s is unknown", shortened(name))
}
