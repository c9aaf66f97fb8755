package workfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wf/graph"
)

// linksOf returns the missing and shared links of a graph. A node is "name in:INPUTS out:OUTPUTS", or "name/" for a container,
// or "name*" for a sub-flow; a node in a container follows it with a leading dot. An edge is "a>b".
func linksOf(t *testing.T, lines ...string) []string {
	t.Helper()
	var nodes []graph.NodeSpec
	var edges []graph.EdgeSpec
	index, container := map[string]int{}, -1
	for _, line := range lines {
		if from, to, isEdge := strings.Cut(line, ">"); isEdge {
			edges = append(edges, graph.EdgeSpec{Key: len(edges), Source: index[from], Target: index[to]})
			continue
		}
		words := strings.Fields(line)
		name := words[0]
		spec := graph.NodeSpec{Key: len(nodes), Parent: -1, Label: "x", Extra: map[string]string{}}
		switch {
		case strings.HasSuffix(name, "/"), strings.HasSuffix(name, "*"):
			spec.Container, container = true, len(nodes)
			if strings.HasSuffix(name, "*") {
				spec.Extra["times"] = "3"
			}
			name = name[:len(name)-1]
		case strings.HasPrefix(name, "."):
			name, spec.Parent = name[1:], container
		}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, ":")
			spec.Extra[map[string]string{"in": "inputs", "out": "outputs"}[key]] = strings.ReplaceAll(value, "_", " ")
		}
		spec.ID, spec.Name, index[name] = name, name, len(nodes)
		nodes = append(nodes, spec)
	}
	g, err := graph.Build(nodes, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	links := LinksByFiles(g)
	var list []string
	for _, l := range links.Missing {
		text := fmt.Sprintf("%s>%s %s", l.Maker.ID, l.Reader.ID, l.Path)
		if l.From == nil {
			text += " no edge"
		} else if l.From != l.Maker || l.To != l.Reader {
			text += fmt.Sprintf(" by %s>%s", l.From.ID, l.To.ID)
		}
		list = append(list, text)
	}
	for _, s := range links.Shared {
		list = append(list, fmt.Sprintf("%s=%s %s", s.First.ID, s.Second.ID, s.Path))
	}
	return list
}

func TestLinksByFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"an edge", []string{"a out:x", "b in:x", "a>b"}, nil},
		{"a path", []string{"a out:x", "b", "c in:x", "a>b", "b>c"}, nil},
		{"none", []string{"a out:x", "b in:./x"}, []string{"a>b x"}},
		{"the other way", []string{"a out:x", "b in:x", "b>a"}, nil},
		{"itself", []string{"a in:x out:x"}, nil},
		{"several paths", []string{"a out:x,y", "b in:y,x"}, []string{"a>b y", "a>b x"}},
		{"a folder that is made", []string{"a out:d", "b in:d/x"}, []string{"a>b d/x"}},
		{"a folder that is read", []string{"a out:d/e/x", "b in:d"}, []string{"a>b d"}},
		{"a pattern", []string{"a out:d/x.txt", "b in:d/*.txt", "c in:d/*.csv", "e in:**/x*"}, []string{"a>b d/*.txt", "a>e **/x*"}},
		{"a pattern at the top", []string{"a out:x.txt", "b in:*.txt"}, []string{"a>b *.txt"}},
		{"the same expression", []string{"s*", ".a out:${{item}}.x", ".b in:${{item}}.x"}, []string{"a>b ${{item}}.x"}},
		{"another expression", []string{"a out:${{params.y}}.x", "b in:${{params.z}}.x"}, nil},
		{"out of a sub-flow", []string{"s*", ".a out:${{item}}", "b in:${{item}}"}, []string{"a>b ${{item}} by s>b"}},
		{"into a sub-flow", []string{"a out:x", "s*", ".b in:x"}, []string{"a>b x by a>s"}},
		{"a sub-flow before", []string{"s*", ".a out:${{item}}", "b in:${{item}}", "s>b"}, nil},
		{"a sub-flow after", []string{"a out:x", "s*", ".b in:x", "a>s"}, nil},
		{"a group before", []string{"s/", ".a out:x", "b in:x", "s>b"}, nil},
		{"beside in a group", []string{"s/", ".a out:x", ".b in:x"}, []string{"a>b x"}},
		{"before the group of both", []string{"s/", ".a out:x", ".b in:x", "c", "c>s"}, []string{"a>b x"}},
		{"two makers", []string{"a out:x", "b out:x", "c in:x", "a>c"}, []string{"b>c x", "a=b x"}},
		{"all instances", []string{"s*", ".a out:x"}, []string{"a=a x"}},
	} {
		if got := linksOf(t, c.lines...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestManyLinks: 20,000 nodes in chains by files, without edges, take a second at most.
func TestManyLinks(t *testing.T) {
	var nodes []graph.NodeSpec
	for i := range 20_000 {
		nodes = append(nodes, graph.NodeSpec{Key: i, ID: fmt.Sprint("n", i), Parent: -1, Label: "x",
			Extra: map[string]string{"inputs": fmt.Sprint("d/f", i), "outputs": fmt.Sprint("d/f", i+1)}})
	}
	g, err := graph.Build(nodes, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if links := LinksByFiles(g); len(links.Missing) != 19_999 || links.GivenUp {
		t.Errorf("%d links, given up %t", len(links.Missing), links.GivenUp)
	}
}
