package runner

import (
	"os"
	"path/filepath"
	"testing"
)

// sampleLines returns an example of every kind of line, see TestSampleLines of package wire.
func sampleLines(f *testing.F) []byte {
	text, err := os.ReadFile(filepath.Join("..", "wire", "testdata", "lines.json"))
	if err != nil {
		f.Fatal(err)
	}
	return text
}
