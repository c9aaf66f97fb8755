// Package tracing describes runs as traces: the ids of their spans, which follow from the identity of the run, their text in
// OTLP, and where the environment of a run wants them sent. It reads and sends nothing.
package tracing

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// Variables of the environment that carry the context of a trace, as OpenTelemetry defines them.
const (
	ParentVariable = "TRACEPARENT"
	StateVariable  = "TRACESTATE"
)

// A SpanID identifies a span within its trace. The zero value means none.
type SpanID [8]byte

func (id SpanID) String() string { return hex.EncodeToString(id[:]) }

// A Context is a place in a trace (W3C Trace Context, level 1).
type Context struct {
	Trace   [16]byte
	Span    SpanID
	Sampled bool
}

// lengthOf00 is the length of a context of version 00.
const lengthOf00 = len("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01")

// ParseContext reads a traceparent. ok is false for an invalid one, which is to be ignored.
func ParseContext(text string) (c Context, ok bool) {
	if len(text) < lengthOf00 || text != strings.ToLower(text) {
		return c, false
	}
	parts := strings.Split(text[:lengthOf00], "-")
	if len(parts) != 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 || parts[0] == "ff" {
		return c, false
	}
	if rest := text[lengthOf00:]; rest != "" && (parts[0] == "00" || rest[0] != '-') { // later versions may have more
		return c, false
	}
	var version, flags [1]byte
	for _, p := range []struct {
		to   []byte
		text string
	}{{version[:], parts[0]}, {c.Trace[:], parts[1]}, {c.Span[:], parts[2]}, {flags[:], parts[3]}} {
		if n, err := hex.Decode(p.to, []byte(p.text)); err != nil || n != len(p.to) {
			return Context{}, false
		}
	}
	c.Sampled = flags[0]&1 != 0
	return c, c.Trace != [16]byte{} && c.Span != SpanID{}
}

// IDs are the ids of the spans of one run. The same run always gets the same ones, so that a trace that is sent again after
// a crash is the same trace.
type IDs struct {
	Trace [16]byte
	Root  SpanID // of the run
	seed  [sha256.Size]byte
}

// NewIDs returns the ids of the run with an identity. If parent is a valid traceparent, the run belongs to its trace.
func NewIDs(identity, parent string) IDs {
	ids := IDs{seed: sha256.Sum256([]byte("wf trace\x00" + identity))}
	if c, ok := ParseContext(parent); ok {
		ids.Trace = c.Trace
	} else {
		copy(ids.Trace[:], ids.seed[:])
	}
	ids.Root = ids.span("run", "", 0)
	return ids
}

// Execution returns the id of an execution of a node. Node is its id or path, execution counts from 1.
func (ids *IDs) Execution(node string, execution int) SpanID {
	return ids.span("execution", node, execution)
}

// Container returns the id of a group, a sub-flow or an instance.
func (ids *IDs) Container(path string) SpanID { return ids.span("container", path, 0) }

func (ids *IDs) span(kind, name string, n int) SpanID {
	text := make([]byte, 0, 160)
	text = append(text, ids.seed[:]...)
	text = append(text, kind...)
	text = append(text, 0)
	text = binary.BigEndian.AppendUint64(text, uint64(n))
	text = append(text, name...)
	sum := sha256.Sum256(text)
	id := SpanID(sum[:8])
	if id == (SpanID{}) { // would mean none
		id[7] = 1
	}
	return id
}

// Parent returns the traceparent for what runs in a span of the run.
func (ids *IDs) Parent(in SpanID) string {
	text := make([]byte, 0, lengthOf00)
	text = append(text, "00-"...)
	text = hex.AppendEncode(text, ids.Trace[:])
	text = append(text, '-')
	text = hex.AppendEncode(text, in[:])
	return string(append(text, "-01"...))
}
