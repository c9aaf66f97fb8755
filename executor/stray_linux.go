package executor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// outputsIn returns the output files of the run in dir.
func outputsIn(dir string) (files []os.FileInfo) {
	entries, err := os.ReadDir(filepath.Join(dir, outputFolder))
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

// programOf is the name of the program that a process executes, "" if it has ended.
func programOf(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(name))
}

// writtenBy returns what standard output and standard error of a process of ours are, as far as they
// are files.
func writtenBy(pid int) (files []os.FileInfo) {
	for fd := 1; fd <= 2; fd++ {
		info, err := os.Stat(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
		if err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	return files
}
