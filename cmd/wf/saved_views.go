package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"wf/executor/ownfile"
	"wf/tui"
)

// savedViews is the folder with the saved views of the terminal interface, one small file per workspace. The interface
// works without them: damaged files are ignored, and so are errors of writing.
type savedViews string

// viewBytes limits what is read of a file. A view has some hundred bytes.
const viewBytes = 64 << 10

// path returns the file of a workspace, or "" if workspace is not the id of one.
func (s savedViews) path(workspace string) string {
	if workspace == "" || strings.Trim(workspace, "0123456789abcdef") != "" {
		return ""
	}
	return filepath.Join(string(s), workspace+".json")
}

func (s savedViews) Recall(workspace string) (view tui.SavedView) {
	path := s.path(workspace)
	if path == "" {
		return tui.SavedView{}
	}
	data, err := ownfile.Read(path, viewBytes)
	if err != nil || json.Unmarshal(data, &view) != nil {
		return tui.SavedView{}
	}
	return view
}

func (s savedViews) Keep(workspace string, view tui.SavedView) {
	if path := s.path(workspace); path != "" {
		_ = s.write(path, view) // losing it does no harm
	}
}

// write replaces the file as a whole. If two interfaces end at the same time, the view of one of them is kept.
func (s savedViews) write(path string, view tui.SavedView) error {
	data, err := json.Marshal(view)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(s), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(string(s), ".new-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
