package stages

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	for _, test := range []struct{ names, want string }{
		{"trim_S001 trim_S002", "trim"},
		{"sleep sleep~2 sleep~3", "sleep"},
		{"align1 align2", "align"},
		{"align_kidney align_liver", "align"},
		{"a b", "a"},
	} {
		var nodes []Node
		var all []int32
		for i, n := range strings.Fields(test.names) {
			nodes, all = append(nodes, Node{Name: n}), append(all, int32(i))
		}
		if got := name(all, nodes); got != test.want {
			t.Errorf("%s: %q, want %q", test.names, got, test.want)
		}
	}
}

// TestTemplateMasksSamples checks that differences between samples do not distinguish commands, but others do.
func TestTemplateMasksSamples(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"bwa mem ref.fa S001.fq > S001.sam", "bwa mem ref.fa  S17.fq > S17.sam", true},
		{"align kidney.fq", "align liver.fq", true},
		{"fastqc raw/S001.fq", "fastqc  raw/S017.fq", true},
		{"sleep 3", "sleep 44", true},
		{"run --seed=1 sample12", "run --seed=900 sample7", true},
		{"get 0b5d38c2931bd0d4", "get 9f00aa1237bcd811", true},
		{"sleep 0.010 # blastall_ID000002", "sleep 1 # blastall_ID000004", true},
		{"sleep 0.1 # ALIGN.SORT 3", "sleep 0.2 # ALIGN.SORT 4", true},
		{"sleep 0.010 # blastall_ID000002", "sleep 1 # split_ID000004", false},
		{"sleep 1 # SORT.A", "sleep 1 # SORT.B", false},
		{"get cafe", "get face", false},
		{"step --n 12", "step --n 7", true},
		{"./a.sh x", "./b.sh x", false},
		{"./sort x", "./align x", false},
		{"sort x", "uniq x", false},
	} {
		a, b := string(appendTemplate(nil, test.a)), string(appendTemplate(nil, test.b))
		if (a == b) != test.same {
			t.Errorf("%q is %q, %q is %q", test.a, a, test.b, b)
		}
	}
}
