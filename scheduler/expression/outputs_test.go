package expression

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseOutputs(t *testing.T) {
	type m = map[string]any
	for _, tt := range []struct {
		name, text string
		want       any // a map, or the text of an error
	}{
		{"nothing", "", m{}},
		{"blank lines", "\n  \n\t\r\n", m{}},
		{"lines", "a=1\nb = 2\nc=\n", m{"a": "1", "b": " 2", "c": ""}},
		{"no line end at the end", "a=1", m{"a": "1"}},
		{"line ends of others", "a=1\r\nb=2\r\n", m{"a": "1", "b": "2"}},
		{"the last one holds", "a=1\na=2\n", m{"a": "2"}},
		{"more = in the value", "a=b=c<<d\n", m{"a": "b=c<<d"}},
		{"a byte order mark", "\uFEFFa=1", m{"a": "1"}},
		{"other alphabets", "größe=3\n", m{"größe": "3"}},
		{"dots and dashes", "a.b-c=1\n", m{"a.b-c": "1"}},
		{"a block", "a<<END\nx\n y = z\n\nEND\nb=1\n", m{"a": "x\n y = z\n", "b": "1"}},
		{"an empty block", "a<<END\nEND\n", m{"a": ""}},
		{"a block of an empty line", "a<<END\n\nEND\n", m{"a": ""}},
		{"a block of two empty lines", "a<<END\n\n\nEND", m{"a": "\n"}},
		{"the end mark within a line", "a<<END\nEND of\n END\nEND\n", m{"a": "END of\n END"}},
		{"blanks around the end mark", "a << END \nx\nEND\n", m{"a": "x"}},
		{"a block that looks like JSON", "a<<E\n{\nE\n", m{"a": "{"}},
		{"a JSON object", " \n{\"a\": 1, \"b\": 2.5, \"c\": [\"x\", null], \"d\": true, \"e\": 12345678901234567}\n", m{"a": 1, "b": 2.5, "c": []any{"x", nil}, "d": true, "e": 12345678901234567}},
		{"an empty JSON object", "{}", m{}},
		{"no pair", "a=1\nb\n", `line 2: is neither KEY=VALUE nor KEY<<END: "b"`},
		{"one <", "a<b\n", `line 1: is neither KEY=VALUE nor KEY<<END: "a<b"`},
		{"no key", "\n=1\n", "line 2: there is no key before ="},
		{"a key with a blank", "a b=1\n", `line 1: the key "a b" holds ' '`},
		{"a key in quotes", "\"a\"=1\n", `line 1: the key "\"a\"" holds '"'`},
		{"a long key", strings.Repeat("k", 201) + "=1", `line 1: the key is longer than 200 bytes: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"...`},
		{"no end mark", "a<<\nx\n", `line 1: there is no end mark behind "a"<<`},
		{"a block without end", "b=1\na<<END\nx\n", `line 2: the block "a"<<"END" is never closed: there is no line "END"`},
		{"a list", "[1]\n", `line 1: is neither KEY=VALUE nor KEY<<END: "[1]"`},
		{"broken JSON", "{\n\"a\": 1,\n}\n", "line 3: is not a JSON object: invalid character '}' looking for beginning of object key string"},
		{"JSON that ends too early", "{\n\"a\": 1\n", "line 3: is not a JSON object: unexpected EOF"},
		{"something behind JSON", "{\"a\": 1}\nb=2\n", "line 2: is not a JSON object: there is text after the JSON value"},
		{"an empty key in JSON", "{\"\": 1}", `line 1: a key is empty or longer than 200 bytes: ""`},
		{"bytes that are no text", "a=1\nb=\xff\n", "line 2: is not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			outputs, err := ParseOutputs([]byte(tt.text))
			got := any(outputs)
			if err != nil {
				got = err.Error()
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%#v, want %#v", got, tt.want)
			}
		})
	}
}

// TestOutputsPassUnchanged writes hostile values in each of the three forms and reads them back.
func TestOutputsPassUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String()).Draw(t, "value")
		forms := map[string]string{"JSON": Format(map[string]any{"k": value})}
		if !strings.ContainsAny(value, "\r\n") {
			forms["line"] = "k=" + value + "\n"
		}
		if !strings.Contains(value, "\r") && !strings.Contains("\n"+value+"\n", "\n8f3a\n") {
			forms["block"] = fmt.Sprintf("k<<8f3a\n%s\n8f3a\n", value)
		}
		for name, text := range forms {
			outputs, err := ParseOutputs([]byte(text))
			if err != nil || outputs["k"] != value || len(outputs) != 1 {
				t.Fatalf("%s: %q became %q, %v", name, value, outputs, err)
			}
		}
	})
}
