package inquiry

import (
	"io"
	"strings"

	"wf/api"
)

// A fileOutput is the output of a node that the workfile contains: the end of what it printed in a run that is not in the
// history of this machine.
type fileOutput struct {
	out, err string
	merged   bool // out contains both streams: the attribute "log" of older files
}

// outputInFile returns the output of a node that the workfile contains, or nil if there is none.
func (q *Reader) outputInFile(p logPlace) *output {
	n := q.file.Graph().Node(p.id)
	if n == nil {
		return nil
	}
	f := &fileOutput{}
	f.out, _ = q.file.Document().NodeAttr(n.ID, "stdout")
	f.err, _ = q.file.Document().NodeAttr(n.ID, "stderr")
	if f.out == "" && f.err == "" {
		f.out, _ = q.file.Document().NodeAttr(n.ID, "log")
		f.merged = true
	}
	if f.out == "" && f.err == "" {
		return nil
	}
	return &output{inFile: f, info: api.LogInfo{Node: n.ID, Name: p.name, Over: true, FromFile: true}}
}

// read returns a stream from a byte offset on.
func (f *fileOutput) read(stream string, offset int64) (io.ReadCloser, error) {
	text := f.out
	switch stream {
	case "stdout":
	case "stderr":
		text = f.err
	case "output":
		if !f.merged {
			return nil, api.Invalid("standard output and standard error are apart: ask for stdout or stderr")
		}
	default:
		return nil, api.Invalid("unknown stream %q (stdout, stderr, output)", stream)
	}
	return io.NopCloser(strings.NewReader(text[min(max(offset, 0), int64(len(text))):])), nil
}
