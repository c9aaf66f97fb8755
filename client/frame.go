package client

import (
	"bytes"
	"encoding/json"
	"io"

	"wf/api"
	"wf/executor/jsonline"
)

// A frameReader decodes frames. A busy run sends thousands of node events per second, and a client would spend half of
// its time in encoding/json. So the reader itself decodes frames of node events in exactly the form that the daemon
// writes, and leaves all others to encoding/json. It belongs to one goroutine.
type frameReader struct {
	buf bytes.Buffer
	// known contains earlier texts to share, because ids, names and runs repeat. Its size is bounded.
	known map[string]string
}

// maxKnown is the maximum size of known. A workfile with more nodes has some ids in memory twice.
const maxKnown = 1 << 16

// maxKept is the maximum size of the buffer that is reused for the next frame. Snapshots are larger, but rare.
const maxKept = 256 << 10

// read decodes one frame up to the end of r.
func (p *frameReader) read(r io.Reader) (api.Frame, error) {
	p.buf.Reset()
	if _, err := p.buf.ReadFrom(r); err != nil {
		return api.Frame{}, err
	}
	if f, ok := p.byHand(p.buf.Bytes()); ok {
		return f, nil
	}
	if f, ok := snapshotByHand(p.buf.Bytes()); ok {
		return f, nil
	}
	var f api.Frame
	dec := json.NewDecoder(bytes.NewReader(p.buf.Bytes()))
	dec.UseNumber() // numbers in outputs keep their form
	err := dec.Decode(&f)
	if p.buf.Cap() > maxKept {
		p.buf = bytes.Buffer{}
	}
	return f, err
}

// byHand decodes a frame of node events; ok is false for any other frame.
func (p *frameReader) byHand(data []byte) (f api.Frame, ok bool) {
	data = bytes.TrimSuffix(data, []byte("\n"))
	s := jsonline.NewScanner(data)
	if !s.Word(`{"events":[`) {
		return f, false
	}
	f.Events = make([]api.Event, 0, bytes.Count(data, []byte(`"type"`)))
	for {
		var ev api.Event
		if !s.Object(func(key []byte, s *jsonline.Scanner) bool { return p.field(&ev, key, s) }) {
			return f, false
		}
		f.Events = append(f.Events, ev)
		if !s.Byte(',') {
			break
		}
	}
	if !s.Byte(']') {
		return f, false
	}
	if s.Word(`,"after":`) && !s.Uint64(&f.After) || s.Word(`,"through":`) && !s.Uint64(&f.Through) {
		return f, false
	}
	return f, s.Byte('}') && s.Done()
}

// field decodes the value of one field of a node event.
func (p *frameReader) field(ev *api.Event, key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "seq":
		return s.Uint64(&ev.Seq)
	case "time":
		return s.Time(&ev.Time)
	case "type":
		return p.text(s, (*string)(&ev.Type))
	case "run":
		return p.text(s, &ev.Run)
	case "client":
		return p.text(s, &ev.Client)
	case "node":
		return p.text(s, &ev.Node)
	case "name":
		return p.text(s, &ev.Name)
	case "item":
		return p.text(s, &ev.Item)
	case "reason":
		return p.text(s, (*string)(&ev.Reason))
	case "signal":
		return p.text(s, &ev.Signal)
	case "execution":
		return s.Int(&ev.Execution)
	case "pid":
		return s.Int(&ev.PID)
	case "exit_code":
		ev.ExitCode = new(int)
		return s.Int(ev.ExitCode)
	case "duration_ms":
		ev.DurationMS = new(int64)
		return s.Int64(ev.DurationMS)
	case "workfile":
		return p.text(s, &ev.Workfile)
	case "mode":
		return p.text(s, &ev.Mode)
	case "result":
		return p.text(s, (*string)(&ev.Result))
	case "nodes":
		return s.Int(&ev.Nodes)
	case "jobs":
		return s.Int(&ev.Jobs)
	case "counts":
		if ev.Counts == nil {
			ev.Counts = &api.Counts{}
		}
		return countsByHand(ev.Counts, s)
	}
	return false
}

// text reads a string; equal strings share memory.
func (p *frameReader) text(s *jsonline.Scanner, into *string) bool {
	b, ok := s.Quoted()
	if !ok {
		return false
	}
	known, found := p.known[string(b)]
	if !found {
		if p.known == nil || len(p.known) >= maxKnown {
			p.known = map[string]string{}
		}
		known = string(b)
		p.known[known] = known
	}
	*into = known
	return true
}
