package runner

import (
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// Commands write into files, so the runner does not see when a line is written. But once a second, if it is awake
// anyway, it measures the outputs of the commands that have been running for at least a second, and stores the sizes
// that have changed as samples. Each line was written between two samples. Commands that end within a second cost
// nothing: their start and end times are exact enough.

// sampleInterval is the least time between two samples.
const sampleInterval = time.Second

// observe stores samples of the outputs that have grown, if sampleInterval has passed. It ignores errors: without
// samples only the times of lines are missing.
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

// observable reports whether e was running at the last observe, too.
func (e *execution) observable() bool {
	seen := e.observed
	e.observed = true
	return seen && e.slot != nil
}

// sample stores the sizes of the output of e if they have changed.
func (o *outputs) sample(e *execution, now time.Time) {
	m := rundir.Sample{Time: now}
	m.Out = o.endOf(e, "out", e.out[0])
	if e.err != wire.NoExtent {
		m.Err = o.endOf(e, "err", e.err[0])
	}
	if last := e.sampled; m.Out == max(last.Out, e.out[0]) && m.Err == max(last.Err, e.err[0], 0) {
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
		return // a full disk can leave a part of a sample, which would shift all later ones
	}
	if n, err := unix.Write(fd, rundir.AppendSample(make([]byte, 0, rundir.SampleSize), m)); err == nil && n == rundir.SampleSize {
		e.sampled = m
	}
}
