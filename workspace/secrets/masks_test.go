package secrets

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	m := New("hunter22", "two words", "abcd", "abcdefgh", "bcdefghijk", "line one\r\n  line two  \n{\n", "ab", "")
	for text, want := range map[string]string{
		"":                       "",
		"nothing":                "nothing",
		"hunter22":               "***",
		"a hunter22, hunter22.":  "a ***, ***.",
		"hunter2":                "hunter2",
		"two words two  words":   "*** two  words",
		"abcd abcdefgh":          "*** ***", // the longest at a place
		"xabcdefghijkx":          "x***x",   // overlapping values
		"ab { \n":                "ab { \n", // too short
		"line one\nline two":     "***\n***",
		"line one  line two  \r": "***  ***  \r",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	var none *Masks
	if none.Text("hunter22") != "hunter22" || none.Any() || New("abc").Any() || !m.Any() {
		t.Error("nil masks, or masks without a value, hide something")
	}
}

func TestForms(t *testing.T) {
	secret := `p<ss "wörd"/100%`
	m := New(secret)
	inJSON, _ := json.Marshal(secret)
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(secret)
	for _, form := range []string{secret, string(inJSON), plain.String(), url.QueryEscape(secret), url.PathEscape(secret)} {
		if got := m.Text("x" + form + "y"); strings.Contains(got, "rd") || !strings.Contains(got, Hidden) {
			t.Errorf("%s: %s", form, got)
		}
	}
	for _, around := range []string{"", "u:", "me:", "user:"} {
		for _, after := range []string{"", "\n", "@host"} {
			for _, code := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
				text := code.EncodeToString([]byte(around + secret + after))
				got := m.Text(text)
				if len(got) > len(text)-len(secret) || !strings.Contains(got, Hidden) {
					t.Errorf("%s of %q: %s", text, around+secret+after, got)
				}
			}
		}
	}
}

// naive hides values as a reader of a whole text would do it who knows them.
func naive(text string, values []string) string {
	covered := make([]bool, len(text))
	for _, v := range values {
		for i := 0; i+len(v) <= len(text); i++ {
			if text[i:i+len(v)] == v {
				for j := i; j < i+len(v); j++ {
					covered[j] = true
				}
			}
		}
	}
	out := []byte(text)
	for i := range out {
		if covered[i] {
			out[i] = '*'
		}
	}
	return string(out)
}

// pieces returns the text in reads of any size, with nothing in between.
type pieces struct {
	text  []byte
	sizes []int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := len(b)
	if len(p.sizes) > 0 {
		n, p.sizes = min(n, p.sizes[0]), p.sizes[1:]
	}
	n = copy(b[:n], p.text)
	p.text = p.text[n:]
	return n, nil
}

func (*pieces) Close() error { return nil }

// TestStreamIsTheText cuts texts of few letters, in which values overlap and almost occur, at any place.
func TestStreamIsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.StringMatching(`[ab]{4,12}`), 1, 4).Draw(t, "values")
		text := rapid.StringMatching(`([ab]{0,30}[ab\n:]?){0,6}`).Draw(t, "text")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 9), 0, 40).Draw(t, "sizes")
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		m := New(values...)
		known := append([]string(nil), values...)
		want := naive(text, known)
		begin := max(0, from-m.context())
		aligned, err := io.ReadAll(m.Stream(&pieces{[]byte(text[begin:]), sizes}, View{Skip: int64(from - begin), Aligned: true}))
		if err != nil || string(aligned) != want[from:] {
			t.Fatalf("%q, %v, want %q", aligned, err, want[from:])
		}
		short, err := io.ReadAll(m.Stream(&pieces{[]byte(text), sizes}, View{}))
		if err != nil || string(short) != m.Text(text) {
			t.Fatalf("%q, %v, want %q", short, err, m.Text(text))
		}
		grows, err := io.ReadAll(m.Stream(&pieces{[]byte(text), sizes}, View{Aligned: true, Grows: true}))
		if err != nil || !strings.HasPrefix(want, string(grows)) {
			t.Fatalf("%q, %v, want a start of %q", grows, err, want)
		}
	})
}

