package text

import (
	"maps"
	"slices"
	"strings"

	"wf/graph"
	"wf/graph/attribute"
)

// match finds the existing nodes of the nodes of the text.
func (l *layer) match() {
	l.taken = map[*graph.Node]bool{}
	l.matchRenamed()
	l.matchKeys()
	if len(l.was) == len(l.wf.Nodes) {
		return
	}
	l.matchContainers()
	l.matchKeys()
	l.matchMoved()
	l.matchContent()
}

func (l *layer) take(n *Node, was *graph.Node) { l.was[n], l.taken[was] = was, true }

// matchRenamed follows what the text says about earlier keys.
func (l *layer) matchRenamed() {
	if !slices.ContainsFunc(l.wf.Nodes, func(n *Node) bool { return n.Renamed != "" }) {
		return
	}
	byKey := map[string][]*graph.Node{}
	for _, was := range l.g.Nodes() {
		for _, name := range []string{l.keys.of[was], l.keys.path(was)} {
			byKey[name] = append(byKey[name], was)
		}
	}
	for _, n := range l.wf.Nodes {
		if n.Renamed == "" {
			continue
		}
		list := byKey[n.Renamed]
		switch {
		case len(list) == 0:
			l.wrong(n.Line, n.Column, "remove renamed, or write the name that it had", "there was no node "+shortened(n.Renamed))
		case len(list) > 1:
			l.wrong(n.Line, n.Column, "write its path: "+l.keys.path(list[0]), "several nodes had the name "+shortened(n.Renamed))
		case l.taken[list[0]]:
			l.wrong(n.Line, n.Column, "only one of them can be it", "two nodes were "+shortened(n.Renamed))
		default:
			l.take(n, list[0])
		}
	}
}

// matchKeys matches nodes with equal keys in corresponding flows, or with equal paths.
func (l *layer) matchKeys() {
	var paths map[string]*graph.Node // made when a key does not help
	for _, n := range l.wf.Nodes {   // containers come before the nodes inside
		if l.was[n] != nil {
			continue
		}
		var was *graph.Node
		if home := n.home(); home == nil || l.was[home] != nil {
			was = l.keys.flow[l.was[home]][n.Key]
		}
		if was == nil || l.taken[was] {
			if paths == nil {
				paths = make(map[string]*graph.Node, len(l.g.Nodes()))
				for _, other := range l.g.Nodes() {
					paths[l.keys.path(other)] = other
				}
			}
			was = paths[n.path()]
		}
		if was != nil && !l.taken[was] {
			l.take(n, was)
		}
	}
}

// matchContainers matches containers with other names by the keys of what is inside.
func (l *layer) matchContainers() {
	inside, within := map[*Node][]string{}, map[*graph.Node][]string{}
	for _, n := range l.wf.Nodes {
		inside[n.Parent] = append(inside[n.Parent], n.Key)
	}
	for _, was := range l.g.Nodes() {
		within[was.Parent] = append(within[was.Parent], l.keys.of[was])
	}
	content := func(keys []string, parent *graph.Node) string {
		id := ""
		if parent != nil {
			id = parent.ID
		}
		keys = slices.Sorted(slices.Values(keys))
		return id + "\x00" + strings.Join(keys, "\x00")
	}
	l.matchEqual(
		func(n *Node) string {
			if !n.Container || len(inside[n]) == 0 || n.Parent != nil && l.was[n.Parent] == nil {
				return ""
			}
			return content(inside[n], l.was[n.Parent])
		},
		func(was *graph.Node) string {
			if !was.Container {
				return ""
			}
			return content(within[was], was.Parent)
		})
}

// matchMoved matches nodes that lie in another container and kept their key.
func (l *layer) matchMoved() {
	l.matchEqual(func(n *Node) string { return n.Key }, func(was *graph.Node) string { return l.keys.of[was] })
}

// matchContent matches commands with other names and equal content.
func (l *layer) matchContent() {
	l.matchEqual(
		func(n *Node) string {
			if n.Container || n.Command == nil || *n.Command == "" {
				return ""
			}
			return *n.Command + content(n.Attrs)
		},
		func(was *graph.Node) string {
			if was.Container || was.NoCommand {
				return ""
			}
			attrs := map[string]string{}
			for a := range attribute.On(kindOf(was)) {
				if value, _ := was.Attr(a.Name); value != "" && shown(a) {
					attrs[a.Name] = value
				}
			}
			return was.Label + content(attrs)
		})
}

// content returns attributes as one text.
func content(attrs map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		b.WriteString("\x00" + name + "\x00" + attrs[name])
	}
	return b.String()
}

// matchEqual matches what is left over if two nodes have the same mark, and no other node of their side has it. The mark ""
// matches nothing.
func (l *layer) matchEqual(mark func(*Node) string, markWas func(*graph.Node) string) {
	news, olds := map[string][]*Node{}, map[string][]*graph.Node{}
	for _, n := range l.wf.Nodes {
		if l.was[n] == nil {
			news[mark(n)] = append(news[mark(n)], n)
		}
	}
	if len(news) == 0 {
		return
	}
	for _, was := range l.g.Nodes() {
		if !l.taken[was] {
			olds[markWas(was)] = append(olds[markWas(was)], was)
		}
	}
	for m, n := range news {
		if was := olds[m]; m != "" && len(n) == 1 && len(was) == 1 {
			l.take(n[0], was[0])
		}
	}
}
