package workfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wf/api"
	"wf/workspace/history"
)

// ID returns the identity of a workfile, which is the SHA-256 of its absolute path with symlinks resolved, and that path.
func ID(path string) (id, real string, err error) {
	if !filepath.IsAbs(path) {
		return "", "", api.Invalid("path %q is not absolute", path)
	}
	real, err = filepath.EvalSymlinks(path)
	if err != nil {
		return "", "", ReadError(path, err)
	}
	return Hash(real), real, nil
}

// LastingID is like ID, but the workfile need not exist: commands of its runs continue without it.
func LastingID(path string) (string, error) {
	id, _, err := ID(path)
	if err == nil || !filepath.IsAbs(path) {
		return id, err
	}
	if !Missing(path) {
		return "", err
	}
	folder, linkErr := filepath.EvalSymlinks(filepath.Dir(path))
	if linkErr != nil {
		return "", err
	}
	return Hash(filepath.Join(folder, filepath.Base(path))), nil
}

// Find is like ID, but also finds a workfile that is gone and has unfinished runs: by the notes in the state folder or, if
// these are lost, by the history.
func Find(state, path string) (id, real string, err error) {
	id, real, err = ID(path)
	if err == nil || !filepath.IsAbs(path) || state == "" {
		return id, real, err
	}
	marks, _ := history.Active(state) // a note that cannot be read names no workfile
	clean := filepath.Clean(path)
	if folder, err := filepath.EvalSymlinks(filepath.Dir(clean)); err == nil {
		clean = filepath.Join(folder, filepath.Base(clean))
	}
	for _, m := range marks {
		if m.Workfile == clean {
			return m.Workspace, m.Workfile, nil
		}
	}
	if id := Hash(clean); Missing(clean) && unfinished(history.At(history.Folder(state, id))) != 0 {
		return id, clean, nil
	}
	return "", "", err
}

// unfinished returns the newest run that is not over, or 0.
func unfinished(s *history.Store) int {
	numbers, _ := s.Numbers() // a history that cannot be read has no known run
	for _, n := range numbers {
		if !s.Over(n) {
			return n
		}
	}
	return 0
}

// Missing reports whether there is no file at path.
func Missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
