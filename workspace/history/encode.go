package history

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"wf/executor/rundir"
)

// appendRecord appends the JSON of r. It does not use encoding/json because it runs several times for every
// execution. A test compares it with encoding/json.
func appendRecord(b []byte, r *Record) ([]byte, error) {
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, r.Seq, 10)
	b = append(b, `,"time":"`...)
	b = r.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, '"')
	b = appendText(b, "type", string(r.Type))
	if r.Node >= 0 && !r.Type.wholeRun() {
		b = append(b, `,"node":`...)
		b = strconv.AppendInt(b, int64(r.Node), 10)
	}
	b = appendText(b, "id", r.ID)
	b = appendInt(b, "execution", int64(r.Execution))
	b = appendInt(b, "pid", int64(r.PID))
	b = appendText(b, "command", r.Command)
	if r.OK {
		b = append(b, `,"ok":true`...)
	}
	b = appendText(b, "reason", r.Reason)
	b = appendInt(b, "exit_code", int64(r.ExitCode))
	b = appendInt(b, "signal", int64(r.Signal))
	b = appendText(b, "message", r.Message)
	b = appendText(b, "cause", r.Cause)
	b = appendText(b, "client", r.Client)
	b = appendText(b, "key", r.Key)
	b = appendText(b, "user", r.User)
	b = appendRange(b, "out", r.Out)
	b = appendRange(b, "err", r.Err)
	b = appendInt(b, "user_ms", r.UserMS)
	b = appendInt(b, "sys_ms", r.SysMS)
	b = appendRaw(b, "outputs", r.Outputs)
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
		b = appendString(b, c.Boot)
		b = appendInt(b, "up_ns", c.UpNS)
		b = append(appendInt(b, "by_ns", c.ByNS), '}')
	}
	return append(b, '}'), nil
}

// appendRaw appends a value that is JSON already, on one line.
func appendRaw(b []byte, key string, v json.RawMessage) []byte {
	if len(v) == 0 {
		return b
	}
	return append(appendKey(b, key), v...)
}

func appendKey(b []byte, key string) []byte {
	b = append(b, ',', '"')
	b = append(b, key...)
	return append(b, '"', ':')
}

func appendInt(b []byte, key string, v int64) []byte {
	if v == 0 {
		return b
	}
	return strconv.AppendInt(appendKey(b, key), v, 10)
}

func appendText(b []byte, key, v string) []byte {
	if v == "" {
		return b
	}
	return appendString(appendKey(b, key), v)
}

func appendRange(b []byte, key string, r rundir.Range) []byte {
	if r == (rundir.Range{}) {
		return b
	}
	b = append(appendKey(b, key), `{"file":`...)
	b = appendString(b, r.File)
	b = append(b, `,"start":`...)
	b = strconv.AppendInt(b, r.Start, 10)
	b = append(b, `,"end":`...)
	b = strconv.AppendInt(b, r.End, 10)
	return append(b, '}')
}

// appendString quotes s. It escapes only what JSON requires, so that journals can be read and searched.
// Invalid UTF-8 becomes U+FFFD, as in encoding/json.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
