package history

import (
	"encoding/json"
	"strconv"
	"time"

	"wf/executor/jsonline"
	"wf/executor/rundir"
)

// appendRecord appends the JSON of r. It runs several times for every execution. A test compares it with encoding/json.
func appendRecord(b []byte, r *Record) ([]byte, error) {
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, r.Seq, 10)
	b = append(b, `,"time":"`...)
	b = r.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, '"')
	b = jsonline.AppendText(b, "type", string(r.Type))
	if r.Node >= 0 && !r.Type.wholeRun() {
		b = append(b, `,"node":`...)
		b = strconv.AppendInt(b, int64(r.Node), 10)
	}
	b = jsonline.AppendText(b, "id", r.ID)
	b = jsonline.AppendInt(b, "execution", int64(r.Execution))
	b = jsonline.AppendInt(b, "pid", int64(r.PID))
	b = jsonline.AppendText(b, "command", r.Command)
	b = jsonline.AppendTrue(b, "ok", r.OK)
	b = jsonline.AppendText(b, "reason", r.Reason)
	b = jsonline.AppendInt(b, "exit_code", int64(r.ExitCode))
	b = jsonline.AppendInt(b, "signal", int64(r.Signal))
	b = jsonline.AppendText(b, "message", r.Message)
	b = jsonline.AppendText(b, "cause", r.Cause)
	b = jsonline.AppendText(b, "client", r.Client)
	b = jsonline.AppendText(b, "key", r.Key)
	b = jsonline.AppendText(b, "user", r.User)
	b = appendRange(b, "out", r.Out)
	b = appendRange(b, "err", r.Err)
	b = jsonline.AppendInt(b, "user_ms", r.UserMS)
	b = jsonline.AppendInt(b, "sys_ms", r.SysMS)
	if j := r.Engine; j != nil {
		data, err := json.Marshal(j)
		if err != nil {
			return b, err
		}
		b = appendRaw(b, "engine", data)
	}
	b = jsonline.AppendInt(b, "peak_bytes", r.PeakBytes)
	b = appendRaw(b, "outputs", r.Outputs)
	b = appendRaw(b, "stdout", r.Stdout)
	b = appendRaw(b, "items", r.Items)
	b = appendRaw(b, "inputs", r.Inputs)
	if r.Result != nil {
		result, err := json.Marshal(r.Result)
		if err != nil {
			return b, err
		}
		b = append(b, `,"result":`...)
		b = append(b, result...)
	}
	if c := r.Clocks; c != nil {
		b = append(b, `,"clocks":{"boot":`...)
		b = jsonline.AppendQuoted(b, c.Boot)
		b = jsonline.AppendInt(b, "up_ns", c.UpNS)
		b = append(jsonline.AppendInt(b, "by_ns", c.ByNS), '}')
	}
	if r.Stored != nil {
		data, err := json.Marshal(r.Stored)
		if err != nil {
			return b, err
		}
		b = appendRaw(b, "stored", data)
	}
	return append(b, '}'), nil
}

// appendRaw appends a value that is JSON already, on one line.
func appendRaw(b []byte, key string, v json.RawMessage) []byte {
	if len(v) == 0 {
		return b
	}
	return append(jsonline.AppendKey(b, key), v...)
}

func appendRange(b []byte, key string, r rundir.Range) []byte {
	if r == (rundir.Range{}) {
		return b
	}
	b = append(jsonline.AppendKey(b, key), `{"file":`...)
	b = jsonline.AppendQuoted(b, r.File)
	b = append(b, `,"start":`...)
	b = strconv.AppendInt(b, r.Start, 10)
	b = append(b, `,"end":`...)
	b = strconv.AppendInt(b, r.End, 10)
	return append(b, '}')
}
