package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/rundir"
)

// TestSamples checks that the sizes of an output are stored once a second while it grows, for executions that were running
// at the observation before, and can be read for the time of one execution.
func TestSamples(t *testing.T) {
	dir := t.TempDir()
	s, err := openSlots(filepath.Join(dir, rundir.OutputFolder))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	taken, err := s.take(true)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if _, err := unix.Write(taken.out, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("of another\n")
	taken.measure()
	e := &execution{slot: taken, number: taken.number}
	e.out, e.err = taken.extents()
	o := &outputs{slots: s}
	observe := func(at time.Time) {
		o.observe(at, map[int]*execution{7: e}, func() []*execution { return nil })
	}
	begin := time.Unix(1_000_000, 0)
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	path := filepath.Join(dir, rundir.OutputFolder, "s1.times")

	write("at once\n")
	observe(at(0))
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a sample of an execution that has just started (%v)", err)
	}
	observe(at(999)) // less than sampleInterval
	observe(at(1000))
	write("later\n")
	observe(at(2000))
	observe(at(3000))                                                // unchanged
	if err := os.Truncate(path, 2*rundir.SampleSize+5); err != nil { // as if the disk got full in the middle of a sample
		t.Fatal(err)
	}
	write("last\n")
	observe(at(4500))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || info.Size() != 3*rundir.SampleSize {
		t.Errorf("%+v (%v)", info, err)
	}
	got, err := rundir.ReadSamples(dir, "out/s1.out", at(500), at(4500))
	want := []rundir.Sample{{Time: at(1000), Out: 19}, {Time: at(2000), Out: 25}, {Time: at(4500), Out: 30}}
	if err != nil || !slices.EqualFunc(got, want, func(a, b rundir.Sample) bool { return a.Time.Equal(b.Time) && a.Out == b.Out && a.Err == b.Err }) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
	if got, err := rundir.ReadSamples(dir, "out/s1.out", at(1500), at(2500)); len(got) != 1 || err != nil {
		t.Errorf("of a shorter time: %v (%v)", got, err)
	}
	if got, err := rundir.ReadSamples(dir, "out/s2.out", at(0), at(5000)); len(got) != 0 || err != nil {
		t.Errorf("of a slot without samples: %v (%v)", got, err)
	}
}
