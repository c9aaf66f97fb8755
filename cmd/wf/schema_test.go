package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
)

const schemaFolder = "../../docs/schema"

// schemaOf lists the documents of the commands with --json, and the scripts that check them with all kinds of
// runs. A new command with --json needs a schema, a line here, and "valid" in a
// script.
var schemaOf = map[string]string{
	"wf approvals":     "wf.approvals/v1",
	"wf approve":       "wf.decision/v1",
	"wf audit":         "wf.audit/v1",
	"wf audit verify":  "wf.audit-verify/v1",
	"wf attach":        "wf.event/v1",
	"wf check":         "wf.check/v1",
	"wf diff":          "wf.workfile-diff/v1",
	"wf doctor":        "wf.doctor/v1",
	"wf edit":          "wf.edit/v1",
	"wf graph":         "wf.graph/v1",
	"wf host ls":       "wf.hosts/v1",
	"wf kv":            "wf.kv/v1",
	"wf kv ls":         "wf.kv-keys/v1",
	"wf logs":          "wf.log/v1",
	"wf trigger log":   "wf.trigger-log/v1",
	"wf trigger ls":    "wf.triggers/v1",
	"wf trigger next":  "wf.triggers/v1",
	"wf version":       "wf.version/v1",
	"wf ls":            "wf.nodes/v1",
	"wf out":           "wf.outputs/v1",
	"wf eval":          "wf.eval/v1",
	"wf params":        "wf.params/v1",
	"wf plan":          "wf.plan/v1",
	"wf reject":        "wf.decision/v1",
	"wf resume":        "wf.event/v1",
	"wf run":           "wf.event/v1",
	"wf runs":          "wf.runs/v1",
	"wf runs diff":     "wf.diff/v1",
	"wf runs ls":       "wf.runs/v1",
	"wf runs prune":    "wf.prune/v1",
	"wf runs rm":       "wf.prune/v1",
	"wf runs show":     "wf.run/v1",
	"wf notify log":    "wf.notifications/v1",
	"wf notify ls":     "wf.notifications/v1",
	"wf notify test":   "wf.notify-test/v1",
	"wf server ls":     "wf.server/v1",
	"wf server pools":  "wf.pools/v1",
	"wf server status": "wf.server/v1",
	"wf status":        "wf.status/v1",
	"wf why":           "wf.why/v1",
}

// TestEverySchemaIsUsed checks that each command with --json has a schema, and a script that validates its output.
func TestEverySchemaIsUsed(t *testing.T) {
	scripts := allScripts(t)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
		if cmd.Flags().Lookup("json") == nil {
			return
		}
		path := cmd.CommandPath()
		if _, own := schemaOf[path]; !own {
			path = cmd.Parent().CommandPath() // all subcommands of edit have the same output
		}
		schema, known := schemaOf[path]
		if !known {
			t.Errorf("%s --json has no schema: write docs/schema/NAME.json and add it to schemaOf", cmd.CommandPath())
			return
		}
		if !checkedIn(scripts, path, schema) {
			t.Errorf("no script runs %s … --json and then: valid %s …", cmd.CommandPath(), schema)
		}
	}
	visit(newRoot(&env{}))
}

func allScripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var texts []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	return texts
}

// checkedIn reports whether a script has a line with the command and --json, followed by a check before the next command
// or, for a background command, anywhere after it.
func checkedIn(scripts []string, command, schema string) bool {
	for _, script := range scripts {
		lines := strings.Split(script, "\n")
		for i, line := range lines {
			words := strings.Fields(line)
			at := slices.Index(words, "wf")
			if at < 1 || !strings.HasPrefix(strings.Join(words[at:], " ")+" ", command+" ") || !slices.Contains(words, "--json") {
				continue
			}
			if words[0] == "start" {
				if strings.Contains(strings.Join(lines[i:], "\n"), "\nvalid "+schema+" "+words[1]+".out") {
					return true
				}
			} else if i+1 < len(lines) && lines[i+1] == "valid "+schema+" stdout" {
				return true
			}
		}
	}
	return false
}

