package expression

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// hostile are values that a shell would execute or expand.
var hostile = []string{
	`'; rm -rf ~ #$(x)`, "a\nb\r\n\n", "`reboot`", `$HOME ${HOME} $((1))`, `"; exit 1; "`, "${{ params.name }}", "}}", "\\", "\x00", "\x1b[2J", "ä€😀", " lead and trail ", "",
}

func TestHostileValuesPassUnchanged(t *testing.T) {
	text, err := CompileText("${{ item }}|${{ nodes.build.outputs.x }}|${{ env.X }}|${{ params.name }}", testScope())
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range hostile {
		env := Env{
			Item: value, Params: map[string]any{"name": value}, Variable: func(string) string { return value },
			Node: func(string) Node { return Node{Outputs: map[string]any{"x": value}} },
		}
		if got, err := text.Render(env); got != value+"|"+value+"|"+value+"|"+value || err != nil {
			t.Errorf("%q became %q, %v", value, got, err)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, tt := range []struct {
		text, want string // or an error
		value      any    // the result of Value
	}{
		{"", "", ""},
		{"plain $x ${x} {{ }} $ {{", "plain $x ${x} {{ }} $ {{", "plain $x ${x} {{ }} $ {{"},
		{"${{ params.count }}", "5", 5},
		{"  ${{ params.count }}\n", "  5\n", 5},
		{"${{ params.rate }}", "0.25", 0.25},
		{"n=${{ params.count }}", "n=5", "n=5"},
		{"${{ params.count }}${{ index }}", "54", "54"},
		{"${{ [1, \"a\", nil, 2.0, 0.5] }}", `[1,"a",null,2,0.5]`, []any{1, "a", nil, 2.0, 0.5}},
		{"${{ {\"a\": {\"b\": 1}} }}", `{"a":{"b":1}}`, map[string]any{"a": map[string]any{"b": 1}}},
		{"${{ \"}}\" }}", "}}", "}}"},
		{"${{ '\\'}}' }}", "'}}", "'}}"},
		{"${{ `}}` }}", "}}", "}}"},
		{"${{ nil }}x", "x", "x"},
		{"${{ nodes.test.outputs.x }}", "", nil},
		{"$${{ 1 }}}", "$1}", "$1}"},
		{"a ${{ 1", "column 3: ${{ is never closed; write }} after the expression", nil},
		{"a\nbc ${{ foo }}", "line 2, column 8: unknown name \"foo\"; write texts in quotes; names are params, nodes, env, run, trigger, kv, item, index, iteration, previous, parent", nil},
		{"ä ${{ 1 +\n }}", "line 2, column 1: it ends too early", nil},
		{"ä ${{ 1 + \n foo }}", "line 2, column 2: unknown name \"foo\"; write texts in quotes; names are params, nodes, env, run, trigger, kv, item, index, iteration, previous, parent", nil},
		{"x ${{ nodes.test.outputs.x > 1 }}", "column 28: nil and 1 cannot be compared with >; nil may be the output of a node that has not run: give another value with ??", nil},
		{"${{ }}", "column 4: there is no expression", nil},
	} {
		text, err := CompileText(tt.text, testScope())
		var got string
		var value any
		if err == nil {
			if got, err = text.Render(testEnv()); err == nil {
				value, err = valueOf(text)
			}
		}
		if err != nil {
			got = err.Error()
		}
		if got != tt.want || !reflect.DeepEqual(value, tt.value) {
			t.Errorf("%q gives %q, %#v, want %q, %#v", tt.text, got, value, tt.want, tt.value)
		}
		if err == nil && (text.Plain() == HasTemplate(tt.text) || text.String() != tt.text) {
			t.Errorf("%q: plain %v, %q", tt.text, text.Plain(), text)
		}
	}
}

func TestNamesInTexts(t *testing.T) {
	text, err := CompileText("${{ nodes.build.status }} ${{ env.A + nodes.test.status + env.B }} ${{ nodes.build.status + env.A }}", testScope())
	if err != nil {
		t.Fatal(err)
	}
	if nodes := text.Nodes(); !slices.Equal(nodes, []string{"build", "test"}) {
		t.Errorf("nodes %v", nodes)
	}
}

// valueOf returns the value of a text that is one expression, with its type, and otherwise the text.
func valueOf(t *Text) (any, error) {
	if e := t.Only(); e != nil {
		return e.Eval(testEnv())
	}
	return t.Render(testEnv())
}

func TestRenderedTextIsBounded(t *testing.T) {
	text, err := CompileText(strings.Repeat("${{ item }}", 100), testScope())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := text.Render(Env{Item: strings.Repeat("x", 1<<20)}); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("100 MiB: %v", err)
	}
	if _, err := CompileText(strings.Repeat("${{ 1 }}", 1001), testScope()); err == nil {
		t.Error("1001 expressions in one text compile")
	}
}

func TestConstants(t *testing.T) {
	for text, want := range map[string]bool{
		"1 + 1": true, "len(\"abc\") > 2": true, "date(\"2024-01-01\").Year()": true, "let x = 1; x": true,
		"now().Year()": false, "uuid()": false, "params.count": false, "item": false, "env.X": false, "run.id": false, "nodes.build.status": false, "parent.iteration": false, "map([1], index)": false,
	} {
		e, err := Compile(text, testScope())
		if err != nil {
			t.Fatal(err)
		}
		if e.Constant() != want {
			t.Errorf("%s is constant: %v", text, e.Constant())
		}
	}
}

func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{nil, ""}, {"", ""}, {"a b", "a b"}, {true, "true"}, {7, "7"}, {int64(7), "7"}, {7.0, "7"}, {-0.5, "-0.5"}, {1e6, "1000000"}, {1e15, "1000000000000000"},
		{1e21, "1e+21"}, {math.Inf(1), "+Inf"}, {1 << 62, "4611686018427387904"},
		{[]any{}, "[]"}, {map[string]any{}, "{}"}, {map[string]any{"b": 1, "a": []any{"<&>", 2.0, math.NaN()}}, `{"a":["<&>",2,"NaN"],"b":1}`},
		{time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), "2024-01-02T03:04:05Z"}, {90 * time.Second, "1m30s"},
	} {
		if got := Format(tt.value); got != tt.want {
			t.Errorf("%v became %q, want %q", tt.value, got, tt.want)
		}
	}
}

func TestDecodeReversesFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := anyValue(3).Draw(t, "value")
		again, err := Decode([]byte(jsonText(value)))
		if err != nil || jsonText(again) != jsonText(value) {
			t.Fatalf("%#v became %#v, %v", value, again, err)
		}
	})
}

// anyValue generates JSON values.
func anyValue(depth int) *rapid.Generator[any] {
	simple := rapid.OneOf(
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int().AsAny(), rapid.Float64Range(-1e300, 1e300).AsAny(), rapid.String().AsAny(), rapid.SampledFrom(hostile).AsAny())
	if depth == 0 {
		return simple
	}
	return rapid.OneOf(simple,
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(anyValue(depth-1), 0, 4).Draw(t, "list") }),
		rapid.Custom(func(t *rapid.T) any {
			return rapid.MapOfN(rapid.String(), anyValue(depth-1), 0, 4).Draw(t, "map")
		}))
}

// Texts from outside are kept as they are, as long as they are not too long, also as JSON.
func TestKept(t *testing.T) {
	for text, want := range map[string]string{
		"":                             `""`,
		"a\n\"b\"":                     `"a\n\"b\""`,
		"\xff-":                        "\"\uFFFD-\"",
		strings.Repeat("x", MaxKept):   `"` + strings.Repeat("x", MaxKept) + `"`,
		strings.Repeat("x", MaxKept+1): "65537",
	} {
		data, err := json.Marshal(Keep(text))
		if err != nil || string(data) != want {
			t.Errorf("%.20q is %.40s, want %.40s (%v)", text, data, want, err)
		}
		var back Kept
		if err := json.Unmarshal(data, &back); err != nil || back != *Keep(text) {
			t.Errorf("%.40s is read as %.40v (%v)", data, back, err)
		}
	}
	for _, bad := range []string{"{}", "1.5", `["a"]`} {
		if err := json.Unmarshal([]byte(bad), &Kept{}); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}
