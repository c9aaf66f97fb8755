package flow

import (
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
)

// tablePrefix begins a foreach whose items are the rows of a file.
const tablePrefix = "table:"

// attrKey is the attribute that names the column after which instances are called.
const attrKey = "key"

// TableFile returns the name of the file in a rendered Sub.Table.
func TableFile(rendered string) string {
	return strings.TrimSpace(strings.TrimPrefix(rendered, tablePrefix))
}

// hasTable reports whether the foreach of a container is a table.
func hasTable(n *graph.Node) bool {
	text, _ := n.Attr(graph.AttrForeach)
	return strings.HasPrefix(strings.TrimSpace(text), tablePrefix)
}

// TableOf returns the table that a container repeats its nodes for, and its key. ok is false if it has none, or if the name of
// the file is known only in a run.
func TableOf(n *graph.Node) (file, key string, ok bool) {
	text, _ := n.Attr(graph.AttrForeach)
	text = strings.TrimSpace(text)
	if !n.SubFlow() || !hasTable(n) || expression.HasTemplate(text) {
		return "", "", false
	}
	key, _ = n.Attr(attrKey)
	return TableFile(text), strings.TrimSpace(key), TableFile(text) != ""
}

// ItemVariable returns the environment variable that contains a column of the item in commands. Capitals and small letters
// stay; a character that names of variables cannot have becomes an underscore.
func ItemVariable(column string) string {
	return "WF_ITEM_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, column)
}

// table reads a foreach that begins with table:. The file is read when the container begins.
func (a *nodeReader) table(s *Sub) {
	t := a.template(graph.AttrForeach)
	if t == nil {
		return
	}
	if TableFile(t.String()) == "" {
		a.wrong(CodeSubFlow, graph.AttrForeach, "foreach is %s and names no file; write table:FILE.tsv", shown(t.String()))
		return
	}
	s.Table, s.Key = t, a.text(attrKey)
	if expression.HasTemplate(s.Key) {
		a.wrong(CodeSubFlow, attrKey, "key is %s, and it must be the name of a column; write it without ${{", shown(s.Key))
	}
}

// keyUnused warns of a key that names nothing.
func (a *nodeReader) keyUnused() {
	if _, own := a.n.Extra[attrKey]; own && a.text(attrKey) != "" && !hasTable(a.n) {
		a.warn(CodeUseless, attrKey, "key has no effect without foreach=table:FILE, whose columns it chooses from; leave it out")
	}
}
