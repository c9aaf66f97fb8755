// Package wf_test holds the form of the project against its rules: who imports whom, what each
// package says about itself, and how long files and functions may be. A failure here is a
// question about the design, to be answered in docs/decisions, not a line to be added below.
package wf_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 70
	maxFields        = 25
	maxMethods       = 60
)

// mayImport lists for each package which of our packages it may import. A package that serves
// several others lies below the one of them that knows least.
var mayImport = map[string][]string{
	"graph/spelling":                  {},
	"graph/pattern":                   {},
	"graph/timespan":                  {},
	"graph/attribute":                 {"graph/spelling"},
	"graph/components":                {},
	"graph/stages":                    {"graph/components", "graph/layered"},
	"graph/picture":                   {"graph/components", "graph/layered", "graph/stages"},
	"graph/difference":                {"graph"},
	"graph/text":                      {"graph", "graph/attribute", "graph/pattern", "graph/spelling"},
	"graph/merge":                     {"graph", "graph/difference"},
	"notify":                          {"api", "graph/spelling", "graph/timespan", "tui/plain", "tui/words"},
	"notify/outbox":                   {"api", "executor/ownfile", "notify"},
	"notify/send":                     {"api", "executor", "notify", "notify/outbox", "tui/plain"},
	"graph":                           {"graph/components", "graph/layered", "graph/spelling", "graph/stages"},
	"api":                             {},
	"scheduler/expression":            {"graph/spelling", "graph/timespan"},
	"scheduler/flow":                  {"graph", "graph/attribute", "graph/components", "graph/timespan", "scheduler/expression"},
	"scheduler":                       {"graph", "graph/components", "graph/timespan", "scheduler/expression", "scheduler/flow"},
	"graphml":                         {"graph", "graph/attribute", "graph/pattern"},
	"executor/ownfile":                {},
	"executor/checksum":               {},
	"executor/jsonline":               {},
	"executor/peer":                   {},
	"executor/fault":                  {},
	"executor/proc":                   {"executor/ownfile"},
	"executor/shell":                  {},
	"executor/procattr":               {"executor/jsonline", "executor/proc"},
	"executor/rundir":                 {"executor/checksum", "executor/fault", "executor/ownfile", "executor/proc", "executor/shell"},
	"executor/wire":                   {"executor/jsonline", "executor/peer", "executor/proc"},
	"executor":                        {"executor/fault", "executor/ownfile", "executor/proc", "executor/procattr", "executor/rundir", "executor/shell", "executor/wire"},
	"executor/engines":                {"executor"},
	"executor/executortest":           {"executor", "executor/proc", "executor/shell"},
	"executor/executortest/boxtest":   {},
	"executor/runner":                 {"executor/fault", "executor/ownfile", "executor/proc", "executor/procattr", "executor/rundir", "executor/shell", "executor/wire"},
	"executor/login":                  {"executor/shell"},
	"executor/cluster":                {"executor", "executor/checksum", "executor/login", "executor/procattr", "executor/rundir", "executor/shell"},
	"executor/cluster/template":       {"executor/cluster", "executor/login", "graph/pattern"},
	"executor/cluster/slurm":          {"executor", "executor/cluster", "executor/login"},
	"workspace/fence":                 {"executor/ownfile", "executor/proc"},
	"workspace/history":               {"executor/checksum", "executor/jsonline", "executor/ownfile", "executor/rundir", "workspace/tracing"},
	"workspace/loop":                  {},
	"workspace/tracing":               {},
	"workspace/clock":                 {"executor/proc"},
	"workspace/surroundings":          {"api", "executor", "executor/rundir", "executor/shell", "graph", "scheduler/expression", "workspace/history"},
	"workspace/params":                {"api", "executor", "scheduler/expression", "scheduler/flow"},
	"workspace/secrets":               {"executor", "executor/ownfile", "executor/rundir"},
	"workspace/uptodate":              {"executor/checksum", "executor/ownfile"},
	"workspace/table":                 {"scheduler/expression", "scheduler/flow"},
	"workspace/runstate":              {"api", "executor", "executor/ownfile", "executor/shell", "graph", "graph/pattern", "scheduler", "scheduler/expression", "scheduler/flow", "workspace/clock", "workspace/history", "workspace/params", "workspace/secrets", "workspace/uptodate"},
	"workspace/workfile":              {"api", "executor", "executor/checksum", "executor/ownfile", "executor/shell", "graph", "graph/attribute", "graph/difference", "graph/layered", "graph/merge", "graph/text", "graphml", "scheduler", "scheduler/flow", "trigger", "workspace/history", "workspace/loop", "workspace/params", "workspace/secrets", "workspace/table", "workspace/uptodate"},
	"workspace/nodestate":             {"api", "graph", "scheduler", "scheduler/expression", "scheduler/flow", "workspace/history", "workspace/runstate", "workspace/workfile"},
	"workspace/planning":              {"api", "executor", "executor/procattr", "executor/shell", "graph", "graph/timespan", "graphml", "notify", "scheduler", "scheduler/expression", "scheduler/flow", "trigger", "workspace/clock", "workspace/history", "workspace/loop", "workspace/nodestate", "workspace/params", "workspace/runstate", "workspace/secrets", "workspace/surroundings", "workspace/table", "workspace/uptodate", "workspace/workfile"},
	"workspace/comparison":            {"api", "graph", "graph/difference"},
	"workspace/inquiry":               {"api", "executor", "executor/ownfile", "graph", "graph/attribute", "graph/pattern", "scheduler", "scheduler/expression", "scheduler/flow", "workspace/clock", "workspace/comparison", "workspace/history", "workspace/loop", "workspace/nodestate", "workspace/runstate", "workspace/secrets", "workspace/tracing", "workspace/watchers", "workspace/workfile"},
	"workspace/activerun":             {"api", "executor", "executor/ownfile", "executor/rundir", "graph", "notify", "scheduler", "workspace/clock", "workspace/history", "workspace/loop", "workspace/nodestate", "workspace/params", "workspace/runstate", "workspace/secrets", "workspace/surroundings", "workspace/table", "workspace/tracing", "workspace/uptodate", "workspace/watchers", "workspace/workfile"},
	"workspace/workfile/workfiletest": {"api", "graph", "workspace/history", "workspace/loop", "workspace/workfile"},
	"workspace/watchers":              {"api", "executor/jsonline", "graph", "workspace/clock", "workspace/loop", "workspace/nodestate"},
	"trigger/schedule":                {},
	"trigger":                         {"graph/spelling", "graph/timespan", "trigger/schedule", "trigger/webhook"},
	"trigger/planner":                 {"trigger", "trigger/schedule"},
	"trigger/arrivals":                {},
	"trigger/webhook":                 {},
	"trigger/ledger":                  {"executor/ownfile", "trigger/arrivals", "trigger/planner", "trigger/webhook"},
	"daemon/store":                    {"executor/checksum", "executor/ownfile"},
	"daemon/armed":                    {"api", "daemon/folders", "executor/ownfile", "trigger", "trigger/arrivals", "trigger/ledger", "trigger/planner", "trigger/webhook", "workspace/clock", "workspace/fence", "workspace/history", "workspace/workfile"},
	"daemon/folders":                  {"trigger", "trigger/arrivals"},
	"daemon/audit":                    {"executor/ownfile", "graph/pattern", "workspace/fence"},
	"daemon/metrics":                  {"executor/ownfile", "graph/pattern", "workspace/history"},
	"daemon/traces":                   {"executor/ownfile", "workspace/tracing"},
	"daemon/webhooks":                 {"api", "executor/ownfile", "trigger/webhook"},
	"workspace":                       {"api", "executor", "executor/ownfile", "executor/rundir", "graph", "graphml", "scheduler", "scheduler/flow", "workspace/activerun", "workspace/clock", "workspace/fence", "workspace/history", "workspace/inquiry", "workspace/loop", "workspace/nodestate", "workspace/params", "workspace/planning", "workspace/runstate", "workspace/secrets", "workspace/tracing", "workspace/uptodate", "workspace/watchers", "workspace/workfile"},
	"daemon":                          {"api", "daemon/armed", "daemon/audit", "daemon/metrics", "daemon/store", "daemon/traces", "daemon/webhooks", "executor/ownfile", "executor/peer", "executor/proc", "notify", "notify/outbox", "trigger/webhook", "workspace", "workspace/activerun", "workspace/clock", "workspace/fence", "workspace/tracing", "workspace/workfile"},
	"client":                          {"api", "executor/jsonline", "executor/ownfile", "executor/peer", "executor/proc"},
	"client/runview":                  {"api"},
	"client/alike":                    {},
	"graph/layered":                   {"graph/components"},
	"tui/plain":                       {},
	"tui/cells":                       {},
	"tui/program":                     {},
	"tui/timeline":                    {"tui/cells"},
	"tui/dialog":                      {"tui/cells", "tui/plain", "tui/words"},
	"tui/logview":                     {"api", "client", "tui/cells", "tui/plain", "tui/program", "tui/words"},
	"tui/tail":                        {"api", "client", "tui/plain", "tui/words"},
	"tui/drawing":                     {"api", "graph/components", "graph/layered", "graph/picture", "tui/cells", "tui/painter", "tui/plain", "tui/words"},
	"cmd/wf/convert/gnumake":          {"cmd/wf/convert", "graph/pattern"},
	"cmd/wf/convert":                  {"api", "graph", "graph/attribute", "graph/layered", "graph/pattern", "graph/text", "tui/words"},
	"cmd/wf/definition":               {"api", "graph", "graph/merge", "graph/text", "graphml", "scheduler/flow", "workspace/comparison"},
	"cmd/wf/picture":                  {"api", "client/runview", "graph/picture", "tui/painter", "tui/plain", "tui/words"},
	"tui/painter":                     {"api", "graph/picture", "tui/words"},
	"tui/words":                       {"api", "tui/plain"},
	"tui/editor":                      {"api", "tui/plain", "tui/words"},
	"tui":                             {"api", "client", "client/alike", "client/runview", "graph/attribute", "graph/timespan", "tui/cells", "tui/dialog", "tui/drawing", "tui/editor", "tui/logview", "tui/plain", "tui/program", "tui/tail", "tui/timeline", "tui/words"},
	"web/page":                        {},
	"web/drawing":                     {"client/runview", "graph/picture", "tui/painter", "tui/plain", "tui/words"},
	"web":                             {"api", "client", "client/runview", "executor/peer", "tui/painter", "tui/plain", "tui/words", "web/drawing", "web/page"},
	"remote/link":                     {},
	"remote":                          {"executor/peer", "graph/pattern", "remote/link"},
	"cmd/wf/console":                  {"api", "remote", "tui/plain", "tui/words"},
	"cmd/wf/exit":                     {"api", "client", "graph/spelling", "tui/words"},
	"cmd/wf/ci":                       {"api", "client/runview", "graph/pattern", "tui/plain", "tui/words"},
	"cmd/wf/service":                  {"executor/ownfile"},
	"cmd/wf/progress":                 {"api", "client", "client/alike", "client/runview", "cmd/wf/ci", "cmd/wf/console", "cmd/wf/exit", "tui/tail", "tui/plain", "tui/words"},
	"cmd/wf/settings":                 {"api", "cmd/wf/console", "cmd/wf/exit", "cmd/wf/progress", "executor/cluster", "executor/cluster/template", "executor/ownfile", "graph/attribute", "graph/pattern", "graph/timespan", "notify", "notify/send", "remote", "scheduler/flow", "tui/words"},
	"cmd/wf/doctor":                   {"api", "client", "cmd/wf/console", "cmd/wf/exit", "cmd/wf/service", "cmd/wf/settings", "daemon", "daemon/audit", "executor", "executor/login", "executor/proc", "executor/shell", "notify/outbox", "tui/plain", "tui/words", "workspace/fence", "workspace/history"},
	"cmd/wf/report":                   {"api", "client", "client/runview", "cmd/wf/ci", "cmd/wf/console", "cmd/wf/exit", "cmd/wf/progress", "tui/tail", "graph/pattern", "tui/plain", "tui/words"},
	"cmd/wf":                          {"api", "client", "client/runview", "cmd/wf/ci", "cmd/wf/console", "cmd/wf/convert", "cmd/wf/convert/gnumake", "cmd/wf/definition", "cmd/wf/doctor", "cmd/wf/exit", "cmd/wf/picture", "cmd/wf/progress", "cmd/wf/report", "cmd/wf/service", "cmd/wf/settings", "daemon", "daemon/audit", "executor", "executor/cluster", "executor/cluster/slurm", "executor/engines", "executor/login", "executor/ownfile", "executor/proc", "executor/procattr", "executor/runner", "executor/shell", "graph/attribute", "graph/pattern", "graph/timespan", "notify", "notify/send", "remote", "tui", "tui/editor", "tui/plain", "tui/program", "tui/tail", "tui/words", "web", "workspace/fence", "workspace/history", "workspace/tracing"},
}

