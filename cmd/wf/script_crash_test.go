package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

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
