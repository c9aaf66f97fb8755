package graphml

import (
	"os"
	"path/filepath"
	"testing"
)

// shared returns the files of a folder of inputs beside the repository, and skips the test where
// there is none: those files belong to others and are no part of the repository.
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
		t.Skip("no folder ../shared beside the repository")
	}
	return files
}

// workfilePatterns are all shared files that programs wrote.
var workfilePatterns = []string{"graphml-corpus/*.graphml", "workfiles/*/*.graphml"}
