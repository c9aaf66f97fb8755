package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/rundir"
	"wf/executor/wire"
)

const (
	// slotLimit is the size in bytes from which on an output file is not used again, so that one command with
	// much output does not make the files of the others hard to handle.
	slotLimit = 64 << 20
)

// A slot is a file, or a pair of files, to which one execution after the other appends its output: creating a file
// costs more than a fork. Only the runner's loop uses its fields.
type slot struct {
	number   int
	merged   bool  // both streams go to one file, in the order of the writes
	out, err int   // descriptors, O_APPEND; the same one if merged
	outSize  int64 // where the output of the next execution begins
	errSize  int64
	damaged  bool // a file was removed or cut from outside: the slot is not used again
}

// outputs are the output files of the run.
type outputs struct {
	slots    *slots
	observed time.Time // when observe last ran
}

// slots manages the output files in folder.
type slots struct {
	folder string
	last   int     // highest number in use or ever used
	free   []*slot // merged slots to which no process writes
	split  []*slot // the same for pairs of files
}

// openSlots creates the folder if it is missing and finds the highest number that an earlier runner has used. The
// files of an earlier runner are not used again, because its commands may still write to them.
func openSlots(folder string) (*slots, error) {
	if err := fault.Check(fault.OpOutputFolder, folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	s := &slots{folder: folder}
	for _, f := range files {
		name := strings.TrimPrefix(strings.TrimSuffix(f.Name(), filepath.Ext(f.Name())), "s")
		if n, err := strconv.Atoi(name); err == nil {
			s.last = max(s.last, n)
		}
	}
	return s, nil
}

// unused returns the list of the free slots of one kind.
func (s *slots) unused(merged bool) *[]*slot {
	if merged {
		return &s.free
	}
	return &s.split
}

// take returns a free slot, or creates one.
func (s *slots) take(merged bool) (*slot, error) {
	free := s.unused(merged)
	if n := len(*free); n > 0 {
		taken := (*free)[n-1]
		*free = (*free)[:n-1]
		return taken, nil
	}
	s.last++
	out, err := openOutput(filepath.Join(s.folder, rundir.OutputName(s.last, "out")))
	if errors.Is(err, fs.ErrNotExist) && os.Mkdir(s.folder, 0o700) == nil { // the folder was removed
		out, err = openOutput(filepath.Join(s.folder, rundir.OutputName(s.last, "out")))
	}
	if err != nil {
		return nil, err
	}
	if merged {
		return &slot{number: s.last, merged: true, out: out, err: out}, nil
	}
	errOut, err := openOutput(filepath.Join(s.folder, rundir.OutputName(s.last, "err")))
	if err != nil {
		unix.Close(out)
		os.Remove(filepath.Join(s.folder, rundir.OutputName(s.last, "out"))) // the next attempt uses another number
		return nil, err
	}
	return &slot{number: s.last, out: out, err: errOut}, nil
}

// openOutput creates an output file. It does not use os.File, which would add to Go's poller a file that only children
// use.
func openOutput(path string) (int, error) {
	const flags = unix.O_WRONLY | unix.O_APPEND | unix.O_CREAT | unix.O_EXCL | unix.O_CLOEXEC
	fd, err := -1, fault.Check(fault.OpOutput, path)
	if err == nil {
		fd, err = unix.Open(path, flags, 0o600)
	}
	if err != nil {
		return -1, &os.PathError{Op: "create", Path: path, Err: err}
	}
	return fd, nil
}

// put takes a slot back. quiet promises that no process can still write to it.
func (s *slots) put(used *slot, quiet bool) {
	if quiet && !used.damaged && used.outSize <= slotLimit && used.errSize <= slotLimit {
		free := s.unused(used.merged)
		*free = append(*free, used)
		return
	}
	used.close()
}

// close closes the files of the free slots.
func (s *slots) close() {
	for _, f := range slices.Concat(s.free, s.split) {
		f.close()
	}
	s.free, s.split = nil, nil
}

func (s *slot) close() {
	unix.Close(s.out)
	if !s.merged {
		unix.Close(s.err)
	}
}

// extents returns where the output of the next execution begins.
func (s *slot) extents() (out, errOut wire.Extent) {
	if s.merged {
		return wire.Extent{s.outSize, -1}, wire.NoExtent
	}
	return wire.Extent{s.outSize, -1}, wire.Extent{s.errSize, -1}
}

// measure moves the slot's ends to what is in its files now and returns what was added.
func (s *slot) measure() (out, errOut wire.Extent) {
	out, errOut = s.extents()
	s.outSize = s.sizeOf(s.out, s.outSize)
	out[1] = s.outSize
	if !s.merged {
		s.errSize = s.sizeOf(s.err, s.errSize)
		errOut[1] = s.errSize
	}
	return out, errOut
}

// sizeOf returns the size in bytes of one of the slot's files; before bytes of it belong to earlier executions. fstat
// does not fail on a local disk. If it fails (on a network disk), or if the file was cut, the output counts as empty
// and the slot as damaged.
func (s *slot) sizeOf(fd int, before int64) int64 {
	var st unix.Stat_t
	err := fault.Check(fault.OpMeasure, rundir.OutputFolder)
	if err == nil {
		err = unix.Fstat(fd, &st)
	}
	if err != nil {
		s.damaged = true
		return before
	}
	s.damaged = s.damaged || st.Nlink == 0 || st.Size < before
	return max(st.Size, before)
}

// sizeAt returns the size of an output file of an earlier runner.
func (s *slots) sizeAt(number int, stream string) (int64, error) {
	info, err := os.Stat(filepath.Join(s.folder, rundir.OutputName(number, stream)))
	if err != nil {
		return 0, fmt.Errorf("output of an earlier runner: %w", err)
	}
	return info.Size(), nil
}
