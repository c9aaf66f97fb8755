package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// activeDir holds one small file per workspace with runs going, so that a new daemon finds the
// work of one that died without opening every history.
const activeDir = "active"

// ActiveMark names a workspace whose runs a daemon may have left going.
type ActiveMark struct {
	Workspace string `json:"workspace"` // id
	Workfile  string `json:"workfile"`  // absolute
}

// MarkActive notes below the folder state that a workspace has runs going. It outlives the daemon
// but perhaps not a power cut, which the runs do not outlive either: their records are found when
// the workfile is opened the next time.
func MarkActive(disk Disk, state, workspaceID, workfile string) error {
	path, err := markPath(state, workspaceID)
	if err != nil {
		return err
	}
	data, err := json.Marshal(ActiveMark{workspaceID, workfile})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replaceFile(disk, path, append(data, '\n'), false)
}

// ClearActive takes the note back. It is no error when there is none.
func ClearActive(state, workspaceID string) error {
	path, err := markPath(state, workspaceID)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// IsActive reports whether there is such a note of the workspace.
func IsActive(state, workspaceID string) bool {
	path, err := markPath(state, workspaceID)
	if err != nil {
		return false
	}
	_, err = os.Lstat(path)
	return err == nil
}

// Active returns all notes below state, by id. Unreadable ones are left out of the list, left on
// the disk, and named by the error.
func Active(state string) ([]ActiveMark, error) {
	return readNotes(filepath.Join(state, activeDir), readMark)
}

// readNotes reads the notes in a folder, one file for each, by name. One that goes away meanwhile is none;
// those that read refuses are left out and named by the error.
func readNotes[T any](dir string, read func(path string) (T, error)) (notes []T, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue // one that is being written
		}
		switch note, err := read(filepath.Join(dir, e.Name())); {
		case err == nil:
			notes = append(notes, note)
		case !errors.Is(err, fs.ErrNotExist):
			problems = append(problems, err)
		}
	}
	return notes, errors.Join(problems...)
}

func readMark(path string) (ActiveMark, error) {
	var mark ActiveMark
	data, err := readSmall(LocalDisk{}, path)
	if err != nil {
		return mark, err
	}
	if err := json.Unmarshal(data, &mark); err != nil {
		return mark, fmt.Errorf("%s: %w", path, err)
	}
	if mark.Workspace != filepath.Base(path) {
		return mark, fmt.Errorf("%s: speaks of workspace %q", path, mark.Workspace)
	}
	return mark, nil
}

func markPath(state, workspaceID string) (string, error) {
	if err := checkID(workspaceID); err != nil {
		return "", err
	}
	return filepath.Join(state, activeDir, workspaceID), nil
}

// checkID refuses what could lead out of a folder.
func checkID(workspaceID string) error {
	if workspaceID == "" || strings.HasPrefix(workspaceID, ".") || strings.ContainsAny(workspaceID, "/\x00") {
		return fmt.Errorf("%q cannot be the id of a workspace", workspaceID)
	}
	return nil
}
