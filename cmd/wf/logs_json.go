package main

import (
	"bytes"
	"io"
	"unicode/utf8"

	"wf/api"
	"wf/cmd/wf/console"
)

// maxLogText is where wf logs --json cuts a line, in bytes, so that an endless line does not fill the memory of wf or
// of its reader.
const maxLogText = 64 << 10

// jsonLines turns one stream of an execution into lines of JSON: wf.log/v1. It buffers a line until its end or Flush.
type jsonLines struct {
	w    io.Writer
	line api.LogLine // all but the text
	rest []byte

	stamps *stamps // nil: no times
	offset int64   // of rest in its stream
}

// newJSONLines returns a jsonLines that writes to w, with one Write per line. stamps, if not nil, has the times of the
// bytes from offset on.
func newJSONLines(w io.Writer, info api.LogInfo, stream string, stamps *stamps, offset int64) *jsonLines {
	return &jsonLines{w: w, stamps: stamps, offset: offset, line: api.LogLine{Schema: api.SchemaLog, Run: info.Run, Node: info.Node,
		Name: info.Name, Execution: info.Execution, Stream: stream, FromFile: info.FromFile}}
}

// Write takes the next bytes of the stream.
func (j *jsonLines) Write(p []byte) (int, error) {
	taken := len(p)
	for len(p) > 0 {
		room := min(len(p), maxLogText-len(j.rest))
		if end := bytes.IndexByte(p[:room], '\n'); end >= 0 {
			if err := j.put(append(j.rest, p[:end]...), false); err != nil {
				return 0, err
			}
			j.rest, p = j.rest[:0], p[end+1:]
			continue
		}
		j.rest, p = append(j.rest, p[:room]...), p[room:]
		if len(j.rest) == maxLogText {
			if err := j.cut(); err != nil {
				return 0, err
			}
		}
	}
	return taken, nil
}

// cut writes the buffered part of a line that is too long, up to its last complete character.
func (j *jsonLines) cut() error {
	end := len(j.rest)
	for back := 1; back < utf8.UTFMax; back++ {
		if start := end - back; utf8.RuneStart(j.rest[start]) {
			if !utf8.FullRune(j.rest[start:]) {
				end = start
			}
			break
		}
	}
	err := j.put(j.rest[:end], true)
	j.rest = append(j.rest[:0], j.rest[end:]...)
	return err
}

// Flush writes a last line without a line end.
func (j *jsonLines) Flush() error {
	if len(j.rest) == 0 {
		return nil
	}
	err := j.put(j.rest, true)
	j.rest = j.rest[:0]
	return err
}

// put writes one line. If text is not valid UTF-8, the exact bytes are added as a member of their own.
func (j *jsonLines) put(text []byte, partial bool) error {
	line := j.line
	line.Text, line.Partial = string(bytes.ToValidUTF8(text, []byte("\uFFFD"))), partial
	if !utf8.Valid(text) {
		line.Bytes = text
	}
	if j.stamps != nil {
		at := j.stamps.at(j.offset).UTC()
		line.Time = &at
	}
	if j.offset += int64(len(text)); !partial {
		j.offset++ // the line end
	}
	return console.WriteJSON(j.w, line)
}
