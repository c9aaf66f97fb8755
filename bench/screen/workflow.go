package main

import (
	"fmt"
	"os"
	"path/filepath"

	"wf/api"
	"wf/bench/dag"
)

// steps of the pipeline for each sample.
var steps = []struct{ name, command string }{
	{"fastqc", "fastqc -o qc raw/%[1]s.fq"},
	{"trim", "cutadapt -a file:adapters.fa -o trimmed/%[1]s.fq raw/%[1]s.fq"},
	{"align", "bwa mem ref.fa trimmed/%[1]s.fq > %[1]s.sam"},
	{"sort", "samtools sort -o sorted/%[1]s.bam %[1]s.sam"},
	{"dedup", "samtools rmdup sorted/%[1]s.bam dedup/%[1]s.bam"},
	{"call", "bcftools call -o calls/%[1]s.vcf dedup/%[1]s.bam"},
}

// pipeline returns a typical large workflow: some preparation, the same steps for each of many samples,
// and nodes that gather the results.
func pipeline(n int) *dag.Graph {
	g := &dag.Graph{}
	add := func(id, command string, after ...int) int {
		g.Nodes = append(g.Nodes, dag.Node{ID: id, Command: command, After: after})
		return len(g.Nodes) - 1
	}
	index := add("index_ref", "bwa index ref.fa", add("fetch_ref", "curl -o ref.fa https://example.org/ref.fa"))
	var calls, quality []int
	for sample := 1; len(g.Nodes)+len(steps)+2 <= max(n, len(steps)+4); sample++ {
		name := fmt.Sprintf("S%04d", sample)
		var last int
		for i, s := range steps {
			after := []int{last}
			switch i {
			case 0, 1:
				after = nil
			case 2:
				after = []int{index, last}
			}
			last = add(s.name+"_"+name, fmt.Sprintf(s.command, name), after...)
			if i == 0 {
				quality = append(quality, last)
			}
		}
		calls = append(calls, last)
	}
	add("multiqc", "multiqc qc", quality...)
	add("joint_call", "bcftools merge -o all.vcf calls", calls...)
	return g
}

// graph returns the workflow for the API.
func (b *bench) graph() (*dag.Graph, error) {
	if b.shape == "pipeline" {
		return pipeline(b.nodes), nil
	}
	return dag.New(b.shape, b.nodes, "true", b.seed)
}

// workfile writes it, with commands that end at once.
func (b *bench) workfile() (string, error) {
	dir, err := os.MkdirTemp(b.dir, "w")
	if err != nil {
		return "", err
	}
	g, err := b.graph()
	if err != nil {
		return "", err
	}
	g.Wrapper = "true {}"
	path := filepath.Join(dir, "Workfile")
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	if err := g.Write(f, "workfile"); err != nil {
		return "", err
	}
	return path, f.Close()
}

// status returns the workflow as a daemon describes it, with a run in progress.
func status(g *dag.Graph, path string) api.Status {
	s := api.Status{Schema: api.SchemaStatus, Workfile: path, Workspace: workspaceID, ActiveRuns: []string{runID},
		Runs: []api.RunSummary{{Run: runID, Mode: api.ModeFresh, Nodes: len(g.Nodes), Started: began}}}
	for i, n := range g.Nodes {
		s.Nodes = append(s.Nodes, api.NodeStatus{ID: n.ID, Name: n.ID, Command: n.Command, State: api.StateIdle, Run: runID})
		for _, from := range n.After {
			s.Edges = append(s.Edges, api.EdgeStatus{Key: len(s.Edges), ID: fmt.Sprintf("e%d", len(s.Edges)),
				Source: g.Nodes[from].ID, Target: g.Nodes[i].ID, Type: "blocking"})
		}
	}
	return s
}