// TestSchemas checks that every schema is valid and described, and allows additional members, which later versions may add.
func TestSchemas(t *testing.T) {
	for name, doc := range readSchemas(t) {
		if _, err := compileSchemas(map[string]any{name: doc, "common.json": readSchemas(t)["common.json"], "diff.json": readSchemas(t)["diff.json"]}, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, key := range []string{"title", "description", "$id"} {
			if text, _ := doc.(map[string]any)[key].(string); text == "" {
				t.Errorf("%s has no %s", name, key)
			}
		}
		if name == "workfile.json" {
			continue // people write what it describes, and a word that wf does not know is a mistake
		}
		walkSchema(doc, func(object map[string]any) {
			for _, key := range []string{"additionalProperties", "unevaluatedProperties", "enum"} {
				if _, closed := object[key]; closed && object["type"] != nil {
					t.Errorf("%s is closed by %s: %v", name, key, object)
				}
			}
		})
	}
}

// TestStrictSchemas checks that "valid" finds members that a schema does not contain.
func TestStrictSchemas(t *testing.T) {
	for text, good := range map[string]bool{
		`{"schema":"wf.prune/v1","removed":["1"]}`:                                                                        true,
		`{"schema":"wf.prune/v1","removed":["1"],"more":1}`:                                                               false,
		`{"schema":"wf.prune/v1","removed":[1]}`:                                                                          false,
		`{"schema":"wf.prune/v2","removed":[]}`:                                                                           false,
		`{"schema":"wf.error/v1","code":"usage","message":"x","exit_code":2}`:                                             true,
		`{"schema":"wf.error/v1","code":"odd","message":"x","exit_code":2}`:                                               false,
		`{"schema":"wf.error/v1","message":"x","exit_code":2}`:                                                            false,
		`{"schema":"wf.nodes/v1","nodes":[{"id":"a","name":"a"}]}`:                                                        false,
		`{"schema":"wf.nodes/v1","nodes":[{"id":"a","name":"a","command":"","status":"","state":"idle","executions":0}]}`: true,
		`{"schema":"wf.odd/v1"}`:                                                                                          false,
		`{`:                                                                                                               false,
	} {
		if err := validate([]byte(text)); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// cmdValid validates every line of a file with a schema, which the line must name: "valid wf.plan/v1 stdout". The file must
// not be empty.
func cmdValid(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 2, 2, "valid SCHEMA FILE")
	text := ts.ReadFile(args[1])
	if strings.TrimSpace(text) == "" {
		ts.Fatalf("%s is empty", args[1])
	}
	for line := range strings.Lines(text) {
		var doc struct{ Schema string }
		if err := json.Unmarshal([]byte(line), &doc); err != nil || doc.Schema != args[0] {
			ts.Fatalf("not %s: %s%v", args[0], line, err)
		}
		if err := validate([]byte(line)); err != nil {
			ts.Fatalf("%s%v", line, err)
		}
	}
}

// validate validates a document with the schema that it names, and refuses members that are not in it.
func validate(text []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	object, _ := doc.(map[string]any)
	name, _ := object["schema"].(string)
	schemas, err := strictSchemas()
	if err != nil {
		return err
	}
	schema := schemas[name]
	if schema == nil {
		return fmt.Errorf("no schema %q", name)
	}
	return schema.Validate(doc)
}

// strictSchemas returns the schemas, by the names in documents, changed so that they forbid unknown properties and unknown
// values.
var strictSchemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	files, err := loadSchemas()
	if err != nil {
		return nil, err
	}
	for _, doc := range files {
		walkSchema(doc, func(object map[string]any) {
			if object["type"] == "object" && object["properties"] != nil {
				object["additionalProperties"] = false
			}
			if words, found := object["x-known"]; found {
				object["enum"] = words
			}
		})
	}
	schemas := map[string]*jsonschema.Schema{}
	for name := range files {
		schema, err := compileSchemas(files, name)
		if err != nil {
			return nil, err
		}
		schemas["wf."+strings.TrimSuffix(name, ".json")+"/v1"] = schema
	}
	return schemas, nil
})

func compileSchemas(files map[string]any, name string) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for name, doc := range files {
		if err := c.AddResource(name, doc); err != nil {
			return nil, err
		}
	}
	return c.Compile(name)
}

func readSchemas(t *testing.T) map[string]any {
	t.Helper()
	files, err := loadSchemas()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// loadSchemas returns the schemas by the names of their files.
func loadSchemas() (map[string]any, error) {
	paths, err := filepath.Glob(filepath.Join(schemaFolder, "*.json"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no schemas in %s: %w", schemaFolder, err)
	}
	files := map[string]any{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files[filepath.Base(path)] = doc
	}
	return files, nil
}

// walkSchema calls f for each object of a schema. It also calls f for the tables of properties, which is harmless.
func walkSchema(value any, f func(map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			walkSchema(value[key], f)
		}
		f(value)
	case []any:
		for _, item := range value {
			walkSchema(item, f)
		}
	}
}
