package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"wf/api"
	"wf/executor/ownfile"
	"wf/workspace/history"
)

// An edit whose answer did not come is asked for again, of the next daemon if need be, and that has to tell
// whether it is in the file. So before a save renames the new file over the old one, a note beside the history
// says which requests have their edits in it, and how to know the two files. It need not survive a power cut:
// neither does who would ask again.

// madeKept bounds how many requests the note names, which come again within seconds; madeLong how much of an
// answer is kept, in ids of nodes and in bytes of text; madeMost the note, in bytes.
const (
	madeKept = 16
	madeLong = 1000
	madeMost = 16 << 20
)

// madeNote is the content of the note.
type madeNote struct {
	Before string     `json:"before"` // the file that the newest edits are to change, see fileID.content
	After  string     `json:"after"`  // the file with them
	Newest []madeEdit `json:"newest"`
	Made   []madeEdit `json:"made"` // in the file since earlier saves
}

// madeEdit is a request and its answer.
type madeEdit struct {
	Key    string         `json:"key"`
	Result api.EditResult `json:"result"`
}

// madeEdits are the requests with keys whose edits were made.
type madeEdits struct {
	unsaved []madeEdit // the next save takes them along
	saved   []madeEdit
	doubt   []madeEdit // of an earlier daemon, and the file is another one since
	unread  bool       // there is a note that cannot be read
}

// briefly is an answer as it is kept.
func briefly(res api.EditResult) api.EditResult {
	if len(res.Added) > madeLong {
		res.Added, res.Notes = nil, append(slices.Clip(res.Notes), fmt.Sprintf("%d nodes were added; their ids are not known any more", len(res.Added)))
	}
	res.Text = strings.ToValidUTF8(res.Text[:min(len(res.Text), madeLong)], "")
	return res
}

func (w *Workspace) madePath() string {
	return filepath.Join(w.cfg.State, "workspaces", w.id, "edits-made.json")
}

// content names a state of the file without the change time, which a rename moves.
func (id fileID) content() string {
	return fmt.Sprintf("%d:%d:%d:%d", id.dev, id.ino, id.size, id.mtime.UnixNano())
}

// recallMade reads the note of an earlier daemon. The file must not have been written since it was read.
func (w *Workspace) recallMade() {
	data, err := ownfile.Read(w.madePath(), madeMost)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var n madeNote
	if err == nil {
		err = json.Unmarshal(data, &n)
	}
	if err != nil {
		w.cfg.Log.Warn("a note of edits cannot be read", "path", w.madePath(), "err", err)
		w.made.unread = true
		return
	}
	switch w.made.saved = n.Made; w.file.id.content() {
	case n.After:
		w.made.saved = append(w.made.saved, n.Newest...)
	case n.Before: // the daemon died before the rename
	default:
		w.made.doubt = n.Newest
	}
}

// madeBefore finds the answer to a request that comes again. It returns an error if it cannot
// tell whether the edit was made.
func (w *Workspace) madeBefore(by api.Author) (res api.EditResult, made bool, err error) {
	if by.Key == "" || !by.Again {
		return res, false, nil
	}
	is := func(m madeEdit) bool { return m.Key == by.Key }
	for _, list := range [][]madeEdit{w.made.saved, w.made.unsaved} {
		if i := slices.IndexFunc(list, is); i >= 0 {
			return list[i].Result, true, nil
		}
	}
	if w.made.unread || slices.ContainsFunc(w.made.doubt, is) {
		return res, false, &api.Error{Code: api.CodeLost, Message: "the daemon was lost while it made this edit", Where: w.path,
			Why: "the file was changed again since, so that nobody knows whether the edit is in it", Fix: "look at it, and ask once more if it is not"}
	}
	return res, false, nil
}

// noteMade writes the note for a save that is about to replace a file by another one.
func (w *Workspace) noteMade(n madeNote, before, after fileID) {
	if len(n.Newest) == 0 {
		return
	}
	n.Before, n.After = before.content(), after.content()
	data, err := json.Marshal(n)
	if err == nil {
		err = history.ReplaceFileLater(w.disk(), w.madePath(), data)
	}
	if err != nil {
		w.cfg.Log.Warn("an edit that comes again may be made again", "workfile", w.path, "err", err)
	}
}

// settle takes over what a save has made of the edits that it took along.
func (m *madeEdits) settle(newest []madeEdit, err error) {
	if err != nil {
		m.unsaved = append(newest, m.unsaved...)
		return
	}
	m.saved = append(m.saved, newest...)
	m.saved = m.saved[max(0, len(m.saved)-madeKept):]
}

// edited is onceSaved for the file as it is now, with what was edited before.
func edited(ctx context.Context, w *Workspace, by api.Author, f func(*Workspace) (api.EditResult, error)) (api.EditResult, error) {
	if err := w.refresh(ctx); err != nil {
		return api.EditResult{}, err
	}
	if err := w.resumeEdits(ctx); err != nil {
		return api.EditResult{}, err
	}
	return onceSaved(ctx, w, by, f)
}

// onceSaved is ask for edits: the answer comes when the file has been written. A request that comes again is
// answered as it was.
func onceSaved(ctx context.Context, w *Workspace, by api.Author, f func(*Workspace) (api.EditResult, error)) (api.EditResult, error) {
	return await(ctx, w, func(w *Workspace, reply func(api.EditResult, error)) {
		res, made, err := w.madeBefore(by)
		if err == nil && !made {
			res, err = f(w)
		}
		if err != nil {
			reply(res, err)
			return
		}
		if by.Key != "" && !made {
			w.made.unsaved = append(w.made.unsaved, madeEdit{by.Key, briefly(res)})
		}
		w.saveThen(func() {
			if w.file.problem != "" {
				res.Unsaved, res.Notes = true, append(res.Notes, w.file.problem+"; the change is kept and written as soon as that is mended")
			}
			w.keepThen(func() { reply(res, nil) })
		})
	})
}
