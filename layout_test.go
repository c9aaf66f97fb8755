// Package wf_test holds the form of the project against its rules: who imports whom, what each
// package says about itself, and how long files and functions may be. A failure here is a
// question about the design, to be answered in ARCHITECTURE.md, not a line to be added below.
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
)

// mayImport is the table of DESIGN §2: which of our packages a package may import.
var mayImport = map[string][]string{
	"spelling":   {},
	"timespan":   {},
	"attribute":  {"spelling"},
	"graph":      {"spelling"},
	"api":        {},
	"expression": {"spelling", "timespan"},
	"flow":       {"attribute", "expression", "graph", "timespan"},
	"scheduler":  {"expression", "flow", "graph", "timespan"},
	"graphml":    {"attribute", "graph"},
	"ownfile":    {},
	"executor":   {"ownfile"},
	"history":    {"ownfile"},
	"store":      {"ownfile"},
	"workspace":  {"api", "attribute", "executor", "expression", "flow", "graph", "graphml", "history", "layered", "ownfile", "scheduler"},
	"daemon":     {"api", "workspace", "graph", "ownfile", "store"},
	"client":     {"api", "ownfile"},
	"layered":    {},
	"plain":      {},
	"drawing":    {"plain"},
	"convert":    {"api", "attribute", "layered"},
	"words":      {"api", "plain"},
	"editor":     {"api", "plain", "words"},
	"tui":        {"api", "attribute", "client", "drawing", "editor", "plain", "timespan", "words"},
	"cmd/wf":     {"api", "attribute", "client", "convert", "daemon", "editor", "executor", "history", "ownfile", "plain", "spelling", "timespan", "tui", "words"},
}

// mayNotUse lists packages of the standard library that would give a package powers it is
// built to do without. api, expression, flow and timespan may use time as data: see TestClock.
var mayNotUse = map[string][]string{
	"spelling":   {"os", "net", "time", "sync", "log", "context", "fmt", "strings"},
	"timespan":   {"os", "net", "sync", "log", "context"},
	"attribute":  {"os", "net", "time", "sync", "log", "context"},
	"graph":      {"os", "net", "time", "sync", "log", "context"},
	"expression": {"os", "net", "log", "context"},
	"flow":       {"os", "net", "sync", "log", "context"},
	"scheduler":  {"os", "net", "time", "sync", "log", "context"},
	"api":        {"os", "net", "sync", "log", "context"},
	"convert":    {"os", "net", "time", "sync", "log", "context"},
	"layered":    {"os", "net", "time", "sync", "log", "context", "fmt", "strings"},
	"plain":      {"os", "net", "time", "sync", "log", "context"},
	"words":      {"os", "net", "sync", "log", "context"},
	"graphml":    {"os", "net"},
	"store":      {"net", "log"},
	"workspace":  {"net/http"},
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
	case "executor/executortest":
		return "executor"
	case "history/historytest":
		return "history"
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
			t.Errorf("package %s has no place in the map of DESIGN §2", name)
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

// TestClock looks at what some packages do with package time: types and arithmetic, never the clock.
func TestClock(t *testing.T) {
	all := packages(t)
	for _, name := range []string{"api", "expression", "flow", "timespan"} {
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
