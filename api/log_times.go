package api

import (
	"sort"
	"time"
)

// LogTimes bounds when an output was written: the bytes between two marks were written between their times.
type LogTimes struct {
	// Known is set if the run has marks. Runs of earlier versions have only a start and an end.
	Known   bool      `json:"known"`
	Started time.Time `json:"started"`
	Until   time.Time `json:"until"` // when all bytes were written: the end, or now
	// Marks are triples: a time in milliseconds since 1970, and the sizes of standard output and standard error
	// at that time, in bytes. Executions of less than a second, and outputs that do not grow, have none.
	Marks [][3]int64 `json:"marks,omitempty"`
}

// WrittenBy returns the time by which the byte at an offset of standard output, or of standard error, had been written.
// For bytes after the last mark that is Until. A merged output counts as standard output.
func (t *LogTimes) WrittenBy(offset int64, stderr bool) time.Time {
	column := 1
	if stderr {
		column = 2
	}
	i := sort.Search(len(t.Marks), func(i int) bool { return t.Marks[i][column] > offset })
	if i == len(t.Marks) {
		return t.Until
	}
	return time.UnixMilli(t.Marks[i][0])
}
