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
		{"sort", "x"}, // a name gets the bare word, although it comes later
		{"sort", "y"},
		{"sort~2", "z"}, // so does a name that looks like a numbered handle
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
		"sort_a", "sort~4", "sort", "sort~3", "sort~2", "two words", "id6", "gr__e",
		strings.Repeat("long", 16), "x", "x~2", "true", "true~2",
	}
	table := Handles(g)
	for i, n := range g.Nodes() {
		if got := table.Of(n); got != want[i] {
			t.Errorf("node %d: %q, want %q", i, got, want[i])
		}
	}
}

// TestHandleOrigins checks what handles are made from. A line is an id, a name, a command and the handle.
func TestHandleOrigins(t *testing.T) {
	for story, c := range map[string][][4]string{
		"a name before all":                   {{"align_S1", "mapping", "bwa x # y", "mapping"}},
		"an id that a person chose":           {{"align_S1", "", "bwa mem x", "align_S1"}, {"b", "", "bwa mem y", "b"}},
		"ids that are numbers":                {{"n12", "", "true", "true"}, {"node_3", "", "false", "false"}, {"17", "", "date", "date"}},
		"long ids with points":                {{strings.Repeat("FLOW.", 40) + "ALIGN.SORT_1", "", "sort", strings.Repeat("FLOW.", 23) + "ALIGN.SORT_1"}, {strings.Repeat("long", 40), "", "uniq", "uniq"}},
		"a long comment with points":          {{"n0", "", "sort # " + strings.Repeat("FLOW:", 40) + "ALIGN", strings.Repeat("FLOW_", 24) + "ALIGN"}},
		"ids that are random":                 {{"864cd165-33a2-4d0c-9c8e-02c1a8e3e5f1", "", "sort", "sort"}, {"deadbeef01", "", "uniq", "uniq"}},
		"ids with other characters":           {{"n0::n1", "", "sort", "sort"}, {"a b", "", "uniq", "uniq"}},
		"a comment":                           {{"n0", "", "bwa mem x  # align S1", "align_S1"}, {"n1", "", "sort x\nuniq # dedup\n", "dedup"}},
		"the same comment":                    {{"n0", "", "a # x", "x"}, {"n1", "", "b # x", "x~2"}},
		"no comment":                          {{"n0", "", "echo 'a # b'", "echo_a"}, {"n1", "", "echo x#y", "echo"}, {"n2", "", "ls # this is a sentence about it", "ls"}},
		"samples":                             {{"n0", "", "trim -o out/S001.fq raw/S001.fq", "trim_S001"}, {"n1", "", "trim -o out/S017.fq raw/S017.fq", "trim_S017"}},
		"samples that share a letter":         {{"n0", "", "trim --seed 1 S1_L.fq", "trim_S1"}, {"n1", "", "trim --seed 2 S2_L.fq", "trim_S2"}},
		"two things":                          {{"n0", "", "cut A 1.txt", "cut_A_1"}, {"n1", "", "cut A 2.txt", "cut_A_2"}, {"n2", "", "cut B 1.txt", "cut_B"}},
		"what the program does":               {{"n0", "", "samtools sort S1.bam", "samtools_sort_S1"}, {"n1", "", "samtools sort S2.bam", "samtools_sort_S2"}, {"n2", "", "samtools index S1.bam", "samtools_index"}},
		"numbers":                             {{"n0", "", "sleep 0.5", "sleep_0.5"}, {"n1", "", "sleep 2", "sleep_2"}, {"n2", "", "sleep 2", "sleep_2~2"}},
		"nothing":                             {{"n0", "", "true", "true"}, {"n1", "", "true", "true~2"}, {"n2", "", "true", "true~3"}},
		"a script":                            {{"n0", "", "python3 bin/fit.py --fold 1 model/a.pt", "fit_a"}, {"n1", "", "python3 bin/fit.py --fold 2 model/b.pt", "fit_b"}},
		"no command":                          {{"n33", "", "", "n33"}, {"864cd165-33a2-4d0c-9c8e-02c1a8e3e5f1", "", "", "node"}, {"17", "", "", "17"}},
		"the id of another":                   {{"n0", "sort", "x", "sort~2"}, {"sort", "", "y", "sort"}, {"n1", "", "sort z", "sort~3"}},
		"names that selectors read otherwise": {{"n0", "s:failed", "x", "s_failed"}, {"n1", "a,b", "y", "a_b"}, {"n2", "+x", "z", "_x"}, {"n3", "x+", "z", "x_"}, {"n4", "id:x", "z", "id_x"}},
		"commands of different lengths":       {{"n0", "", "get a.gz", "get_a"}, {"n1", "", "get b.gz", "get_b"}, {"n2", "", "get -q c.gz", "get"}},
		"a part that is no word":              {{"n0", "", "get ///", "get"}, {"n1", "", "get ...", "get~2"}},
	} {
		var specs []NodeSpec
		for _, line := range c {
			specs = append(specs, NodeSpec{ID: line[0], Name: line[1], Label: line[2], Parent: -1})
		}
		g, err := Build(specs, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range g.Nodes() {
			if got := Handles(g).Of(n); got != c[i][3] {
				t.Errorf("%s: %q is %q, want %q", story, c[i][2], got, c[i][3])
			}
			if found, err := Handles(g).find(n.ID); err != nil || len(found) != 1 || found[0] != n {
				t.Errorf("%s: the id %s finds %s, %v", story, n.ID, ids(found), err)
			}
			both := []string{Handles(g).Of(n), "id:" + n.ID}
			if !strings.Contains(n.ID, " ") {
				both = []string{strings.Join(both, ",")}
			}
			if got, err := Select(g, Handles(g), both, nil); err != nil || len(got) != 1 || got[0] != n {
				t.Errorf("%s: selecting %s: %s, %v", story, Handles(g).Of(n), ids(got), err)
			}
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
		if found, err := table.find(h); h == "" || seen[h] || err != nil || len(found) != 1 || found[0] != n {
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
		newHandles(g)
	}
	b.ReportMetric(float64(b.Elapsed()/time.Duration(b.N))/100_000, "ns/node")
}

// TestHandleOfRandomCommand checks that every command gives a handle that is safe to type and print.
func TestHandleOfRandomCommand(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		" ", "\n", "'", "\"", "\\", "#", ";", "&&", "|", "(", ")", "-c", "-", "bash", "python3", "env", "cd", "nice", "-n",
		"timeout", "A=1", "for", "$x", "x.py", "/", "é", "\xff", "<<E",
	})
	rapid.Check(t, func(t *rapid.T) {
		command := strings.Join(rapid.SliceOfN(pieces, 0, 20).Draw(t, "command"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		word := handleWord(&Node{Label: command})
		bad := strings.IndexFunc(word, func(r rune) bool { return handleRune(r) != r })
		if word == "" || len(word) > maxChosen || bad >= 0 {
			t.Fatalf("%q makes %q", command, word)
		}
	})
}
