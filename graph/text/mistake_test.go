package text_test

import (
	"errors"
	"strings"
	"testing"

	"wf/graph"
	"wf/graph/text"
)

// TestMistakes checks the place, the message and the remedy of mistakes.
func TestMistakes(t *testing.T) {
	for source, want := range map[string]string{
		"":                                                "1:1 the text is empty; an empty workflow is nodes: {}",
		"# only\n":                                        "1:1 the text is empty; an empty workflow is nodes: {}",
		"nodes: \xff":                                     "1:1 the text is not UTF-8; save it as UTF-8",
		"- a":                                             "1:1 the text is a list, and entries name: value are needed; nodes:, and below it NAME: COMMAND",
		"jobs: 2\n":                                       "1:1 the text has no nodes; write nodes:, and below it NAME: COMMAND",
		"steps: []":                                       "1:1 the nodes of a workflow are not under steps; write nodes:",
		"jobs:\n  a: {run: x}\n":                          "1:1 the nodes of a workflow are not under jobs; write nodes:",
		"nodes:\n\ta: x":                                  "2:2 this is not YAML: found character that cannot start any token; indent with spaces: YAML does not allow tabs there",
		"nodes:\n  a: b: c\n":                             "2:3 this is not YAML: mapping values are not allowed in this context; put a text with a colon or quotes into a block: run: | and the text, indented, in the next line",
		"nodes: {a: x, a: y}":                             `1:15 "a" stands there twice, first in line 1; remove one of them`,
		"nodes:\n  a: [x]":                                `2:6 "a" is a list, and a node is a command or a mapping; write one command, in several lines behind run: |`,
		"nodes:\n  a: {run: [x]}":                         "2:12 a command is a text, and not a list; write one command, in several lines behind run: |",
		"nodes:\n  a: {<<: {run: x}}":                     "2:7 << is not understood; write the entries out, or use *alias for a whole value",
		"nodes:\n  a: {run: x, retires: 3}":               "2:15 retires is unknown; did you mean retries?",
		"nodes:\n  a: {run: x, command: y}":               "2:15 command is written by runs, and not part of the text; remove it",
		"nodes:\n  a: {run: x, status: ran}":              "2:15 status is written by runs, and not part of the text; remove it",
		"nodes:\n  a: {run: x, x: 3}":                     "2:15 positions are not part of the text; remove it: the file keeps the positions of nodes",
		"nodes:\n  a: {cmd: x}":                           `2:7 "cmd" is unknown; write run`,
		"nodes:\n  a: {run: x, runn: y}":                  `2:15 "runn" is unknown; did you mean run?`,
		"nodes:\n  a: {run: x, if: y}":                    `2:15 "if" is unknown; write when: if:EXPR`,
		"nodes:\n  a: {run: x, color: red}":               `2:15 "color" is unknown; wf help attributes lists what there is; data of other programs belongs into the file: wf edit set`,
		"nodes:\n  a: {run: x, foreach: [a]}":             "2:15 foreach has no effect on a command; it belongs on a container; put the node into a container: nodes: below it",
		"nodes:\n  a: {retries: 3, nodes: {}}":            "2:7 retries has no effect on a container that does not repeat; add foreach, times, while or until, or write it on the nodes inside",
		"nodes:\n  a: {run: x, retries: }":                "2:24 retries has no value; remove it, or write a value: how often the node is repeated if it fails",
		"nodes:\n  a: {run: x, timeout: [1]}":             "2:24 timeout is a list, and a text is needed; 30s, 2h, 1d: the node fails if it takes longer",
		"nodes:\n  a: {run: x, env: {a b: c}}":            `2:21 "a b" is no name of a variable; use letters, digits and _`,
		"nodes:\n  a: {run: x, after: fetsh}\n  fetch: y": `2:22 there is no node "fetsh"; did you mean fetch?`,
		"nodes:\n  a: {run: x, when: done}":               "2:21 when is the condition of the edges to a node, and this node waits for none; add after: NAME",
		"nodes:\n  a: {run: x, after: {a: [b]}}":          "2:26 a condition is a text, and not a list; write one condition: success, failure, done, exit:2, case:NAME, if:EXPR or else",
		"nodes:\n  a: {run: x, after: {a: {condition: service_started}}}": `2:38 the condition "service_started" is unknown; write when: with success, failure, done, exit:2, case:NAME, if:EXPR or else`,
		"nodes:\n  c: {times: 2, nodes: {i: x}}\n  a: {run: x, after: i}": `3:22 "i" lies in the container "c", which repeats, and no edge crosses its border; name the container: c`,
		"nodes:\n  o: x\n  c: {times: 2, nodes: {i: {run: x, after: o}}}": `3:44 "o" lies outside of the container "c", which repeats, and no edge crosses its border; put the edge on the container c`,
		"nodes:\n  g: {nodes: {a: x}}\n  a: y":                            `3:3 "a" is the name of another node, too, in line 2; choose another name for one of them`,
		"nodes:\n  \"a\\nb\": x":                                          `2:3 "a\nb" is no name: it has control characters, or spaces around it`,
	} {
		_, err := text.Read([]byte(source))
		var mistakes text.Mistakes
		if !errors.As(err, &mistakes) {
			t.Errorf("%q: %v", source, err)
			continue
		}
		got := strings.Replace(strings.Replace(mistakes[0].String(), "line ", "", 1), ", column ", ":", 1)
		if got = strings.Replace(got, ": ", " ", 1); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", source, got, want)
		}
	}
}

