package editor

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/api"
)

// TestParseReturnsTheCommandsOfText: Commands that are written into a buffer and parsed again are the same except for
// white space at their ends, and there are no edits.
func TestParseReturnsTheCommandsOfText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var nodes []api.NodeStatus
		for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
			nodes = append(nodes, api.NodeStatus{ID: string(rune('a' + i)), Name: string(rune('a' + i)),
				Command: rapid.StringMatching(`([%# a]{0,4}\n){0,3}%?%?%?%? ?[ab#]`).Draw(t, "command")})
		}
		b := NewBuffer(nodes, rapid.Bool().Draw(t, "bare") && len(nodes) == 1)
		wanted, err := b.Parse(b.Text(b.Commands()))
		if err != nil {
			t.Fatal(err)
		}
		if edits, _ := b.Edits(wanted); len(edits) > 0 {
			t.Fatalf("%d edits of\n%s", len(edits), b.Text(b.Commands()))
		}
	})
}

func TestParseReportsMistakes(t *testing.T) {
	b := NewBuffer([]api.NodeStatus{{ID: "1", Name: "a", Command: "x"}, {ID: "2", Name: "b", Command: "y"}}, false)
	for text, want := range map[string]string{
		"":                      "the text is empty",
		"# only this\n":         "all headings are gone",
		"x\n%% a\n":             "line 1 of the text: text before the first heading",
		"%% a\nx\n%% c\ny\n":    `line 3 of the text: "%% c" is the heading of no node here`,
		"%% a\nx\n\n%% a\ny\n":  "line 4 of the text: the heading of a stands there twice",
		"# c\n\n%% b\nz\r\nw\n": "",
	} {
		wanted, err := b.Parse(text)
		if want == "" {
			edits, names := b.Edits(wanted)
			if err != nil || len(edits) != 1 || names[0] != "b" || edits[0].Value != "z\nw" || *edits[0].Was != "y" {
				t.Errorf("%q: %v, %+v", text, err, edits)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestBareRemovesTheAnnotation: Bare removes a message above any text.
func TestBareRemovesTheAnnotation(t *testing.T) {
	for _, text := range []string{"", "echo a\n", "# c\n\n%% a\nx\n"} {
		got := Annotate(Annotate(text, "line 2: wrong\n\nit is now \"x\""), "again")
		if !strings.HasPrefix(got, "#wf: again\n#wf: line 2: wrong\n#wf:\n#wf: it is") || Bare(got) != text {
			t.Errorf("%q became %q, then %q", text, got, Bare(got))
		}
	}
}

// TestEditsAfterConflictStartFromTheOtherEdit: After a conflict the edits start from the text that the other client
// saved.
func TestEditsAfterConflictStartFromTheOtherEdit(t *testing.T) {
	b := NewBuffer([]api.NodeStatus{{ID: "1", Name: "a", Command: "x"}, {ID: "2", Name: "b", Command: "y"}}, false)
	edits, _ := b.Since([]api.NodeStatus{{ID: "2", Name: "b", Command: "theirs"}}).Edits([]string{"x", "mine"})
	if len(edits) != 1 || *edits[0].Was != "theirs" || edits[0].Value != "mine" {
		t.Errorf("edits %+v", edits)
	}
	if edits, _ := b.Edits([]string{"x", "mine"}); *edits[0].Was != "y" {
		t.Error("the buffer before is another one now")
	}
}
