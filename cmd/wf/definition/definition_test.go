package definition_test

import (
	"strings"
	"testing"

	"wf/cmd/wf/definition"
)

// file returns a workfile with two nodes, of which the second is drawn at x, with a comment and statuses.
func file(label, x, status, comment string) []byte {
	data := `<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
<key id="l" for="node" attr.name="label" attr.type="string"/>
<key id="s" for="node" attr.name="status" attr.type="string"/>
<key id="g" for="node" yfiles.type="nodegraphics"/>
<graph edgedefault="directed">` + comment + `
<node id="a"><data key="l">` + label + `</data><data key="s">` + status + `</data></node>
<!-- between -->
<node id="b"><data key="l">echo b</data><data key="g"><y:ShapeNode><y:Geometry x="` + x + `" y="0" width="30" height="30"/></y:ShapeNode></data></node>
<edge source="a" target="b"/>
</graph></graphml>
`
	return []byte(data)
}

// TestMergeTakesLines checks that the merge of lines is taken if it means the same as the merge of the workflows: only it has
// what theirs changed in a drawing or a comment.
func TestMergeTakesLines(t *testing.T) {
	base, ours, theirs := file("echo a", "1", "", ""), file("echo A", "1", "", ""), file("echo a", "700", "", "<!-- new -->")
	lines := file("echo A", "700", "", "<!-- new -->")
	m, err := definition.Merge(base, ours, theirs, lines)
	if err != nil || len(m.Conflicts)+len(m.Notes) > 0 || string(m.Data) != string(lines) {
		t.Errorf("%v, %+v", err, m)
	}
	// Without it, or if it means something else, ours is the frame, and a note says what is missing.
	for _, lines := range [][]byte{nil, file("echo other", "700", "", "<!-- new -->"), []byte("<<<<<<<")} {
		m, err := definition.Merge(base, ours, theirs, lines)
		if err != nil || len(m.Conflicts) > 0 || string(m.Data) != string(ours) || len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "drawing") {
			t.Errorf("%v, %+v", err, m)
		}
	}
}

// TestMergeOfBrokenFiles checks that the error names the version that cannot be read.
func TestMergeOfBrokenFiles(t *testing.T) {
	good := file("echo a", "1", "", "")
	for want, files := range map[string][3][]byte{
		"our version":         {good, []byte("<graphml>"), good},
		"the other version":   {good, good, []byte("text")},
		"the common ancestor": {[]byte("x"), good, good},
	} {
		if _, err := definition.Merge(files[0], files[1], files[2], nil); err == nil || !strings.HasPrefix(err.Error(), want+": ") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if m, err := definition.Merge(nil, good, good, nil); err != nil || len(m.Conflicts) > 0 || string(m.Data) != string(good) {
		t.Errorf("both added the file: %v, %+v", err, m)
	}
}

// TestClean checks what is taken out of a file when it is added to git.
func TestClean(t *testing.T) {
	for name, c := range map[string]struct{ data, origin, want []byte }{
		"statuses, with the origin":   {file("echo a", "1", "ran", ""), file("echo a", "1", "", ""), file("echo a", "1", "", "")},
		"an edit besides":             {file("echo A", "1", "ran", ""), file("echo a", "1", "", ""), file("echo A", "1", "", "")},
		"statuses, without an origin": {file("echo a", "1", "ran", ""), nil, []byte(strings.Replace(string(file("echo a", "1", "", "")), `<data key="s"></data>`, "", 1))},
		"no results":                  {file("echo a", "1", "", ""), file("echo x", "1", "", ""), file("echo a", "1", "", "")},
		"statuses of others":          {file("echo a", "1", "married", ""), file("echo a", "1", "", ""), file("echo a", "1", "married", "")},
	} {
		got, err := definition.Clean(c.data, c.origin)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := definition.Clean(got, c.origin)
		if string(got) != string(c.want) || err != nil || string(again) != string(got) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
}

// TestEdited checks that mistakes that a workfile has already are no mistakes of its text.
func TestEdited(t *testing.T) {
	from, err := definition.Read([]byte("nodes:\n  a: {run: x, timeout: soon}\n  b: y\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := definition.Edited(from, []byte("nodes:\n  a: {run: x, timeout: soon}\n  b: z\n")); err != nil {
		t.Error(err)
	}
	_, err = definition.Edited(from, []byte("nodes:\n  a: {run: x, timeout: soon}\n  b:\n    run: y\n    timeout: later\n"))
	mistakes := definition.Mistakes(err)
	if len(mistakes) != 1 || mistakes[0].Line != 5 || mistakes[0].Column != 14 || !strings.Contains(mistakes[0].Message, "later") {
		t.Errorf("%v: %+v", err, mistakes)
	}
}
