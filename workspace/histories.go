package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wf/api"
	"wf/executor/ownfile"
	"wf/workspace/fence"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// The history of a workfile is in a folder that is named after the workfile's path. So wf mv moves the history along with
// the workfile, and wf runs prune --gone removes the histories of workfiles that no longer exist.

// Create makes a new workfile. It removes the statuses of an earlier workfile at this path from the state folder. The history
// of that workfile's runs stays.
func Create(req api.NewRequest, cfg Config) error {
	if id, err := workfile.LastingID(req.Path); err == nil {
		if err := cfg.checkFence(id, req.Path); err != nil {
			return err
		}
	}
	if err := workfile.Create(req); err != nil {
		return err
	}
	id, _, err := workfile.ID(req.Path)
	if err != nil {
		return err
	}
	for _, name := range []string{workfile.StatusesName, "unpublished.json", runstate.PriorFile, workfile.OriginName} {
		path := filepath.Join(history.Folder(cfg.State, id), name)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			cfg.Log.Warn("the statuses of an earlier workfile cannot be forgotten", "path", path, "err", err)
		}
	}
	return nil
}

// histories returns the ids of all workspaces in the state folder.
func histories(state string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(state, "workspaces"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && len(e.Name()) == len(workfile.Hash("")) {
			ids = append(ids, e.Name())
		}
	}
	return ids, err
}

// headBytes is how much of the kept statuses is read to find the workfile that they belong to.
const headBytes = 8 << 10

// keptHead reads the part of the kept statuses that describes the workfile. Its path is "" if it was not recorded.
func keptHead(state, id string) (k workfile.Kept) {
	f, err := ownfile.Open(filepath.Join(history.Folder(state, id), workfile.StatusesName), os.O_RDONLY)
	if err == nil {
		data := make([]byte, headBytes)
		n, _ := f.ReadAt(data, 0)
		f.Close()
		if head, _, whole := bytes.Cut(data[:n], []byte(`,"nodes":`)); whole && json.Unmarshal(append(head, '}'), &k) == nil {
			return k
		}
	}
	s := history.At(history.Folder(state, id))
	if numbers, err := s.Numbers(); err == nil && len(numbers) > 0 {
		if sum, err := s.Summary(numbers[0]); err == nil {
			k.Workfile = sum.Workfile
		}
	}
	return k
}

// nearby reports whether the relative path from folder a to folder b has at most two elements.
func nearby(a, b string) bool {
	rel, err := filepath.Rel(a, b)
	return err == nil && strings.Count(rel, string(filepath.Separator)) <= 1
}

// lookForOrigin finds the old path of a workfile that was moved: a path nearby, without a file now, whose last known content
// is equal. It is called only for workfiles without a history.
func (w *Workspace) lookForOrigin() {
	if numbers, err := w.store.Numbers(); err != nil || len(numbers) > 0 || w.file.Content() == nil || w.file.Statuses().Found() {
		return
	}
	ids, _ := histories(w.cfg.State)
	for _, id := range ids {
		k := keptHead(w.cfg.State, id)
		if id != w.id && k.Content != nil && *k.Content == *w.file.Content() && nearby(filepath.Dir(k.Workfile), filepath.Dir(w.path)) && workfile.Missing(k.Workfile) {
			w.movedFrom = k.Workfile
			return
		}
	}
}

// movedSince returns the old path of a workfile that was probably moved. It returns "" once a run has started at the new path.
func (w *Workspace) movedSince() string {
	if w.presence.latest != nil || len(w.runs) > 0 {
		return ""
	}
	return w.movedFrom
}

// MovedTo finds the new path of a missing workfile: a file of equal content in its folder or in a folder nearby. It returns
// "" if there is none, or if the workfile has no history.
func MovedTo(path, state string) string {
	id, err := workfile.LastingID(path)
	if err != nil || !workfile.Missing(path) {
		return ""
	}
	k := keptHead(state, id)
	if k.Content == nil {
		return ""
	}
	folder := filepath.Dir(path)
	for _, pattern := range []string{filepath.Join(folder, "*"), filepath.Join(folder, "*", "*"), filepath.Join(filepath.Dir(folder), "*")} {
		names, _ := filepath.Glob(pattern) // fails only for a folder with a strange name
		for _, name := range names[:min(len(names), 5000)] {
			if k.Content.Holds(name) {
				return name
			}
		}
	}
	return ""
}

// Move renames a workfile and moves its history. If the file was already moved, it moves only the history. The paths are
// absolute. The caller closes both workspaces before and keeps them closed until Move returns.
func Move(from, to string, cfg Config) (api.MoveResult, error) {
	res := api.MoveResult{From: from, To: to}
	old, err := workfile.LastingID(from)
	if err != nil {
		return res, err
	}
	moved := workfile.Missing(from)
	switch info, err := os.Lstat(from); {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return res, &api.Error{Code: api.CodeRefused, Message: from + " is a link", Why: "the history belongs to the file that it leads to", Fix: "mv moves the link"}
	case moved && workfile.Missing(to):
		return res, workfile.ReadError(from, fs.ErrNotExist)
	case !moved && !workfile.Missing(to):
		return res, &api.Error{Code: api.CodeRefused, Message: to + " exists already", Fix: "choose another name, or remove it first"}
	}
	id, err := workfile.LastingID(to)
	if err != nil {
		return res, err
	}
	res.FromID, res.ToID = old, id
	claim, err := takeHistory(old, from, cfg)
	if err != nil {
		return res, err
	}
	defer claim.dropFence(false)
	store := history.At(history.Folder(cfg.State, old))
	numbers, err := store.Numbers()
	if err != nil {
		return res, api.Internal("the history cannot be read", err)
	}
	if own, _ := history.At(history.Folder(cfg.State, id)).Numbers(); len(own) > 0 {
		return res, &api.Error{Code: api.CodeConflict, Message: to + " has a history of its own",
			Fix: "wf runs prune --keep 0 --file " + filepath.Base(to) + " forgets that"}
	}
	if !moved {
		if err := os.Rename(from, to); err != nil {
			return res, &api.Error{Code: api.CodeWorkfile, Message: "the workfile cannot be moved", Where: from, Why: workfile.Plain(err),
				Fix: "move it with mv; then the same command moves its history"}
		}
	}
	res.Runs = len(numbers)
	if err := moveFolder(cfg.State, old, id); err != nil {
		return res, err
	}
	if claim.fence != nil {
		claim.fence.Moved(FencePath(cfg.State, id))
	}
	return res, nil
}