// TestManyMistakes checks that all mistakes of a text are found together, by line.
func TestManyMistakes(t *testing.T) {
	_, err := text.Read([]byte("nodes:\n  a: {x: 1, status: b}\n  b: [c]\n" + strings.Repeat("  c: d\n", 50)))
	var mistakes text.Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) != 20 || mistakes[0].Line != 2 || mistakes[2].Line != 3 || mistakes[3].Line != 5 {
		t.Errorf("%v", err)
	}
}

// TestOver checks what a text changes in an existing workflow: by the text of the result, and by what the text does not show.
func TestOver(t *testing.T) {
	spec := func(id, name, label string, parent int) graph.NodeSpec {
		return graph.NodeSpec{ID: id, Key: graph.NewKey, Parent: parent, Name: name, Label: label, HasLabel: label != "", Container: label == "",
			X: "10", Y: "20", Status: "ran", Extra: map[string]string{"color": "red"}}
	}
	g, err := graph.Build([]graph.NodeSpec{spec("1", "a", "make a", -1), spec("2", "box", "", -1), spec("3", "b", "make b", 1)},
		[]graph.EdgeSpec{{Key: graph.NewKey, Source: 0, Target: 2, Extra: map[string]string{"weight": "3"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{ // by node of the text: its id, and its position if it is new
		"nodes: {a: make a, box: {nodes: {b: make b}}}":                    "1 2 3",
		"nodes: {z: make a, box: {nodes: {b: make b}}}":                    "1 2 3",
		"nodes: {z: {run: make z, renamed: a}, box: {nodes: {b: make b}}}": "1 2 3",
		"nodes: {z: make z, box: {nodes: {b: make b}}}":                    "new@10,100 2 3",
		"nodes: {a: make a, crate: {nodes: {b: make b}}}":                  "1 2 3",
		"nodes: {a: make a, box: {nodes: {}}, b: make b}":                  "1 2 3",
		"nodes: {a: make b, box: {nodes: {b: make a}}}":                    "1 2 3",
		"nodes: {a: make a, n: {run: x, after: a}, m: {run: y, after: n}}": "1 new@210,20 new@410,20",
		"nodes: {n: {run: x}, a: {run: make a, after: n}}":                 "new@-190,20 1",
	} {
		l, err := read(t, []byte(source)).Over(g, func(*text.Node) string { return "new" + graph.NewID() })
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		var got []string
		for _, n := range l.Graph.Nodes() {
			if strings.HasPrefix(n.ID, "new") {
				got = append(got, "new@"+n.X+","+n.Y)
				continue
			}
			if n.Extra["color"] != "red" || n.Status != graph.Ran || n.X != "10" {
				t.Errorf("%s: %s lost something: %+v", source, n.ID, n)
			}
			got = append(got, n.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", source, got, want)
		}
	}
	if _, err := read(t, []byte("nodes: {a: make a, c: {run: x, renamed: nobody}, d: \"\\x01\"}")).Over(g, keyAsID); err == nil ||
		!strings.Contains(err.Error(), `there was no node "nobody"`) || !strings.Contains(err.Error(), "a workfile cannot hold") {
		t.Errorf("%v", err)
	}
}

func keyAsID(n *text.Node) string { return n.Key }
