package executor

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
)

// Nobody sees a line of output when it is written: commands write into files. But once a second, when the
// runner is awake anyway, it looks how large the outputs are of what has been running for that long, and
// notes what has changed. Between two such marks each line was written. Commands that are over within a
// second cost nothing: their start and end say as much.

// pulseEvery is the time between two looks.
const pulseEvery = time.Second

// timesExtension is that of the file of marks beside the output files of a slot.
const timesExtension = "times"

// A Mark says how much there was in the output files of a slot at a moment, in bytes. Err is 0 where
// standard error was merged.
type Mark struct {
	Time     time.Time
	Out, Err int64
}

// markSize is that of a mark in a file: three numbers of 64 bits, little-endian, the first of them
// nanoseconds since 1970.
const markSize = 24

// observe notes the sizes of outputs that have grown, if it is time for that. What cannot be written is
// missing: times are a convenience.
func (r *runner) observe(now time.Time) {
	if now.Sub(r.observed) < pulseEvery {
		return
	}
	r.observed = now
	for _, e := range r.running {
		if r.observable(e) {
			r.markOutput(e, now)
		}
	}
	if !r.successor {
		return
	}
	for _, e := range r.active {
		if e.foreign && e.pid != 0 && !e.gone {
			r.markOutput(e, now)
		}
	}
}

// observable reports whether e was running at the look before: a shorter time is known from its start.
func (r *runner) observable(e *execution) bool {
	seen := e.observed
	e.observed = true
	return seen && e.slot != nil
}

func (r *runner) markOutput(e *execution, now time.Time) {
	m := Mark{Time: now}
	m.Out = r.endOf(e, "out", e.out[0])
	if e.err != noExtent {
		m.Err = r.endOf(e, "err", e.err[0])
	}
	if last := e.marked; m.Out == max(last.Out, e.out[0]) && m.Err == max(last.Err, e.err[0], 0) {
		return
	}
	path := filepath.Join(r.slots.folder, outputName(e.number, timesExtension))
	if refused(opTimes, path) != nil {
		return
	}
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Size%markSize != 0 && unix.Ftruncate(fd, st.Size-st.Size%markSize) != nil {
		return // what a full disk has left of a mark would shift those that follow
	}
	line := make([]byte, 0, markSize)
	for _, n := range [...]int64{now.UnixNano(), m.Out, m.Err} {
		line = binary.LittleEndian.AppendUint64(line, uint64(n))
	}
	if n, err := unix.Write(fd, line); err == nil && n == markSize {
		e.marked = m
	}
}

// maxTimes bounds what is read of a file of marks, in bytes: the latest of about ten days.
const maxTimes = 1_000_000 * markSize

// ReadMarks returns the marks that a runner has made between two moments beside an output file of the run
// in dir. No file is no marks.
func ReadMarks(dir string, output Range, from, to time.Time) ([]Mark, error) {
	name := strings.TrimSuffix(output.File, filepath.Ext(output.File)) + "." + timesExtension
	f, err := ownfile.Open(filepath.Join(dir, filepath.FromSlash(name)), os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	begin := max(0, info.Size()-info.Size()%markSize-maxTimes)
	data, err := io.ReadAll(io.NewSectionReader(f, begin, maxTimes))
	if err != nil {
		return nil, err
	}
	var marks []Mark
	for ; len(data) >= markSize; data = data[markSize:] {
		number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(data[8*i:])) }
		m := Mark{Time: time.Unix(0, number(0)), Out: number(1), Err: number(2)}
		if !m.Time.Before(from) && !m.Time.After(to) {
			marks = append(marks, m)
		}
	}
	return marks, nil
}
