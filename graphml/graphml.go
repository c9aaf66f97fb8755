// Package graphml reads workfiles and rewrites them without losing a byte: it records where every
// value lies in the file, and a save replaces exactly the values that changed. Everything that
// another tool put there (drawings, comments, layout, order, encoding) stays as it is.
// It does not open files or sockets and does not read clocks: its input and output are bytes.
package graphml

import (
	"errors"
	"fmt"

	"wf/graph"
)

// Limits bound what Parse accepts, so that a hostile or damaged file causes an error instead of
// filling the memory. A zero field means the default.
type Limits struct {
	MaxBytes    int // of the file, packed and unpacked each; default 1 GiB, at most 2 GiB - 1
	MaxDepth    int // of nested elements; default 100,000
	MaxElements int // nodes, edges, graphs and values together; default 10,000,000

	// MaxMemory bounds the memory that Parse uses, in bytes, estimated from the number of elements;
	// 0 means no bound. Below it, MemoryPerByte bounds the memory for each byte of the unpacked text, so
	// that a small file cannot use much; use of up to MemoryPerByteFrom bytes is always allowed.
	MaxMemory         int64
	MemoryPerByte     int64
	MemoryPerByteFrom int64
}

// A MemoryError reports that reading a file would use more memory than its Limits allow.
type MemoryError struct {
	Needed, Allowed int64 // in bytes; Needed counts only the part of the file up to the error
	Size            int64 // of the text
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("reading it would take more than %s of memory, for %s of text", megabytes(e.Allowed), megabytes(e.Size))
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", (n+1<<20-1)>>20) }

// allowed returns how much memory reading a text of the given size may use, 0 = any.
func (l *Limits) allowed(size int) int64 {
	allowed := l.MaxMemory
	if l.MemoryPerByte > 0 {
		perByte := max(l.MemoryPerByteFrom, l.MemoryPerByte*int64(size))
		if allowed == 0 || perByte < allowed {
			allowed = perByte
		}
	}
	return allowed
}

func (l Limits) withDefaults() Limits {
	const most = 1<<31 - 1 // offsets are kept as int32
	if l.MaxBytes <= 0 {
		l.MaxBytes = 1 << 30
	}
	l.MaxBytes = min(l.MaxBytes, most)
	if l.MaxDepth <= 0 {
		l.MaxDepth = 100_000
	}
	if l.MaxElements <= 0 {
		l.MaxElements = 10_000_000
	}
	return l
}

// A SyntaxError is the place of an error in a workfile. Line and column count from 1, the column in
// characters. Offset counts bytes from 0, in the unpacked text as UTF-8.
type SyntaxError struct {
	Line, Column int
	Offset       int64
	Msg          string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// A Warning is a part of the file that was perhaps not read as its author meant it.
type Warning struct {
	Line    int    // from 1
	Code    string // one of the Warn constants
	Message string
	Node    string // id of the node it is about, "" if none

	// Only with WarnUnread: the attribute, and the number of the edge it was written for, -1 = none.
	// Severe means that the attribute decides what runs: the workflow is not what its author wrote.
	Attr   string
	Edge   int
	Severe bool
}

// Codes of warnings.
const (
	WarnControlCharacter = "control-character" // a value contains characters that XML forbids
	WarnDuplicateEdgeID  = "duplicate-edge-id"
	WarnEdgeDefault      = "edgedefault" // missing
	WarnEntity           = "entity"      // a value uses an entity that is not expanded
	WarnHyperedge        = "hyperedge"
	WarnUndeclaredKey    = "undeclared-key" // data whose key is not declared
	WarnPort             = "port"
	WarnUnread           = "unread-attribute" // a value that is meant for wf, where wf does not read it
	WarnPosition         = "bad-position"     // x or y is not a finite number
	WarnSecondGraph      = "second-graph"
	WarnUndirected       = "undirected"
	WarnTwice            = "two-values" // an attribute has several values, of which the last counts
	WarnValue            = "bad-value"  // a value does not fit the type of its key
	WarnXML              = "xml"        // other programs will refuse the file
)

// Parse reads a workfile. It returns a Document that can rewrite the file, its workflow, and
// warnings. Document and graph refer to parts of data, so the caller must not change data
// afterwards. Errors are, or wrap, a *SyntaxError where a place can be named, or a *MemoryError.
func Parse(data []byte, limits Limits) (*Document, *graph.Graph, []Warning, error) {
	limits = limits.withDefaults()
	most := limits.MaxBytes
	if m := limits.MaxMemory / textMemory; m > 0 {
		most = int(min(int64(most), m))
	}
	text, form, err := unpack(data, most)
	var large limitError
	if errors.As(err, &large) && most < limits.MaxBytes {
		return nil, nil, nil, &MemoryError{Needed: textMemory * int64(most), Allowed: limits.MaxMemory, Size: int64(most)}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	s := newScanner(text, limits)
	if err := s.scan(); err != nil {
		return nil, nil, nil, err
	}
	d := newDocument(data, form, s)
	b := builder{d: d, s: s}
	g, err := b.build()
	if err != nil {
		return nil, nil, nil, err
	}
	return d, g, b.notes.list(d.line), nil
}
