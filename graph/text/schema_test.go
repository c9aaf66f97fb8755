package text_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	yaml "go.yaml.in/yaml/v3"

	"wf/graph"
	"wf/graph/text"
)

//go:generate go test . -run TestDocs -write-docs

var writeDocs = flag.Bool("write-docs", false, "rewrite docs/schema/workfile.json")

// TestDocs checks that docs/schema/workfile.json is up to date.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "schema", "workfile.json")
	if *writeDocs {
		if err := os.WriteFile(path, text.Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, text.Schema()) {
		t.Error("docs/schema/workfile.json is stale: make docs")
	}
}

// compiled returns the schema of texts.
func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("workfile.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("workfile.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate checks a text with a schema, as an editor does.
func validate(t testing.TB, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	plain, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(doc)
}

// TestSchema checks that the schema accepts everything that is written, and the forms that people write, and finds mistakes.
func TestSchema(t *testing.T) {
	schema := compiled(t)
	check := func(t *testing.T, path string, g *graph.Graph) {
		data, err := text.Write(g)
		if err != nil {
			return // nested too deep
		}
		if err := validate(t, schema, data); err != nil {
			t.Errorf("%v\n%s", err, data)
		}
	}
	for _, folder := range []string{"workfiles", "graphml-corpus", "graphml-cases"} {
		t.Run(folder, func(t *testing.T) { workfiles(t, filepath.Join("../../../shared", folder), check) })
	}
	t.Run("examples", func(t *testing.T) { workfiles(t, "../../examples", check) })
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no texts", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(data), "\n=====\n") {
			if err := validate(t, schema, []byte(part)); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	for _, bad := range []string{"nodes: []", "jobs: 2", "nodes: {a: {retires: 3}}", "nodes: {a: {run: x, retries: -1}}", "nodes: {a: {after: {b: {whem: x}}}}",
		"nodes: {a: {join_losers: kill}}", "nodes: {a: {x: 3}}", "nodes: {a: {on: {crno: x}}}", "nodes: {}\ncolor: red", "nodes: {a: {after: {b: fail}}}"} {
		if err := validate(t, schema, []byte(bad)); err == nil {
			t.Errorf("%s is valid", bad)
		}
	}
}

// TestDocumentedTexts checks that every text in docs/text.md can be read, and is valid for the schema.
func TestDocumentedTexts(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "text.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("no texts")
	}
	schema := compiled(t)
	for _, block := range blocks {
		source, _, _ := strings.Cut(block, "```")
		checkFixed(t, write(t, read(t, []byte(source)).Graph()))
		if err := validate(t, schema, []byte(source)); err != nil {
			t.Errorf("%v\n%s", err, source)
		}
	}
}
