package workspace

import (
	"path/filepath"

	"wf/graphml"
	"wf/workspace/history"
)

// A run goes on when its workfile is deleted, moved or broken, so it must be possible to watch and to stop
// it, and the next daemon has to take it up. While runs go on, the copy that the newest of them began with
// stands in for a file that cannot be read.

// Find is ID that also knows workfiles that are gone and have runs that are not over: by the notes in the state
// folder, or, since those may be lost, by the history.
func Find(state, path string) (id, real string, err error) {
	id, real, err = ID(path)
	if err == nil || !filepath.IsAbs(path) || state == "" {
		return id, real, err
	}
	marks, _ := history.Active(state) // what cannot be read names no workfile
	clean := filepath.Clean(path)
	if folder, err := filepath.EvalSymlinks(filepath.Dir(clean)); err == nil {
		clean = filepath.Join(folder, filepath.Base(clean))
	}
	for _, m := range marks {
		if m.Workfile == clean {
			return m.Workspace, m.Workfile, nil
		}
	}
	if id := pathHash(clean); missing(clean) && unfinished(history.At(folderOf(state, id))) != 0 {
		return id, clean, nil
	}
	return "", "", err
}

// unfinished is the newest run that is not over, 0 if there is none.
func unfinished(s *history.Store) int {
	numbers, _ := s.Numbers() // what cannot be read is not known to be going
	for _, n := range numbers {
		if !s.Over(n) {
			return n
		}
	}
	return 0
}

// standIn makes the workspace that of the workfile which the newest run that is not over began with, if
// there is one. why is what is wrong with the file.
func (w *Workspace) standIn(why error) bool {
	if w.cfg.State == "" {
		return false // only the file is looked at
	}
	store := history.At(filepath.Join(w.cfg.State, "workspaces", w.id))
	numbers, err := store.Numbers()
	if err != nil {
		return false
	}
	for _, n := range numbers {
		if store.Over(n) {
			continue
		}
		frozen, err := store.Workfile(n)
		if err != nil {
			continue
		}
		doc, g, warnings, err := graphml.Parse(frozen, limits())
		if err != nil {
			continue
		}
		w.doc, w.g, w.warnings, w.file.id = doc, g, warnings, fileID{}
		w.file.unreadable = w.unreadable(why)
		w.file.problem = w.file.unreadable
		w.cfg.Log.Warn("trouble with a workfile", "workfile", w.path, "problem", w.file.problem, "stands in", store.Dir(n))
		return true
	}
	return false
}
