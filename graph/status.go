package graph

import (
	"slices"
	"strings"
)

// Status is the state of a node (docs/semantics.md, Statuses).
type Status uint8

// The states of a node. The zero value means that no run has reached the node.
const (
	Idle    Status = iota // ""
	Queued                // "run": activated, waits for a slot
	Running               // "running"
	Ran                   // "ran": exit code 0
	Failed                // "fail"
	Skipped               // "skip": every path to it was dead
)

// Statuses is the number of states.
const Statuses = int(Skipped) + 1

var statusWords = [...]string{Idle: "", Queued: "run", Running: "running", Ran: "ran", Failed: "fail", Skipped: "skip"}

// String returns the word in files.
func (s Status) String() string { return statusWords[s] }

// ParseStatus reads the status of a node in a file. For any other text it returns Idle and false.
func ParseStatus(text string) (status Status, known bool) {
	i := slices.Index(statusWords[:], strings.TrimSpace(text))
	return Status(max(i, 0)), i >= 0
}

// EdgeType says whether the target waits for all such edges (blocking) or each triggers it.
type EdgeType uint8

// The types of edges. Blocking is the default.
const (
	Blocking EdgeType = iota
	NonBlocking
)

// String returns the word in files.
func (t EdgeType) String() string {
	if t == NonBlocking {
		return "non-blocking"
	}
	return "blocking"
}

// ParseEdgeType reads an edge type in a file. For any other text it returns Blocking and false.
func ParseEdgeType(text string) (t EdgeType, known bool) {
	switch strings.TrimSpace(text) {
	case "", "blocking":
		return Blocking, true
	case "non-blocking", "non_blocking":
		return NonBlocking, true
	}
	return Blocking, false
}

// Mark is the status of an edge.
type Mark uint8

// The marks. The zero value means that the source has not decided, or that the target has consumed the mark.
const (
	Unmarked Mark = iota // ""
	ToRun                // "to_run": a token
	Dead                 // "skip": the source has decided against this edge
)

var markWords = [...]string{Unmarked: "", ToRun: "to_run", Dead: "skip"}

// String returns the word in files.
func (m Mark) String() string { return markWords[m] }

// ParseMark reads the status of an edge in a file. "ready" is an older word for "to_run". For any other
// text it returns Unmarked and false.
func ParseMark(text string) (mark Mark, known bool) {
	text = strings.TrimSpace(text)
	if text == "ready" {
		return ToRun, true
	}
	i := slices.Index(markWords[:], text)
	return Mark(max(i, 0)), i >= 0
}

// SetStatus sets the status of a node during a run. It is not an edit: it has no inverse, and it
// replaces an unknown text.
func (g *Graph) SetStatus(n *Node, s Status) {
	n.Status = s
	if n.has &^= oddStatus; s != Idle || n.uncommon.holds(attrStatus) {
		n.has |= hasStatus
	}
}

// SetMark sets the mark of an edge during a run. Like SetStatus it is not an edit.
func (g *Graph) SetMark(e *Edge, m Mark) {
	e.Mark = m
	if e.has &^= oddStatus; m != Unmarked || e.uncommon.holds(attrStatus) {
		e.has |= hasStatus
	}
}
