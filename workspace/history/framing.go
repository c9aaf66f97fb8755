package history

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
)

// A log is text: every line is "crc32c SP payload LF", the sum as eight lower-case hex digits over
// the payload alone. People can read and grep it, and a line proves by itself that it is whole.
//
//	line 1    header, names the format and its version
//	line 2…   records, and marks: up to here the disk had everything
//	reserve   zeros, room for what must be written even when the disk is full; or nothing
//	tail      what a crash left of lines that nobody was told were written
//
// A log begins a new file (log, log.2, log.3…), a segment, when the disk has failed under the one
// before: after a failed sync nobody can say what of a file is on the disk. The header of a segment
// says how much of the one before counts; what came after that is repeated in it.

// MaxPayload bounds one record, in bytes. It bounds the memory that a damaged log can claim, too.
const MaxPayload = 16 << 20

const (
	sumLen        = 8
	entryOverhead = sumLen + 2 // the sum, the space and the line feed
	logFormat     = "wf-log"
	logVersion    = 2 // 1 had no marks, reserve and segments
	readBufSize   = 128 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header describes a log to its readers. A version is raised only when an older reader would
// misunderstand the records; new kinds of records do not raise it, readers skip what they do not know.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Segment int    `json:"segment,omitempty"` // number of this file, from 2; absent from the first
	After   int64  `json:"after,omitempty"`   // how many bytes of the segment before count
}

// headerLine is the first line of every log that this program creates.
var headerLine = appendHeader(nil, header{Format: logFormat, Version: logVersion})

func appendHeader(dst []byte, h header) []byte {
	payload, err := json.Marshal(h)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return appendEntry(dst, payload)
}

// markPrefix begins the payload of a mark, markSuffix ends it; between them is the number of bytes
// of the segment that were synced before the mark was written. Marks tell damage from what a power
// cut takes: before the last of them nothing can be missing in an orderly way.
const (
	markPrefix = `{"synced":`
	markSuffix = `}`
)

func appendMark(dst []byte, synced int64) []byte {
	payload := strconv.AppendInt([]byte(markPrefix), synced, 10)
	return appendEntry(dst, append(payload, markSuffix...))
}

// markOf reads a mark. Records of ours never begin like one.
func markOf(payload []byte) (synced int64, ok bool) {
	text, ok := bytes.CutPrefix(payload, []byte(markPrefix))
	if !ok {
		return 0, false
	}
	text, ok = bytes.CutSuffix(text, []byte(markSuffix))
	synced, err := strconv.ParseInt(string(text), 10, 64)
	return synced, ok && err == nil
}

// appendEntry appends the line of payload, which must not contain a line feed.
func appendEntry(dst, payload []byte) []byte {
	var sum [4]byte
	crc := crc32.Checksum(payload, castagnoli)
	sum[0], sum[1], sum[2], sum[3] = byte(crc>>24), byte(crc>>16), byte(crc>>8), byte(crc)
	dst = hex.AppendEncode(dst, sum[:])
	dst = append(dst, ' ')
	dst = append(dst, payload...)
	return append(dst, '\n')
}

// entryPayload returns the payload of a whole, undamaged line. The payload shares line's memory.
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
	return payload, crc32.Checksum(payload, castagnoli) == want
}

// hexDigit takes lower case only: one way to write a sum, so that every flipped bit is seen.
func hexDigit(c byte) (uint32, bool) {
	switch {
	case '0' <= c && c <= '9':
		return uint32(c - '0'), true
	case 'a' <= c && c <= 'f':
		return uint32(c-'a') + 10, true
	}
	return 0, false
}

// readHeader judges the payload of a log's first line.
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

// lineReader cuts a stream into lines without allocating for the usual ones.
type lineReader struct {
	r    *bufio.Reader
	long []byte // a line larger than the buffer of r is collected here
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBufSize)}
}

// next returns the next line with its line feed, which only the last one may lack. The line is
// valid until the following call. A line beyond MaxPayload comes in pieces, none of which is a
// valid frame but by accident of its contents. At the end: io.EOF and no bytes.
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

// lineError hides the end of the stream from the line that came before it.
func lineError(line []byte, err error) error {
	if errors.Is(err, io.EOF) && len(line) > 0 {
		return nil
	}
	return err
}

// tornHeader reports whether b is what a crash can leave of a log that was just being created.
func tornHeader(b []byte) bool {
	return bytes.HasPrefix(headerLine, bytes.TrimRight(b, "\x00"))
}
