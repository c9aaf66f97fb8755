package client

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
	"unicode/utf8"

	"wf/api"
)

// A frameReader decodes frames. A busy run sends thousands of node events per second, and a client would spend half of
// its time in encoding/json. So the reader itself decodes frames of node events in exactly the form that the daemon
// writes, and leaves all others to encoding/json. It belongs to one goroutine.
type frameReader struct {
	buf  bytes.Buffer
	data []byte // the bytes that are not decoded yet
	// known contains earlier texts to share, because ids, names and runs repeat. Its size is bounded.
	known map[string]string
}

// mostKnown is the maximum size of known. A workfile with more nodes has some ids in memory twice.
const mostKnown = 1 << 16

// mostKept is the maximum size of the buffer that is reused for the next frame. Snapshots are larger, but rare.
const mostKept = 256 << 10

// read decodes one frame up to the end of r.
func (p *frameReader) read(r io.Reader) (api.Frame, error) {
	p.buf.Reset()
	if _, err := p.buf.ReadFrom(r); err != nil {
		return api.Frame{}, err
	}
	if f, ok := p.byHand(p.buf.Bytes()); ok {
		return f, nil
	}
	var f api.Frame
	dec := json.NewDecoder(bytes.NewReader(p.buf.Bytes()))
	dec.UseNumber() // of outputs: a number stays as it is written
	err := dec.Decode(&f)
	if p.buf.Cap() > mostKept {
		p.buf = bytes.Buffer{}
	}
	return f, err
}

// byHand decodes a frame of node events; ok is false for any other frame.
func (p *frameReader) byHand(data []byte) (f api.Frame, ok bool) {
	p.data = bytes.TrimSuffix(data, []byte("\n"))
	if !p.skip(`{"events":[`) {
		return f, false
	}
	f.Events = make([]api.Event, 0, bytes.Count(p.data, []byte(`"type"`)))
	for {
		var ev api.Event
		if !p.event(&ev) {
			return f, false
		}
		f.Events = append(f.Events, ev)
		if !p.skip(",") {
			break
		}
	}
	if !p.skip("]") {
		return f, false
	}
	if p.skip(`,"after":`) && !p.unsigned(&f.After) || p.skip(`,"through":`) && !p.unsigned(&f.Through) {
		return f, false
	}
	return f, p.skip("}") && len(p.data) == 0
}

// event decodes one node event.
func (p *frameReader) event(ev *api.Event) bool {
	if !p.skip("{") {
		return false
	}
	for {
		key, ok := p.quoted()
		if !ok || !p.skip(":") || !p.field(ev, key) {
			return false
		}
		if !p.skip(",") {
			return p.skip("}")
		}
	}
}

// field decodes the value of one field.
func (p *frameReader) field(ev *api.Event, key []byte) (ok bool) {
	var text string
	switch string(key) {
	case "seq":
		return p.unsigned(&ev.Seq)
	case "time":
		return p.time(&ev.Time)
	case "type":
		text, ok = p.text()
		ev.Type = api.EventType(text)
	case "run":
		ev.Run, ok = p.text()
	case "client":
		ev.Client, ok = p.text()
	case "node":
		ev.Node, ok = p.text()
	case "name":
		ev.Name, ok = p.text()
	case "item":
		ev.Item, ok = p.text()
	case "reason":
		text, ok = p.text()
		ev.Reason = api.Reason(text)
	case "signal":
		ev.Signal, ok = p.text()
	case "execution":
		return p.number(&ev.Execution)
	case "pid":
		return p.number(&ev.PID)
	case "exit_code":
		ev.ExitCode = new(int)
		return p.number(ev.ExitCode)
	case "duration_ms":
		var n int
		ok = p.number(&n)
		ms := int64(n)
		ev.DurationMS = &ms
	}
	return ok
}

// skip consumes text if the data begins with it.
func (p *frameReader) skip(text string) bool {
	if len(p.data) < len(text) || string(p.data[:len(text)]) != text {
		return false
	}
	p.data = p.data[len(text):]
	return true
}

// quoted consumes a JSON string without escapes. The result is valid until the next frame.
func (p *frameReader) quoted() ([]byte, bool) {
	if !p.skip(`"`) {
		return nil, false
	}
	for i, c := range p.data {
		switch {
		case c == '"':
			text := p.data[:i]
			p.data = p.data[i+1:]
			return text, utf8.Valid(text)
		case c < ' ' || c == '\\':
			return nil, false
		}
	}
	return nil, false
}

// text consumes a JSON string; equal strings share memory.
func (p *frameReader) text() (string, bool) {
	b, ok := p.quoted()
	if !ok {
		return "", false
	}
	if known, found := p.known[string(b)]; found {
		return known, true
	}
	if p.known == nil || len(p.known) >= mostKnown {
		p.known = map[string]string{}
	}
	text := string(b)
	p.known[text] = text
	return text, true
}

func (p *frameReader) time(t *time.Time) bool {
	b, ok := p.quoted()
	return ok && t.UnmarshalText(b) == nil
}

// mostDigits is a number of digits that always fits into 64 bits.
const mostDigits = 18

// unsigned consumes an integer without a sign.
func (p *frameReader) unsigned(n *uint64) bool {
	*n = 0
	i := 0
	for i < len(p.data) && p.data[i] >= '0' && p.data[i] <= '9' {
		*n = *n*10 + uint64(p.data[i]-'0')
		if i++; i > mostDigits {
			return false
		}
	}
	if i == 0 || i > 1 && p.data[0] == '0' {
		return false
	}
	p.data = p.data[i:]
	return true
}

// number consumes an integer.
func (p *frameReader) number(n *int) bool {
	sign := 1
	if p.skip("-") {
		sign = -1
	}
	var u uint64
	if !p.unsigned(&u) || uint64(int(u)) != u {
		return false
	}
	*n = sign * int(u)
	return true
}
