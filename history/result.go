package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
)

// result returns how run n ended, from result.json or else from the end of its journal.
func (s *Store) result(n int) (*Result, bool) {
	if res, ok := readResult(s.file(n, resultFile)); ok {
		return res, true
	}
	return journalResult(s.file(n, journalFile))
}

func readResult(path string) (*Result, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	res := new(Result)
	if json.Unmarshal(data, res) != nil || res.Result == "" {
		return nil, false // a crash emptied it
	}
	return res, true
}

// lastLineMax is how far from the end of a journal its complete record is looked for, in bytes.
// The cause it may hold is a sentence.
const lastLineMax = 64 << 10

// journalResult reads the complete record, which ends a journal, without reading the journal.
func journalResult(path string) (*Result, bool) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, false
	}
	tail := make([]byte, min(size, lastLineMax))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, false
	}
	line := tail[:max(0, len(tail)-1)]
	line = tail[bytes.LastIndexByte(line, '\n')+1:]
	payload, ok := unframe(line)
	if !ok {
		return nil, false
	}
	var rec Record
	if decodeRecord(payload, &rec) != nil || rec.Type != RecordComplete || rec.Result == nil {
		return nil, false
	}
	return rec.Result, true
}

// Unfinished returns the runs that are not over, oldest first. A result.json that a crash kept
// from being written is written now.
func (s *Store) Unfinished() ([]int, error) {
	numbers, err := s.numbers()
	if err != nil {
		return nil, err
	}
	var unfinished []int
	var problems []error
	for _, n := range slices.Backward(numbers) {
		if _, ok := readResult(s.file(n, resultFile)); ok {
			continue
		}
		if res, over := journalResult(s.file(n, journalFile)); over {
			problems = append(problems, writeResult(s.Dir(n), *res, false))
		} else {
			unfinished = append(unfinished, n)
		}
	}
	return unfinished, errors.Join(problems...)
}
