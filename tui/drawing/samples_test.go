package drawing

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"wf/graph"
	"wf/graphml"
)

// sample builds graphs by names.
type sample struct {
	g  Graph
	at map[string]int
}

func newSample() *sample { return &sample{at: map[string]int{}} }

func (s *sample) node(name, command string, after ...string) {
	s.at[name] = len(s.g.Nodes)
	s.g.Nodes = append(s.g.Nodes, Node{ID: "id-" + name, Name: name, Command: command})
	for _, a := range after {
		s.g.Edges = append(s.g.Edges, Edge{From: s.at[a], To: s.at[name]})
	}
}

// pipeline is a typical workflow: samples go through the same steps.
// pipeline(831) has 5,028 nodes.
func pipeline(samples int) *Graph {
	s := newSample()
	s.node("fetch_ref", "curl -O ref.fa")
	s.node("index_ref", "bwa index ref.fa", "fetch_ref")
	var qc, merges []string
	for i := 1; i <= samples; i++ {
		n := func(step string) string { return fmt.Sprintf("%s_S%03d", step, i) }
		s.node(n("fastqc"), fmt.Sprintf("fastqc raw/S%03d.fq", i), "fetch_ref")
		s.node(n("trim"), fmt.Sprintf("cutadapt raw/S%03d.fq", i), "fetch_ref")
		s.node(n("align"), fmt.Sprintf("bwa mem ref.fa S%03d.fq", i), n("trim"), "index_ref")
		s.node(n("sort"), fmt.Sprintf("samtools sort S%03d.bam", i), n("align"))
		s.node(n("dedup"), fmt.Sprintf("samtools markdup S%03d.bam", i), n("sort"))
		s.node(n("call"), fmt.Sprintf("bcftools call S%03d.bam", i), n("dedup"))
		qc = append(qc, n("fastqc"))
	}
	s.node("multiqc", "multiqc .", qc...)
	for i := 0; i*25 < samples; i++ {
		var calls []string
		for k := i*25 + 1; k <= min(samples, i*25+25); k++ {
			calls = append(calls, fmt.Sprintf("call_S%03d", k))
		}
		merges = append(merges, fmt.Sprintf("merge_%02d", i))
		s.node(merges[i], fmt.Sprintf("bcftools merge part%d", i), calls...)
	}
	s.node("joint_call", "gatk joint", merges...)
	s.node("filter", "gatk filter", "joint_call")
	s.node("annotate", "vep", "filter")
	s.node("plots", "Rscript plots.R", "annotate")
	s.node("report", "quarto render", "plots", "multiqc")
	return &s.g
}

// irregular returns a random graph of n nodes with up to three predecessors each.
func irregular(n int, seed uint64) *Graph {
	words := []string{"filter", "fetch", "rank", "plot", "score", "clean", "ship", "split", "pack", "train"}
	random := rand.New(rand.NewPCG(seed, 1))
	s := newSample()
	names := []string{}
	for i := range n {
		name := fmt.Sprintf("%s_%d", words[random.IntN(len(words))], i)
		var after []string
		if i > 2 {
			for range random.IntN(3) + 1 {
				a := names[max(0, i-1-random.IntN(12))]
				if !strings.Contains(strings.Join(after, " ")+" ", a+" ") {
					after = append(after, a)
				}
			}
		}
		s.node(name, "run "+name, after...)
		names = append(names, name)
	}
	return &s.g
}

// randomGraph has edges between any nodes, from lower to higher numbers.
func randomGraph(nodes, edges int, seed uint64) *Graph {
	random := rand.New(rand.NewPCG(seed, 2))
	g := &Graph{}
	for i := range nodes {
		g.Nodes = append(g.Nodes, Node{ID: fmt.Sprint(i), Name: fmt.Sprintf("n%d", i), Command: fmt.Sprintf("c%d", i%7)})
	}
	for range edges {
		a, b := random.IntN(nodes), random.IntN(nodes)
		if a != b {
			g.Edges = append(g.Edges, Edge{From: min(a, b), To: max(a, b)})
		}
	}
	return g
}

