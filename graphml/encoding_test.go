package graphml

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"wf/graph"
)

// utf16Bytes encodes text independently of the code under test.
func utf16Bytes(text string, big, mark bool) []byte {
	if mark {
		text = "\uFEFF" + text
	}
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

func TestEncodings(t *testing.T) {
	file := func(encoding, label string) string {
		return `<?xml version="1.0" encoding="` + encoding + `"?><graphml><key id="d0" for="node" attr.name="label"/><graph><node id="a"><data key="d0">` +
			label + `</data></node></graph></graphml>`
	}
	tests := []struct {
		name  string
		data  []byte
		label string
		wrote string // bytes of the label "é€😀<" in this encoding
	}{
		{"UTF-8", []byte(file("UTF-8", "é")), "é", "é€😀&lt;"},
		{"UTF-8 with mark", []byte("\xEF\xBB\xBF" + file("utf-8", "é")), "é", "é€😀&lt;"},
		{"UTF-16 little endian", utf16Bytes(file("UTF-16", "é😀"), false, true), "é😀", string(utf16Bytes("é€😀&lt;", false, false))},
		{"UTF-16 big endian", utf16Bytes(file("UTF-16", "é😀"), true, true), "é😀", string(utf16Bytes("é€😀&lt;", true, false))},
		{"UTF-16 without mark", utf16Bytes(file("UTF-16LE", "é"), false, false), "é", string(utf16Bytes("é€😀&lt;", false, false))},
		{"ISO-8859-1", []byte(file("iso-8859-1", "\xE9\x80")), "é\u0080", "\xE9&#8364;&#128512;&lt;"},
		{"US-ASCII", []byte(file("US-ASCII", "e")), "e", "&#233;&#8364;&#128512;&lt;"},
		{"Windows-1252", []byte(file("windows-1252", "\x80\x81\xE9")), "€\u0081é", "\xE9\x80&#128512;&lt;"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := parse(t, string(tt.data))
			wantLabels(t, p.g, tt.label)
			if p.rendered() != string(tt.data) {
				t.Error("a save without a change differs")
			}
			p.d.SetNode("a", "label", "é€😀<")
			out := p.rendered()
			if !strings.Contains(out, tt.wrote) {
				t.Errorf("no %q in %q", tt.wrote, out)
			}
			wantLabels(t, parse(t, out).g, "é€😀<")
			p.d.SetNode("a", "label", tt.label)
			if p.d.dirty() || p.rendered() != string(tt.data) {
				t.Error("after undo, the file differs")
			}
		})
	}
}

