package workfile

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
	"wf/workspace/loop"
)

// A client that gets no answer to an edit repeats the request, to the next daemon if the first one has died. That daemon has
// to find out whether the edit is in the file. So before a save renames the new file over the old one, it writes a note into
// the folder of the workspace: which requests have their edits in the new file, and the identities of both files. The note
// need not survive a power cut, because the client does not either.

// madeKept bounds the number of requests in the note, because a repeated request comes within seconds. madeLong bounds how
// much of an answer is stored, in node ids and in bytes of text. madeMost bounds the note, in bytes.
const (
	madeKept = 16
	madeLong = 1000
	madeMost = 16 << 20
)

// madeNote is the content of the note.
type madeNote struct {
	Before string     `json:"before"` // the file that the newest edits are to change, see identity.content
	After  string     `json:"after"`  // the file with them
	Newest []madeEdit `json:"newest"`
	Made   []madeEdit `json:"made"` // in the file since earlier saves
}

// madeEdit is a request and its answer.
type madeEdit struct {
	Key    string         `json:"key"`
	Result api.EditResult `json:"result"`
}

// madeEdits contains the requests with keys whose edits were made.
type madeEdits struct {
	f       *File
	unsaved []madeEdit // the next save takes them along
	saved   []madeEdit
	doubt   []madeEdit // of an earlier daemon; unclear, because the file has changed since
	unread  bool       // there is a note that cannot be read
}

// shortened returns the part of an answer that is stored.
func shortened(res api.EditResult) api.EditResult {
	if len(res.Added) > madeLong {
		res.Added, res.Notes = nil, append(slices.Clip(res.Notes), fmt.Sprintf("%d nodes were added; their ids are not known any more", len(res.Added)))
	}
	res.Text = strings.ToValidUTF8(res.Text[:min(len(res.Text), madeLong)], "")
	return res
}

func (m *madeEdits) path() string {
	return filepath.Join(m.f.cfg.Folder, "edits-made.json")
}

// restore reads the note of an earlier daemon. It is called before the file is first written.
func (m *madeEdits) restore() {
	data, err := ownfile.Read(m.path(), madeMost)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var n madeNote
	if err == nil {
		err = json.Unmarshal(data, &n)
	}
	if err != nil {
		m.f.cfg.Log.Warn("a note of edits cannot be read", "path", m.path(), "err", err)
		m.unread = true
		return
	}
	switch m.saved = n.Made; m.f.disk.id.content() {
	case n.After:
		m.saved = append(m.saved, n.Newest...)
	case n.Before: // the daemon died before the rename
	default:
		m.doubt = n.Newest
	}
}

// before returns the earlier answer to a repeated request. It returns an error if it cannot find out whether the edit was
// made.
func (m *madeEdits) before(by api.Author) (res api.EditResult, made bool, err error) {
	if by.Key == "" || !by.Again {
		return res, false, nil
	}
	is := func(m madeEdit) bool { return m.Key == by.Key }
	for _, list := range [][]madeEdit{m.saved, m.unsaved} {
		if i := slices.IndexFunc(list, is); i >= 0 {
			return list[i].Result, true, nil
		}
	}
	if m.unread || slices.ContainsFunc(m.doubt, is) {
		return res, false, &api.Error{Code: api.CodeLost, Message: "the daemon was lost while it made this edit", Where: m.f.cfg.Path,
			Why: "the file was changed again since, so that it is not known whether the file contains the edit", Fix: "check the file, and repeat the edit if it is missing"}
	}
	return res, false, nil
}

// write writes the note for a save that is about to replace a file. It is called by the helper of the save.
func (m *madeEdits) write(n madeNote, before, after identity) {
	if len(n.Newest) == 0 {
		return
	}
	n.Before, n.After = before.content(), after.content()
	data, err := json.Marshal(n)
	if err == nil {
		err = history.ReplaceFileLater(m.f.cfg.Disk, m.path(), data)
	}
	if err != nil {
		m.f.cfg.Log.Warn("an edit that comes again may be made again", "workfile", m.f.cfg.Path, "err", err)
	}
}

// settle moves the edits of a save to saved, or after an error back to unsaved.
func (m *madeEdits) settle(newest []madeEdit, err error) {
	if err != nil {
		m.unsaved = append(newest, m.unsaved...)
		return
	}
	m.saved = append(m.saved, newest...)
	m.saved = m.saved[max(0, len(m.saved)-madeKept):]
}

// edited calls edit on the loop, for the file as it is now and with the edits of an earlier opening. It returns when the
// edit is in the file. A request that comes again gets its earlier answer.
func (f *File) edited(ctx context.Context, by api.Author, edit func() (api.EditResult, error)) (api.EditResult, error) {
	if err := f.Refresh(ctx); err != nil {
		return api.EditResult{}, err
	}
	if err := f.edits.resume(ctx); err != nil {
		return api.EditResult{}, err
	}
	return loop.Await(ctx, f.cfg.Loop, func(reply func(api.EditResult, error)) {
		res, made, err := f.made.before(by)
		if err == nil && !made {
			collapse(f)
			res, err = edit()
			expand(f)
		}
		if err != nil {
			reply(res, err)
			return
		}
		if by.Key != "" && !made {
			f.made.unsaved = append(f.made.unsaved, madeEdit{by.Key, shortened(res)})
		}
		f.SaveThen(func() {
			if f.disk.problem != "" {
				res.Unsaved, res.Notes = true, append(res.Notes, f.disk.problem+"; the change is kept and written as soon as that is mended")
			}
			f.statuses.KeepThen(func() { reply(res, nil) })
		})
	})
}
