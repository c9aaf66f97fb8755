package web

import (
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/tui/painter"
	"wf/tui/plain"
	"wf/tui/words"
	"wf/web/drawing"
)

// A question is a message from the page on its WebSocket. The first one has the token and the file; later ones choose
// another look, or the run to show.
type question struct {
	Token string        `json:"token,omitempty"`
	File  string        `json:"file,omitempty"`  // absolute path
	Start bool          `json:"start,omitempty"` // a person asks: a daemon may be started
	Look  *drawing.Look `json:"look,omitempty"`
	Run   *string       `json:"run,omitempty"` // number of an earlier run to show; "" = the present state
}

// A message goes to the page. Absent members have not changed.
type message struct {
	Graph   *graphMessage    `json:"graph,omitempty"`   // all earlier numbers of nodes and edges are void
	Drawing *drawing.Picture `json:"drawing,omitempty"` // of the latest graph
	Rows    []row            `json:"rows,omitempty"`    // nodes that have changed
	Ways    [][2]int         `json:"ways,omitempty"`    // edges that have changed: number, and one of the values of wayOf
	Flow    *flowMessage     `json:"flow,omitempty"`
	Asks    bool             `json:"asks,omitempty"`    // the approvals may have changed
	Lost    string           `json:"lost,omitempty"`    // the connection to the daemon broke, and is searched for again
	Error   *api.Error       `json:"error,omitempty"`   // the last message
	Problem *api.Error       `json:"problem,omitempty"` // a question that could not be answered
}

// A graphMessage lists nodes and edges by their numbers.
type graphMessage struct {
	Nodes []nodeMessage `json:"nodes"`
	Edges [][2]int      `json:"edges"` // from, to
}

// A nodeMessage is what does not change during a run.
type nodeMessage struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Group string `json:"group,omitempty"`
	In    int    `json:"in,omitempty"` // the sub-flow that contains it, counted from 1; 0 = none
	Flow  string `json:"flow,omitempty"`
}

// A row is the state of a node.
type row struct {
	I       int       `json:"i"`
	State   api.State `json:"s"`
	Run     string    `json:"r,omitempty"`
	Started int64     `json:"t,omitempty"` // in ms since 1970
	TookMS  int64     `json:"d,omitempty"` // of the latest execution, after its end; -1 = unknown
	Attempt string    `json:"a,omitempty"` // "2/4"
	Execs   int       `json:"x,omitempty"`
	Why     string    `json:"w,omitempty"` // why it failed, or what it waits for
	Inner   string    `json:"n,omitempty"` // progress of the instances of a sub-flow: "6/8 ✗1"
}

// A flowMessage is the state of the workfile.
type flowMessage struct {
	File    string           `json:"file"`
	ID      string           `json:"id"` // of the workspace, for requests
	Problem string           `json:"problem,omitempty"`
	Active  []api.RunSummary `json:"active"`
	Shown   *api.RunSummary  `json:"shown,omitempty"` // whose states the rows are; nil = it never ran
	Past    string           `json:"past,omitempty"`  // number of the earlier run that is shown
	Counts  api.Counts       `json:"counts"`          // of the run that is shown, or of the workfile
	LeftMS  int64            `json:"left_ms,omitempty"`
	Queued  []api.QueuedRun  `json:"queued,omitempty"`
	Held    string           `json:"held,omitempty"` // why nothing starts, or why less runs than could
}

// The values of an edge in message.Ways.
const (
	wayOpen = iota
	wayTaken
	wayDead
)

func wayOf(e *runview.Edge) int {
	switch {
	case e.Taken:
		return wayTaken
	case e.Dead:
		return wayDead
	}
	return wayOpen
}

func graphOf(f *runview.Workfile) *graphMessage {
	g := &graphMessage{Nodes: make([]nodeMessage, len(f.Nodes)), Edges: make([][2]int, len(f.Edges))}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		g.Nodes[i] = nodeMessage{ID: n.ID, Name: plain.Line(n.Name), Group: plain.Line(n.Group), Flow: n.SubFlow}
	}
	for subFlow, members := range f.Members {
		for _, i := range members {
			g.Nodes[i].In = subFlow + 1
		}
	}
	for i := range f.Edges {
		g.Edges[i] = [2]int{f.Edges[i].From, f.Edges[i].To}
	}
	return g
}

// rowOf returns the state of a node in words. Foreign texts are made harmless here, and set as text by the page.
func rowOf(i int, n *api.NodeStatus, now time.Time) row {
	r := row{I: i, State: n.Counted(), Run: n.Run, Execs: n.Executions}
	if n.Started != nil {
		r.Started = n.Started.UnixMilli()
	}
	if n.DurationMS != nil {
		r.TookMS = max(*n.DurationMS, 1)
	}
	if n.Attempt > 0 {
		r.Attempt = strings.TrimPrefix(words.Attempt(n), "attempt ")
	}
	switch {
	case n.Wait != nil:
		r.Why = plain.Line(words.Wait(*n.Wait, now))
	case n.State == api.StateFailed || n.State == api.StateCancelled || n.State == api.StateRetrying:
		r.Why = plain.Line(words.Cause(n.Reason, n.ExitCode, n.Signal, n.Message))
	case n.Mocked:
		r.Why = "not executed: a mock gave its outcome"
	}
	if n.Instances != nil && n.Instances.Nodes.Total() > 0 {
		r.Inner = painter.Progress(n.Instances.Nodes, false)
	}
	return r
}
