package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"wf/executor"
	"wf/executor/rundir"
)

// outputs are the files on this machine to which the outputs of tasks are copied. Tasks that do not run at the same time share
// them: each has a slot with a file for each stream.
type outputs struct {
	dir     string // of the run on this machine
	cluster string // begins the names of the files
	used    []bool // by slot
}

// A part is an output of a task in a file that it shares with earlier tasks.
type part struct {
	file  string // relative to the folder of the run; "" = none
	start int64
	size  int64 // bytes that are on this machine
}

func (p part) rangeTo(end int64) rundir.Range {
	if p.file == "" {
		return rundir.Range{}
	}
	return rundir.Range{File: p.file, Start: p.start, End: end}
}

// open gives a task a slot.
func (o *outputs) open(t *task) error {
	t.slot = slices.Index(o.used, false)
	if t.slot < 0 {
		t.slot = len(o.used)
		o.used = append(o.used, false)
	}
	o.used[t.slot] = true
	var err error
	if t.out, err = o.newPart(t.slot, "out"); err == nil && !t.job.Merge {
		t.err, err = o.newPart(t.slot, "err")
	}
	return err
}

// resume takes over the slot of a task that an earlier session has opened. What is on this machine is as long as the files.
func (o *outputs) resume(t *task, outAt, errAt int64) {
	for len(o.used) <= t.slot {
		o.used = append(o.used, false)
	}
	o.used[t.slot] = true
	t.out = o.oldPart(t.slot, "out", outAt)
	if !t.job.Merge {
		t.err = o.oldPart(t.slot, "err", errAt)
	}
}

// slotLimit is the size in bytes from which on a file is not used again, so that large outputs can be removed alone.
const slotLimit = 64 << 20

// release makes the slot of a task free for others.
func (o *outputs) release(t *task) {
	if t.slot >= 0 {
		o.used[t.slot] = t.out.start+t.out.size >= slotLimit || t.err.start+t.err.size >= slotLimit
	}
}

// newPart returns the end of an output file, which it makes if it does not exist.
func (o *outputs) newPart(slot int, stream string) (part, error) {
	p := part{file: o.fileName(slot, stream)}
	path := filepath.Join(o.dir, p.file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return part{}, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return part{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		p.start = info.Size()
	}
	return p, err
}

func (o *outputs) oldPart(slot int, stream string, start int64) part {
	p := part{file: o.fileName(slot, stream), start: start}
	if info, err := os.Stat(filepath.Join(o.dir, p.file)); err == nil {
		p.size = max(0, info.Size()-start)
	}
	return p
}

func (o *outputs) fileName(slot int, stream string) string {
	return rundir.OutputFolder + "/" + o.cluster + "-" + strconv.Itoa(slot) + "." + stream
}

// add appends to an output what the poller has found, unless it is here already.
func (o *outputs) add(t *task, g growth) error {
	path, from, size := filepath.Join(o.dir, t.out.file), t.out.start, &t.out.size
	switch g.stream {
	case "err":
		path, from, size = filepath.Join(o.dir, t.err.file), t.err.start, &t.err.size
	case "values":
		path, from, size = t.valuesFile(), 0, &t.values
	}
	if g.from != *size {
		return nil // an old answer
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(g.text, from+g.from)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		*size += int64(len(g.text))
		t.looks = 0
	}
	return err
}

// A wantedOutput is what the next look at the files asks for.
type wantedOutput struct {
	id     executor.ID
	stream string // out, err or values
	from   int64  // bytes that are here already
}

// wantedOutputs are the outputs of a task of which more may come.
func (t *task) wantedOutputs() []wantedOutput {
	wanted := make([]wantedOutput, 0, 3)
	for i, stream := range []string{"out", "err", "values"} {
		size := [...]int64{t.out.size, t.err.size, t.values}[i]
		switch {
		case t.result == nil && (i == 2 || i == 1 && t.job.Merge):
		case t.result != nil && size >= t.sizes[i]:
		default:
			wanted = append(wanted, wantedOutput{t.job.ID, stream, size})
		}
	}
	return wanted
}
