package graphml

import (
	"bytes"
	"unicode/utf8"
)

// position returns line and column of an offset, both from 1, the column in characters.
func position(text []byte, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

func syntaxError(text []byte, offset int, msg string) error {
	line, column := position(text, offset)
	return &SyntaxError{Line: line, Column: column, Offset: int64(offset), Msg: msg}
}

// A lineTable finds line numbers without counting from the start of the file each time.
type lineTable struct {
	text []byte
	seen []int32 // number of newlines before each stride
}

const lineStride = 1 << 16

func newLineTable(text []byte) *lineTable {
	t := &lineTable{text: text, seen: make([]int32, 0, len(text)/lineStride+1)}
	lines := 0
	for from := 0; from <= len(text); from += lineStride {
		t.seen = append(t.seen, int32(lines))
		lines += bytes.Count(text[from:min(from+lineStride, len(text))], []byte("\n"))
	}
	return t
}

func (t *lineTable) line(offset int32) int {
	stride := int(offset) / lineStride
	return int(t.seen[stride]) + bytes.Count(t.text[stride*lineStride:offset], []byte("\n")) + 1
}
