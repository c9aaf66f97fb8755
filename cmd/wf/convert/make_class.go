package convert

import (
	"path"
	"slices"
	"strings"

	"wf/graph/pattern"
)

// fewestInstances is how many targets of a recipe become instances of a sub-flow; fewer stay nodes.
const fewestInstances = 3

// A makeClass is the nodes that one recipe makes for different items: build/a.o and build/b.o for a and b.
type makeClass struct {
	name    string // the target with % for the item
	nodes   []*makeNode
	inner   string   // the name of its node in the container
	items   []string // of nodes
	command string   // with $WF_ITEM
	at      string   // where the recipe is
	bundle  *makeBundle
}

// A makeBundle is what becomes a container with foreach: the classes that have the same items and belong together.
type makeBundle struct {
	id      string
	items   []string
	classes []*makeClass
	emitted bool
}

// bundles finds nodes that differ in one word, and makes them instances of sub-flows. The nodes of a recipe stay nodes if
// something outside waits for some of them only, or if some of them wait for something for which others do not.
func (r *makeReader) bundles() {
	if r.opt.Flat || !r.shell.posix {
		return
	}
	classes := r.classes()
	for {
		r.assign(classes)
		wrong := r.uneven(classes)
		if wrong == nil {
			wrong = r.cyclic()
		}
		if wrong == nil {
			break
		}
		classes = slices.DeleteFunc(classes, func(c *makeClass) bool { return c.bundle == wrong })
	}
	r.nameBundles(classes)
}

// classes returns the recipes that make several targets which differ in one word.
func (r *makeReader) classes() (classes []*makeClass) {
	byPlace := map[string]*makeClass{}
	var all []*makeClass
	for _, n := range r.nodes {
		if n.job == nil {
			continue
		}
		at := r.at(n.job) + "\x00" + path.Ext(n.id)
		c := byPlace[at]
		if c == nil {
			c = &makeClass{at: r.at(n.job)}
			byPlace[at] = c
			all = append(all, c)
		}
		c.nodes = append(c.nodes, n)
	}
	for _, c := range all {
		if len(c.nodes) >= fewestInstances && c.findItems() && c.findCommand() {
			classes = append(classes, c)
		}
	}
	return classes
}

// instanceName matches items that can stand in a command without quotes.
var instanceName = pattern.Of(`^[A-Za-z0-9_.+@=-]+$`)

// findItems finds what differs in the targets: what is left of them without their common start and end, where these end
// with a word.
func (c *makeClass) findItems() bool {
	first := c.nodes[0].id
	start, end := len(first), len(first)
	for _, n := range c.nodes[1:] {
		start, end = min(start, commonStart(first, n.id)), min(end, commonEnd(first, n.id))
	}
	for start > 0 && isWordByte(first[start-1]) {
		start--
	}
	for end > 0 && isWordByte(first[len(first)-end]) {
		end--
	}
	seen := map[string]bool{}
	for _, n := range c.nodes {
		if start+end >= len(n.id) {
			return false
		}
		item := n.id[start : len(n.id)-end]
		if seen[item] || !instanceName.Get().MatchString(item) {
			return false
		}
		seen[item] = true
		c.items = append(c.items, item)
	}
	c.name = first[:start] + "%" + first[len(first)-end:]
	return true
}

func commonStart(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonEnd(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// itemMark stands for the item while a command is compared with others.
const itemMark = "wfItemMark"

// blanksOrWord matches words and what is between them.
var blanksOrWord = pattern.Of(`\s+|\S+`)

// findCommand finds the command that the items make those of all nodes.
func (c *makeClass) findCommand() bool {
	first := blanksOrWord.Get().FindAllString(c.nodes[0].command, -1)
	others := make([][]string, len(c.nodes))
	for i, n := range c.nodes {
		if others[i] = blanksOrWord.Get().FindAllString(n.command, -1); len(others[i]) != len(first) {
			return false
		}
	}
	var command strings.Builder
	for k, word := range first {
		form, ok := c.wordForm(word, func(i int) string { return others[i][k] })
		if !ok {
			return false
		}
		command.WriteString(form)
	}
	text, ok := fillShell(command.String(), itemMark, "WF_ITEM", false)
	c.command = text
	return ok
}

// wordForm returns a word of the first command with a mark for its item, so that other items give the words of the
// other commands.
func (c *makeClass) wordForm(word string, of func(i int) string) (form string, ok bool) {
	item := c.items[0]
	forms := []string{word}
	if strings.Contains(word, item) {
		last := strings.LastIndex(word, item)
		forms = append(forms, strings.ReplaceAll(word, item, itemMark), strings.Replace(word, item, itemMark, 1),
			word[:last]+itemMark+word[last+len(item):])
	}
	for _, form := range forms {
		fits := true
		for i := range c.nodes {
			fits = fits && strings.ReplaceAll(form, itemMark, c.items[i]) == of(i)
		}
		if fits {
			return form, true
		}
	}
	return "", false
}
