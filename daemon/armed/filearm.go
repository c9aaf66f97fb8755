package armed

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wf/api"
	"wf/daemon/folders"
	"wf/trigger"
	"wf/trigger/arrivals"
	"wf/trigger/ledger"
	"wf/workspace/clock"
	"wf/workspace/workfile"
)

// findExisting lists the files that exist when f is armed. They start no run.
func (f *File) findExisting(found workfile.Triggers) error {
	f.existing = map[string]folders.List{}
	for _, l := range found.Lines {
		if l.Trigger.Kind != trigger.File {
			continue
		}
		list := f.pattern(l.Trigger).Scan(nil)
		if list.Err != nil {
			return &api.Error{Code: api.CodeWorkfile, Message: fmt.Sprintf("on: %s: the files cannot be listed: %v", l.Text, list.Err), Where: found.Path, Nodes: nodesOf(l)}
		}
		f.existing[l.ID()] = list
	}
	return nil
}

// armFiles returns the records that arm a trigger for files that come after those of a list.
func (t *armedTrigger) armFiles(workfile string, list folders.List) []ledger.Record {
	arm := t.arm(workfile, clock.Now())
	arm.Folder = list.Folder
	if t.files.options.Existing {
		return []ledger.Record{arm}
	}
	return append([]ledger.Record{arm}, ledger.SeenFiles(arm.Time, workfile, t.id, list.Folder, list.Files)...)
}

// moveFiles returns the records that arm a trigger of a workfile that was moved. If the pattern has another folder now, there are
// none: the files in it are listed first.
func (k *Keeper) moveFiles(from, to *File, t *armedTrigger) []ledger.Record {
	decided, armed := k.ledger.DecidedFiles(from.ID, t.id)
	if !armed || filepath.Dir(from.Workfile) != filepath.Dir(to.Workfile) && !t.files.fixed {
		return nil
	}
	arm := t.arm(to.ID, clock.Now())
	arm.Folder = decided.Folder
	var files []arrivals.File
	for name, v := range decided.Known {
		files = append(files, arrivals.File{Name: name, Version: v})
	}
	return append([]ledger.Record{arm}, ledger.SeenFiles(arm.Time, to.ID, t.id, decided.Folder, files)...)
}

// fireFiles lets a helper list the files of a trigger, and starts a run for the first of them.
func (k *Keeper) fireFiles(id string, q api.TriggerNow, t *armedTrigger, reply func(api.RunAccepted, error)) {
	f := t.files
	k.starts.Go(func() {
		list := f.pattern.Scan(nil)
		k.post(func() {
			err := list.Err
			files := slices.DeleteFunc(list.Files, func(f arrivals.File) bool { return !arrivals.Fit(f.Name) })
			slices.SortFunc(files, func(a, b arrivals.File) int { return strings.Compare(a.Name, b.Name) })
			switch {
			case err != nil:
			case len(files) == 0:
				err = &api.Error{Code: api.CodeNotFound, Message: "no file matches " + t.name, Where: q.Path}
			default:
				err = k.fire(id, "", q, arrivals.Batch(files, f.options.Batch, len(filepath.Dir(q.Path))+1), reply)
			}
			if err != nil {
				reply(api.RunAccepted{}, err)
			}
		})
	})
}

// describeFiles describes the files of a trigger. decided are those that start no further run.
func (f *File) describeFiles(line string, decided ledger.Files) *api.TriggerFiles {
	t, err := trigger.Parse(line)
	if err != nil || t.Kind != trigger.File {
		return nil
	}
	p := f.pattern(t)
	d := &api.TriggerFiles{Folder: p.Base(), Polled: true}
	type result struct {
		list   folders.List
		polled bool
	}
	found, err := soon(p.Base()+" "+t.Spec, func() (result, error) { return result{p.Scan(nil), folders.Polled(p.Base())}, nil })
	if err == nil {
		d.Polled, err = found.polled || found.list.Folder == 0, found.list.Err
	}
	if err != nil {
		d.Problem = err.Error()
	} else if found.list.Folder == 0 {
		d.Problem = "the folder does not exist"
	}
	d.Match = len(found.list.Files)
	for _, file := range found.list.Files {
		if v, known := decided.Known[file.Name]; !known || v != file.Version {
			d.New++
		}
	}
	return d
}