// TestEachCut cuts a secret at each place: no reader ever sees a part of it, neither while the output grows nor at its end.
func TestEachCut(t *testing.T) {
	const secret = "s3cr3t-value"
	m := New(secret, "0123456789abcdef")
	text := "before " + secret + " after, and no line end"
	for i := range len(text) {
		s := m.Stream(&pieces{[]byte(text), []int{max(1, i)}}, View{})
		var seen []byte
		buf := make([]byte, 7)
		for {
			n, err := s.Read(buf)
			seen = append(seen, buf[:n]...)
			if bytes.Contains(seen, []byte("s3")) {
				t.Fatalf("cut at %d: %q", i, seen)
			}
			if err != nil {
				break
			}
		}
		if string(seen) != "before *** after, and no line end" {
			t.Fatalf("cut at %d: %q", i, seen)
		}
		cut, _ := io.ReadAll(m.Stream(&pieces{[]byte(text[:i]), nil}, View{Grows: true}))
		if bytes.Contains(cut, []byte("s3")) {
			t.Fatalf("grown to %d: %q", i, cut)
		}
	}
	if got, _ := io.ReadAll(m.Stream(&pieces{[]byte("whole line\n"), nil}, View{Grows: true})); string(got) != "whole line\n" {
		t.Errorf("a line that has ended is not shown at once: %q", got)
	}
}

// TestHide: every text of an answer is searched, except names and words of wf.
func TestHide(t *testing.T) {
	type word string
	type inner struct {
		Message string
		Node    string
		Kind    word
	}
	type answer struct {
		inner
		Inner   *inner
		List    []inner
		Nodes   []inner
		Values  map[string]any
		Texts   map[string]string
		Raw     json.RawMessage
		Bytes   []byte
		Command string
		Any     any
		N       int
		private string
	}
	const s = "secret-0815"
	shared := &inner{Message: s, Node: s, Kind: s}
	a := answer{inner: inner{s, s, s}, Inner: shared, List: []inner{{Message: s}}, Nodes: []inner{{s, s, s}},
		Values: map[string]any{"a": s, "n": json.Number("12345678"), "l": []any{1, "x " + s, nil, true}, s: 1.5},
		Texts:  map[string]string{"k": s}, Raw: json.RawMessage(`{"a":"` + s + `","n":12345678,"big":12345678901234567890}`),
		Bytes: []byte("x" + s), Command: s, Any: []any{s}, N: 12345678, private: s}
	Hide(&a, New(s, "12345678"), nil)
	want := answer{inner: inner{"***", s, s}, Inner: &inner{"***", s, s}, List: []inner{{Message: "***"}}, Nodes: []inner{{"***", s, s}},
		Values: map[string]any{"a": "***", "n": "***", "l": []any{1, "x ***", nil, true}, "***": 1.5},
		Texts:  map[string]string{"k": "***"}, Raw: json.RawMessage(`{"a":"***","big":"***","n":"***"}`),
		Bytes: []byte("x***"), Command: s, Any: []any{"***"}, N: 12345678, private: s}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("%+v\nwant %+v", a, want)
	}
	if shared.Message != s {
		t.Error("what others share was changed")
	}
	raw := json.RawMessage(`{"b": 1, "a":"nothing"}`)
	if got := New(s).JSON(raw); !bytes.Equal(got, raw) {
		t.Errorf("JSON without a secret was changed: %s", got)
	}
	if got := New(s).JSON(json.RawMessage(`["\u0073ecret-0815"]`)); string(got) != `["***"]` {
		t.Errorf("an escaped letter: %s", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("secret", "a secret\nsecret::add-mask::", 3)
	f.Add("a\nlonger", "longer longe", 1)
	f.Fuzz(func(t *testing.T, value, text string, size int) {
		m := New(value)
		got := m.Text(text)
		for _, form := range formsOf(value) {
			if !bytes.ContainsAny(form, "*") && strings.Contains(got, string(form)) {
				t.Fatalf("%q contains %q", got, form)
			}
		}
		short, err := io.ReadAll(m.Stream(&pieces{[]byte(text), []int{max(1, size), 1, 2, 3}}, View{}))
		if err != nil || string(short) != got {
			t.Fatalf("%q, %v, want %q", short, err, got)
		}
	})
}
