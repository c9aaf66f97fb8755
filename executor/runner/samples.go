package runner

import (
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// Nobody sees a line of output when it is written: commands write into files. But once a second, when the
// runner is awake anyway, it looks how large the outputs are of what has been running for that long, and
// notes what has changed. Between two such marks each line was written. Commands that are over within a
// second cost nothing: their start and end say as much.

// sampleInterval is the time between two looks.
const sampleInterval = time.Second

// observe notes the sizes of outputs that have grown, if it is time for that. What cannot be written is
// missing: times are a convenience.
func (o *outputs) observe(now time.Time, running map[int]*execution, adopted func() []*execution) {
	if now.Sub(o.observed) < sampleInterval {
		return
	}
	o.observed = now
	for _, e := range running {
		if e.observable() {
			o.sample(e, now)
		}
	}
	for _, e := range adopted() {
		o.sample(e, now)
	}
}

// observable reports whether e was running at the look before: a shorter time is known from its start.
func (e *execution) observable() bool {
	seen := e.observed
	e.observed = true
	return seen && e.slot != nil
}

func (o *outputs) sample(e *execution, now time.Time) {
	m := rundir.Sample{Time: now}
	m.Out = o.endOf(e, "out", e.out[0])
	if e.err != wire.NoExtent {
		m.Err = o.endOf(e, "err", e.err[0])
	}
	if last := e.marked; m.Out == max(last.Out, e.out[0]) && m.Err == max(last.Err, e.err[0], 0) {
		return
	}
	path := filepath.Join(o.slots.folder, rundir.OutputName(e.number, rundir.SamplesExtension))
	if fault.Check(fault.OpTimes, path) != nil {
		return
	}
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Size%rundir.SampleSize != 0 && unix.Ftruncate(fd, st.Size-st.Size%rundir.SampleSize) != nil {
		return // what a full disk has left of a mark would shift those that follow
	}
	if n, err := unix.Write(fd, rundir.AppendSample(make([]byte, 0, rundir.SampleSize), m)); err == nil && n == rundir.SampleSize {
		e.marked = m
	}
}