// mayNotUse lists packages of the standard library that would give a package powers it is
// built to do without. api, expression, flow and timespan may use time as data: see TestClock.
var mayNotUse = map[string][]string{
	"graph/spelling":       {"os", "net", "time", "sync", "log", "context", "fmt", "strings"},
	"graph/timespan":       {"os", "net", "sync", "log", "context"},
	"graph/attribute":      {"os", "net", "time", "sync", "log", "context"},
	"graph/difference":     {"os", "net", "time", "sync", "log", "context"},
	"graph/text":           {"os", "net", "time", "sync", "log", "context"},
	"graph/merge":          {"os", "net", "time", "sync", "log", "context"},
	"notify":               {"os", "net", "sync", "log", "context"},
	"graph":                {"os", "net", "time", "sync", "log", "context"},
	"trigger/schedule":     {"os", "net", "sync", "log", "context"},
	"trigger":              {"os", "net", "sync", "log", "context"},
	"trigger/planner":      {"os", "net", "sync", "log", "context"},
	"trigger/arrivals":     {"os", "net", "sync", "log", "context"},
	"trigger/webhook":      {"os", "net", "sync", "log", "context"},
	"trigger/ledger":       {"net", "sync", "log"},
	"scheduler/expression": {"os", "net", "log", "context"},
	"scheduler/flow":       {"os", "net", "sync", "log", "context"},
	"scheduler":            {"os", "net", "time", "sync", "log", "context"},
	"api":                  {"os", "net", "sync", "log", "context"},
	"cmd/wf/picture":       {"os", "net", "sync", "log", "context"},
	"cmd/wf/convert":       {"os", "net", "time", "sync", "log", "context"},
	"graph/layered":        {"os", "net", "time", "sync", "log", "context", "fmt", "strings"},
	"graph/picture":        {"os", "net", "time", "sync", "log", "context", "fmt"},
	"client/runview":       {"os", "net", "sync", "log", "context"},
	"client/alike":         {"os", "net", "time", "sync", "log", "context"},
	"tui/plain":            {"os", "net", "time", "sync", "log", "context"},
	"tui/cells":            {"os", "net", "time", "sync", "log", "context"},
	"tui/timeline":         {"os", "net", "sync", "log", "context"},
	"tui/dialog":           {"os", "net", "time", "sync", "log", "context"},
	"tui/program":          {"os", "net", "log"},
	"tui/words":            {"os", "net", "sync", "log", "context"},
	"web/drawing":          {"os", "net", "time", "sync", "log", "context"},
	"web/page":             {"os", "time", "log", "context"},
	"graphml":              {"os", "net"},
	"daemon/store":         {"net", "log"},
	"workspace/loop":       {"os", "net"},
	"workspace":            {"api", "executor", "executor/ownfile", "executor/rundir", "graph", "graphml", "scheduler", "scheduler/flow", "workspace/activerun", "workspace/clock", "workspace/fence", "workspace/history", "workspace/inquiry", "workspace/loop", "workspace/nodestate", "workspace/params", "workspace/planning", "workspace/runstate", "workspace/uptodate", "workspace/watchers", "workspace/workfile"},
}

