package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
)

// result returns the result of run n, from result.json or otherwise from the end of its journal.
func (s *Store) result(n int) (*Result, bool) {
	if res, ok := readResult(s.disk, s.file(n, resultFile)); ok {
		return res, true
	}
	return s.journalResult(n)
}

func readResult(disk Disk, path string) (*Result, bool) {
	data, err := readSmall(disk, path)
	if err != nil {
		return nil, false
	}
	res := new(Result)
	if json.Unmarshal(data, res) != nil || res.Result == "" {
		return nil, false // empty after a crash
	}
	return res, true
}

// lastLineMax is the maximum size of a complete record, in bytes. Its cause is one sentence.
const lastLineMax = 64 << 10

// journalResult reads only the complete record at the end of a journal.
func (s *Store) journalResult(n int) (*Result, bool) {
	path := s.file(n, journalFile)
	last := 1
	for ; ; last++ {
		if _, err := os.Lstat(segmentPath(path, last+1)); err != nil {
			break
		}
	}
	f, err := s.disk.Open(segmentPath(path, last), os.O_RDONLY)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	end, err := writtenEnd(f)
	if err != nil {
		return nil, false
	}
	tail := make([]byte, min(end, lastLineMax))
	if _, err := f.ReadAt(tail, end-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, false
	}
	line := tail[:max(0, len(tail)-1)]
	line = tail[bytes.LastIndexByte(line, '\n')+1:]
	payload, ok := entryPayload(line)
	if !ok {
		return nil, false
	}
	var rec Record
	if decodeRecord(payload, &rec) != nil || rec.Type != RecordComplete || rec.Result == nil {
		return nil, false
	}
	return rec.Result, true
}

// writtenEnd returns where the reserve at the end of a log begins.
func writtenEnd(f File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	end := info.Size()
	for end > 0 {
		piece := make([]byte, min(end, reserveStep))
		if _, err := f.ReadAt(piece, end-int64(len(piece))); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		zeros := trailingZeros(piece)
		end -= int64(zeros)
		if zeros < len(piece) {
			break
		}
	}
	return end, nil
}

// Unfinished returns the runs that are not over, oldest first. It writes a result.json that is missing
// because of a crash.
func (s *Store) Unfinished() ([]int, error) {
	numbers, err := s.Numbers()
	if err != nil {
		return nil, err
	}
	var unfinished []int
	var problems []error
	for _, n := range slices.Backward(numbers) {
		if _, ok := readResult(s.disk, s.file(n, resultFile)); ok {
			continue
		}
		if res, over := s.journalResult(n); over {
			problems = append(problems, writeResult(s.disk, s.Dir(n), *res, false))
		} else {
			unfinished = append(unfinished, n)
		}
	}
	return unfinished, errors.Join(problems...)
}
