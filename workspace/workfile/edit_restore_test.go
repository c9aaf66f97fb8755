package workfile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"wf/api"
	"wf/graph"
	"wf/graph/difference"
	"wf/graphml"
)

// randomVersion returns a workfile with containers, edges and attributes in a random spelling.
func randomVersion(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`<graphml><key id="dl" for="node" attr.name="label" attr.type="string"/><key id="dr" for="node" attr.name="retries" attr.type="string">`)
	if r.IntN(2) == 0 {
		b.WriteString("<default>1</default>")
	}
	b.WriteString(`</key><key id="dw" for="edge" attr.name="when" attr.type="string"/><key id="ds" for="node" attr.name="status" attr.type="string"/><graph edgedefault="directed">`)
	ids := []string{"a", "b", "c", "d", "e", "f"}
	r.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
	ids = ids[:2+r.IntN(5)]
	open := 0
	for _, id := range ids {
		fmt.Fprintf(&b, "\n <node id=%q>", id)
		if r.IntN(3) == 0 {
			b.WriteString("<graph>") // a container of the nodes that follow
			open++
			continue
		}
		if r.IntN(4) > 0 {
			fmt.Fprintf(&b, `<data key="dl"><![CDATA[x & %d]]></data>`, r.IntN(2))
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, `<data key="dr">%d</data>`, r.IntN(3))
		}
		if r.IntN(3) == 0 {
			b.WriteString(`<data key="ds">ran</data>`)
		}
		b.WriteString("<!-- " + id + " --></node>")
		for open > 0 && r.IntN(2) == 0 {
			b.WriteString("</graph></node>")
			open--
		}
	}
	b.WriteString(strings.Repeat("</graph></node>", open))
	for range r.IntN(6) {
		fmt.Fprintf(&b, "\n <edge source=%q target=%q><data key=\"dw\">%d</data></edge>", ids[r.IntN(len(ids))], ids[r.IntN(len(ids))], r.IntN(2))
	}
	b.WriteString("\n</graph></graphml>\n")
	return b.String()
}

// TestRestoreGivesTheDefinition restores random definitions, undoes, restores again and undoes again, with the workfile closed
// in between or not.
func TestRestoreGivesTheDefinition(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := newBench(t, nil)
		b.close()
		before, frozen := randomVersion(r), randomVersion(r)
		b.write(before)
		b.open()
		step := func(how string, f func() (api.EditResult, error)) {
			t.Helper()
			if r.IntN(2) == 0 {
				b.close()
				b.open()
			}
			b.host.frozen = []byte(frozen)
			if _, err := f(); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s\n%s", seed, how, err, before, frozen)
			}
		}
		restore := func() (api.EditResult, error) {
			return b.f.Edit(context.Background(), api.Author{Client: "c"}, api.EditRequest{Edits: []api.Edit{{Op: api.OpRestore, Run: "1"}}})
		}
		undo := func() (api.EditResult, error) { return b.f.Undo(context.Background(), api.Author{Client: "c"}) }
		step("restore", restore)
		restored := b.read()
		if d := difference.Of(parsed(t, restored), parsed(t, frozen)); !d.Empty() || d.Moved > 0 {
			t.Fatalf("seed %d: the file has another definition:\n%s\nwas\n%s\nwant\n%s", seed, restored, before, frozen)
		}
		if restored == before {
			b.close()
			continue
		}
		step("undo", undo)
		if got := b.read(); got != before {
			t.Fatalf("seed %d: undo gives\n%s\nwant\n%s", seed, got, before)
		}
		step("restore again", restore)
		if got := b.read(); got != restored {
			t.Fatalf("seed %d: the second restore gives\n%s\nwant\n%s", seed, got, restored)
		}
		step("undo again", undo)
		if got := b.read(); got != before {
			t.Fatalf("seed %d: the second undo gives\n%s\nwant\n%s", seed, got, before)
		}
		b.close()
	}
}

func parsed(t *testing.T, text string) *graph.Graph {
	t.Helper()
	_, g, _, err := graphml.Parse([]byte(text), graphml.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return g
}

// TestRestoreOfTheSameDefinition checks that nothing is written and nothing can be undone.
func TestRestoreOfTheSameDefinition(t *testing.T) {
	b := newBench(t, nil)
	before := b.read()
	b.host.frozen = []byte(strings.ReplaceAll(before, "<node ", "<!-- -->\n<node "))
	res, err := b.f.Edit(context.Background(), api.Author{Client: "c"}, api.EditRequest{Edits: []api.Edit{{Op: api.OpRestore, Run: "1"}}})
	if err != nil || res.Text != "" || len(res.Notes) != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := b.f.Undo(context.Background(), api.Author{Client: "c"}); apiCode(err) != api.CodeInvalid {
		t.Errorf("undo: %v", err)
	}
	if got := b.read(); got != before {
		t.Errorf("the file was changed:\n%s", got)
	}
}
