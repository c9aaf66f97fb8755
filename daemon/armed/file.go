package armed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/daemon/folders"
	"wf/executor/ownfile"
	"wf/trigger"
	"wf/trigger/planner"
)

// Dir is the folder of everything about triggers in the state folder.
const Dir = "triggers"

// Names of the files in it, besides one ID.json for each workfile. FileFence is the fence of the daemon that starts the runs.
const (
	fileLedger = "ledger"
	FileFence  = "fence"
)

// mostFile bounds the size of a file, in bytes. Most of it is an environment.
const mostFile = 16 << 20

// A File is an armed workfile, as it is stored. The file has mode 0600, because it contains an environment.
type File struct {
	ID       string    `json:"id"` // of the workspace
	Workfile string    `json:"workfile"`
	User     string    `json:"user,omitempty"` // who armed it, as the client said
	Time     time.Time `json:"time"`
	Lines    []Line    `json:"lines"`
	// Request is the request of every run, with the environment of the command wf trigger enable.
	Request api.RunRequest `json:"request"`

	// existing are the files that matched when the workfile was armed, by the id of the trigger.
	existing map[string]folders.List
}

// A Line is an armed trigger.
type Line struct {
	Node   string    `json:"node,omitempty"` // id; "" for the graph
	Name   string    `json:"name,omitempty"` // of the node
	On     string    `json:"on"`
	Anchor time.Time `json:"anchor"` // when it was armed: the beginning of intervals
}

// id returns the id of the trigger within its workfile.
func (l Line) id() string { return trigger.Line{Node: l.Node, Text: l.On}.ID() }

// zone returns the time zone of a cron expression without tz: that of the user who armed the workfile, otherwise that of the
// machine.
func (f *File) zone() *time.Location {
	for _, v := range slices.Backward(f.Request.Env) {
		if name, ok := strings.CutPrefix(v, "TZ="); ok {
			if zone, err := time.LoadLocation(strings.TrimPrefix(name, ":")); err == nil && name != "" {
				return zone
			}
			break
		}
	}
	return time.Local
}

// read returns the trigger of a line, ready for decisions.
func (f *File) read(l Line) (planner.Trigger, trigger.Trigger, *time.Location, error) {
	t, err := trigger.Parse(l.On)
	if err != nil {
		return planner.Trigger{}, t, nil, err
	}
	zone := f.zone()
	if t.Zone != "" {
		if zone, err = time.LoadLocation(t.Zone); err != nil {
			return planner.Trigger{}, t, nil, err
		}
	}
	s, err := t.Schedule(l.Anchor, zone)
	if err != nil {
		return planner.Trigger{}, t, nil, err
	}
	return planner.Of(t, s, f.ID+l.id()), t, zone, nil
}

// name returns $WF_TRIGGER: the line without its options.
func name(t trigger.Trigger) string { return string(t.Kind) + ": " + t.Spec }

// path returns the path of the file of a workfile.
func path(state, id string) string { return filepath.Join(state, Dir, id+".json") }

// save stores a file durably.
func (f *File) save(state string) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(state, Dir), 0o700); err != nil {
		return err
	}
	if err := ownfile.Replace(path(state, f.ID), data, true); err != nil {
		return err
	}
	return syncFolder(filepath.Join(state, Dir))
}

// remove removes the file of a workfile durably.
func remove(state, id string) error {
	if err := ownfile.Remove(path(state, id)); err != nil {
		return err
	}
	return syncFolder(filepath.Join(state, Dir))
}

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Files returns the armed workfiles of a state folder, sorted by path. Files that cannot be read are part of the error; the
// others are returned nevertheless.
func Files(state string) (list []*File, err error) {
	entries, err := os.ReadDir(filepath.Join(state, Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		f := &File{}
		data, readErr := ownfile.Read(path(state, id), mostFile)
		if readErr == nil {
			readErr = json.Unmarshal(data, f)
		}
		if readErr == nil && f.ID != id {
			readErr = fmt.Errorf("%s: it is that of %s", e.Name(), f.Workfile)
		}
		if readErr != nil {
			err = errors.Join(err, fmt.Errorf("the triggers in %s cannot be read: %w", path(state, id), readErr))
			continue
		}
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *File) int { return strings.Compare(a.Workfile, b.Workfile) })
	return list, err
}
