package expression

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var writeDocs = flag.Bool("write-docs", false, "rewrite the table of functions in docs/control-flow.md")

// described is the row of a function in the documentation: its form, its result, and an example, whose value the test
// computes.
type described struct{ form, gives, example string }

var describedFunctions = []described{
	{"len(X)", "the number of characters, elements or keys", `len("äöü")`},
	{"type(X)", "the kind of a value: nil, bool, int, float, string, array, map, time, duration", `type([1])`},

	{"int(X)", "a whole number, of a text or a number", `int("12") + 1`},
	{"float(X)", "a number, of a text", `float("0.5") * 2`},
	{"abs(N)", "without its sign", `abs(-3)`},
	{"ceil(N)", "the next whole number above", `ceil(1.2)`},
	{"floor(N)", "the next whole number below", `floor(1.8)`},
	{"round(N)", "the nearest whole number", `round(2.4)`},
	{"max(N…)", "the largest of numbers and lists of them", `max([3, 9], 4)`},
	{"min(N…)", "the smallest", `min([3, 9], 4)`},
	{"mean(N…)", "the average", `mean([1, 2])`},
	{"median(N…)", "the middle one", `median([1, 2, 9])`},

	{"string(X)", "a text; lists and maps as JSON", `string([1, "a"])`},
	{"trim(S)", "without blanks, or the characters of a second text, at both ends", `trim("  x ")`},
	{"trimPrefix(S, P)", "without P at its beginning", `trimPrefix("v1.2", "v")`},
	{"trimSuffix(S, P)", "without P at its end", `trimSuffix("a.txt", ".txt")`},
	{"upper(S)", "in capitals", `upper("ab")`},
	{"lower(S)", "in small letters", `lower("AB")`},
	{"split(S, BY)", "a list of the parts; a third argument is the most of them", `split("a,b", ",")`},
	{"join(L, BY)", "one text of a list of texts", `join(["a", "b"], "-")`},
	{"replace(S, A, B)", "with B for each A", `replace("a.b.c", ".", "/")`},
	{"repeat(S, N)", "N times", `repeat("ab", 2)`},
	{"indexOf(S, P)", "where P begins, -1 if nowhere", `indexOf("abc", "c")`},
	{"lastIndexOf(S, P)", "where the last P begins", `lastIndexOf("a/b/c", "/")`},
	{"hasPrefix(S, P)", "whether it begins with P", `hasPrefix("abc", "a")`},
	{"hasSuffix(S, P)", "whether it ends with P", `hasSuffix("abc", "a")`},
	{"toJSON(X)", "as JSON", `toJSON({"a": nil})`},
	{"fromJSON(S)", "the value of a text of JSON", `fromJSON("[1, 2]")[1]`},
	{"toBase64(S)", "as base64", `toBase64("hi")`},
	{"fromBase64(S)", "the text behind base64", `fromBase64("aGk=")`},

	{"first(L)", "the first element, nil of an empty list", `first([1, 2])`},
	{"last(L)", "the last element", `last([1, 2])`},
	{"get(X, K)", "an element or the value of a key, nil if there is none", `get([1], 5)`},
	{"take(L, N)", "the first N elements", `take([1, 2, 3], 2)`},
	{"keys(M)", "the keys, sorted", `keys({"b": 1, "a": 2})`},
	{"values(M)", "the values, in the order of their keys", `values({"b": 1, "a": 2})`},
	{"toPairs(M)", "a list of [KEY, VALUE]", `toPairs({"a": 1})`},
	{"fromPairs(L)", "a map of a list of [KEY, VALUE]", `fromPairs([["a", 1]])`},
	{"reverse(L)", "the other way round", `reverse([1, 2])`},
	{"uniq(L)", "each element once", `uniq([1, 2, 1])`},
	{"concat(L…)", "one list of several", `concat([1], [2])`},
	{"flatten(L)", "one list of lists in lists", `flatten([1, [2, [3]]])`},
	{"sort(L)", `sorted; by "desc" as second argument downwards`, `sort([2, 3, 1], "desc")`},

	{"map(L, P)", "a list of what P gives for each", `map([1, 2], # * 10)`},
	{"filter(L, P)", "those for which P is true", `filter([1, 2, 3], # > 1)`},
	{"all(L, P)", "whether P is true for all", `all([1, 2], # > 0)`},
	{"any(L, P)", "whether it is for one or more", `any([1, 2], # > 1)`},
	{"one(L, P)", "whether it is for exactly one", `one([1, 2], # > 0)`},
	{"none(L, P)", "whether it is for none", `none([1, 2], # > 2)`},
	{"count(L, P)", "for how many it is", `count([1, 2, 3], # > 1)`},
	{"sum(L)", "the sum; with P, of what P gives", `sum([1, 2], # * 10)`},
	{"find(L, P)", "the first for which P is true, or nil", `find([1, 2, 3], # > 1)`},
	{"findLast(L, P)", "the last one", `findLast([1, 2, 3], # > 1)`},
	{"findIndex(L, P)", "the place of the first one, from 0, or nil", `findIndex([1, 2, 3], # > 1)`},
	{"findLastIndex(L, P)", "the place of the last one", `findLastIndex([1, 2, 3], # > 1)`},
	{"reduce(L, P)", "one value of all: P makes it of #acc and the next one; a third argument begins", `reduce([1, 2, 3], #acc * #, 1)`},
	{"groupBy(L, P)", "a map of lists, by what P gives", `groupBy(["a", "bb", "c"], len(#))`},
	{"sortBy(L, P)", `sorted by what P gives; "desc" as third argument`, `sortBy([{"n": 2}, {"n": 1}], #.n)`},

	{"now()", "the time of the run, UTC", `now()`},
	{"date(S)", "a time of a text; a second argument is its form, as Go writes it", `date("2026-01-31")`},
	{"duration(S)", "a span of time", `date("2026-01-31") + duration("1h30m")`},
	{"uuid()", "another id each time", `uuid()`},
	{"T.Format(LAYOUT)", "a text of a time", `now().Format("02.01.2006")`},
	{"T.Year()", "a part of a time, as are the next ones", `now().Year()`},
	{"T.Month()", "from 1", `now().Month()`},
	{"T.Day()", "of the month", `now().Day()`},
	{"T.Hour()", "", `now().Hour()`},
	{"T.Minute()", "", `now().Minute()`},
	{"T.Second()", "", `now().Second()`},
	{"T.Weekday()", "its English name", `now().Weekday()`},
	{"T.Unix()", "seconds since 1970", `now().Unix()`},
}

