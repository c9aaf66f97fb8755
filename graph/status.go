package graph

import "strings"

// Status of a node (docs/semantics.md, Statuses).
type Status uint8

// The states of a node. The zero value is a node that no run has reached.
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

// String returns the word that files use.
func (s Status) String() string { return statusWords[s] }

// ParseStatus reads a status as files write it. Any other text is Idle and not known.
func ParseStatus(text string) (status Status, known bool) {
	switch strings.TrimSpace(text) {
	case "":
		return Idle, true
	case "run":
		return Queued, true
	case "running":
		return Running, true
	case "ran":
		return Ran, true
	case "fail":
		return Failed, true
	case "skip":
		return Skipped, true
	}
	return Idle, false
}

// EdgeType says whether a target waits for all such edges or is triggered by each.
type EdgeType uint8

// The two types of edges. Blocking is the default of a file that says nothing.
const (
	Blocking EdgeType = iota
	NonBlocking
)

// String returns the word that files use.
func (t EdgeType) String() string {
	if t == NonBlocking {
		return "non-blocking"
	}
	return "blocking"
}

// ParseEdgeType reads an edge type as files write it. Any other text is Blocking and not known.
func ParseEdgeType(text string) (t EdgeType, known bool) {
	switch strings.TrimSpace(text) {
	case "", "blocking":
		return Blocking, true
	case "non-blocking", "non_blocking":
		return NonBlocking, true
	}
	return Blocking, false
}

// Mark is what an edge bears.
type Mark uint8

// The marks. The zero value is an edge whose source has not decided, or whose target has taken the mark.
const (
	Unmarked Mark = iota // ""
	ToRun                // "to_run": a token
	Dead                 // "skip": the source has decided, and this is not the way
)

var markWords = [...]string{Unmarked: "", ToRun: "to_run", Dead: "skip"}

// String returns the word that files use.
func (m Mark) String() string { return markWords[m] }

// ParseMark reads the status of an edge. "ready" is an older word for "to_run". Any other text is no
// mark and not known.
func ParseMark(text string) (mark Mark, known bool) {
	switch strings.TrimSpace(text) {
	case "":
		return Unmarked, true
	case "to_run", "ready":
		return ToRun, true
	case "skip":
		return Dead, true
	}
	return Unmarked, false
}

// SetStatus records what a run made of the node. It is no edit: it has no inverse, and it
// replaces a text that was none of ours.
func (g *Graph) SetStatus(n *Node, s Status) {
	n.Status = s
	if n.has &^= oddStatus; s != Idle || n.rare.holds(attrStatus) {
		n.has |= hasStatus
	}
}

// SetMark records what the edge bears. It is no edit, as SetStatus.
func (g *Graph) SetMark(e *Edge, m Mark) {
	e.Mark = m
	if e.has &^= oddStatus; m != Unmarked || e.rare.holds(attrStatus) {
		e.has |= hasStatus
	}
}