// mayBeWide names the types that may have more fields or methods than maxFields and maxMethods,
// with what they may have and the reason.
var mayBeWide = map[string]struct {
	fields, methods int
	why             string
}{
	"api.Event":                 {45, 0, "the union of all events, as it stands in JSON"},
	"api.NodeStatus":            {35, 1, "all that a client is told of a node, as it stands in JSON"},
	"api.RunRequest":            {30, 0, "all that a client asks of a run, as it stands in JSON"},
	"workspace/history.Record":  {30, 0, "the union of all records of a journal, as it stands in JSON"},
	"workspace/history.Request": {51, 0, "all that a run began with, as it stands in JSON"},
	"api.Execution":             {26, 0, "all that a client is told of an execution, as it stands in JSON"},
}

// mayBeLong names the functions that may have more lines than maxFunctionLines, with the reason.
var mayBeLong = map[string]string{}

// listed is what we need of go list -json.
type listed struct {
	ImportPath   string
	Dir          string
	Doc          string
	Imports      []string
	GoFiles      []string
	TestGoFiles  []string
	XTestGoFiles []string
}

// packages lists all packages of the module but this one, by their path below it. One that does
// not compile (-e) has a form all the same.
func packages(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,Doc,Imports,GoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	found := map[string]listed{}
	for dec := json.NewDecoder(out); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(p.ImportPath, "wf/"); ok {
			found[name] = p
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return found
}

// home is the entry of the table that a package belongs to: test support belongs to what it tests.
func home(name string) string {
	switch name {
	case "web/webtest":
		return "web"
	case "notify/send/sendtest":
		return "notify/send"
	case "executor/peer/peertest":
		return "executor/peer"
	case "executor/cluster/clustertest", "executor/cluster/slurmtest":
		return "executor/cluster"
	case "cmd/wf/console/consoletest":
		return "cmd/wf/console"
	case "workspace/history/historytest":
		return "workspace/history"
	}
	return name
}

func TestImports(t *testing.T) {
	for name, p := range packages(t) {
		if name == "bench" || strings.HasPrefix(name, "bench/") {
			continue // measures everything, and nothing depends on it
		}
		allowed, known := mayImport[home(name)]
		if !known {
			t.Errorf("package %s has no row in the table of imports", name)
			continue
		}
		for _, path := range p.Imports {
			other, ours := strings.CutPrefix(path, "wf/")
			if ours && home(other) != home(name) && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s: it may import only %v", name, other, allowed)
			}
			if !ours && forbidden(path, mayNotUse[home(name)]) {
				t.Errorf("%s imports %s, which would let it do what it must not", name, path)
			}
		}
	}
}

