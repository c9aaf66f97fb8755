package secrets

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutputsAreOpenedInOnePlace looks for code of the daemon that opens outputs of commands: what it reads contains secrets. This
// package opens them, and hides secrets from all but the callers of OpenRaw that are listed here.
func TestOutputsAreOpenedInOnePlace(t *testing.T) {
	raw := map[string]string{
		"workspace/inquiry/logs.go":      "passes the bytes on to Masks.Stream",
		"workspace/runstate/printed.go":  "gives the bytes to Masks.Bytes",
		"workspace/activerun/outputs.go": "items become a record, and commit hides secrets in records",
	}
	seen := 0
	for _, top := range []string{"workspace", "daemon", "notify"} {
		err := filepath.WalkDir(filepath.Join("../..", top), func(path string, d fs.DirEntry, err error) error {
			name, _ := filepath.Rel("../..", path)
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "workspace/secrets/") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			seen++
			if strings.Contains(string(text), "filepath.FromSlash(") || strings.Contains(string(text), "rundir.OutputFolder") {
				t.Errorf("%s makes the path of an output: use package secrets", name)
			}
			if opens := strings.Contains(string(text), "secrets.OpenRaw("); opens != (raw[name] != "") {
				t.Errorf("%s opens outputs as they are: %v; the reason: %q", name, opens, raw[name])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Errorf("only %d files were searched", seen)
	}
}
