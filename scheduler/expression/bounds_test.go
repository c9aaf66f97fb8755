package expression

import (
	"fmt"
	"strings"
	"testing"
)

// TestHostileTextsStayInBudget evaluates texts that would take too long or too much memory without a budget.
func TestHostileTextsStayInBudget(t *testing.T) {
	doubled := "let a0 = \"xxxxxxxxxxxxxxxx\"; "
	nested := "let a0 = [1]; "
	for i := range 60 {
		doubled += fmt.Sprintf("let a%d = a%d + a%d; ", i+1, i, i)
		nested += fmt.Sprintf("let a%d = [a%d, a%d]; ", i+1, i, i)
	}
	env := testEnv()
	env.Item = strings.Repeat("0123456789abcdef", 1<<16) // the most that a command can output
	for name, text := range map[string]string{
		"loops in loops":          "all(1..3000, all(1..3000, all(1..3000, # > 0)))",
		"a large range":           "len(1..1000000000)",
		"a range beyond numbers":  "len(-9223372036854775807..9223372036854775807)",
		"a text doubled":          doubled + "len(a60)",
		"a text doubled by steps": "len(reduce(1..100, #acc + #acc, \"x\"))",
		"a list doubled":          nested + "toJSON(a60)",
		"a list doubled, shown":   nested + "a60",
		"doubled lists compared":  nested + "let b0 = [1]; " + strings.ReplaceAll(strings.TrimPrefix(nested, "let a0 = [1]; "), "a", "b") + "a60 == b60",
		"a list that grows":       "len(reduce(1..100, concat(#acc, #acc), [1]))",
		"flat":                    nested + "len(flatten(a60))",
		"repeat":                  "repeat(\"x\", 1000000000)",
		"repeat of repeat":        "repeat(repeat(\"x\", 1000000), 1000000)",
		"replace":                 "len(replace(item, \"0\", item))",
		"join":                    "len(join(map(1..10000, \"x\"), item))",
		"split":                   "map(1..1000, len(split(item, \"\")))",
		"contains in a loop":      "count(1..1000000, item contains \"zz\")",
		"a pattern in a loop":     "count(1..1000000, item matches \"(a|b|c|d)*z\")",
		"patterns made in a loop": "count(1..1000000, \"x\" matches (\"[a-z]{200}\" + string(#)))",
		"a pattern that repeats":  "(item + item) matches (\"(a?b?c?d?e?f?){40}\" + \"x\")",
		"sort of long texts":      "sort(map(1..100000, item))",
		"equal long texts":        "count(1..1000000, item == item + \"\")",
		"uniq of lists":           "len(uniq(map(1..100000, [#])))",
		"results in a loop":       "count(1..1000000, len(nodes.align.results) == 2)",
		"deep lists":              "reduce(1..100000, [#acc], 1)",
		"deep JSON":               "fromJSON(repeat(\"[\", 9000) + repeat(\"]\", 9000))",
	} {
		e, err := Compile(text, testScope())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, err = e.Eval(env)
		if err == nil || !strings.Contains(err.Error(), "takes too long") && !strings.Contains(err.Error(), "deep") && !strings.Contains(err.Error(), "1000 bytes") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHugeTextsAreRejected compiles texts that would take the parser too much time or stack.
func TestHugeTextsAreRejected(t *testing.T) {
	for name, text := range map[string]string{
		"long":                 strings.Repeat("1+", 20000) + "1",
		"many parts":           strings.Repeat("1+", 5000) + "1",
		"parentheses":          strings.Repeat("(", 8000) + "1" + strings.Repeat(")", 8000),
		"lists":                strings.Repeat("[", 8000) + "1" + strings.Repeat("]", 8000),
		"negations":            strings.Repeat("!", 16000) + "true",
		"signs":                strings.Repeat("-", 16000) + "1",
		"conditions":           strings.Repeat("true?", 3000) + "1" + strings.Repeat(":1", 3000),
		"lets":                 strings.Repeat("let a=1;", 2000) + "a",
		"calls":                strings.Repeat("len(", 3000) + "1" + strings.Repeat(")", 3000),
		"no UTF-8":             "\"\xff\"",
		"empty":                " \n",
		"a regex that repeats": "\"a\" matches \"a{1000}a{1000}a{1000}\"",
		"a long regex":         "\"a\" matches \"" + strings.Repeat("a?", 2000) + "\"",
	} {
		if _, err := Compile(text, testScope()); err == nil {
			t.Errorf("%s: it compiles", name)
		} else if len(err.Error()) > 300 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
	}
}

func TestPatterns(t *testing.T) {
	for text, want := range map[string]string{
		`^\pL+-[0-9a-f]{8}$`: "", `(a|b){1,50}`: "", `(?i)größe`: "", ``: "",
		`(`:       "error parsing regexp: missing closing ): `(`",
		`a{990}b`: "", `a{1000}b`: "the regular expression repeats too much: it has 1002 parts, and may have 1000", `(ab){500}`: "the regular expression repeats too much: it has 1500 parts, and may have 1000",
		`(a{30}){33}`: "the regular expression repeats too much: it has 1023 parts, and may have 1000",
		`a{1001}`:     "error parsing regexp: invalid repeat count: `{1001}`",
	} {
		_, err := CompilePattern(text)
		if got := said("", err); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestManyResultsAreCheap evaluates expressions about the results of 10,000 items.
func TestManyResultsAreCheap(t *testing.T) {
	env, asked := testEnv(), 0
	results := make([]map[string]Node, 10_000)
	for i := range results {
		results[i] = map[string]Node{"trim": {Outputs: map[string]any{"score": i, "log": strings.Repeat("x", 1000)}}}
	}
	env.Node = func(string) Node {
		return Node{Results: func() []map[string]Node { asked++; return results }}
	}
	e, err := Compile("len(filter(nodes.align.results, #.trim.outputs.score >= 5000)) + sum(map(nodes.align.results, #.trim.outputs.score))", testScope())
	if err != nil {
		t.Fatal(err)
	}
	if value, err := e.Eval(env); value != 5000+9999*5000 || err != nil {
		t.Errorf("%v, %v", value, err)
	}
	if asked != 1 {
		t.Errorf("results were asked for %d times", asked)
	}
}

func BenchmarkEval(b *testing.B) {
	e, err := Compile(`float(nodes.build.outputs.score) > 0.5 && params.count < 10`, testScope())
	if err != nil {
		b.Fatal(err)
	}
	env := testEnv()
	for b.Loop() {
		if yes, err := e.Bool(env); !yes || err != nil {
			b.Fatal(yes, err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	s := testScope()
	for b.Loop() {
		if _, err := Compile(`float(nodes.build.outputs.score) > 0.5 && params.count < 10`, s); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWorst measures the longest evaluation within the budget.
func BenchmarkWorst(b *testing.B) {
	for _, text := range []string{"all(1..3000, all(1..3000, # > 0))", "count(1..1000000, item matches \"(a|b|c|d)*z\")", "sort(map(1..200000, string(#)))", "map(1..1000, fromJSON(item))"} {
		b.Run(text[:5], func(b *testing.B) {
			e, err := Compile(text, testScope())
			if err != nil {
				b.Fatal(err)
			}
			env := testEnv()
			env.Item = "[" + strings.Repeat("\"abcdefghijk\",", 5000) + "1]"
			for b.Loop() {
				_, _ = e.Eval(env)
			}
		})
	}
}
