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

// A noteDir is a folder below the state folder with one small JSON file, a note, per workspace, so that
// a new daemon finds the workspaces of the previous one without opening every history.
type noteDir string

// path returns the file of a workspace.
func (d noteDir) path(state, workspaceID string) (string, error) {
	if workspaceID == "" || strings.HasPrefix(workspaceID, ".") || strings.ContainsAny(workspaceID, "/\x00") {
		return "", fmt.Errorf("%q cannot be the id of a workspace", workspaceID)
	}
	return filepath.Join(state, string(d), workspaceID), nil
}

// write writes the note of a workspace, durably if durable is set.
func (d noteDir) write(disk Disk, state, workspaceID string, note any, durable bool) error {
	path, err := d.path(state, workspaceID)
	if err != nil {
		return err
	}
	data, err := json.Marshal(note)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replaceFile(disk, path, append(data, '\n'), durable)
}

// remove removes the note of a workspace, which may be missing.
func (d noteDir) remove(disk Disk, state, workspaceID string) error {
	path, err := d.path(state, workspaceID)
	if err != nil {
		return err
	}
	if err := disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// readNotes reads the notes in a folder, by name. Notes that are removed meanwhile are left out; those for
// which read returns an error are left out, stay on the disk, and are named by the error.
func readNotes[T any](state string, d noteDir, read func(path string) (T, error)) (notes []T, err error) {
	dir := filepath.Join(state, string(d))
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
			continue // an incomplete note
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

// readNote reads the note at path into note.
func readNote(path string, note any) error {
	data, err := readSmall(LocalDisk{}, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, note); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