// forbidden says whether path is one of list or below it. net/url only takes texts apart.
func forbidden(path string, list []string) bool {
	return path != "net/url" && slices.ContainsFunc(list, func(bad string) bool {
		return path == bad || strings.HasPrefix(path, bad+"/")
	})
}

func TestForbidden(t *testing.T) {
	for path, want := range map[string]bool{"net": true, "net/http": true, "net/url": false, "log/slog": true, "logic": false} {
		if got := forbidden(path, []string{"net", "log"}); got != want {
			t.Errorf("forbidden(%q) = %v", path, got)
		}
	}
}

func TestPackageComments(t *testing.T) {
	for name, p := range packages(t) {
		if len(p.GoFiles) > 0 && len(strings.Fields(p.Doc)) < 5 {
			t.Errorf("package %s does not say what it is for and what it keeps out", name)
		}
	}
}

// TestSizes reads every Go file, also those of other systems that go list leaves out.
func TestSizes(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && path != ".") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			checkSize(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkSize complains about a file or functions in it that are too long to be read at once.
func checkSize(t *testing.T, path string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return
	}
	if lines := set.Position(file.FileEnd).Line; lines > maxFileLines {
		t.Errorf("%s has %d lines, more than %d", path, lines, maxFileLines)
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		lines := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
		if name := path + ":" + f.Name.Name; lines > maxFunctionLines && mayBeLong[name] == "" {
			t.Errorf("%s has %d lines, more than %d", name, lines, maxFunctionLines)
		}
	}
}

