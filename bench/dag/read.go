package dag

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"wf/cmd/wf/convert"
	"wf/graphml"
)

// ReadFile reads a recorded workflow of WfCommons (.json, WfFormat 1.3 and later) or a workfile (any other
// name), of which it uses the commands, the wrapper and the blocking edges.
func ReadFile(path string) (*Graph, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	read := readWorkfile
	if filepath.Ext(path) == ".json" {
		read = readWfFormat
	}
	g, err := read(data)
	if err == nil {
		_, err = g.levels()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

func readWorkfile(data []byte) (*Graph, error) {
	_, wf, _, err := graphml.Parse(data, graphml.Limits{})
	if err != nil {
		return nil, err
	}
	wrapper, _ := wf.Attr("wrapper")
	g := &Graph{Wrapper: wrapper}
	at := make(map[string]int)
	for _, n := range wf.Nodes() {
		if n.Runnable() {
			at[n.ID] = len(g.Nodes)
			g.Nodes = append(g.Nodes, Node{ID: n.ID, Command: n.Label})
		}
	}
	for _, e := range wf.Edges() {
		if kind, _ := e.Attr("edge_type"); kind != "" && kind != "blocking" {
			return nil, fmt.Errorf("edge %s -> %s is %s: neither ninja nor make has such edges", e.Source.ID, e.Target.ID, kind)
		}
		i, ok := at[e.Target.ID]
		p, okSource := at[e.Source.ID]
		if !ok || !okSource {
			return nil, fmt.Errorf("edge %s -> %s has a container at its end", e.Source.ID, e.Target.ID)
		}
		g.Nodes[i].After = append(g.Nodes[i].After, p)
	}
	return g, nil
}

// secondsPerSecond is how much faster a recorded task is repeated.
const secondsPerSecond = 1000

// readWfFormat makes each task a sleep of a thousandth of its recorded time.
func readWfFormat(data []byte) (*Graph, error) {
	flow, err := convert.Import("wfcommons", data, convert.Options{})
	if err != nil {
		return nil, err
	}
	g := &Graph{}
	at := make(map[string]int)
	for i, n := range flow.Nodes {
		at[n.ID] = i
		seconds, _ := strconv.ParseFloat(n.Attrs["runtime"], 64) // 0 if it was not recorded
		g.Nodes = append(g.Nodes, Node{ID: n.ID, Command: fmt.Sprintf("sleep %.3f # %s", seconds/secondsPerSecond, n.ID)})
	}
	for _, e := range flow.Edges {
		target := &g.Nodes[at[e.Target]]
		target.After = append(target.After, at[e.Source])
	}
	return g, nil
}
