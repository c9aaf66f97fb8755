package dag

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

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

// wfTask is a task of WfFormat. Version 1.5 splits it into a specification and an execution with the same
// id; before, one object contained both.
type wfTask struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Parents  []string `json:"parents"`
	Children []string `json:"children"`
	Seconds  float64  `json:"runtimeInSeconds"`
	Runtime  float64  `json:"runtime"` // 1.3
}

type wfInstance struct {
	Workflow struct {
		Tasks         []wfTask `json:"tasks"`
		Specification struct {
			Tasks []wfTask `json:"tasks"`
		} `json:"specification"`
		Execution struct {
			Tasks []wfTask `json:"tasks"`
		} `json:"execution"`
	} `json:"workflow"`
}

// secondsPerSecond is how much faster a recorded task is repeated.
const secondsPerSecond = 1000

// readWfFormat makes each task a sleep of a thousandth of its recorded time.
func readWfFormat(data []byte) (*Graph, error) {
	var w wfInstance
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, err
	}
	tasks := append(w.Workflow.Specification.Tasks, w.Workflow.Tasks...)
	if len(tasks) == 0 {
		return nil, fmt.Errorf("no tasks in workflow.specification nor in workflow")
	}
	took := make(map[string]float64)
	for _, t := range w.Workflow.Execution.Tasks {
		took[t.ID] = t.Seconds
	}
	g := &Graph{}
	at := make(map[string]int)
	for i, t := range tasks {
		id := t.ID
		if id == "" {
			id = t.Name
		}
		at[id] = i
		seconds := max(t.Seconds, t.Runtime, took[id])
		g.Nodes = append(g.Nodes, Node{ID: id, Command: fmt.Sprintf("sleep %.3f # %s", seconds/secondsPerSecond, id)})
	}
	for i, t := range tasks { // old versions name parents; ids take precedence
		if _, taken := at[t.Name]; !taken {
			at[t.Name] = i
		}
	}
	return g, g.connect(tasks, at)
}

// connect adds the edges, which may be listed at either end or at both.
func (g *Graph) connect(tasks []wfTask, at map[string]int) error {
	seen := make(map[[2]int]bool)
	add := func(from, to int) {
		if !seen[[2]int{from, to}] {
			seen[[2]int{from, to}] = true
			g.Nodes[to].After = append(g.Nodes[to].After, from)
		}
	}
	for i, t := range tasks {
		for _, name := range t.Parents {
			p, ok := at[name]
			if !ok {
				return fmt.Errorf("task %s: no parent %q", g.Nodes[i].ID, name)
			}
			add(p, i)
		}
		for _, name := range t.Children {
			c, ok := at[name]
			if !ok {
				return fmt.Errorf("task %s: no child %q", g.Nodes[i].ID, name)
			}
			add(i, c)
		}
	}
	return nil
}
