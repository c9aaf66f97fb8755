package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// The frequent lines, several for each execution, are decoded by hand, at a tenth of the cost. A line that is not exactly
// in the form that this program writes is decoded by encoding/json.

// Decode reads a line of the runner log or of the news into a zero e.
func (e *Entry) Decode(line []byte) error {
	if (&lineScanner{rest: line}).object(e.member) {
		return nil
	}
	*e = Entry{}
	return json.Unmarshal(line, e)
}

// Decode reads a line from the daemon into a zero c.
func (c *Command) Decode(line []byte) error {
	if (&lineScanner{rest: line}).object(c.member) {
		return nil
	}
	*c = Command{}
	return json.Unmarshal(line, c)
}

// member reads the value of a key of a start or end entry.
func (e *Entry) member(key string, s *lineScanner) bool {
	switch key {
	case "k":
		return s.kind(&e.Kind, EntryStart, EntryEnd)
	case "n":
		return s.int(&e.Node)
	case "e":
		return s.int(&e.Execution)
	case "t":
		return s.int64(&e.Time)
	case "p":
		return s.int(&e.PID)
	case "b":
		return s.pair((*[2]int64)(&e.StartWindow))
	case "s":
		return s.int(&e.Slot)
	case "o":
		return s.pair((*[2]int64)(&e.Out))
	case "x":
		return s.pair((*[2]int64)(&e.Err))
	case "c":
		return s.int(&e.Code)
	case "g":
		return s.int(&e.Signal)
	case "u":
		return s.int64(&e.User)
	case "y":
		return s.int64(&e.System)
	}
	return false
}

// member reads the value of a key of a start or gated line.
func (c *Command) member(key string, s *lineScanner) bool {
	switch key {
	case "k":
		return s.kind(&c.Kind, LineStart, LineGated)
	case "n":
		return s.int(&c.Node)
	case "e":
		return s.int(&c.Execution)
	case "shell":
		return s.text(&c.Shell)
	case "line":
		return s.text(&c.Line)
	case "env":
		return s.texts(&c.Env)
	case "merge":
		return s.yes(&c.Merge)
	case "after":
		return s.ids(&c.After)
	}
	return false
}

// A lineScanner reads JSON without blanks, escapes, fractions and exponents. Its methods return false if the rest of the
// line does not begin with the value that they read.
type lineScanner struct{ rest []byte }

// object reads an object that must be the whole rest, and calls member for each value.
func (s *lineScanner) object(member func(key string, s *lineScanner) bool) bool {
	for open := byte('{'); s.is(open); open = ',' {
		key, ok := s.plain()
		if !ok || !s.is(':') || !member(string(key), s) {
			return false
		}
		if s.is('}') {
			return len(s.rest) == 0
		}
	}
	return false
}

// is skips the next byte if it is c.
func (s *lineScanner) is(c byte) bool {
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// plain reads a string without escapes.
func (s *lineScanner) plain() ([]byte, bool) {
	if !s.is('"') {
		return nil, false
	}
	end := bytes.IndexByte(s.rest, '"')
	if end < 0 || !isPlainText(s.rest[:end]) {
		return nil, false
	}
	text := s.rest[:end]
	s.rest = s.rest[end+1:]
	return text, true
}

// isPlainText reports whether text needs no escapes in JSON.
func isPlainText[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// kind reads a string that must be one of the words.
func (s *lineScanner) kind(into *string, words ...string) bool {
	text, ok := s.plain()
	for _, w := range words {
		if ok && string(text) == w {
			*into = w
			return true
		}
	}
	return false
}

// yes reads true. False is never written.
func (s *lineScanner) yes(into *bool) (ok bool) {
	s.rest, ok = bytes.CutPrefix(s.rest, []byte("true"))
	*into = ok
	return ok
}

func (s *lineScanner) text(into *string) bool {
	text, ok := s.plain()
	*into = string(text)
	return ok
}

func (s *lineScanner) texts(into *[]string) bool {
	*into = nil
	if !s.is('[') {
		return false
	}
	for {
		var text string
		if !s.text(&text) {
			return false
		}
		*into = append(*into, text)
		if !s.is(',') {
			return s.is(']')
		}
	}
}

// ids reads pairs of a node and an execution.
func (s *lineScanner) ids(into *[][2]int) bool {
	*into = nil
	if !s.is('[') {
		return false
	}
	for {
		var id [2]int
		if !s.is('[') || !s.int(&id[0]) || !s.is(',') || !s.int(&id[1]) || !s.is(']') {
			return false
		}
		*into = append(*into, id)
		if !s.is(',') {
			return s.is(']')
		}
	}
}

func (s *lineScanner) int(into *int) bool {
	var n int64
	ok := s.int64(&n) && n >= math.MinInt && n <= math.MaxInt
	*into = int(n)
	return ok
}

func (s *lineScanner) int64(into *int64) bool {
	const digits = 19 // enough for nanoseconds since 1970, and n cannot overflow
	negative := s.is('-')
	n, length := uint64(0), 0
	for length < len(s.rest) && length <= digits && '0' <= s.rest[length] && s.rest[length] <= '9' {
		n = 10*n + uint64(s.rest[length]-'0')
		length++
	}
	if length == 0 || length > digits || n > math.MaxInt64 || (s.rest[0] == '0' && length > 1) {
		return false
	}
	s.rest = s.rest[length:]
	*into = int64(n)
	if negative {
		*into = -*into
	}
	return true
}

func (s *lineScanner) pair(into *[2]int64) bool {
	return s.is('[') && s.int64(&into[0]) && s.is(',') && s.int64(&into[1]) && s.is(']')
}

// AppendJob encodes the command that hands over a job, in the same form as AppendLine.
func AppendJob(b []byte, j Job) []byte {
	kind := LineStart
	if len(j.After) > 0 {
		kind = LineGated
	}
	b = append(append(append(b, `{"k":"`...), kind...), `","n":`...)
	b = strconv.AppendInt(b, int64(j.ID.Node), 10)
	b = append(b, `,"e":`...)
	b = strconv.AppendInt(b, int64(j.ID.Execution), 10)
	b = appendText(b, "shell", j.Shell)
	b = appendText(b, "line", j.Command)
	for i, v := range j.Env {
		if i == 0 {
			b = append(appendKey(b, "env"), '[')
		} else {
			b = append(b, ',')
		}
		b = appendQuoted(b, v)
	}
	if len(j.Env) > 0 {
		b = append(b, ']')
	}
	b = appendFlag(b, "merge", j.Merge)
	for i, id := range j.After {
		if i == 0 {
			b = append(appendKey(b, "after"), '[')
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
