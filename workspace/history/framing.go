package history

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"wf/executor/checksum"
	"wf/executor/jsonline"
)

// A log is text. Every line is an entry: "crc32c SP payload LF", where the checksum of the payload has eight
// lower-case hex digits. A log can be read and searched, and each line shows whether it is complete.
//
//	line 1    header with the format and its version
//	line 2…   entries: records, and marks that state how much of the file was synced before
//	reserve   zeros, space for entries that must be written even if the disk is full; or nothing
//	tail      the rest of lines that a crash interrupted
//
// A log continues in a new file (log, log.2, log.3…), a segment, after the disk has failed: after a
// failed sync the state of a file on the disk is unknown. The header of a segment contains how much of
// the previous segment counts; later entries of that segment are repeated.

// MaxPayload is the maximum size of a record, in bytes. It also bounds the memory for a damaged log.
const MaxPayload = 16 << 20

const (
	sumLen        = 8
	entryOverhead = sumLen + 2 // the sum, the space and the line feed
	logFormat     = "wf-log"
	logVersion    = 2 // 1 had no marks, reserve and segments
	readBufSize   = 128 << 10
)

// header is the payload of the first line. A new version is necessary only if an older reader would
// misinterpret the records; not for new types of records, which readers skip.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Segment int    `json:"segment,omitempty"` // number of this file, from 2; absent from the first
	After   int64  `json:"after,omitempty"`   // how many bytes of the previous segment count
}

// headerLine returns the first line of every log that this program creates.
func headerLine() []byte { return appendHeader(nil, header{}) }

// appendHeader appends a header of the present format and version.
func appendHeader(dst []byte, h header) []byte {
	payload := strconv.AppendInt([]byte(`{"format":"`+logFormat+`","version":`), logVersion, 10)
	payload = jsonline.AppendInt(payload, "segment", int64(h.Segment))
	payload = jsonline.AppendInt(payload, "after", h.After)
	return appendEntry(dst, append(payload, '}'))
}

// markPrefix and markSuffix enclose the payload of a mark: the number of bytes of the segment that were
// synced before the mark was written. Marks distinguish damage from the effect of a power cut, which
// cannot change synced bytes.
const (
	markPrefix = `{"synced":`
	markSuffix = `}`
)

func appendMark(dst []byte, synced int64) []byte {
	payload := strconv.AppendInt([]byte(markPrefix), synced, 10)
	return appendEntry(dst, append(payload, markSuffix...))
}

// markOf reads a mark. Records never start like a mark.
func markOf(payload []byte) (synced int64, ok bool) {
	text, ok := bytes.CutPrefix(payload, []byte(markPrefix))
	if !ok {
		return 0, false
	}
	text, ok = bytes.CutSuffix(text, []byte(markSuffix))
	synced, err := strconv.ParseInt(string(text), 10, 64)
	return synced, ok && err == nil
}

// appendEntry appends the entry of a payload, which must not contain a line feed.
func appendEntry(dst, payload []byte) []byte {
	var sum [4]byte
	crc := checksum.Of(payload)
	sum[0], sum[1], sum[2], sum[3] = byte(crc>>24), byte(crc>>16), byte(crc>>8), byte(crc)
	dst = hex.AppendEncode(dst, sum[:])
	dst = append(dst, ' ')
	dst = append(dst, payload...)
	return append(dst, '\n')
}

// entryPayload returns the payload of an entry. ok is false if the line is incomplete or damaged. The
// payload shares memory with line.
func entryPayload(line []byte) (payload []byte, ok bool) {
	if len(line) < entryOverhead || line[sumLen] != ' ' || line[len(line)-1] != '\n' {
		return nil, false
	}
	var want uint32
	for _, c := range line[:sumLen] {
		digit, ok := hexDigit(c)
		if !ok {
			return nil, false
		}
		want = want<<4 | digit
	}
	payload = line[sumLen+1 : len(line)-1]
	return payload, checksum.Of(payload) == want
}

// hexDigit accepts only lower case, so that every changed bit of a sum is detected.
func hexDigit(c byte) (uint32, bool) {
	switch {
	case '0' <= c && c <= '9':
		return uint32(c - '0'), true
	case 'a' <= c && c <= 'f':
		return uint32(c-'a') + 10, true
	}
	return 0, false
}

// readHeader reads and checks the payload of the first line.
func readHeader(payload []byte) (header, error) {
	var h header
	if err := json.Unmarshal(payload, &h); err != nil || h.Format != logFormat {
		return h, errors.New("not a log of wf")
	}
	if h.Version > logVersion {
		return h, fmt.Errorf("written by a newer wf (log format %d, this one reads up to %d)", h.Version, logVersion)
	}
	return h, nil
}

// lineReader splits a stream into lines, without allocations for lines of usual length.
type lineReader struct {
	r    *bufio.Reader
	long []byte // a line larger than the buffer of r
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBufSize)}
}

// next returns the next line with its line feed, which only the last line may lack. The line is valid
// until the next call. A line beyond MaxPayload is returned in pieces, which are usually not valid
// entries. At the end next returns io.EOF and no bytes.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, lineError(line, err)
	}
	l.long = l.long[:0]
	for errors.Is(err, bufio.ErrBufferFull) && len(l.long) < MaxPayload+entryOverhead {
		l.long = append(l.long, line...)
		line, err = l.r.ReadSlice('\n')
	}
	l.long = append(l.long, line...)
	if errors.Is(err, bufio.ErrBufferFull) {
		err = nil
	}
	return l.long, lineError(l.long, err)
}

// lineError returns nil instead of io.EOF for a last line without line feed.
func lineError(line []byte, err error) error {
	if errors.Is(err, io.EOF) && len(line) > 0 {
		return nil
	}
	return err
}

// tornHeader reports whether b is a header whose writing was interrupted by a crash.
func tornHeader(b []byte) bool {
	return bytes.HasPrefix(headerLine(), bytes.TrimRight(b, "\x00"))
}