// moveFolder renames the folder of a history. A history at the new path must have no runs.
func moveFolder(state, from, to string) error {
	if workfile.Missing(history.Folder(state, from)) {
		return nil
	}
	err := os.RemoveAll(history.Folder(state, to))
	if err == nil {
		err = os.Rename(history.Folder(state, from), history.Folder(state, to))
	}
	if err != nil {
		return api.Internal("the history cannot be moved; the same command tries again", err)
	}
	return nil
}

// takeHistory makes sure that no run of a workspace is active and no other daemon has it open. The claim on a history is a
// workspace with nothing but its fence. The caller drops that.
func takeHistory(id, path string, cfg Config) (claim *Workspace, err error) {
	dir := history.Folder(cfg.State, id)
	w := &Workspace{id: id, path: path, cfg: cfg}
	if workfile.Missing(dir) {
		return w, nil
	}
	w.fence, err = fence.Take(FencePath(cfg.State, id), cfg.holder())
	var taken *fence.TakenError
	if errors.As(err, &taken) {
		return nil, cfg.fencedError(path, taken)
	}
	if err != nil {
		return nil, api.Internal("the history cannot be taken hold of", err)
	}
	store := history.At(dir)
	numbers, err := store.Numbers()
	if err != nil {
		w.fence.GiveUp()
		return nil, api.Internal("the history cannot be read", err)
	}
	for _, n := range numbers {
		if !store.Over(n) {
			w.fence.GiveUp()
			return nil, &api.Error{Code: api.CodeConflict, Run: history.RunID(n), Message: "run " + history.RunID(n) + " is not over", Where: path,
				Fix: "wf stop " + history.RunID(n) + " --file " + filepath.Base(path)}
		}
	}
	return w, nil
}

// GoneHistories lists the histories of workfiles that no longer exist.
func GoneHistories(state string) ([]api.GoneHistory, error) {
	ids, err := histories(state)
	if err != nil {
		return nil, api.Internal("the histories cannot be listed", err)
	}
	list := []api.GoneHistory{}
	for _, id := range ids {
		path := keptHead(state, id).Workfile
		if !filepath.IsAbs(path) || !workfile.Missing(path) || workfile.Hash(path) != id {
			continue
		}
		h := api.GoneHistory{ID: id, Workfile: path, Keep: whyKeep(state, id, path)}
		s := history.At(history.Folder(state, id))
		numbers, _ := s.Numbers()
		h.Runs = len(numbers)
		h.Bytes, _ = s.Size()
		if len(numbers) > 0 {
			if sum, err := s.Summary(numbers[0]); err == nil {
				h.LastRun = new(sum.Time)
			}
		}
		list = append(list, h)
	}
	return list, nil
}

// whyKeep returns why the history of a missing workfile must stay; "" if it may be removed.
func whyKeep(state, id, path string) string {
	s := history.At(history.Folder(state, id))
	numbers, err := s.Numbers()
	if err != nil {
		return "its history cannot be read"
	}
	for _, n := range numbers {
		if !s.Over(n) {
			return "run " + history.RunID(n) + " is not over: wf stop --file " + path
		}
	}
	// A mount point without its disk is an empty folder.
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
			continue
		case err != nil:
			return dir + " cannot be read"
		case len(entries) == 0 && dir != filepath.Dir(path):
			return dir + " is empty: a disk may not be mounted there"
		}
		return ""
	}
}

// RemoveHistory removes all data that is kept for a missing workfile.
func RemoveHistory(id string, cfg Config) error {
	path := keptHead(cfg.State, id).Workfile
	if !workfile.Missing(path) || workfile.Hash(path) != id {
		return &api.Error{Code: api.CodeConflict, Message: "the workfile is there again: " + path}
	}
	if why := whyKeep(cfg.State, id, path); why != "" {
		return &api.Error{Code: api.CodeConflict, Message: "the history of " + path + " stays: " + why}
	}
	claim, err := takeHistory(id, path, cfg)
	if err != nil {
		return err
	}
	defer claim.dropFence(false)
	gone := filepath.Join(cfg.State, "workspaces", ".gone-"+id)
	err = os.RemoveAll(gone) // a crash can leave this behind
	if err == nil {
		err = os.Rename(history.Folder(cfg.State, id), gone)
	}
	if err == nil {
		err = os.RemoveAll(gone)
	}
	if err != nil {
		return api.Internal("the history of "+path+" cannot be removed", err)
	}
	return nil
}
