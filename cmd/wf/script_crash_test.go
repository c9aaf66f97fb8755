package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// sabotageLine matches a sabotage command in a script: file and old text.
var sabotageLine = regexp.MustCompile(`(?m)^sabotage \S+ (\S+) (?:'((?:[^']|'')*)'|(\S+)) `)

// TestSabotagesFit: what the scripts replace in the source is there. Scripts with a sabotage take minutes and are easily
// forgotten when the source changes.
func TestSabotagesFit(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range scripts {
		script, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range sabotageLine.FindAllSubmatch(script, -1) {
			found++
			old := strings.ReplaceAll(string(line[2]), "''", "'") + string(line[3])
			source, err := os.ReadFile(filepath.Join("../..", string(line[1])))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if strings.Count(string(source), old) != 1 {
				t.Errorf("%s: %s does not contain %q exactly once", name, line[1], old)
			}
		}
	}
	if found < 5 {
		t.Errorf("found %d sabotages: the pattern is wrong", found)
	}
}

// cmdSabotage builds a wf with a bug. It replaces a text in a file, whose path is relative to the repository: "sabotage
// NAME cmd/wf/follow.go OLD NEW". The program is $WORK/NAME.
func cmdSabotage(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 4, 4, "sabotage NAME FILE OLD NEW")
	root, err := filepath.Abs("../..")
	ts.Check(err)
	source := filepath.Join(root, args[1])
	text, err := os.ReadFile(source)
	ts.Check(err)
	if strings.Count(string(text), args[2]) != 1 {
		ts.Fatalf("%s does not contain %q exactly once", args[1], args[2])
	}
	program := ts.MkAbs(args[0])
	bad := program + ".go"
	ts.Check(os.WriteFile(bad, []byte(strings.Replace(string(text), args[2], args[3], 1)), 0o600))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {source: bad}})
	ts.Check(err)
	ts.Check(os.WriteFile(program+".json", overlay, 0o600))
	build := []string{"build", "-overlay", program + ".json", "-o", program}
	if raceEnabled {
		build = append(build, "-race")
	}
	if out, err := exec.Command("go", append(build, ".")...).CombinedOutput(); err != nil {
		ts.Fatalf("build: %v\n%s", err, out)
	}
}
