package history

import (
	"encoding/json"

	"wf/executor/jsonline"
	"wf/executor/rundir"
)

// decodeRecord reads one record.
func decodeRecord(payload []byte, r *Record) error { return (&decoder{}).decode(payload, r) }

// A decoder reads records. It keeps texts that many records contain, so that most records need no memory of their own.
type decoder struct {
	scope []string // ids of nodes, by Record.Node; nil if they are not known
	texts map[string]string
	line  jsonline.Scanner
	*Record
}

// decode reads one record. Lines with escapes or fields that member does not know are read with encoding/json.
func (d *decoder) decode(payload []byte, r *Record) error {
	*r = Record{Node: NoNode}
	d.line, d.Record = jsonline.NewScanner(payload), r
	if d.line.Object(d.member) && d.line.Done() {
		return nil
	}
	*r = Record{Node: NoNode}
	return json.Unmarshal(payload, r)
}

// keptTexts bounds the texts that a decoder keeps.
const keptTexts = 1000

// common reads a text that other records probably contain as well.
func (d *decoder) common(s *jsonline.Scanner, into *string) bool {
	text, ok := s.Quoted()
	kept, known := d.texts[string(text)]
	if !known && ok {
		kept = string(text)
		if d.texts == nil || len(d.texts) >= keptTexts {
			d.texts = map[string]string{}
		}
		d.texts[kept] = kept
	}
	*into = kept
	return ok
}

// id reads the id of a node.
func (d *decoder) id(s *jsonline.Scanner) bool {
	text, ok := s.Quoted()
	if d.Node >= 0 && d.Node < len(d.scope) && d.scope[d.Node] == string(text) {
		d.ID = d.scope[d.Node]
	} else {
		d.ID = string(text)
	}
	return ok
}

// member reads the value of a key.
func (d *decoder) member(key []byte, s *jsonline.Scanner) bool {
	r := d.Record
	switch string(key) {
	case "seq":
		return s.Uint64(&r.Seq)
	case "time":
		return s.Time(&r.Time)
	case "type":
		return d.common(s, (*string)(&r.Type))
	case "node":
		return s.Int(&r.Node)
	case "id":
		return d.id(s)
	case "execution":
		return s.Int(&r.Execution)
	case "pid":
		return s.Int(&r.PID)
	case "command":
		return s.Text(&r.Command)
	case "ok":
		return s.True(&r.OK)
	case "reason":
		return d.common(s, &r.Reason)
	case "exit_code":
		return s.Int(&r.ExitCode)
	case "signal":
		return s.Int(&r.Signal)
	case "message":
		return s.Text(&r.Message)
	case "cause":
		return s.Text(&r.Cause)
	case "client":
		return s.Text(&r.Client)
	case "key":
		return s.Text(&r.Key)
	case "user":
		return s.Text(&r.User)
	case "out":
		return d.readRange(s, &r.Out)
	case "err":
		return d.readRange(s, &r.Err)
	case "user_ms":
		return s.Int64(&r.UserMS)
	case "sys_ms":
		return s.Int64(&r.SysMS)
	case "peak_bytes":
		return s.Int64(&r.PeakBytes)
	}
	return false
}

func (d *decoder) readRange(s *jsonline.Scanner, r *rundir.Range) bool {
	return s.Word(`{"file":`) && d.common(s, &r.File) &&
		s.Word(`,"start":`) && s.Int64(&r.Start) &&
		s.Word(`,"end":`) && s.Int64(&r.End) && s.Byte('}')
}
