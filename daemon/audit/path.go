package audit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wf/graph/pattern"
	"wf/workspace/fence"
)

// fileName is the name of the log in the state folder.
const fileName = "audit.jsonl"

// Path returns the path of the log that this machine writes. On a file system that machines may share each has a file of its
// own, because not every such file system has locks between machines.
func Path(state string) string {
	name := fileName
	if dir, err := os.Open(state); err == nil {
		if fence.Shared(dir) {
			name = "audit-" + hostPart(fence.This().Host) + ".jsonl"
		}
		dir.Close()
	}
	return filepath.Join(state, name)
}

var notInNames = pattern.Of(`[^A-Za-z0-9._-]+`)

// hostPart returns the name of a machine as a part of a file name.
func hostPart(host string) string {
	if host = notInNames.Get().ReplaceAllString(host, "_"); host == "" {
		return "unknown"
	}
	return host
}

// Paths returns the paths of the logs of all machines in a state folder, in the order of their names.
func Paths(state string) ([]string, error) {
	entries, err := os.ReadDir(state)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var paths []string
	for _, e := range entries {
		if name := e.Name(); name == fileName || strings.HasPrefix(name, "audit-") && strings.HasSuffix(name, ".jsonl") {
			paths = append(paths, filepath.Join(state, name))
		}
	}
	slices.Sort(paths)
	return paths, err
}
