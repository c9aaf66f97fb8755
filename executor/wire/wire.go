// Package wire is what the daemon and a runner exchange: the lines of their connection, which are also the entries of
// the runner log, the address of the socket, and what a runner is started with. It keeps no state.
package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
)

// Daemon and runner talk in lines of JSON over a unix socket. Both begin with a hello. Then the
// daemon sends commands, and the runner sends the news of the run: the start and end entries of
// its record from the one the daemon asked for, held lines between, at last a closed or broken line. A line of an
// unknown kind and an unknown member are ignored, so that either side may be newer.
//
// Version 2: the hello of the runner tells the processes that it has adopted, so that the daemon
// knows which zombies it may take away. Version 3: a gated line hands over a job that starts after
// others, see Job.After. Each side speaks up to its own version and down to the oldest that it
// understands: a run that is going outlives an upgrade of the daemon. The member merge of a job needs no
// version: a runner that does not know it keeps the streams apart, and says so in its news.
const (
	Version       = 3
	GatesVersion  = 3
	OldestVersion = 1
)

// The kinds of lines that are not entries.
const (
	LineHello  = "hello"
	LineStart  = "start"
	LineGated  = "gated" // of its own kind, so that a runner that knows no gates does not start it
	LineWidth  = "width"
	LineStop   = "stop"
	LineClose  = "close"
	LineClosed = "closed"
	LineBroken = "broken"
	LineHeld   = "held"
)

// A command is a line from the daemon to the runner.
type Command struct {
	Kind string `json:"k"`

	Version int `json:"v,omitempty"`     // hello
	Since   int `json:"since,omitempty"` // hello: how many lines of news the daemon has already

	Width int `json:"w,omitempty"` // width

	Node      int      `json:"n,omitempty"` // start, gated
	Execution int      `json:"e,omitempty"`
	Shell     string   `json:"shell,omitempty"`
	Line      string   `json:"line,omitempty"`
	Env       []string `json:"env,omitempty"`
	Merge     bool     `json:"merge,omitempty"`
	After     [][2]int `json:"after,omitempty"` // gated: node and execution of each

	IDs   []ID  `json:"ids,omitempty"`   // stop
	Grace int64 `json:"grace,omitempty"` // nanoseconds
}

// A notice is a line from the runner that is not news of an execution.
type Notice struct {
	Kind      string     `json:"k"`
	Version   int        `json:"v,omitempty"`          // hello
	PID       int        `json:"p,omitempty"`          // hello: the runner
	Adopted   []int      `json:"adopted,omitempty"`    // hello: pids of what earlier runners have started
	Width     int        `json:"w,omitempty"`          // width, which holds from here on
	Survivors []int      `json:"survivors,omitempty"`  // closed
	Left      []Leftover `json:"left,omitempty"`       // closed: what was killed, see Leftover
	LeftCount int        `json:"left_count,omitempty"` // closed: how many these were
	Gone      bool       `json:"gone,omitempty"`       // broken: no runner can take the run over, see GoneError
	Message   string     `json:"m,omitempty"`          // broken; held and hello: why nothing starts, "" = it does
}

func (c *Command) Job() Job {
	id := ID{Node: c.Node, Execution: c.Execution}
	j := Job{ID: id, Shell: c.Shell, Command: c.Line, Env: c.Env, Merge: c.Merge}
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

// ReadLines calls take for each line and done whenever nothing more has arrived, so that what
// came together is handled together. It returns when the connection ends.
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

// ReadLine returns the next line; it is valid until the next read.
func ReadLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long := append([]byte(nil), line...)
	rest, err := r.ReadBytes('\n')
	return append(long, rest...), err
}

// A GoneError says that no runner can take the run over: what is left of it does not tell what has been executed.
type GoneError struct{ Why string }

func (e *GoneError) Error() string { return e.Why }