// readWorkfile reads a graph from a GraphML file.
func readWorkfile(t testing.TB, path string) *Graph {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, file, _, err := graphml.Parse(data, graphml.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	g, at, handles := &Graph{}, map[*graph.Node]int{}, graph.Handles(file)
	for _, n := range file.Nodes() {
		if !n.Runnable() {
			continue
		}
		at[n] = len(g.Nodes)
		g.Nodes = append(g.Nodes, Node{ID: n.ID, Name: handles.Of(n), Group: n.Group, Command: n.Label})
	}
	for _, e := range file.Edges() {
		from, ok := at[e.Source]
		to, both := at[e.Target]
		if ok && both {
			g.Edges = append(g.Edges, Edge{From: from, To: to, NonBlocking: e.Type != graph.Blocking})
		}
	}
	return g
}

var (
	printFile  = flag.String("print", "", "draw this `workfile`, or a sample (pipeline:N, irregular:N), and print it: go test ./drawing -run TestPrint -v -print FILE")
	printView  = flag.String("view", "list", "how: list, graph")
	printWidth = flag.Int("columns", 100, "columns of the pane")
	printRows  = flag.Int("lines", 60, "rows of the pane")
	printASCII = flag.Bool("ascii", false, "with ASCII only")
	printZoom  = flag.Int("zoom", 0, "zoom of the graph: 0 what fits, 1 boxes, 2 names and times, 3 short names, 4 signs, 5 stages")
	printOnly  = flag.String("only", "", "show only nodes whose names begin with one of these `words`")
	printRun   = flag.Bool("running", true, "with states as in the middle of a run")
)

// named returns the sample of a name, or reads a workfile.
func named(t testing.TB, name string) *Graph {
	kind, number, _ := strings.Cut(name, ":")
	n := 0
	fmt.Sscan(number, &n)
	switch kind {
	case "pipeline":
		return pipeline(n)
	case "irregular":
		return irregular(n, 7)
	case "random":
		return randomGraph(n, n*8/5, 3)
	}
	return readWorkfile(t, name)
}

// running gives the nodes states as in the middle of a run: some failed, some run, what follows waits.
func running(g *Graph) {
	w, nodes, _ := contract(g, nil)
	for i, v := range w.rows() {
		n := &g.Nodes[nodes[v]]
		n.State = OK
		if i%17 == 16 {
			n.State, n.Detail = Failed, "exit 1 after 1.2s"
		}
		for _, a := range w.in[v] {
			switch before := g.Nodes[nodes[w.arcs[a].from]].State; {
			case before == Failed || before == Blocked:
				n.State, n.Detail = Blocked, ""
			case before != OK && n.State != Blocked:
				n.State, n.Detail = Idle, ""
			}
		}
		if n.State == OK && i > w.size/2 {
			if n.State = Queued; i%3 == 0 {
				n.State, n.Detail, n.Time = Running, "running 12s", "12s"
			}
		}
	}
}

// TestPrint prints a drawing for developers.
func TestPrint(t *testing.T) {
	if *printFile == "" {
		t.Skip("no -print FILE")
	}
	g := named(t, *printFile)
	if *printRun {
		running(g)
	}
	o := Options{Zoom: Zoom(*printZoom)}
	if *printOnly != "" {
		o.Hidden = only(g, strings.Fields(*printOnly)...)
	}
	for o.View = List; o.View.String() != *printView; o.View++ {
	}
	l := New(g, o)
	l.Show(Look{Width: *printWidth, Height: *printRows, ASCII: *printASCII})
	width, height := l.Size()
	grid := NewGrid(min(width, *printWidth), min(height, *printRows))
	l.Draw(grid, Point{})
	fmt.Printf("%d nodes, %d edges: %d x %d cells\n%s", len(g.Nodes), len(g.Edges), width, height, grid)
}

// only hides all nodes whose names do not begin with one of the words.
func only(g *Graph, words ...string) []bool {
	hidden := make([]bool, len(g.Nodes))
	for i := range g.Nodes {
		hidden[i] = true
		for _, w := range words {
			hidden[i] = hidden[i] && !strings.HasPrefix(g.Nodes[i].Name, w)
		}
	}
	return hidden
}