// width is how large a type is for who reads it: its fields, and its methods in all files.
type width struct{ fields, methods int }

// TestTypes counts fields and methods of every type of the product.
func TestTypes(t *testing.T) {
	widths := map[string]width{}
	for name, p := range packages(t) {
		for _, file := range p.GoFiles {
			measureTypes(t, name, filepath.Join(p.Dir, file), widths)
		}
	}
	for name, w := range widths {
		most := width{maxFields, maxMethods}
		if known, ok := mayBeWide[name]; ok {
			most = width{max(known.fields, maxFields), max(known.methods, maxMethods)}
		}
		if w.fields > most.fields || w.methods > most.methods {
			t.Errorf("%s has %d fields and %d methods, more than %d and %d", name, w.fields, w.methods, most.fields, most.methods)
		}
	}
	for name := range mayBeWide {
		if w, ok := widths[name]; !ok || w.fields <= maxFields && w.methods <= maxMethods {
			t.Errorf("%s is not that wide any more: remove its exception", name)
		}
	}
}

// measureTypes adds the fields and methods of the types in a file to widths.
func measureTypes(t *testing.T, pkg, path string, widths map[string]width) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if name := receiver(d); name != "" {
				w := widths[pkg+"."+name]
				w.methods++
				widths[pkg+"."+name] = w
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				named, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if s, ok := named.Type.(*ast.StructType); ok {
					w := widths[pkg+"."+named.Name.Name]
					w.fields = s.Fields.NumFields()
					widths[pkg+"."+named.Name.Name] = w
				}
			}
		}
	}
}

