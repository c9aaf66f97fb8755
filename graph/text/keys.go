package text

import (
	"strconv"
	"strings"

	"wf/graph"
)

// keys are the names of nodes in the text: their local names, which are unique within a flow. The flow of a node is the
// nearest container around it that repeats, or the outer flow.
type keys struct {
	of   map[*graph.Node]string
	flow map[*graph.Node]map[string]*graph.Node // by container that repeats, nil = the outer flow
}

func keysOf(g *graph.Graph) *keys {
	k := &keys{of: make(map[*graph.Node]string, len(g.Nodes())), flow: map[*graph.Node]map[string]*graph.Node{}}
	handles, local := graph.Handles(g), graph.LocalNames(g)
	for _, n := range g.Nodes() {
		name, own := local[n]
		if !own {
			name = handles.Of(n)
		}
		home := n.Home()
		if k.flow[home] == nil {
			k.flow[home] = map[string]*graph.Node{}
		}
		key := name
		for number := 2; k.flow[home][key] != nil; number++ {
			key = name + "~" + strconv.Itoa(number)
		}
		k.of[n], k.flow[home][key] = key, n
	}
	return k
}

// reference returns how a node names another one: by its key if both are in one flow, otherwise by its path.
func (k *keys) reference(from, to *graph.Node) string {
	if key := k.of[to]; from.Home() == to.Home() && !strings.HasPrefix(key, "/") {
		return key
	}
	return k.path(to)
}

// pathEscapes make a key a part of a path.
var pathEscapes = strings.NewReplacer(`\`, `\\`, "/", `\/`)

// path returns the keys of the containers around a node and its own, as in /align/trim.
func (k *keys) path(n *graph.Node) string {
	path := "/" + pathEscapes.Replace(k.of[n])
	if n.Parent != nil {
		path = k.path(n.Parent) + path
	}
	return path
}
