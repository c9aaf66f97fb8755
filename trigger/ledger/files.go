package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"wf/trigger/arrivals"
)

// Files are the files that are decided for a trigger. The caller must not change Known.
type Files struct {
	// Folder is the inode of the folder in which the latest of them were seen. If the pattern has another folder now, because
	// that of the files is not mounted, files that cannot be found may come back.
	Folder uint64
	Known  map[string]arrivals.Version
}

// add adds the files of a record.
func (f *Files) add(r Record) {
	if len(r.Files) == 0 {
		return
	}
	if f.Known == nil {
		f.Known = make(map[string]arrivals.Version, len(r.Files))
	}
	for _, file := range r.Files {
		f.Known[file.Name] = file.Version
	}
	f.Folder = r.Folder
}

func (f *Files) forget(names []string) {
	for _, name := range names {
		delete(f.Known, name)
	}
}

// list returns the files, sorted by name.
func (f *Files) list() []arrivals.File {
	list := make([]arrivals.File, 0, len(f.Known))
	for name, v := range f.Known {
		list = append(list, arrivals.File{Name: name, Version: v})
	}
	slices.SortFunc(list, func(a, b arrivals.File) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// DecidedFiles returns the files that are decided, or false if the trigger is not armed. It is valid until the next write.
func (l *Ledger) DecidedFiles(workfile, trigger string) (Files, bool) {
	if w := l.workfiles[workfile]; w != nil && w.triggers[trigger] != nil {
		return w.triggers[trigger].files, true
	}
	return Files{}, false
}

// filesOfRecord bounds the files of one record Seen, so that lines stay short.
const filesOfRecord = 1000

// SeenFiles returns the records that files start nothing.
func SeenFiles(at time.Time, workfile, trigger string, folder uint64, files []arrivals.File) (records []Record) {
	for some := range slices.Chunk(files, filesOfRecord) {
		records = append(records, Record{Op: Seen, Time: at, Workfile: workfile, Trigger: trigger, Files: some, Folder: folder})
	}
	return records
}

// KeyOfFiles returns the identity of the run that gets these files. The same files may come again, after they were forgotten.
func KeyOfFiles(workfile, trigger string, at time.Time, files []arrivals.File) string {
	sum := sha256.New()
	e := json.NewEncoder(sum)
	for _, f := range files {
		e.Encode(f) // a hash takes everything
	}
	return Key(workfile, fmt.Sprintf("%s files %x", trigger, sum.Sum(nil)), at)
}

// namesKept is how many files of a start are kept for wf trigger log.
const namesKept = 10

// brief returns the record as Recent has it.
func (r Record) brief() Record {
	if len(r.Files) == 0 {
		return r
	}
	if r.Count == 0 {
		r.Count = len(r.Files)
	}
	r.Files = slices.Clone(r.Files[:min(len(r.Files), namesKept)])
	return r
}

// whole returns a record of Recent with all its files, if they still count.
func (w *workfile) whole(r Record) Record {
	if i := slices.IndexFunc(w.pending, func(p Record) bool { return r.Op == Start && p.Key == r.Key }); i >= 0 {
		return w.pending[i]
	}
	return r
}
