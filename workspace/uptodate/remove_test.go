package uptodate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRemoveOutputs(t *testing.T) {
	around := t.TempDir()
	folder := filepath.Join(around, "work")
	write(t, folder, "half.txt=1", "d/half.txt", "d/e/half.txt", "in/a.txt", "in/b.csv", "both/x/y", "star*")
	write(t, around, "outside.txt", "outside/file")
	for name, to := range map[string]string{"away": around, "link": "half.txt", "inlink": "in"} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	inputs := []string{"in/*.txt", "both/x", "none.txt"}
	for _, c := range []struct {
		output  string
		removed bool
	}{
		{"../outside.txt", false},
		{filepath.Join(around, "outside.txt"), false},
		{"away/outside.txt", false},
		{"away/work", false},
		{".", false},
		{"", false},
		{"in/a.txt", false},
		{"inlink/a.txt", false}, // is in/a.txt
		{"in", false},           // contains in/a.txt
		{"both", false},
		{"both/x/y", false},
		{"none.txt", false},
		{"nothing.txt", false}, // does not exist
		{"in/b.csv", true},
		{"link", true}, // not what it leads to
		{filepath.Join(folder, "half.txt"), true},
		{`star\*`, true},
		{"d", true},
		{"away", true}, // the link, which is inside
	} {
		removed, err := RemoveOutputs(folder, []string{c.output}, inputs)
		if err != nil || slices.Contains(removed, c.output) != c.removed {
			t.Errorf("%s: removed %q, %v", c.output, removed, err)
		}
	}
	for _, kept := range []string{"../outside.txt", "../outside/file", "in/a.txt", "both/x/y"} {
		if _, err := os.Stat(filepath.Join(folder, kept)); err != nil {
			t.Error(err)
		}
	}
	for _, gone := range []string{"half.txt", "d", "link", "away", "star*", "in/b.csv"} {
		if _, err := os.Lstat(filepath.Join(folder, gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
}

// TestInputsWithExpressions: what could be an input, whatever the value of an expression is, is not removed.
func TestInputsWithExpressions(t *testing.T) {
	inputs := []string{"fq/${{ item }}.fq", "${{ params.x }}.in", "ref_[ab]/${{ item }}/*.fa", `a\*${{ item }}`}
	for output, removed := range map[string]bool{
		"fq/S1.fq": false, "fq/S1.bam": true, "fq/deep/S1.fq": false, "fq": false, "S1.bam": true, "S1.in": false, "x/S1.in": false,
		"x/S1.in/part": false, "ref_a/S1/x.fa": false, "ref_a/S1/x.bam": true, "ref": true, "b*x": true, "a*x": false,
	} {
		folder := t.TempDir()
		write(t, folder, output+"=x")
		got, err := RemoveOutputs(folder, []string{strings.ReplaceAll(output, "*", `\*`)}, inputs)
		if err != nil || len(got) > 0 != removed {
			t.Errorf("%s: removed %q, %v", output, got, err)
		}
	}
}
