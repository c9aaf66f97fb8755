package history

import (
	"fmt"
	"os"
	"path/filepath"
)

// activeDir contains a note for each workspace with unfinished runs.
const activeDir noteDir = "active"

// An ActiveMark names a workspace with runs that a daemon may have left unfinished.
type ActiveMark struct {
	Workspace string `json:"workspace"` // id
	Workfile  string `json:"workfile"`  // absolute
}

// MarkActive notes below the folder state that a workspace has unfinished runs. The note survives the
// daemon but perhaps not a power cut. This is enough: after a power cut no process of the runs is left,
// and their records are found when the workfile is opened the next time.
func MarkActive(disk Disk, state, workspaceID, workfile string) error {
	return activeDir.write(disk, state, workspaceID, ActiveMark{workspaceID, workfile}, false)
}

// ClearActive removes the note, which may be missing.
func ClearActive(state, workspaceID string) error {
	return activeDir.remove(LocalDisk{}, state, workspaceID)
}

// IsActive reports whether there is such a note of the workspace.
func IsActive(state, workspaceID string) bool {
	path, err := activeDir.path(state, workspaceID)
	if err != nil {
		return false
	}
	_, err = os.Lstat(path)
	return err == nil
}

// Active returns all notes below state, ordered by id. Unreadable notes are left out, stay on the disk,
// and are named by the error.
func Active(state string) ([]ActiveMark, error) { return readNotes(state, activeDir, readMark) }

func readMark(path string) (ActiveMark, error) {
	var mark ActiveMark
	if err := readNote(path, &mark); err != nil {
		return ActiveMark{}, err
	}
	if mark.Workspace != filepath.Base(path) {
		return ActiveMark{}, fmt.Errorf("%s: it is about workspace %q", path, mark.Workspace)
	}
	return mark, nil
}
