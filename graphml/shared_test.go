package graphml

import (
	"os"
	"path/filepath"
	"testing"
)

// shared returns the files of a folder of inputs next to the repository, and skips the test if it does
// not exist: the files belong to other projects and are not part of the repository.
func shared(t testing.TB, patterns ...string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join("..", "..", "shared", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(path)] = data
		}
	}
	if len(files) == 0 {
		t.Skip("no folder ../shared next to the repository")
	}
	return files
}

// workfilePatterns match all shared files that programs wrote.
var workfilePatterns = []string{"graphml-corpus/*.graphml", "workfiles/*/*.graphml"}
