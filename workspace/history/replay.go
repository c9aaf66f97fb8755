package history

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// A DamagedError reports that a log is damaged before its tail: complete lines have changed. The records
// before Line are good and were replayed; the rest is ignored.
type DamagedError struct {
	Path    string // of the segment
	Line    int    // from 1; line 1 is the header
	Offset  int64  // bytes before Line
	Records int    // number of good ones, in all segments
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s:%d: the log is damaged at byte %d; the %d records before are good",
		e.Path, e.Line, e.Offset, e.Records)
}

// ReadInfo describes a log that was read. Sizes are in bytes, of the last segment.
type ReadInfo struct {
	Records  int   // in all segments
	Segments int   // number of files
	Size     int64 // of the good part, including the header
	Torn     int64 // of the tail after it: a current or interrupted append
	Reserve  int64 // of the zeros at the end

	synced int64 // by the last mark in the good part
}

// ReadLog calls replay for each record of the log at path, in order. It does not change the files, to which
// another process may append: an incomplete end is ignored. The payload is valid only during the call.
// ReadLog stops at an error of replay and returns it with its line. For a damaged log it replays the good
// part and returns a *DamagedError.
func ReadLog(path string, replay func(payload []byte) error) (ReadInfo, error) {
	return readLog(LocalDisk{}, path, replay)
}

func readLog(disk Disk, path string, replay func(payload []byte) error) (ReadInfo, error) {
	f, err := disk.Open(path, os.O_RDONLY)
	if err != nil {
		return ReadInfo{}, err
	}
	c := chain{disk: disk, path: path, last: f, replay: replay}
	err = c.read()
	return c.info, errors.Join(err, c.last.Close())
}

// segmentPath returns the name of the n-th file of a log.
func segmentPath(path string, n int) string {
	if n == 1 {
		return path
	}
	return path + "." + strconv.Itoa(n)
}

// A chain reads the segments of a log one after the other.
type chain struct {
	disk   Disk
	path   string // of the first
	flag   int    // with which the later ones are opened
	last   File   // the open one; at the end the last
	info   ReadInfo
	replay func([]byte) error
}

// read replays all segments. The first is already open.
func (c *chain) read() error {
	for n := 1; ; n++ {
		c.info.Segments = n
		next, err := c.disk.Open(segmentPath(c.path, n+1), c.flag)
		if errors.Is(err, fs.ErrNotExist) {
			return c.segment(n, -1)
		}
		after := int64(-1)
		if err == nil {
			after, err = linkOf(next, n+1)
		}
		if err != nil { // only the previous segment is readable
			if next != nil {
				next.Close()
			}
			if Fault(err) {
				return err
			}
			if err := c.segment(n, -1); err != nil {
				return err
			}
			return errors.Join(&DamagedError{Path: segmentPath(c.path, n+1), Line: 1, Records: c.info.Records}, err)
		}
		err = errors.Join(c.segment(n, after), c.last.Close())
		c.last = next
		if err != nil {
			return err
		}
	}
}

// linkOf returns how many bytes of the segment before the n-th count. A segment appears under its name only
// when it is complete, so an unreadable header is damage.
func linkOf(f File, n int) (after int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	line, err := newLineReader(io.NewSectionReader(f, 0, info.Size())).next()
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	payload, ok := entryPayload(line)
	if !ok {
		return 0, errors.New("it has no header")
	}
	h, err := readHeader(payload)
	if err == nil && h.Segment != n {
		err = fmt.Errorf("it is segment %d", h.Segment)
	}
	return h.After, err
}

// segment replays the first count bytes of the n-th file; -1 = all bytes.
func (c *chain) segment(n int, count int64) error {
	path := segmentPath(c.path, n)
	info, err := c.last.Stat()
	if err != nil {
		return err
	}
	// Read only up to the current size: a line that is appended while it is read would look like damage.
	size := info.Size()
	if count >= 0 {
		size = min(size, count)
	}
	s := scan{path: path, records: c.info.Records}
	err = s.read(io.NewSectionReader(c.last, 0, size), c.replay)
	if err == nil && count > 0 && s.size < count {
		err = &DamagedError{Path: path, Line: s.line, Offset: s.size, Records: s.records}
	}
	c.info = ReadInfo{Records: s.records, Segments: n, Size: s.size, Torn: s.torn, Reserve: s.reserve, synced: s.synced}
	return err
}

// A scan reads one segment.
type scan struct {
	path    string
	line    int   // number of the current line
	records int   // so far
	size    int64 // bytes of the good part
	synced  int64 // by the last mark in it
	torn    int64
	reserve int64
}

// read reads the good part of a segment, and then the rest to distinguish a torn tail from damage.
func (s *scan) read(r io.Reader, replay func([]byte) error) error {
	lines := newLineReader(r)
	for s.line = 1; ; s.line++ {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", s.path, err)
		}
		payload, ok := entryPayload(line)
		if !ok {
			return s.judge(lines, line)
		}
		if err := s.deliver(payload, replay); err != nil {
			return fmt.Errorf("%s:%d: %w", s.path, s.line, err)
		}
		s.size += int64(len(line))
	}
}

func (s *scan) deliver(payload []byte, replay func([]byte) error) error {
	if s.line == 1 {
		_, err := readHeader(payload)
		return err
	}
	if synced, mark := markOf(payload); mark {
		s.synced = synced
		return nil
	}
	s.records++
	return replay(payload)
}

// judge classifies the rest of a segment that starts with a bad line. The death of a process tears only the
// end of a log, so good lines after a bad one mean damage. A power cut may also lose earlier writes and
// keep later ones, but then lost sectors are zeros, and none of them was synced.
func (s *scan) judge(lines *lineReader, line []byte) error {
	mayTear := s.line > 1 || tornHeader(line) || lostSector(line, 0)
	t := tail{begin: s.size, end: s.size}
	for err := error(nil); !errors.Is(err, io.EOF); line, err = lines.next() {
		if err != nil {
			return fmt.Errorf("read %s: %w", s.path, err)
		}
		t.take(line)
	}
	if !mayTear || t.good && (!t.lost || t.synced > s.size) {
		return &DamagedError{Path: s.path, Line: s.line, Offset: s.size, Records: s.records}
	}
	s.torn, s.reserve = t.end-t.zeros-s.size, t.zeros
	return nil
}

// A tail is the part of a segment after the good part.
type tail struct {
	begin, end int64
	zeros      int64 // at its end
	good       bool  // it contains good lines
	lost       bool  // a sector of zeros comes before the first good line
	synced     int64 // by the marks in it
}

// take adds a line.
func (t *tail) take(line []byte) {
	if payload, ok := entryPayload(line); ok {
		t.good = true
		synced, _ := markOf(payload)
		t.synced = max(t.synced, synced)
	} else if !t.good {
		t.lost = t.lost || lostSector(line, t.end)
	}
	t.end += int64(len(line))
	if zeros := trailingZeros(line); zeros == len(line) {
		t.zeros += int64(zeros)
	} else {
		t.zeros = int64(zeros)
	}
}

// sectorSize is the smallest unit that a disk writes atomically, in bytes.
const sectorSize = 512

// lostSector reports whether line, which starts at the offset at, has zeros up to the end of a sector.
func lostSector(line []byte, at int64) bool {
	for end := sectorSize - at%sectorSize; end <= int64(len(line)); end += sectorSize {
		if line[end-1] == 0 {
			return true
		}
	}
	return false
}

func trailingZeros(line []byte) int {
	n := 0
	for n < len(line) && line[len(line)-1-n] == 0 {
		n++
	}
	return n
}