// receiver is the name of the type that a function is a method of, empty for a function of none.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	kind := f.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	switch generic := kind.(type) {
	case *ast.IndexExpr:
		kind = generic.X
	case *ast.IndexListExpr:
		kind = generic.X
	}
	return kind.(*ast.Ident).Name
}

// TestClock looks at what some packages do with package time: types and arithmetic, never the clock.
func TestClock(t *testing.T) {
	all := packages(t)
	for _, name := range []string{"api", "client/runview", "scheduler/expression", "scheduler/flow", "graph/timespan", "trigger/schedule", "trigger", "trigger/planner", "trigger/ledger", "trigger/webhook"} {
		checkClock(t, name, all[name].GoFiles)
	}
}

func checkClock(t *testing.T, name string, files []string) {
	for _, file := range files {
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, filepath.Join(name, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := call.X.(*ast.Ident); ok && pkg.Name == "time" && clockCalls[call.Sel.Name] {
				t.Errorf("%s: %s asks the clock with time.%s", set.Position(call.Pos()), name, call.Sel.Name)
			}
			return true
		})
	}
}

// clockCalls are what makes package time more than data.
var clockCalls = map[string]bool{"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true,
	"AfterFunc": true, "NewTimer": true, "NewTicker": true, "Tick": true}

// TestNothingIsCompiledAtStart finds variables of packages that hold a compiled regular expression: each process of wf would
// compile it before main, see package graph/pattern.
func TestNothingIsCompiledAtStart(t *testing.T) {
	for name, p := range packages(t) {
		if name == "bench" || strings.HasPrefix(name, "bench/") || strings.HasSuffix(name, "test") {
			continue
		}
		for _, file := range p.GoFiles {
			checkStart(t, filepath.Join(name, file))
		}
	}
}

func checkStart(t *testing.T, path string) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range tree.Decls {
		vars, ok := decl.(*ast.GenDecl)
		if !ok || vars.Tok != token.VAR {
			continue
		}
		ast.Inspect(vars, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false // executed when it is called
			}
			if call, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := call.X.(*ast.Ident); ok && pkg.Name == "regexp" && strings.HasPrefix(call.Sel.Name, "MustCompile") {
					t.Errorf("%s: compiled before main: use pattern.Of", set.Position(call.Pos()))
				}
			}
			return true
		})
	}
}
