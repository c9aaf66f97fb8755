package wire

import (
	"encoding/json"
	"strconv"

	"wf/executor/jsonline"
)

// Decode reads a line of the runner log or of the news into a zero e.
func (e *Entry) Decode(line []byte) error {
	if jsonline.ReadObject(line, e.member) {
		return nil
	}
	*e = Entry{}
	return json.Unmarshal(line, e)
}

// Decode reads a line from the daemon into a zero c.
func (c *Command) Decode(line []byte) error {
	if jsonline.ReadObject(line, c.member) {
		return nil
	}
	*c = Command{}
	return json.Unmarshal(line, c)
}

// member reads the value of a key of a start or end entry.
func (e *Entry) member(key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "k":
		return readKind(s, &e.Kind, EntryStart, EntryEnd)
	case "n":
		return s.Int(&e.Node)
	case "e":
		return s.Int(&e.Execution)
	case "t":
		return s.Int64(&e.Time)
	case "p":
		return s.Int(&e.PID)
	case "b":
		return readPair(s, (*[2]int64)(&e.StartWindow))
	case "s":
		return s.Int(&e.Slot)
	case "o":
		return readPair(s, (*[2]int64)(&e.Out))
	case "x":
		return readPair(s, (*[2]int64)(&e.Err))
	case "c":
		return s.Int(&e.Code)
	case "g":
		return s.Int(&e.Signal)
	case "u":
		return s.Int64(&e.User)
	case "y":
		return s.Int64(&e.System)
	case "r":
		return s.Int64(&e.Peak)
	}
	return false
}

// member reads the value of a key of a command without lists of executions that are to be stopped.
func (c *Command) member(key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "k":
		return readKind(s, &c.Kind, LineStart, LineGated, LineHello, LineWidth, LineClose)
	case "v":
		return s.Int(&c.Version)
	case "since":
		return s.Int(&c.Since)
	case "w":
		return s.Int(&c.Width)
	case "n":
		return s.Int(&c.Node)
	case "e":
		return s.Int(&c.Execution)
	case "shell":
		return s.Text(&c.Shell)
	case "line":
		return s.Text(&c.Line)
	case "env":
		return readList(s, &c.Env, (*jsonline.Scanner).Text)
	case "merge":
		return s.True(&c.Merge)
	case "foreseen":
		return s.True(&c.Foreseen)
	case "after":
		return readList(s, &c.After, readID)
	}
	return false
}

// readKind reads a string that must be one of the words.
func readKind(s *jsonline.Scanner, into *string, words ...string) bool {
	text, ok := s.Quoted()
	for _, w := range words {
		if ok && string(text) == w {
			*into = w
			return true
		}
	}
	return false
}

func readPair(s *jsonline.Scanner, into *[2]int64) bool {
	return s.Byte('[') && s.Int64(&into[0]) && s.Byte(',') && s.Int64(&into[1]) && s.Byte(']')
}

// readList reads a list that is not empty.
func readList[T any](s *jsonline.Scanner, into *[]T, read func(*jsonline.Scanner, *T) bool) bool {
	*into = nil
	for open := byte('['); s.Byte(open); open = ',' {
		var value T
		if !read(s, &value) {
			return false
		}
		if *into = append(*into, value); s.Byte(']') {
			return true
		}
	}
	return false
}

// readID reads a pair of a node and an execution.
func readID(s *jsonline.Scanner, into *[2]int) bool {
	return s.Byte('[') && s.Int(&into[0]) && s.Byte(',') && s.Int(&into[1]) && s.Byte(']')
}

// AppendJob encodes the command that hands over a job, in the same form as AppendLine.
func AppendJob(b []byte, j Job) []byte {
	kind := LineStart
	switch {
	case j.Launcher != nil:
		return appendLaunch(b, j)
	case j.Around != nil:
		return appendAround(b, j)
	case len(j.After) > 0:
		kind = LineGated
	}
	b = append(append(append(b, `{"k":"`...), kind...), `","n":`...)
	b = strconv.AppendInt(b, int64(j.ID.Node), 10)
	b = append(b, `,"e":`...)
	b = strconv.AppendInt(b, int64(j.ID.Execution), 10)
	b = jsonline.AppendText(b, "shell", j.Shell)
	b = jsonline.AppendText(b, "line", j.Command)
	for i, v := range j.Env {
		if i == 0 {
			b = append(jsonline.AppendKey(b, "env"), '[')
		} else {
			b = append(b, ',')
		}
		b = jsonline.AppendQuoted(b, v)
	}
	if len(j.Env) > 0 {
		b = append(b, ']')
	}
	b = jsonline.AppendTrue(b, "merge", j.Merge)
	b = jsonline.AppendTrue(b, "foreseen", j.Foreseen)
	for i, id := range j.After {
		if i == 0 {
			b = append(jsonline.AppendKey(b, "after"), '[')
		} else {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), int64(id.Node), 10)
		b = strconv.AppendInt(append(b, ','), int64(id.Execution), 10)
		b = append(b, ']')
	}
	if len(j.After) > 0 {
		b = append(b, ']')
	}
	return append(b, '}', '\n')
}
