package table

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// rowsOf parses a table and returns its rows as JSON, or the error.
func rowsOf(name, text string, l Limits) string {
	items, err := Parse(name, []byte(text), l)
	if err != nil {
		return err.Error()
	}
	data, err := json.Marshal(items)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func TestRows(t *testing.T) {
	for what, c := range map[string]struct{ name, text, want string }{
		"tabs":                  {"s.tsv", "id\tfq\nS1\ta b\nS2\t\n", `[{"fq":"a b","id":"S1"},{"fq":"","id":"S2"}]`},
		"no last line end":      {"s.tab", "id\tfq\nS1\ta", `[{"fq":"a","id":"S1"}]`},
		"quotes in TSV":         {"s.txt", "id\tfq\n\"S1\t\"\"x\"\n", `[{"fq":"\"\"x\"","id":"\"S1"}]`},
		"mark and CRLF":         {"s.tsv", "\ufeffid\tfq\r\nS1\ta\r\n", `[{"fq":"a","id":"S1"}]`},
		"mark and CRLF in CSV":  {"s.csv", "\ufeffid,fq\r\nS1,a\r\n", `[{"fq":"a","id":"S1"}]`},
		"mark before a quote":   {"s.csv", "\ufeff\"id\",fq\nS1,a\n", `[{"fq":"a","id":"S1"}]`},
		"quotes in CSV":         {"S.CSV", "id,fq\n\"S,1\",\"a\"\"b\nc\"\n", `[{"fq":"a\"b\nc","id":"S,1"}]`},
		"empty lines":           {"s.tsv", "\nid\tfq\n\nS1\ta\n\n\n", `[{"fq":"a","id":"S1"}]`},
		"only a header":         {"s.csv", "id,fq\n", `[]`},
		"blanks":                {"s.csv", " id , fq\n S1 , a\n", `[{"fq":" a","id":" S1 "}]`},
		"one column":            {"s.tsv", "id\nS1\nS2\n", `[{"id":"S1"},{"id":"S2"}]`},
		"capitals are distinct": {"s.csv", "id,ID\na,b\n", `[{"ID":"b","id":"a"}]`},
		"commas in TSV":         {"s.tsv", "id\tfq\nS1\ta,b\n", `[{"fq":"a,b","id":"S1"}]`},
	} {
		if got := rowsOf(c.name, c.text, Limits{}); got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}

// Each mistake names file and line, and a way out.
func TestMistakes(t *testing.T) {
	long := strings.Repeat("x", MaxBytes)
	for what, c := range map[string]struct {
		name, text, at, problem, remedy string
		limits                          Limits
	}{
		"empty":               {"s.tsv", "", "s.tsv: ", "empty", "first line", Limits{}},
		"only a mark":         {"s.csv", "\ufeff\r\n", "s.csv: ", "empty", "first line", Limits{}},
		"another ending":      {"s.xlsx", "id\n", "s.xlsx: ", "separated", ".csv", Limits{}},
		"no ending":           {"samples", "id\n", "samples: ", "separated", ".tsv", Limits{}},
		"short row":           {"s.tsv", "id\tfq\nS1\ta\nS2\n", "s.tsv:3: ", "has 1 column, and the header has 2", "id, fq", Limits{}},
		"long row":            {"s.csv", "id,fq\nS1,a\n\n\"x\ny\",b\nS2,a,b\n", "s.csv:6: ", "has 3 columns", "id, fq", Limits{}},
		"column without name": {"s.tsv", "id\t \n", "s.tsv:1: ", "column 2 has no name", "each column", Limits{}},
		"column twice":        {"s.tsv", "id\tid\n", "s.tsv:1: ", "two columns are called id", "its own name", Limits{}},
		"equal variables":     {"s.csv", "fastq 1,fastq-1\n", "s.csv:1: ", `"fastq 1" and "fastq-1" are both the variable WF_ITEM_fastq_1`, "rename", Limits{}},
		"equal accents":       {"s.csv", "é,ü\n", "s.csv:1: ", "WF_ITEM__", "rename", Limits{}},
		"no key column":       {"s.tsv", "S1\ta\nS2\tb\n", "s.tsv:1: ", `no column "sample"`, "first line must name the columns, and it names S1, a.", Limits{Key: "sample"}},
		"misspelt key":        {"s.tsv", "sample\tfq\n", "s.tsv:1: ", `no column "smaple"`, "did you mean sample?", Limits{Key: "smaple"}},
		"key twice":           {"s.tsv", "id\tfq\nS1\ta\nS2\tb\nS1\tc\n", "s.tsv:4: ", `the key id is "S1", as in line 2`, "own", Limits{Key: "id"}},
		"empty key":           {"s.csv", "id,fq\nS1,a\n ,b\n", "s.csv:3: ", "the key id is empty", "own", Limits{Key: "id"}},
		"open quote":          {"s.csv", "id,fq\nS1,a\n\"S2,b\nS3,c\n", "s.csv:3: ", "not closed", "double", Limits{}},
		"text after a quote":  {"s.csv", "id,fq\n\"S\"1,a\n", "s.csv:2: ", "text follows", "double", Limits{}},
		"quote within":        {"s.csv", "id,fq\nS\"1,a\n", "s.csv:2: ", "quote is within", "doubled", Limits{}},
		"not UTF-8":           {"s.tsv", "id\nS1\nM\xfcller\n", "s.tsv:3: ", "not UTF-8", "iconv -f LATIN1", Limits{}},
		"UTF-16":              {"s.csv", "\xff\xfei\x00d\x00\n\x00", "s.csv:1: ", "not UTF-8", "UTF-16", Limits{}},
		"NUL":                 {"s.tsv", "id\nS1\nS\x002\n", "s.tsv:3: ", "NUL", "remove", Limits{}},
		"old line ends":       {"s.tsv", "id\tfq\rS1\ta\r", "s.tsv:1: ", "carriage return", "LF or CRLF", Limits{}},
		"semicolons":          {"s.csv", "id;fq\nS1;a\n", "s.csv:1: ", "not separated by commas", "commas", Limits{}},
		"too many rows":       {"s.tsv", "id\na\nb\nc\n", "s.tsv:4: ", "more than 2 rows", "max_instances", Limits{MaxRows: 2}},
		"too large":           {"s.tsv", "id\n" + long, "s.tsv: ", "larger", "split", Limits{}},
		"too large as items":  {"s.tsv", long[:MaxBytes/2] + "\na\nb\n", "s.tsv:3: ", "larger", "split", Limits{}},
	} {
		got := rowsOf(c.name, c.text, c.limits)
		problem, remedy, _ := strings.Cut(got, "; ")
		if !strings.HasPrefix(problem, c.at) || !strings.Contains(problem, c.problem) || !strings.Contains(remedy, c.remedy) {
			t.Errorf("%s: %.300s", what, got)
		}
	}
}

// Exactly the greatest number of rows is allowed.
func TestMostRows(t *testing.T) {
	if got := rowsOf("s.tsv", "id\na\nb\n", Limits{MaxRows: 2}); got != `[{"id":"a"},{"id":"b"}]` {
		t.Error(got)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.tsv")
	if err := os.WriteFile(path, []byte("id\nS1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"s.tsv", path, "../" + filepath.Base(dir) + "/s.tsv"} {
		if items, err := Read(dir, name, Limits{}); err != nil || len(items) != 1 {
			t.Errorf("%s: %v, %v", name, items, err)
		}
	}
	_, err := Read(dir, "gone.tsv", Limits{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "gone.tsv: the table does not exist") || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.tsv"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.tsv"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe.tsv", "folder.tsv"} {
		if _, err := Read(dir, name, Limits{}); err == nil || !strings.Contains(err.Error(), name+": the table is not a file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzParse: a text is a table whose rows have the columns of its header and keys of their own, or a mistake with a line of the
// text and a remedy. What was read can be written and read again.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "id\tfq\nS1\ta\n", "id,fq\r\n\"S,1\",\"a\"\"b\"\r\n", "\ufeffid\n\n1\n", "a;b\n", "id\nS1\nS1\n", "\"", "a\xff"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, commas bool) {
		name := "s.tsv"
		if commas {
			name = "s.csv"
		}
		items, err := Parse(name, []byte(text), Limits{Key: "id", MaxRows: 50})
		if err != nil {
			var m *Mistake
			if !errors.As(err, &m) || m.File != name || m.Problem == "" || m.Remedy == "" || m.Line < 0 || m.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		if items == nil || len(items) > 50 {
			t.Fatalf("%q: %d items", text, len(items))
		}
		keys := map[any]bool{}
		for _, item := range items {
			row := item.(map[string]any)
			if key := row["id"]; keys[key] || key == "" || len(row) != len(items[0].(map[string]any)) {
				t.Fatalf("%q: %v", text, items)
			}
			keys[row["id"]] = true
		}
		if len(items) > 0 {
			again(t, items)
		}
	})
}

// again writes items as CSV and reads them.
func again(t *testing.T, items []any) {
	columns := slices.Sorted(maps.Keys(items[0].(map[string]any)))
	quoted := func(cell string) string { return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"` }
	var b strings.Builder
	for k, column := range columns {
		b.WriteString(strings.Repeat(",", min(k, 1)) + quoted(column))
	}
	for _, item := range items {
		b.WriteString("\n")
		for k, column := range columns {
			b.WriteString(strings.Repeat(",", min(k, 1)) + quoted(item.(map[string]any)[column].(string)))
		}
	}
	want, _ := json.Marshal(items)
	if got := rowsOf("again.csv", b.String(), Limits{Key: "id"}); got != string(want) {
		t.Fatalf("%s, want %s", got, want)
	}
}
