// Package graphml reads workfiles and rewrites them without losing a byte: it knows where every
// value lies in the file, and a save replaces exactly the values that changed. Everything that
// another tool put there (drawings, comments, layout, order, encoding) stays as it is.
// It keeps out files, sockets and clocks: bytes come in, pieces of bytes go out.
package graphml

import (
	"errors"
	"fmt"

	"wf/graph"
)

// Limits bound what Parse accepts, so that a hostile or damaged file ends in an error and not in
// a full memory. A zero field means the default.
type Limits struct {
	MaxBytes    int // of the file, packed and unpacked each; default 1 GiB, at most 2 GiB - 1
	MaxDepth    int // of nested elements; default 100,000
	MaxElements int // nodes, edges, graphs and values together; default 10,000,000

	// MaxMemory bounds what reading takes, in bytes, as it is estimated from what the file holds; 0 means
	// no bound. Below that, Dear bounds what a file may take that has much in few bytes: so many times its
	// unpacked size, but at least DearFrom.
	MaxMemory int64
	Dear      int64
	DearFrom  int64
}

// A MemoryError says that a file would take more memory than it may.
type MemoryError struct {
	Needed, Allowed int64 // in bytes; of what was seen of the file until it was clear
	Size            int64 // of the text
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("reading it would take more than %s of memory, for %s of text", megabytes(e.Allowed), megabytes(e.Size))
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", (n+1<<20-1)>>20) }

// allowed is how much memory a text of a size may take, 0 = any.
func (l *Limits) allowed(size int) int64 {
	allowed := l.MaxMemory
	if l.Dear > 0 {
		dear := max(l.DearFrom, l.Dear*int64(size))
		if allowed == 0 || dear < allowed {
			allowed = dear
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

// A SyntaxError is a place where a file stops being a workfile. Line and column count from 1, the
// column in characters. Offset counts bytes from 0, in the unpacked text as UTF-8.
type SyntaxError struct {
	Line, Column int
	Offset       int64
	Msg          string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// A Warning is something that was read, but perhaps not as its author meant it.
type Warning struct {
	Line    int    // from 1
	Code    string // one of the Warn constants
	Message string
	Node    string // id of the node it is about, "" if none

	// Of WarnUnread: the attribute, and the number of the edge it was written for, -1 = none. Severe says
	// that the attribute decides what runs: the workflow is not what its author wrote.
	Attr   string
	Edge   int
	Severe bool
}

// Codes of warnings.
const (
	WarnControlCharacter = "control-character" // a value holds characters that XML forbids
	WarnDuplicateEdgeID  = "duplicate-edge-id"
	WarnEdgeDefault      = "edgedefault" // missing
	WarnEntity           = "entity"      // a value uses an entity that is not expanded
	WarnHyperedge        = "hyperedge"
	WarnUndeclaredKey    = "undeclared-key" // data whose key is declared nowhere
	WarnPort             = "port"
	WarnUnread           = "unread-attribute" // a value that is meant for wf, where wf does not read it
	WarnPosition         = "bad-position"     // x or y is no finite number
	WarnSecondGraph      = "second-graph"
	WarnUndirected       = "undirected"
	WarnTwice            = "two-values" // an attribute has several values, of which the last counts
	WarnValue            = "bad-value"  // a value does not fit the type of its key
	WarnXML              = "xml"        // other programs will refuse the file
)

// Parse reads a workfile: a Document that can rewrite it, the workflow in it, and what is odd
// about it. The document keeps data, and document and graph keep parts of it: the caller must not
// change it afterwards. Errors are, or wrap, a *SyntaxError where a place can be named.
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
