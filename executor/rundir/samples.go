package rundir

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wf/executor/ownfile"
)

// SamplesExtension is the extension of the file of samples, which lies beside the output files of a slot.
const SamplesExtension = "times"

// A Sample is the size of the output files of a slot at a moment, in bytes. Err is 0 if standard error was merged.
type Sample struct {
	Time     time.Time
	Out, Err int64
}

// SampleSize is the size of a sample in a file: three little-endian 64-bit numbers, the first of them in nanoseconds
// since 1970.
const SampleSize = 24

// AppendSample encodes a sample.
func AppendSample(b []byte, m Sample) []byte {
	for _, n := range [...]int64{m.Time.UnixNano(), m.Out, m.Err} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// maxTimes is how many bytes of a file of samples are read: the latest of about ten days.
const maxTimes = 1_000_000 * SampleSize

// ReadSamples returns the samples of an output file of the run in dir that were taken between two moments. A missing
// file of samples means no samples.
func ReadSamples(dir, output string, from, to time.Time) ([]Sample, error) {
	name := strings.TrimSuffix(output, filepath.Ext(output)) + "." + SamplesExtension
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
	begin := max(0, info.Size()-info.Size()%SampleSize-maxTimes)
	data, err := io.ReadAll(io.NewSectionReader(f, begin, maxTimes))
	if err != nil {
		return nil, err
	}
	var marks []Sample
	for ; len(data) >= SampleSize; data = data[SampleSize:] {
		number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(data[8*i:])) }
		m := Sample{Time: time.Unix(0, number(0)), Out: number(1), Err: number(2)}
		if !m.Time.Before(from) && !m.Time.After(to) {
			marks = append(marks, m)
		}
	}
	return marks, nil
}
