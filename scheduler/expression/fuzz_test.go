package expression

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzCompile searches for texts that panic, exceed the budget, or fail without a position.
func FuzzCompile(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "expressions.txt"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "    ") {
			f.Add(strings.TrimSuffix(line, "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Compile(text, testScope())
		if err != nil {
			checkError(t, err, text)
			return
		}
		if e.String() != text {
			t.Errorf("the text became %q", e.String())
		}
		value, err := e.Eval(testEnv())
		if err != nil {
			checkError(t, err, text)
			return
		}
		checkPlain(t, value, 0)
		if again, err := e.Eval(testEnv()); err != nil || Format(again) != Format(value) {
			t.Errorf("%s, then %s, %v", Format(value), Format(again), err)
		}
		if !utf8.ValidString(text) {
			t.Error("a text that is not UTF-8 compiled")
		}
	})
}

// checkError checks that the error has a position within the text, and only one line.
func checkError(t *testing.T, err error, text string) {
	t.Helper()
	var ours *Error
	if !errors.As(err, &ours) {
		t.Fatalf("%T: %v", err, err)
	}
	lines := strings.Split(text, "\n")
	if ours.Line < 1 || ours.Line > len(lines) || ours.Column < 1 || ours.Column > utf8.RuneCountInString(lines[ours.Line-1])+2 {
		t.Errorf("line %d, column %d is not within %q", ours.Line, ours.Column, text)
	}
	if ours.Problem == "" || strings.Contains(ours.Error(), "\n") {
		t.Errorf("%q is not one line", ours.Error())
	}
}

// checkPlain checks that a value consists only of JSON types.
func checkPlain(t *testing.T, value any, depth int) {
	t.Helper()
	switch x := value.(type) {
	case nil, bool, int, float64, string:
	case []any:
		for i := range x {
			checkPlain(t, x[i], depth+1)
		}
	case map[string]any:
		for key := range x {
			checkPlain(t, x[key], depth+1)
		}
	default:
		t.Errorf("a value is of the type %T", value)
	}
}

func FuzzCompileText(f *testing.F) {
	for _, text := range []string{"", "plain", "${{ item.k }}", "a ${{ params.name }} b ${{ index }}", "${{", "}} ${{ \"}}\" }}", "${{ {\"a\": {\"b\": 1}} }}",
		"'; rm -rf ~ #$(x)\n${{ params.name }}\n", "${{ x }}", "$${{ 1 }}}", "${{ `}}` + '\\'}}' }}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		compiled, err := CompileText(text, testScope())
		if err != nil {
			checkError(t, err, text)
			return
		}
		if compiled.Plain() == HasTemplate(text) {
			t.Errorf("plain %v, template %v", compiled.Plain(), HasTemplate(text))
		}
		rendered, err := compiled.Render(testEnv())
		if err != nil {
			checkError(t, err, text)
			return
		}
		if compiled.Plain() && rendered != text {
			t.Errorf("a plain text became %q", rendered)
		}
		value, err := valueOf(compiled)
		if err != nil {
			t.Fatalf("it has a text but no value: %v", err)
		}
		if compiled.Only() == nil && value != rendered {
			t.Errorf("its value is %q, its text %q", value, rendered)
		}
	})
}

func FuzzParseOutputs(f *testing.F) {
	for _, text := range []string{"", "a=1\nb=2\n", "a<<END\nx\ny\nEND\nb=1", "{\"a\": 1, \"b\": [1.5, \"x\"]}", "a<<END\n", "a", "=", "a=b=c\r\n", "{", "\uFEFFa=1", "a<<\n", "\n\n a = 1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		outputs, err := ParseOutputs(data)
		if err != nil {
			var ours *OutputError
			if !errors.As(err, &ours) || ours.Line < 1 || ours.Line > 1+strings.Count(string(data), "\n") || strings.Contains(ours.Problem, "\n") {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		if outputs == nil {
			t.Fatal("no outputs and no error")
		}
		checkPlain(t, map[string]any(outputs), 0)
		// The values stay the same when they are written as one JSON object, except that 1.0 becomes 1.
		written := Format(map[string]any(outputs))
		again, err := ParseOutputs([]byte(written))
		if err != nil || Format(map[string]any(again)) != written {
			t.Errorf("%v became %v, %v", outputs, again, err)
		}
	})
}