func TestUnreadableEncodings(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"unknown", `<?xml version="1.0" encoding='Shift_JIS'?><graphml/>`, `encoding "Shift_JIS" is not supported`},
		{"not as declared", `<?xml version="1.0" encoding="UTF-16"?><graphml/>`, "the file says that its encoding is UTF-16, but it is not"},
		{"UTF-32", "\xFF\xFE\x00\x00<\x00\x00\x00", `encoding "UTF-32" is not supported`},
		{"half a character", "\xFF\xFE<\x00g", "byte 4 is half a UTF-16 character"},
		{"lone surrogate", "\xFF\xFE<\x00\x00\xD8<\x00", "byte 4 is not the start of a UTF-16 character"},
		{"invalid UTF-8", "<graphml>\n<!--\xC3-->", "line 2, column 5: byte 14 (0xC3) is not UTF-8"},
		{"no ASCII", "<?xml version='1.0' encoding='us-ascii'?><graphml>\xE9", "byte 50 (0xE9) is not US-ASCII"},
		{"no gzip", "\x1F\x8B\x08", "unpack gzip: unexpected EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, _, err := Parse([]byte(tt.data), Limits{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func packed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Name = "flow.graphml"
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	text := body(`<node id="a"><data key="d0">x</data></node>`)
	data := packed(t, text)
	p := parse(t, string(data))
	if p.rendered() != string(data) {
		t.Error("a save without a change differs")
	}
	p.d.SetNode("a", "label", "y")
	z, err := gzip.NewReader(strings.NewReader(p.rendered()))
	if err != nil || z.Name != "flow.graphml" {
		t.Fatalf("name %q, error %v", z.Name, err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	if from, to := difference(text, out.String()); from != "x" || to != "y" {
		t.Errorf("%q became %q", from, to)
	}
}

func TestLimits(t *testing.T) {
	bomb := packed(t, "<graphml><graph>"+strings.Repeat(" ", 1<<20)+"</graph></graphml>")
	deep := "<graphml><graph>" + strings.Repeat("<a>", 50) + strings.Repeat("</a>", 50) + "</graph></graphml>"
	tests := []struct {
		name, data string
		limits     Limits
		want       string
	}{
		{"bytes", deep, Limits{MaxBytes: 100}, fmt.Sprintf("the file has %d bytes, more than the limit of 100", len(deep))},
		{"unpacked bytes", string(bomb), Limits{MaxBytes: 10_000}, "unpacked, the file has more than the limit of 10000 bytes"},
		{"depth", deep, Limits{MaxDepth: 10}, "line 1, column 41: elements are nested more than 10 deep"},
		{"elements", body(`<node id="a"/>`, `<node id="b"/>`), Limits{MaxElements: 6}, "line 9, column 5: more than 6 elements"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, _, err := Parse([]byte(tt.data), tt.limits); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestDeepNesting(t *testing.T) {
	const depth = 90_000
	file := "<graphml><graph><node id='a'>" + strings.Repeat("<x>", depth) + strings.Repeat("</x>", depth) + "</node></graph></graphml>"
	if p := parse(t, file); len(p.g.Nodes()) != 1 {
		t.Error("the node is not read")
	}
}

func TestErrors(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"empty", "", "line 1, column 1: the file is empty"},
		{"mark only", "\xEF\xBB\xBF", "the file is empty"},
		{"blank", " \n", "line 2, column 1: no <graphml> element"},
		{"no XML", "nodes: []", "line 1, column 1: text before <graphml>: this is not a GraphML file"},
		{"other root", "<svg/>", "the root element is <svg>, not <graphml>"},
		{"no graph", "<graphml/>", "no <graph> element"},
		{"text after the root", "<graphml><graph/></graphml>\nx", "line 2, column 1: text after the end of <graphml>"},
		{"second root", "<graphml><graph/></graphml><graphml/>", "<graphml> after the end of <graphml>"},
		{"no id", body("<node/>"), "line 8, column 5: a node without an id"},
		{"no target", body(`<node id="a"/>`, `<edge source="a"/>`), "line 9, column 5: an edge without source or target"},
		{"missing node", body(`<node id="a"/>`, `<edge source="a" target="x"/>`), `line 9, column 5: edge a -> x: no node "x"`},
		{"missing source", body(`<node id="a"/>`, `<edge source="x" target="a"/>`), `edge x -> a: no node "x"`},
		{"entity in an id", body(`<node id="&x;"/>`), "<node> uses &x;, and entities are not expanded"},
		{"entity in an edge type", body(`<node id="a"/>`, `<edge source="a" target="a"><data key="d2">&x;</data></edge>`), "line 9, column 48: edge a -> a: edge_type uses &x;"},
		{"bare ampersand", body(`<node id="a"><data key="d0">a && b</data></node>`), `label uses a bare "&"`},
		{"unclosed value", "<graphml><graph><node id=\"a", "unexpected end of file at byte 27, inside <graph> opened in line 1"},
		{"unclosed comment", "<graphml><!-- ", "unexpected end of file at byte 14, inside <graphml> opened in line 1"},
		{"unclosed document type", "<!DOCTYPE graphml [", "unexpected end of file at byte 19"},
		{"no quotes", "<graphml><graph id=G/></graphml>", "the value of attribute id of <graph> has no quotes"},
		{"no value", "<graphml><graph id/></graphml>", "attribute id of <graph> has no value"},
		{"less-than in a value", "<graphml><graph id='<'/></graphml>", `"<" in the value of attribute id of <graph>`},
		{"less-than in text", body("1 < 2"), `"< " does not start a tag: write &lt; for the character itself`},
		{"slash in a tag", "<graphml><graph / ></graphml>", `"/" inside the tag <graph>`},
		{"no declaration", "<graphml><!ELEMENT x></graphml>", `"<!" starts neither a comment nor a CDATA section`},
		{"closes nothing", "</graphml>", "</graphml> has no start tag"},
		{"CDATA outside", "<![CDATA[x]]><graphml/>", "text outside of <graphml>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, _, err := Parse([]byte(tt.file), Limits{})
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestEntities checks that unreadable values which a workflow does not need are kept and cause no error.
func TestEntities(t *testing.T) {
	const start = `<!DOCTYPE graphml [<!ENTITY e "x"> <!-- ]> " --> <?pi ]>?>]>`
	file := start + strings.Replace(body(`<node id="a"><data key="d0">x</data><data key="n">&e;</data><data key="o">&e;</data></node>`),
		"  <graph ", `  <key id="n" for="node" attr.name="note"/><key id="o" for="node" attr.name="stdout"/><graph `, 1)
	file = strings.Replace(file, `<?xml version="1.0" encoding="UTF-8"?>`+"\n", "", 1)
	d, g, warnings, err := Parse([]byte(file), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || warnings[0].Code != WarnEntity || warnings[0].Node != "a" {
		t.Errorf("warnings %v", warnings)
	}
	if _, ok := g.Node("a").Extra["note"]; ok {
		t.Error("an unreadable value was returned")
	}
	if _, present := d.NodeAttr("a", "stdout"); present {
		t.Error("unreadable output was returned")
	}
	p := pair{t, d, g}
	undo := p.apply(graphRemove("a"))
	p.apply(undo)
	if p.d.dirty() || p.rendered() != file {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
	p.d.SetNode("a", "stdout", "&e;")
	wantParts(t, p.rendered(), `<data key="o">&amp;e;</data>`)
}

// TestLineEndsOfValues checks that a value of several lines gets the line ends of the file, and reads
// as before.
func TestLineEndsOfValues(t *testing.T) {
	p := parse(t, strings.ReplaceAll(body(`<node id="a"><data key="d0">x</data></node>`, `<node id="b"/>`), "\n", "\r\n"))
	p.apply(graph.SetNode{ID: "a", Attr: "label", Value: "one\ntwo\r\nthree"})
	p.apply(graph.SetNode{ID: "b", Attr: "label", Value: "one\ntwo"})
	out := p.rendered()
	if strings.Count(out, "\n") != strings.Count(out, "\r\n") || !strings.Contains(out, "one\r\ntwo&#13;\r\nthree") {
		t.Errorf("written\n%q", out)
	}
	wantSame(t, p, out)
}

// TestPaddedGzip checks that zeros after the end of a packed file are padding and other bytes are errors.
func TestPaddedGzip(t *testing.T) {
	var packed bytes.Buffer
	for _, part := range []string{"<graphml><graph><node ", `id="a"/></graph></graphml>`} { // two members
		z := gzip.NewWriter(&packed)
		z.Write([]byte(part))
		z.Close()
	}
	for _, behind := range []string{"", "\x00", strings.Repeat("\x00", 1000)} {
		if p := parse(t, packed.String()+behind); len(p.g.Nodes()) != 1 || p.rendered() != packed.String()+behind {
			t.Errorf("with %d zeros: %d nodes", len(behind), len(p.g.Nodes()))
		}
	}
	if _, _, _, err := Parse(append(packed.Bytes(), "\x00x"...), Limits{}); err == nil {
		t.Error("garbage after the end was accepted")
	}
	z := gzip.NewWriter(&packed)
	z.Write([]byte(strings.Repeat(" ", 10_000)))
	z.Close()
	if _, _, _, err := Parse(packed.Bytes(), Limits{MaxBytes: 5000}); err == nil || !strings.Contains(err.Error(), "more than the limit of 5000 bytes") {
		t.Errorf("larger than the limit: %v", err)
	}
}

// TestInvalidXMLWarnings checks that harmless markup which XML forbids is read, with a warning.
func TestInvalidXMLWarnings(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{`<graphml><graph><node id="a" id="b"/></graph></graphml>`, "<node> has the attribute id twice"},
		{`<graphml><!-- a -- b --><graph/></graphml>`, "two hyphens"},
		{`<graphml><!-- a ---><graph/></graphml>`, "two hyphens"},
		{`<graphml><graph><node id="a"><y:x/></node></graph></graphml>`, "<y:x> has an undeclared prefix"},
		{`<graphml><graph y:x="1"/></graphml>`, "the attribute y:x of <graph> has an undeclared prefix"},
		{`<g:graphml><g:graph/></g:graphml>`, "<g:graphml> has an undeclared prefix"},
		{`<graphml><key id="l" for="node" attr.name="label"/><graph><node id="a"><data key="l">[[ a ]]> b</data></node></graph></graphml>`, "]]>"},
		{`<graphml xmlns:y="y" xmlns:z="z" z:a="1"><!-- - -> --><graph><node id="a"><data key="d"><y:x xml:space="preserve" y:b="2"><q:r xmlns:q="q"/></y:x></data></node></graph></graphml>`, ""},
		{`<graphml><key id="l" for="node" attr.name="label"/><graph><node id="a"><data key="l"><![CDATA[a]]></data></node><!-- ]]> --></graph></graphml>`, ""},
	} {
		_, _, warnings, err := Parse([]byte(c.file), Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		got := ""
		for _, w := range warnings {
			if w.Code == WarnXML {
				got += w.Message + "\n"
			}
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.file, got, c.want)
		}
	}
}

// TestMissingEndsAreNamed checks that the error names each edge without an end, with its line.
func TestMissingEndsAreNamed(t *testing.T) {
	_, _, _, err := Parse([]byte(body(`<node id="a"/>`, `<edge source="a" target="x"/>`, `<edge source="y" target="a"/>`)), Limits{})
	if err == nil || err.Error() != `line 9, column 5: edge a -> x: no node "x"; line 10: edge y -> a: no node "y"` {
		t.Error(err)
	}
}
