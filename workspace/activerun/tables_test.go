package activerun

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/workspace/workfile/workfiletest"
)

// tableFlow is a sub-flow f with a node x for each row of sheet.tsv.
var tableFlow = `<node id="f"><data key="node-foreach">table:sheet.tsv</data><data key="node-key">id</data><graph>` + workfiletest.Element("x") + `</graph></node>`

// sheet writes the table.
func (b *testbed) sheet(text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, "sheet.tsv"), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// instanceNames returns the names of the nodes in instances.
func instanceNames(r *Run) string {
	var names []string
	for _, n := range r.Nodes[r.OuterNodes():] {
		names = append(names, n.Name)
	}
	return strings.Join(names, " ")
}

// A table is read once: a later daemon has the same rows, whatever became of the file.
func TestTableIsReadOnce(t *testing.T) {
	test(t, func(b *testbed) {
		b.sheet("id\tfq\nS1\ta\nS5\tb\n")
		r := b.start(api.RunRequest{})
		b.check("jobs", b.handed(), "x x")
		b.check("names", instanceNames(r), "f[S1]/x f[S5]/x")
		if env := b.session.jobs[1].Env; !slices.Contains(env, "WF_ITEM_fq=b") {
			t.Errorf("the variables are %q", env)
		}
		b.sheet("id\tfq\nother\ta\n")
		next := b.restart(r.Number)
		b.check("names after a restart", instanceNames(next), "f[S1]/x f[S5]/x")
	}, tableFlow)
}

// A daemon that takes up a run whose table was not read reads it.
func TestTableIsReadAfterARestart(t *testing.T) {
	test(t, func(b *testbed) {
		b.sheet("id\nold\n")
		r := b.start(api.RunRequest{})
		b.close()
		path := filepath.Join(r.Dir, "journal")
		journal, err := os.ReadFile(path)
		if err != nil {
			b.t.Fatal(err)
		}
		var kept []byte
		for line := range bytes.Lines(journal) {
			if bytes.Contains(line, []byte(`"type":"items"`)) {
				break
			}
			kept = append(kept, line...)
		}
		if len(kept) == 0 || len(kept) == len(journal) {
			b.t.Fatalf("the journal is %s", journal)
		}
		if err := os.WriteFile(path, kept, 0o600); err != nil {
			b.t.Fatal(err)
		}
		b.sheet("id\nnew\n")
		next := b.restartClosed(r.Number)
		b.do(func() {})
		b.check("names", instanceNames(next), "f[new]/x")
	}, tableFlow)
}

// A table with a mistake makes the sub-flow fail, and tells where the mistake is.
func TestTableWithAMistake(t *testing.T) {
	test(t, func(b *testbed) {
		b.sheet("id\tfq\nS1\n")
		b.start(api.RunRequest{})
		e := b.last(api.NodeFailed)
		if e.Reason != api.ReasonExpression || !strings.HasPrefix(e.Message, "sheet.tsv:2: ") {
			t.Errorf("%s: %s", e.Reason, e.Message)
		}
		b.check("result", string(b.last(api.RunComplete).Result), string(api.ResFailed))
	}, tableFlow)
}
