package rundir

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"wf/executor/ownfile"
)

// A Box is what kills the container of an execution: the engine, the id that the engine has given it, and variables that may say
// where the engine is.
type Box struct {
	Program string   `json:"program"`
	Env     []string `json:"env,omitempty"`
	ID      string   `json:"-"`
}

// EndBox is a script that kills a box and succeeds if the box does not run any more. Its arguments are the program and the id.
const EndBox = `exec > /dev/null 2>&1
"$1" kill "$2"
"$1" rm --force "$2"
left=$("$1" ps --quiet --filter "id=$2") && [ -z "$left" ]`

// engineVariables are the beginnings of the variables that a Box has of the environment of its command.
var engineVariables = []string{"PATH=", "HOME=", "XDG_", "DOCKER_", "CONTAINER_", "CONTAINERS_", "PODMAN_"}

// NewBox returns the content of the file BoxFile for an engine and the variables of a job.
func NewBox(program string, env []string) ([]byte, error) {
	b := Box{Program: program}
	for _, v := range env {
		for _, prefix := range engineVariables {
			if strings.HasPrefix(v, prefix) {
				b.Env = append(b.Env, v)
			}
		}
	}
	return json.Marshal(b)
}

// mostBox bounds the size of the files, in bytes.
const mostBox = 1 << 20

// ReadBox returns the box of an execution. It returns nil if there is none: the engine writes the id before it starts the box.
func ReadBox(dir string, node, execution int) *Box {
	return readBox(JobFile(dir, BoxFile, node, execution), JobFile(dir, BoxIDFile, node, execution))
}

func readBox(notePath, idPath string) *Box {
	id, err := os.ReadFile(idPath) // the engine has created it, with its own mode
	if id = bytes.TrimSpace(id); err != nil || len(id) == 0 || len(id) > 256 {
		return nil
	}
	note, err := ownfile.Read(notePath, mostBox)
	b := &Box{ID: string(id)}
	if err != nil || json.Unmarshal(note, b) != nil {
		return nil
	}
	return b
}

// Boxes returns the boxes of executions of the run in dir that have not ended.
func Boxes(dir string) (list []*Box) {
	notes, _ := filepath.Glob(filepath.Join(escapeGlob(dir), BoxFile+"-*"))
	for _, path := range notes {
		id := filepath.Join(dir, BoxIDFile+strings.TrimPrefix(filepath.Base(path), BoxFile))
		if b := readBox(path, id); b != nil {
			list = append(list, b)
		}
	}
	return list
}

// escapeGlob returns a path as a pattern that matches only this path.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