// TestDocsListEveryFunction checks that docs/control-flow.md has a row for each function, with the correct result.
func TestDocsListEveryFunction(t *testing.T) {
	const path, begin, end = "../../docs/control-flow.md", "<!-- functions -->\n", "<!-- end of functions -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	have, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the functions", path)
	}
	want := functionTable(t)
	if *writeDocs {
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have != want {
		t.Errorf("the functions of %s are stale: make docs", path)
	}
}

func functionTable(t *testing.T) string {
	missing := map[string]bool{}
	for name := range functions {
		missing[name] = true
	}
	for name := range loopFunctions {
		missing[name] = true
	}
	for name := range timeMethods {
		missing["T."+name] = true
	}
	env := Env{Now: 1_772_000_000_000_000_000, UUID: func() string { return "0d9c1f0e-…" }}
	var b strings.Builder
	b.WriteString("| function | gives | example |\n|---|---|---|\n")
	for _, f := range describedFunctions {
		name, _, _ := strings.Cut(f.form, "(")
		if !missing[name] || !strings.Contains(f.example, strings.TrimPrefix(name, "T.")+"(") {
			t.Errorf("%s is no function, or described twice, or its example %s does not show it", name, f.example)
		}
		delete(missing, name)
		e, err := Compile(f.example, Scope{})
		if err != nil {
			t.Errorf("%s: %v", f.example, err)
			continue
		}
		value, err := e.Eval(env)
		if err != nil {
			t.Errorf("%s: %v", f.example, err)
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` is `%s` |\n", f.form, f.gives, f.example, jsonText(value))
	}
	for name := range missing {
		t.Errorf("the function %s is not described", name)
	}
	return b.String()
}
