package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wf/executor"
	"wf/executor/checksum"
)

// An entry is a line of the journal of a session. Each says what happened before the session acts on it: a batch before it
// is submitted, a start or an end before it is reported and its file is removed.
type entry struct {
	Kind string `json:"k"`

	Folder string `json:"folder,omitempty"` // open: the folder of the run on the shared file system; /NAME = on this machine

	Given *executor.Job `json:"job,omitempty"` // job

	Batch string        `json:"batch,omitempty"` // batch, taken, refused, give, takeback, over: its name; open: model.series, "" in journals of earlier versions
	Tasks []executor.ID `json:"tasks,omitempty"` // batch, give, takeback
	Hold  *hold         `json:"hold,omitempty"`  // batch: it is an allocation
	Taken string        `json:"taken,omitempty"` // taken: the id that the batch system gave it

	ID      executor.ID `json:"id,omitzero"`     // start, end, stop
	Time    time.Time   `json:"time,omitzero"`   // start, end
	PID     int         `json:"pid,omitempty"`   // start
	Host    string      `json:"host,omitempty"`  // start
	Step    string      `json:"step,omitempty"`  // start: its id, if the task is a step of an allocation
	Slot    int         `json:"slot,omitempty"`  // start: the number of its output files
	OutAt   int64       `json:"outAt,omitempty"` // start: where its outputs begin in these files
	ErrAt   int64       `json:"errAt,omitempty"`
	Merge   bool        `json:"merge,omitempty"`  // start: both streams are in one output
	Code    int         `json:"code,omitempty"`   // end
	Phase   Phase       `json:"phase,omitempty"`  // end: what the batch system said if there was no result file
	Reason  string      `json:"reason,omitempty"` // end
	Out     int64       `json:"out,omitempty"`    // end: the length of its outputs, in bytes
	Err     int64       `json:"err,omitempty"`
	Peak    int64       `json:"peak,omitempty"`    // end: the most memory, in bytes
	Machine string      `json:"machine,omitempty"` // start (of a step), end: its machine, as the batch system calls it
	Stop    bool        `json:"stop,omitempty"`    // end: it was stopped
	Left    bool        `json:"left,omitempty"`    // end: the cluster did not answer to the stop, and may still execute it
}

// The kinds of entries.
const (
	entryOpen     = "open"
	entryJob      = "job"      // a job was handed over
	entryBatch    = "batch"    // a batch is about to be submitted
	entryTaken    = "taken"    // the batch system has it
	entryRefused  = "refused"  // the batch system has certainly not taken it
	entryUnknown  = "unknown"  // the batch system does not show it, so it is submitted again
	entryGive     = "give"     // an allocation gets tasks
	entryTakeBack = "takeback" // an allocation does not get them
	entryOver     = "over"     // an allocation has ended
	entryStart    = "start"
	entryStop     = "stop" // a stop was asked for
	entryEnd      = "end"
)

// A journal is the file with the entries of a session. A line is the checksum of an entry, a blank and the entry.
type journal struct {
	file *os.File
	dirt bool // something was written and not synced
}

// journalPrefix begins the names of journals; the name of the cluster follows.
const journalPrefix = "cluster."

// Used returns the names of the clusters that have jobs of the run in the folder dir.
func Used(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, journalPrefix+"*"))
	for i, path := range paths {
		paths[i] = strings.TrimPrefix(filepath.Base(path), journalPrefix)
	}
	return paths, err
}

// openJournal opens or creates the journal of a cluster in the folder of a run, and replays its entries. A last line that is
// not complete is removed.
func openJournal(dir, cluster string, replay func(entry) error) (*journal, error) {
	path := filepath.Join(dir, journalPrefix+cluster)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	isNew := err != nil
	whole := 0
	for rest := data; ; {
		line, after, complete := bytes.Cut(rest, []byte("\n"))
		if !complete {
			break
		}
		e, ok := parseLine(line)
		if !ok {
			if len(after) > 0 {
				return nil, fmt.Errorf("%s: line at byte %d is damaged", path, whole)
			}
			break
		}
		if err := replay(e); err != nil {
			return nil, err
		}
		whole += len(line) + 1
		rest = after
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err = file.Truncate(int64(whole)); err == nil {
		_, err = file.Seek(int64(whole), 0)
	}
	if err == nil && isNew {
		err = syncFolder(dir)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &journal{file: file}, nil
}

func parseLine(line []byte) (e entry, ok bool) {
	sum, payload, found := bytes.Cut(line, []byte(" "))
	if !found || string(sum) != fmt.Sprintf("%08x", checksum.Of(payload)) {
		return e, false
	}
	return e, json.Unmarshal(payload, &e) == nil
}

// add appends entries, which are durable after the next sync.
func (j *journal) add(entries ...entry) error {
	var text []byte
	for _, e := range entries {
		payload, err := json.Marshal(e)
		if err != nil {
			return err
		}
		text = fmt.Appendf(text, "%08x %s\n", checksum.Of(payload), payload)
	}
	j.dirt = j.dirt || len(text) > 0
	_, err := j.file.Write(text)
	return err
}

// sync makes all entries durable.
func (j *journal) sync() error {
	if !j.dirt {
		return nil
	}
	err := j.file.Sync()
	j.dirt = err != nil
	return err
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
