package history

import (
	"encoding/json"
	"time"

	"wf/executor/rundir"
)

// decodeRecord reads one record. It reads lines as written by appendRecord without encoding/json, which is
// several times slower. Other lines, with escapes or unknown fields, are read with encoding/json.
func decodeRecord(payload []byte, r *Record) error {
	*r = Record{Node: NoNode}
	c := cursor{rest: payload}
	if c.record(r) {
		return nil
	}
	*r = Record{Node: NoNode}
	return json.Unmarshal(payload, r)
}

// cursor reads the subset of JSON that appendRecord writes. Its methods return false if the text is not in
// this subset; it may still be valid JSON.
type cursor struct{ rest []byte }

func (c *cursor) record(r *Record) bool {
	if !c.take('{') {
		return false
	}
	for first := true; first || c.take(','); first = false {
		key, ok := c.plain()
		if !ok || !c.take(':') || !c.field(string(key), r) {
			return false
		}
	}
	return c.take('}') && len(c.rest) == 0
}

func (c *cursor) field(key string, r *Record) bool {
	switch key {
	case "seq":
		n, ok := c.number()
		r.Seq = uint64(n)
		return ok && n >= 0
	case "time":
		return c.time(&r.Time)
	case "type":
		return c.text((*string)(&r.Type))
	case "node":
		return c.int(&r.Node)
	case "id":
		return c.text(&r.ID)
	case "execution":
		return c.int(&r.Execution)
	case "pid":
		return c.int(&r.PID)
	case "command":
		return c.text(&r.Command)
	case "ok":
		r.OK = c.word("true")
		return r.OK
	case "reason":
		return c.text(&r.Reason)
	case "exit_code":
		return c.int(&r.ExitCode)
	case "signal":
		return c.int(&r.Signal)
	case "message":
		return c.text(&r.Message)
	case "cause":
		return c.text(&r.Cause)
	case "client":
		return c.text(&r.Client)
	case "key":
		return c.text(&r.Key)
	case "user":
		return c.text(&r.User)
	case "out":
		return c.fileRange(&r.Out)
	case "err":
		return c.fileRange(&r.Err)
	case "user_ms":
		return c.int64(&r.UserMS)
	case "sys_ms":
		return c.int64(&r.SysMS)
	}
	return false
}

func (c *cursor) fileRange(r *rundir.Range) bool {
	return c.word(`{"file":`) && c.text(&r.File) &&
		c.word(`,"start":`) && c.int64(&r.Start) &&
		c.word(`,"end":`) && c.int64(&r.End) && c.take('}')
}

func (c *cursor) take(b byte) bool {
	if len(c.rest) == 0 || c.rest[0] != b {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

func (c *cursor) word(w string) bool {
	if len(c.rest) < len(w) || string(c.rest[:len(w)]) != w {
		return false
	}
	c.rest = c.rest[len(w):]
	return true
}

// plain reads a string of printable ASCII without escapes.
func (c *cursor) plain() ([]byte, bool) {
	if !c.take('"') {
		return nil, false
	}
	for i, b := range c.rest {
		if b == '"' {
			s := c.rest[:i]
			c.rest = c.rest[i+1:]
			return s, true
		}
		if b < ' ' || b > '~' || b == '\\' {
			return nil, false
		}
	}
	return nil, false
}

func (c *cursor) text(s *string) bool {
	b, ok := c.plain()
	*s = string(b)
	return ok
}

func (c *cursor) time(t *time.Time) bool {
	b, ok := c.plain()
	return ok && t.UnmarshalText(b) == nil
}

// maxDigits is chosen so that number cannot overflow int64.
const maxDigits = 18

// number reads an integer as strconv writes it: no plus sign, no leading zero, no -0.
func (c *cursor) number() (int64, bool) {
	negative := c.take('-')
	var n int64
	digits := 0
	for digits < len(c.rest) && '0' <= c.rest[digits] && c.rest[digits] <= '9' {
		n = n*10 + int64(c.rest[digits]-'0')
		if digits++; digits > maxDigits {
			return 0, false
		}
	}
	if digits == 0 || c.rest[0] == '0' && (digits > 1 || negative) {
		return 0, false
	}
	c.rest = c.rest[digits:]
	if negative {
		n = -n
	}
	return n, true
}

func (c *cursor) int64(v *int64) bool {
	n, ok := c.number()
	*v = n
	return ok
}

func (c *cursor) int(v *int) bool {
	n, ok := c.number()
	*v = int(n)
	return ok && int64(*v) == n
}
