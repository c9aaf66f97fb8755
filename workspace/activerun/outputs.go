package activerun

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"wf/executor"
	"wf/workspace/runstate"
	"wf/workspace/secrets"
)

// maxItems bounds the output of a command that lists items, in bytes, because it becomes one record of the journal.
const maxItems = 8 << 20

// Most commands have no outputs. When many have ended at once, listing the folder is cheaper than looking for the file of
// each, unless the folder contains too many files.
const (
	lookOutputs     = 4
	lookOutputsMost = 256
)

// lookForOutputs lists the folder if the list of reports contains enough ends. forget drops the result.
func (r *Run) lookForOutputs(list []executor.Report) (forget func()) {
	forget = func() { r.outputNames = nil }
	ended := 0
	for i := range list {
		if list[i].Kind == executor.Ended {
			ended++
		}
	}
	if ended < lookOutputs {
		return forget
	}
	f, err := os.Open(r.Dir + "/" + runstate.OutputsDir)
	if err != nil {
		return forget
	}
	defer f.Close()
	names, err := f.Readdirnames(lookOutputsMost)
	if err != nil && !errors.Is(err, io.EOF) || len(names) == lookOutputsMost {
		return forget
	}
	r.outputNames = make(map[string]bool, len(names))
	for _, name := range names {
		r.outputNames[name] = true
	}
	return forget
}

// outputs is runstate.ReadOutputs, but skips files that are known not to exist.
func (r *Run) outputs(id executor.ID) (values map[string]any, raw []byte, err error) {
	if r.outputNames != nil && !r.outputNames[runstate.OutputName(id)] {
		return nil, nil, nil
	}
	return runstate.ReadOutputs(r.Dir, id)
}

// printed returns what a command printed, as JSON for the journal.
func (r *Run) printed(out executor.Range) ([]byte, error) {
	kept, err := runstate.ReadPrinted(r.Dir, out, r.masks)
	if err != nil {
		return nil, err
	}
	return json.Marshal(kept)
}

// items reads the lines that a command has printed and returns them as a JSON list.
func (r *Run) items(out executor.Range) ([]byte, error) {
	if out.File == "" || out.End <= out.Start {
		return []byte("[]"), nil
	}
	if out.End-out.Start > maxItems {
		return nil, fmt.Errorf("the command of its items printed %d bytes: %d are the most", out.End-out.Start, maxItems)
	}
	f, err := secrets.OpenRaw(r.Dir, out) // commit hides secret values
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, out.End-out.Start)
	if _, err := f.ReadAt(text, out.Start); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var items []string
	for line := range bytes.Lines(text) {
		items = append(items, string(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))))
	}
	return json.Marshal(items)
}

// dropOutputs removes the folder, whose content is in the journal. It is called on a helper.
func (en *ending) dropOutputs() {
	if err := os.RemoveAll(filepath.Join(en.run.Dir, runstate.OutputsDir)); err != nil {
		en.run.host.Log.Warn("outputs of commands cannot be removed", "run", en.run.ID, "err", err)
	}
}
