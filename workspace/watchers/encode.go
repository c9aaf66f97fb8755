package watchers

import (
	"encoding/json"
	"strconv"
	"time"

	"wf/api"
	"wf/executor/jsonline"
)

// encodeFrame encodes a frame. A busy run has two events for each node, so those are encoded without encoding/json, in the
// form that clients decode without it.
func encodeFrame(f api.Frame) []byte {
	if f.Snapshot != nil || f.Dropped != "" || len(f.Events) == 0 {
		return marshal(f)
	}
	const size = 192 // of most events, in bytes
	b := append(make([]byte, 0, size*(len(f.Events)+1)), `{"events":[`...)
	for i := range f.Events {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendEvent(b, &f.Events[i])
	}
	b = appendUint(append(b, ']'), "after", f.After)
	b = appendUint(b, "through", f.Through)
	return append(b, '}')
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("internal error: frame: " + err.Error()) // a frame contains only plain data
	}
	return b
}

// appendEvent encodes an event.
func appendEvent(b []byte, ev *api.Event) []byte {
	if hasRareFields(ev) {
		return append(b, marshal(ev)...)
	}
	b = strconv.AppendUint(append(b, `{"seq":`...), ev.Seq, 10)
	b = append(jsonline.AppendKey(b, "time"), '"')
	b = append(ev.Time.AppendFormat(b, time.RFC3339Nano), '"')
	b = jsonline.AppendQuoted(jsonline.AppendKey(b, "type"), string(ev.Type))
	b = jsonline.AppendText(b, "run", ev.Run)
	b = jsonline.AppendText(b, "client", ev.Client)
	b = jsonline.AppendText(b, "node", ev.Node)
	b = jsonline.AppendText(b, "name", ev.Name)
	b = jsonline.AppendText(b, "item", ev.Item)
	b = jsonline.AppendInt(b, "execution", int64(ev.Execution))
	b = jsonline.AppendInt(b, "pid", int64(ev.PID))
	if ev.ExitCode != nil {
		b = strconv.AppendInt(jsonline.AppendKey(b, "exit_code"), int64(*ev.ExitCode), 10)
	}
	b = jsonline.AppendText(b, "signal", ev.Signal)
	b = jsonline.AppendText(b, "reason", string(ev.Reason))
	if ev.DurationMS != nil {
		b = strconv.AppendInt(jsonline.AppendKey(b, "duration_ms"), *ev.DurationMS, 10)
	}
	return append(b, '}')
}

// hasRareFields reports whether an event has a field that appendEvent does not encode.
func hasRareFields(ev *api.Event) bool {
	return ev.Schema != "" || ev.Workspace != "" || ev.User != "" || ev.Message != "" ||
		ev.Wait != nil || ev.Decision != nil || ev.Engine != nil || ev.PeakBytes != 0 || ev.Mocked || ev.UpToDate || ev.Handled || ev.SubFlow || ev.Retry != nil ||
		ev.Queued != "" || ev.Workfile != "" || ev.Mode != "" || ev.Resumes != "" || ev.Nodes != 0 || ev.Kept != 0 ||
		ev.Jobs != 0 || ev.NoLimit || ev.Short != nil || ev.Result != "" || ev.Counts != nil || len(ev.Survivors) > 0 ||
		ev.Note != "" || len(ev.Notes) > 0 || ev.Op != "" || ev.Structure || len(ev.Changed) > 0 || len(ev.Edges) > 0
}

// appendUint appends a key and a number, or nothing if the number is zero.
func appendUint(b []byte, key string, n uint64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendUint(jsonline.AppendKey(b, key), n, 10)
}
