package graph

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCommandWord(t *testing.T) {
	for _, test := range []struct{ command, want string }{
		{"python3 scripts/format_beta.py x", "format_beta"},
		{"echo one", "echo"},
		{"", ""},
		{"   \n\t", ""},
		{"# align the reads\n# of a sample\nbwa mem ref.fa r1.fq", "bwa"},
		{"#!/bin/bash\nset -euo pipefail\nsamtools sort in.bam", "samtools"},
		{"THREADS=4 LANG=C sort file", "sort"},
		{"cd work && ./run.sh --all", "run"},
		{"cd 'a b; c'; make all", "make"},
		{"cd only", "cd"},
		{"env -u HOME A=1 /usr/bin/gzip -9 x", "gzip"},
		{"sudo -u alice nice -n 10 nohup tar cf x.tar x", "tar"},
		{"timeout -k 5 60 curl https://example.org", "curl"},
		{"exec time -p ./a.out", "a.out"},
		{"bash -c '. env.sh && trim --fast'", "trim"},
		{`sh -lc "python -u tools/merge.py"`, "merge"},
		{"bash -e job.sh", "job"},
		{"python3.12 -m http.server 80", "http.server"},
		{"python3 - <<EOF\nprint(1)\nEOF", "python3"},
		{"python3", "python3"},
		{"Rscript --vanilla plots/fig1.R", "fig1"},
		{"perl -ne 'print if /x/' file", "print"},
		{"node index.mjs", "index"},
		{"for f in *.txt; do wc -l $f; done", "wc"},
		{"[ -f done ] || touch done", "touch"},
		{"if test -f x; then\n  unzip x\nfi", "unzip"},
		{"(cd sub; cmake ..)", "cmake"},
		{"'my tool' --x", "my tool"},
		{`my\ tool`, "my tool"},
		{"echo \\\n  hello", "echo"},
		{".py", ".py"},
		{"/", ""},
		{"'unfinished", "unfinished"},
		{"export A=1\nsource env\nconverge", "converge"},
		{"bash -c", "bash"},
		{"bash -c ''", "bash"},
	} {
		if got := commandWord(test.command); got != test.want {
			t.Errorf("%q: %q, want %q", test.command, got, test.want)
		}
	}
}

func TestHandles(t *testing.T) {
	var specs []NodeSpec
	for i, n := range []struct{ name, label string }{
		{"", "sort a"},
		{"", "python3 sort.py"},
		{"sort", "x"}, // a name gets the bare word, though it comes later
		{"sort", "y"},
		{"sort~2", "z"}, // and so does a name that looks like a number of ours
		{" two words ", "q"},
		{"", ""},
		{"", "größe"},
		{"", strings.Repeat("long", 100)},
		{"", "node x.js; echo"},
		{"", "'' x"},
		{"", "true"},
		{"", "true"},
	} {
		specs = append(specs, NodeSpec{ID: "id" + strconv.Itoa(i), Key: NewKey, Parent: -1, Name: n.name, Label: n.label})
	}
	g, err := Build(specs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"sort~4", "sort~5", "sort", "sort~3", "sort~2", "two words", "node", "gr__e",
		strings.Repeat("long", 16), "x", "x~2", "true", "true~2",
	}
	table := Handles(g)
	for i, n := range g.Nodes() {
		if got := table.Of(n); got != want[i] {
			t.Errorf("node %d: %q, want %q", i, got, want[i])
		}
	}
}

func TestHandlesAreUnique(t *testing.T) {
	nodes, edges := large(20_000)
	g, err := Build(nodes, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	table, seen := Handles(g), map[string]bool{}
	for _, n := range g.Nodes() {
		h := table.Of(n)
		if found, err := table.Find(h); h == "" || seen[h] || err != nil || len(found) != 1 || found[0] != n {
			t.Fatalf("handle %q of node %s: twice %v, finds %s, %v", h, n.ID, seen[h], ids(found), err)
		}
		seen[h] = true
	}
}

func BenchmarkHandles(b *testing.B) {
	nodes, edges := large(100_000)
	g, err := Build(nodes, edges, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Handles(g)
	}
	b.ReportMetric(float64(b.Elapsed()/time.Duration(b.N))/100_000, "ns/node")
}

// TestHandleOfAnything: any text makes a handle that is safe to type and print.
func TestHandleOfAnything(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		" ", "\n", "'", "\"", "\\", "#", ";", "&&", "|", "(", ")", "-c", "-", "bash", "python3", "env", "cd", "nice", "-n",
		"timeout", "A=1", "for", "$x", "x.py", "/", "é", "\xff", "<<E",
	})
	rapid.Check(t, func(t *rapid.T) {
		command := strings.Join(rapid.SliceOfN(pieces, 0, 20).Draw(t, "command"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		word := handleWord(&Node{Label: command})
		bad := strings.IndexFunc(word, func(r rune) bool { return handleRune(r) != r })
		if word == "" || len(word) > maxHandle || bad >= 0 {
			t.Fatalf("%q makes %q", command, word)
		}
	})
}
