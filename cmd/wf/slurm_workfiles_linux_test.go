package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/executor/cluster/slurmtest"
)

var slurmWorkfiles = flag.String("slurm-workfiles", "", "compare runs of these workfiles, separated by commas, on a real Slurm and on this machine")

// TestSlurmWorkfiles runs real workfiles here and on three nodes of a Slurm. Both must have the same results.
func TestSlurmWorkfiles(t *testing.T) {
	if *slurmWorkfiles == "" {
		t.Skip("no -slurm-workfiles")
	}
	bin := filepath.Join(buildProgram(t), "wf")
	for path := range strings.SplitSeq(*slurmWorkfiles, ",") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s := newSite(t, bin, slurmtest.Config{Nodes: 3}, "")
			text, err := os.ReadFile(path)
			s.must(err)
			s.write("Workfile", string(text))
			local := s.results("local")
			cluster := s.results("hpc")
			t.Logf("%d nodes: %v here, %v on the cluster; %d calls of sbatch, %d of squeue", len(local.nodes), local.took, cluster.took,
				len(s.calls("sbatch")), len(s.calls("squeue")))
			for name, want := range local.nodes {
				if got := cluster.nodes[name]; !reflect.DeepEqual(got, want) {
					t.Errorf("%s on the cluster: %s\nhere: %s", name, asJSON(got), asJSON(want))
				}
			}
			if len(cluster.nodes) != len(local.nodes) || len(local.nodes) == 0 {
				t.Errorf("%d nodes on the cluster, %d here", len(cluster.nodes), len(local.nodes))
			}
			s.nothingLeft()
		})
	}
}

// results is what a run leaves.
type results struct {
	took  time.Duration
	nodes map[string]result // by name
}

// A result is what must not depend on where a node was executed.
type result struct {
	State      api.State
	Reason     api.Reason
	ExitCode   *int
	Executions int
	Outputs    map[string]any
	Lines      []string
}

// results runs the workfile with an executor. Each command also prints and has a value.
func (s *site) results(executor string) results {
	s.Helper()
	began := time.Now()
	s.wfOutput(0, "run", "--fresh", "--executor", executor, "--wrapper", `sh -c 'echo "out of $WF_NODE_NAME"; echo "err of $WF_NODE_NAME" >&2; echo "value=$WF_NODE_NAME" >> "$WF_OUTPUT"; {}'`)
	r := results{time.Since(began), map[string]result{}}
	var list api.NodeList
	if err := json.Unmarshal([]byte(s.wfOutput(0, "ls", "--json", "--nodes", "s:ok")), &list); err != nil {
		s.Fatal(err)
	}
	lines := map[string][]string{}
	for line := range strings.Lines(s.wfOutput(0, slices.Concat([]string{"logs", "--json"}, names(list.Nodes))...)) {
		var l api.LogLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			s.Fatal(err)
		}
		lines[l.Name] = append(lines[l.Name], fmt.Sprintf("%s: %s", l.Stream, l.Text))
	}
	for _, n := range list.Nodes {
		if (n.Engine != nil) != (executor != "local") {
			s.Errorf("%s was not executed by %s: %s", n.Name, executor, asJSON(n))
		}
		if n.Outputs["value"] != n.Name {
			s.Errorf("%s has the outputs %v with %s", n.Name, n.Outputs, executor)
		}
		r.nodes[n.Name] = result{n.State, n.Reason, n.ExitCode, n.Executions, n.Outputs, lines[n.Name]}
	}
	return r
}

func names(nodes []api.NodeStatus) (list []string) {
	for _, n := range nodes {
		list = append(list, n.Name)
	}
	return list
}
