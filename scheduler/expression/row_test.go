package expression

import (
	"strings"
	"testing"
)

// item.NAME of a row of a table must be one of its columns; of other items it may be missing.
func TestColumns(t *testing.T) {
	cells := map[string]any{"sample": "S1", "fastq file": "a.fq"}
	for text, want := range map[string]string{
		`item.sample`:         "S1",
		`item["fastq file"]`:  "a.fq",
		`item.smaple`:         `the table has no column "smaple"; did you mean sample?`,
		`item["zzz" + "1"]`:   `the table has no column "zzz1"; it has fastq file, sample; write item?.zzz1`,
		`item?.zzz ?? "none"`: "none",
		`parent.item.smaple`:  `no column "smaple"`,
		`parent.item.sample`:  "S1",
	} {
		for what, s := range map[string]Scope{
			"the row itself": {Item: true, Row: true, Parent: &Scope{Item: true, Row: true, Parent: &Scope{}}},
			"in times":       {Index: true, Parent: &Scope{Item: true, Row: true, Parent: &Scope{}}},
		} {
			env := Env{Item: cells, Parent: &Env{Item: cells, Parent: &Env{}}}
			got, err := resultOf(text, s, env)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, want) {
				t.Errorf("%s in %s: %s, want %s", text, what, got, want)
			}
		}
	}
	if got, err := resultOf(`item.zzz ?? "none"`, Scope{Item: true, Parent: &Scope{}}, Env{Item: cells, Parent: &Env{}}); err != nil || got != "none" {
		t.Errorf("of a list: %s, %v", got, err)
	}
}

// resultOf evaluates an expression.
func resultOf(text string, s Scope, env Env) (string, error) {
	c, err := CompileText("${{ "+text+" }}", s)
	if err != nil {
		return "", err
	}
	return c.Render(env)
}
