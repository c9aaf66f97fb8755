package graph

import "strings"

// Status of a node (SEMANTICS §1).
type Status uint8

// The five states of a node. The zero value is a node that no run has reached.
const (
	Idle    Status = iota // ""
	Queued                // "run": activated, waits for a slot
	Running               // "running"
	Ran                   // "ran": exit code 0
	Failed                // "fail"
)

var statusWords = [...]string{Idle: "", Queued: "run", Running: "running", Ran: "ran", Failed: "fail"}

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

// markWord is the status of an edge that bears a token.
const markWord = "to_run"

func markText(marked bool) string {
	if marked {
		return markWord
	}
	return ""
}

// ParseMark reads the status of an edge: whether it bears a token. "ready" is an older word for
// "to_run". Any other text is no token and not known.
func ParseMark(text string) (marked, known bool) {
	switch strings.TrimSpace(text) {
	case "":
		return false, true
	case markWord, "ready":
		return true, true
	}
	return false, false
}

// SetStatus records what a run made of the node. It is no edit: it has no inverse, and it
// replaces a text that was none of ours.
func (g *Graph) SetStatus(n *Node, s Status) {
	n.Status = s
	if n.has &^= oddStatus; s != Idle || n.rare.holds(attrStatus) {
		n.has |= hasStatus
	}
}

// SetMark records whether the edge bears a token. It is no edit, as SetStatus.
func (g *Graph) SetMark(e *Edge, marked bool) {
	e.Marked = marked
	if e.has &^= oddStatus; marked || e.rare.holds(attrStatus) {
		e.has |= hasStatus
	}
}
