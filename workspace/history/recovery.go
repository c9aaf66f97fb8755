package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// recoveryDir contains a note for each workspace whose runs a daemon has begun to recover, until the
// daemon serves the workspace.
const recoveryDir noteDir = "trials"

// RecoveryLimit is how many daemons in a row may die while they recover the runs of a workspace. After
// that the workspace is quarantined: daemons do not recover its runs without a request.
const RecoveryLimit = 3

// A Recovery counts the attempts to recover the runs of a workspace since it was last served.
type Recovery struct {
	Workspace string    `json:"workspace"` // id
	Workfile  string    `json:"workfile"`  // absolute
	Tries     int       `json:"tries"`     // attempts, including the current one
	Last      time.Time `json:"last"`      // start of the latest attempt
	PID       int       `json:"pid"`       // daemon of the latest attempt
}

// Quarantined reports whether the attempts of the workspace are used up.
func (r Recovery) Quarantined() bool { return r.Tries >= RecoveryLimit }

// BeginRecovery notes, durably, that this process is about to recover the runs of a workspace. before is
// the result of ReadRecovery. The caller calls EndRecovery when it has survived.
func BeginRecovery(disk Disk, state string, before Recovery, now time.Time) error {
	next := before
	next.Tries, next.Last, next.PID = before.Tries+1, now.UTC(), os.Getpid()
	return recoveryDir.write(disk, state, before.Workspace, next, true)
}

// EndRecovery removes the note, which may be missing.
func EndRecovery(disk Disk, state, workspaceID string) error {
	return recoveryDir.remove(disk, state, workspaceID)
}

// ReadRecovery returns the note of a workspace. If there is none it returns a Recovery without tries, and
// also, with the error, if the note cannot be read: a damaged note must not prevent recovery.
func ReadRecovery(state, workspaceID, workfile string) (Recovery, error) {
	none := Recovery{Workspace: workspaceID, Workfile: workfile}
	path, err := recoveryDir.path(state, workspaceID)
	if err != nil {
		return none, err
	}
	r, err := readRecovery(path)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	return r, nil
}

// Quarantined returns the quarantined workspaces, ordered by id. Unreadable notes are left out, stay on
// the disk, and are named by the error.
func Quarantined(state string) ([]Recovery, error) {
	notes, err := readNotes(state, recoveryDir, readRecovery)
	return slices.DeleteFunc(notes, func(r Recovery) bool { return !r.Quarantined() }), err
}

func readRecovery(path string) (Recovery, error) {
	var r Recovery
	if err := readNote(path, &r); err != nil {
		return Recovery{}, err
	}
	if r.Workspace != filepath.Base(path) || r.Tries < 1 {
		return Recovery{}, fmt.Errorf("%s: it is about %d tries of workspace %q", path, r.Tries, r.Workspace)
	}
	return r, nil
}
