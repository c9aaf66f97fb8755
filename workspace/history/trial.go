package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// trialsDir holds one small file per workspace whose runs a daemon has begun to take up and has not
// yet been seen to survive that.
const trialsDir = "trials"

// TrialLimit is how many daemons may begin to take a workspace's runs up, one after the other, and
// die before they serve it. After that nobody tries by himself.
const TrialLimit = 3

// A Trial tells of daemons that began to take up the runs of a workspace and have not served it.
type Trial struct {
	Workspace string    `json:"workspace"` // id
	Workfile  string    `json:"workfile"`  // absolute
	Tries     int       `json:"tries"`     // so many, the one that is trying included
	Last      time.Time `json:"last"`      // when the latest began
	PID       int       `json:"pid"`       // of the latest
}

// Held reports whether the workspace has used its trials up.
func (t Trial) Held() bool { return t.Tries >= TrialLimit }

// BeginTrial notes, durably, that this process is about to take up the runs of a workspace, after
// what has been tried before. Whoever survives calls EndTrial.
func BeginTrial(disk Disk, state string, before Trial, now time.Time) error {
	path, err := trialPath(state, before.Workspace)
	if err != nil {
		return err
	}
	next := before
	next.Tries, next.Last, next.PID = before.Tries+1, now.UTC(), os.Getpid()
	data, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return ReplaceFile(disk, path, append(data, '\n'))
}

// EndTrial takes the note back. It is no error when there is none.
func EndTrial(disk Disk, state, workspaceID string) error {
	path, err := trialPath(state, workspaceID)
	if err != nil {
		return err
	}
	if err := disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ReadTrial returns what is noted of a workspace; without a note it is one without tries. So it is,
// beside the error, when the note cannot be read: a damaged note must not keep a run from going on.
func ReadTrial(state, workspaceID, workfile string) (Trial, error) {
	none := Trial{Workspace: workspaceID, Workfile: workfile}
	path, err := trialPath(state, workspaceID)
	if err != nil {
		return none, err
	}
	t, err := readTrial(path)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	return t, nil
}

// Held returns the workspaces that have used their trials up, by id. Unreadable notes are left out,
// left on the disk, and named by the error.
func Held(state string) ([]Trial, error) {
	trials, err := readNotes(filepath.Join(state, trialsDir), readTrial)
	return slices.DeleteFunc(trials, func(t Trial) bool { return !t.Held() }), err
}

func readTrial(path string) (Trial, error) {
	var t Trial
	data, err := readSmall(LocalDisk{}, path)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return Trial{}, fmt.Errorf("%s: %w", path, err)
	}
	if t.Workspace != filepath.Base(path) || t.Tries < 1 {
		return Trial{}, fmt.Errorf("%s: it speaks of %d tries of workspace %q", path, t.Tries, t.Workspace)
	}
	return t, nil
}

func trialPath(state, workspaceID string) (string, error) {
	if err := checkID(workspaceID); err != nil {
		return "", err
	}
	return filepath.Join(state, trialsDir, workspaceID), nil
}
