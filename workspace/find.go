package workspace

import (
	"path/filepath"

	"wf/workspace/history"
	"wf/workspace/workfile"
)

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
	if id := workfile.Hash(clean); missing(clean) && unfinished(history.At(folderOf(state, id))) != 0 {
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
