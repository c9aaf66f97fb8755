package history

import (
	"encoding/json"

	"wf/executor/jsonline"
	"wf/executor/rundir"
)

// decodeRecord reads one record. Lines with escapes or fields that member does not know are read with encoding/json.
func decodeRecord(payload []byte, r *Record) error {
	*r = Record{Node: NoNode}
	if jsonline.ReadObject(payload, r.member) {
		return nil
	}
	*r = Record{Node: NoNode}
	return json.Unmarshal(payload, r)
}

// member reads the value of a key.
func (r *Record) member(key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "seq":
		return s.Uint64(&r.Seq)
	case "time":
		return s.Time(&r.Time)
	case "type":
		return s.Text((*string)(&r.Type))
	case "node":
		return s.Int(&r.Node)
	case "id":
		return s.Text(&r.ID)
	case "execution":
		return s.Int(&r.Execution)
	case "pid":
		return s.Int(&r.PID)
	case "command":
		return s.Text(&r.Command)
	case "ok":
		return s.True(&r.OK)
	case "reason":
		return s.Text(&r.Reason)
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
		return readRange(s, &r.Out)
	case "err":
		return readRange(s, &r.Err)
	case "user_ms":
		return s.Int64(&r.UserMS)
	case "sys_ms":
		return s.Int64(&r.SysMS)
	}
	return false
}

func readRange(s *jsonline.Scanner, r *rundir.Range) bool {
	return s.Word(`{"file":`) && s.Text(&r.File) &&
		s.Word(`,"start":`) && s.Int64(&r.Start) &&
		s.Word(`,"end":`) && s.Int64(&r.End) && s.Byte('}')
}
