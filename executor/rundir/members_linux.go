package rundir

import (
	"os"
	"path/filepath"
)

// outputsIn returns the output files of the run in dir.
func outputsIn(dir string) (files []os.FileInfo) {
	entries, err := os.ReadDir(filepath.Join(dir, OutputFolder))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	return files
}
