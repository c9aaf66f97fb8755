// Package wire is what the daemon and a runner exchange: the lines of their connection, some of which are also entries of
// the runner log, the address of the socket, and what a runner inherits at its start. It keeps no state.
package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"wf/executor/jsonline"
)

// Daemon and runner exchange lines of JSON over a unix socket. Both first send a hello. Then the daemon sends commands,
// and the runner sends the news of the run: the start and end entries of its log, from the line on that the daemon asked
// for, with held lines between them, and at last a closed or broken line. Unknown kinds of lines and unknown members are
// ignored, so that either side may be newer.
//
// Version 2: the hello of the runner contains the processes that it has adopted, so that the daemon knows which zombies
// it may reap. Version 3: a gated line hands over a job that starts after others, see Job.After. Each side understands
// the versions from OldestVersion to its own, because a run outlives an upgrade of the daemon. Two members of a job need no
// version: a runner that does not know merge keeps the streams apart, which its news show, and one that does not know
// foreseen reports ends earlier than necessary. Hooks and launchers have lines of their own and members of the hello instead of a
// version: a daemon of version 3 without them can take over their runs.
const (
	Version       = 3
	GatesVersion  = 3
	OldestVersion = 1
)

// The kinds of lines that are not entries.
const (
	LineHello  = "hello"
	LineStart  = "start"
	LineGated  = "gated"  // a kind of its own, so that a runner without gates does not start the job
	LineAround = "around" // likewise: a job with hooks
	LineLaunch = "launch" // likewise: a job with a launcher, and perhaps with hooks or gates
	LineWidth  = "width"
	LineStop   = "stop"
	LineClose  = "close"
	LineClosed = "closed"
	LineBroken = "broken"
	LineHeld   = "held"
)

// A Command is a line from the daemon to the runner.
type Command struct {
	Kind string `json:"k"`

	Version int `json:"v,omitempty"`     // hello
	Since   int `json:"since,omitempty"` // hello: how many lines of news the daemon already has

	Width int `json:"w,omitempty"` // width

	Node      int      `json:"n,omitempty"` // start, gated
	Execution int      `json:"e,omitempty"`
	Shell     string   `json:"shell,omitempty"`
	Line      string   `json:"line,omitempty"`
	Env       []string `json:"env,omitempty"`
	Merge     bool     `json:"merge,omitempty"`
	After     [][2]int `json:"after,omitempty"` // gated: node and execution of each
	Foreseen  bool     `json:"foreseen,omitempty"`
	Around    *Around  `json:"around,omitempty"`   // around, launch
	Launcher  []string `json:"launcher,omitempty"` // launch
	Box       *Box     `json:"box,omitempty"`      // launch

	IDs   []ID  `json:"ids,omitempty"`   // stop
	Grace int64 `json:"grace,omitempty"` // nanoseconds
}

// A Notice is a line from the runner that is not news of an execution.
type Notice struct {
	Kind      string     `json:"k"`
	Version   int        `json:"v,omitempty"`          // hello
	Hooks     bool       `json:"hooks,omitempty"`      // hello: the runner understands around lines
	Launch    bool       `json:"launch,omitempty"`     // hello: it understands launch lines
	PID       int        `json:"p,omitempty"`          // hello: of the runner
	Adopted   []int      `json:"adopted,omitempty"`    // hello: pids of the executions of earlier runners
	Width     int        `json:"w,omitempty"`          // width: in effect from this line on
	Survivors []int      `json:"survivors,omitempty"`  // closed: pids of processes that survived KILL
	Left      []Leftover `json:"left,omitempty"`       // closed: some of the processes that were killed at the end
	LeftCount int        `json:"left_count,omitempty"` // closed: how many were killed
	Gone      bool       `json:"gone,omitempty"`       // broken: no runner can take over the run, see GoneError
	Message   string     `json:"m,omitempty"`          // broken: the error; held, hello: why nothing starts, "" = not held
}

// Append encodes the notice as a line.
func (n *Notice) Append(b []byte) []byte {
	if len(n.Adopted) > 0 || len(n.Survivors) > 0 || len(n.Left) > 0 || n.Gone { // rare
		return AppendLine(b, n)
	}
	b = append(append(append(b, `{"k":"`...), n.Kind...), '"')
	b = jsonline.AppendInt(b, "v", int64(n.Version))
	b = jsonline.AppendTrue(b, "hooks", n.Hooks)
	b = jsonline.AppendTrue(b, "launch", n.Launch)
	b = jsonline.AppendInt(b, "p", int64(n.PID))
	b = jsonline.AppendInt(b, "w", int64(n.Width))
	b = jsonline.AppendInt(b, "left_count", int64(n.LeftCount))
	b = jsonline.AppendText(b, "m", n.Message)
	return append(b, '}', '\n')
}

// Job returns the job of a start, gated, around or launch line.
func (c *Command) Job() Job {
	id := ID{Node: c.Node, Execution: c.Execution}
	j := Job{ID: id, Shell: c.Shell, Command: c.Line, Env: c.Env, Merge: c.Merge, Foreseen: c.Foreseen, Around: c.Around,
		Launcher: c.Launcher, Box: c.Box}
	for _, after := range c.After {
		j.After = append(j.After, ID{Node: after[0], Execution: after[1]})
	}
	return j
}

// AppendLine encodes v as a line.
func AppendLine(b []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("internal error: a line of the protocol has no JSON form: %v", err))
	}
	return append(append(b, text...), '\n')
}

// ReadLines calls take for each line, and done after the last line that has arrived so far, so that the caller can handle
// lines together that arrived together. It returns when the connection ends.
func ReadLines(r *bufio.Reader, take func(line []byte) error, done func()) error {
	for {
		line, err := ReadLine(r)
		if err != nil {
			return err
		}
		if err := take(line); err != nil {
			return err
		}
		if r.Buffered() == 0 {
			done()
		}
	}
}

// ReadLine returns the next line without its line feed; it is valid until the next read.
func ReadLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := append([]byte(nil), line...)
		line, err = r.ReadBytes('\n')
		line = append(long, line...)
	}
	return bytes.TrimSuffix(line, []byte{'\n'}), err
}

// A GoneError says that no runner can take over the run: its files no longer show what was executed.
type GoneError struct{ Why string }

func (e *GoneError) Error() string { return e.Why }
