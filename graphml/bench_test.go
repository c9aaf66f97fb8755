package graphml

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// large returns a workfile in the style of Python Workforce. With 100,000 nodes and 250,000 edges it
// has about 70 MB, with short ids 48 MB.
func large(nodes, edges int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	id := func(i int) string { return fmt.Sprintf("node-%08x-%06d", uint32(i)*2654435761, i) }
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="graph" attr.name="wrapper" attr.type="string"/>
  <key id="d1" for="node" attr.name="label" attr.type="string"/>
  <key id="d2" for="node" attr.name="status" attr.type="string"/>
  <key id="d3" for="node" attr.name="x" attr.type="double"/>
  <key id="d4" for="node" attr.name="y" attr.type="double"/>
  <key id="d5" for="edge" attr.name="edge_type" attr.type="string"/>
  <graph edgedefault="directed">
`)
	for i := range nodes {
		fmt.Fprintf(&b, "    <node id=%q>\n      <data key=\"d1\">sleep 0.1 &amp;&amp; echo %d</data>\n      <data key=\"d2\"></data>\n"+
			"      <data key=\"d3\">%d.5</data>\n      <data key=\"d4\">%d.25</data>\n    </node>\n", id(i), i, i%1000, i/1000)
	}
	for range edges {
		to := 1 + rnd.IntN(nodes-1)
		fmt.Fprintf(&b, "    <edge source=%q target=%q>\n      <data key=\"d5\">blocking</data>\n    </edge>\n", id(rnd.IntN(to)), id(to))
	}
	b.WriteString("  </graph>\n</graphml>\n")
	return b.Bytes()
}

func BenchmarkParse(b *testing.B) {
	data := large(100_000, 250_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, _, err := Parse(data, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScan measures the part of Parse that reads bytes, without making a graph.
func BenchmarkScan(b *testing.B) {
	data := large(100_000, 250_000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := newScanner(data, Limits{}.withDefaults()).scan(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSetNode changes one status in a large file; a run does this three times per node.
func BenchmarkSetNode(b *testing.B) {
	d, g, _, err := Parse(large(100_000, 250_000), Limits{})
	if err != nil {
		b.Fatal(err)
	}
	nodes, words := g.Nodes(), []string{"run", "running", "ran", ""}
	i := 0
	for b.Loop() {
		if err := d.SetNode(nodes[i%len(nodes)].ID, "status", words[i/len(nodes)%len(words)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkRender saves after some nodes got a status and an output.
func BenchmarkRender(b *testing.B) {
	for _, changed := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(changed), func(b *testing.B) {
			d, g, _, err := Parse(large(100_000, 250_000), Limits{})
			if err != nil {
				b.Fatal(err)
			}
			for i, n := range g.Nodes() {
				if i%(100_000/changed) == 0 {
					d.SetNode(n.ID, "status", "ran")
					d.SetNode(n.ID, "stdout", "one line\n")
				}
			}
			for b.Loop() {
				d.Render()
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	d, g, _, err := Parse(large(100_000, 250_000), Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range g.Nodes() {
		d.SetNode(n.ID, "status", "ran")
	}
	pieces := d.Render()
	b.SetBytes(pieces.Size())
	for b.Loop() {
		if _, err := pieces.WriteTo(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSanitize(b *testing.B) {
	output := []byte(strings.Repeat("\x1b[32mok\x1b[0m some line of output\n", 500))
	b.SetBytes(int64(len(output)))
	for b.Loop() {
		Sanitize(output, 4096, 0, "n")
	}
}
