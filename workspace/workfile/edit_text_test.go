package workfile

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"wf/api"
	"wf/graph/text"
)

// textFor returns the text of a workfile, without the comments at its head.
func textFor(t *testing.T, file string) string {
	t.Helper()
	data, err := text.Write(parsed(t, file))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for strings.HasPrefix(lines[0], "#") {
		lines = lines[1:]
	}
	return strings.Join(lines, "")
}

// sameNodes reports whether two texts have the same lines: an edit keeps the order of the file, so they may stand elsewhere.
func sameNodes(a, b string) bool {
	count := map[string]int{}
	for line := range strings.Lines(a) {
		count[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(b) {
		count[strings.TrimSpace(line)]--
	}
	delete(count, "")
	for line, n := range count {
		if n != 0 && !strings.HasPrefix(line, "after:") { // the order of names there is that of the edges in the file
			return false
		}
	}
	return true
}

// TestTextGivesTheDefinition gives random workfiles the texts of others, and undoes that: byte for byte.
func TestTextGivesTheDefinition(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		b := newBench(t, nil)
		b.close()
		before, wanted := randomVersion(r), textFor(t, randomVersion(r))
		b.write(before)
		b.open()
		edit := api.Edit{Op: api.OpText, Value: wanted}
		res, err := b.f.Edit(context.Background(), api.Author{Client: "c"}, api.EditRequest{Edits: []api.Edit{edit}})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, before, wanted)
		}
		if got := textFor(t, b.read()); !sameNodes(got, wanted) {
			t.Fatalf("seed %d: %s\nbecame\n%s\nwant\n%s", seed, before, got, wanted)
		}
		if res.Text != "" {
			if _, err := b.f.Undo(context.Background(), api.Author{Client: "c"}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if got := b.read(); got != before {
			t.Fatalf("seed %d: undo gives\n%s\nwant\n%s", seed, got, before)
		}
		own := textFor(t, before)
		res, err = b.f.Edit(context.Background(), api.Author{Client: "c"}, api.EditRequest{Edits: []api.Edit{{Op: api.OpText, Value: own}}})
		if err != nil || res.Text != "" || len(res.Notes) == 0 || b.read() != before {
			t.Fatalf("seed %d: its own text: %+v, %v\n%s", seed, res, err, b.read())
		}
		b.close()
	}
}

// TestTextIsRefused checks the refusals: a mistake with its place, a conflict with its node. Nothing is changed.
func TestTextIsRefused(t *testing.T) {
	b := newBench(t, nil)
	before := b.read()
	was := "nodes:\n  a: other\n"
	for _, c := range []struct {
		edit api.Edit
		code api.Code
		part string
	}{
		{api.Edit{Op: api.OpText, Value: "nodes: {a: {run: x, retires: 3}}"}, api.CodeInvalid, "retires"},
		{api.Edit{Op: api.OpText, Value: "nodes: {a: {run: x, renamed: nobody}}"}, api.CodeInvalid, "nobody"},
		{api.Edit{Op: api.OpText, Value: "nodes: {a: mine}", Was: &was}, api.CodeConflict, "somebody else"},
	} {
		_, err := b.f.Edit(context.Background(), api.Author{Client: "c"}, api.EditRequest{Edits: []api.Edit{c.edit}})
		if apiCode(err) != c.code || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s: %v", c.edit.Value, err)
		}
	}
	if b.read() != before {
		t.Errorf("the file was changed:\n%s", b.read())
	}
}

// TestTextMovesNodes checks that a node that a text puts into a container, or takes out of it, keeps what only the file says
// about it, and that nothing else of the file changes.
func TestTextMovesNodes(t *testing.T) {
	const drawing = `<data key="?"><y:Shape x="1"/></data><!-- of b -->`
	plain := strings.Replace(string(flowFile("a>b", "b>d")), `<node id="b">`, `<node id="b">`+drawing, 1)
	grouped := strings.Replace(string(flowFile("c times=b", "a>c", "c>d")), `<node id="b">`, `<node id="b">`+drawing, 1)
	for name, c := range map[string]struct{ before, like string }{"in": {plain, grouped}, "out": {grouped, plain}} {
		b := newBench(t, nil)
		b.close()
		b.write(c.before)
		b.open()
		wanted := textFor(t, c.like)
		res, err := b.f.Edit(context.Background(), api.Author{Client: "c"}, api.EditRequest{Edits: []api.Edit{{Op: api.OpText, Value: wanted}}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := b.read()
		if text := textFor(t, got); !sameNodes(text, wanted) || strings.Count(got, drawing) != 1 || len(res.Notes) > 0 {
			t.Errorf("%s: %q\n%s\nreads as\n%s\nnot as\n%s", name, res.Notes, got, text, wanted)
		}
		if _, err := b.f.Undo(context.Background(), api.Author{Client: "c"}); err != nil || b.read() != c.before {
			t.Errorf("%s: %v: undo gives\n%s", name, err, b.read())
		}
		b.close()
	}
}
