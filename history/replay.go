package history

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// A DamagedError says that a log is broken before its tail: something that once was whole has
// changed. The records before Line are good and were replayed; what follows is not trusted.
type DamagedError struct {
	Path   string
	Line   int   // from 1; line 1 is the header
	Offset int64 // bytes before Line
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s:%d: the log is damaged at byte %d; the %d records before are good",
		e.Path, e.Line, e.Offset, max(0, e.Line-2))
}

// ReadInfo says how much of a log was read.
type ReadInfo struct {
	Records int   // without the header
	Size    int64 // bytes of the good part, header included
	Torn    int64 // bytes after it: an append that goes on, or what a crash left of one
}

// ReadLog calls replay for each record of the log at path, in order, without changing the file,
// which another process may be appending to: an incomplete end is ignored. The payload is valid
// during the call only. An error of replay ends the reading and is returned with its line.
// A damaged log yields its good part and a *DamagedError.
func ReadLog(path string, replay func(payload []byte) error) (ReadInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return ReadInfo{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ReadInfo{}, err
	}
	// Not a byte further: half a line, then the end, then the other half and good lines, is what a
	// growing file looks like and what damage looks like.
	return replayAll(path, io.LimitReader(f, info.Size()), replay)
}

// replayAll reads a log from its beginning to the end of its good part, then looks at what is left
// to tell a torn tail from damage: a crash tears only the end, so a good line after a bad one
// means that the bad one had been written and was changed later.
func replayAll(path string, r io.Reader, replay func([]byte) error) (ReadInfo, error) {
	var info ReadInfo
	lines := newLineReader(r)
	for n := 1; ; n++ {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return info, nil
		}
		if err != nil {
			return info, fmt.Errorf("read %s: %w", path, err)
		}
		payload, ok := unframe(line)
		if !ok {
			mayTear := n > 1 || tornHeader(line)
			torn, err := measureTail(lines, int64(len(line)))
			if err != nil && !errors.Is(err, errGoodLine) {
				return info, fmt.Errorf("read %s: %w", path, err)
			}
			if err != nil || !mayTear {
				return info, &DamagedError{Path: path, Line: n, Offset: info.Size}
			}
			info.Torn = torn
			return info, nil
		}
		if err := deliver(n, payload, replay); err != nil {
			return info, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		info.Size += int64(len(line))
		info.Records = n - 1
	}
}

func deliver(n int, payload []byte, replay func([]byte) error) error {
	if n == 1 {
		return checkHeader(payload)
	}
	return replay(payload)
}

// errGoodLine ends measureTail: what it looks at is no tail.
var errGoodLine = errors.New("a good line follows")

// measureTail counts the bytes up to the end of the file, seen of which are known.
func measureTail(lines *lineReader, seen int64) (int64, error) {
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return seen, nil
		}
		if err != nil {
			return seen, err
		}
		if _, ok := unframe(line); ok {
			return seen, errGoodLine
		}
		seen += int64(len(line))
	}
}
