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

// sights keeps how workfiles were looked at in the terminal interface: a folder with a small file for each
// workspace. Nothing depends on them. One that is damaged, or no file of ours, is as good as none, and
// where one cannot be written the next session begins like the first.
type sights string

// sightBytes bounds what is read of a file: ours have some hundred bytes.
const sightBytes = 64 << 10

// path is the file of a workspace; "" for what is no id of one.
func (s sights) path(workspace string) string {
	if workspace == "" || strings.Trim(workspace, "0123456789abcdef") != "" {
		return ""
	}
	return filepath.Join(string(s), workspace+".json")
}

func (s sights) Recall(workspace string) (sight tui.Sight) {
	path := s.path(workspace)
	if path == "" {
		return tui.Sight{}
	}
	data, err := ownfile.Read(path, sightBytes)
	if err != nil || json.Unmarshal(data, &sight) != nil {
		return tui.Sight{}
	}
	return sight
}

func (s sights) Keep(workspace string, sight tui.Sight) {
	if path := s.path(workspace); path != "" {
		_ = s.write(path, sight) // forgetting it harms nobody
	}
}

// write replaces the file whole, so that two sessions that end together leave the view of one of them.
func (s sights) write(path string, sight tui.Sight) error {
	data, err := json.Marshal(sight)
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
