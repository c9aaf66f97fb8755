package tracing

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SpanKind is the kind of a span, with the numbers of OTLP.
type SpanKind int

const (
	Internal SpanKind = 1
	Server   SpanKind = 2
)

// A Trace is a run as spans, the run first.
type Trace struct {
	ID       [16]byte
	State    string            // tracestate; "" = none
	Resource map[string]string // attributes of all spans
	Version  string            // of wf
	Spans    []Span
}

// A Span is a run, a container or an execution.
type Span struct {
	ID, Parent SpanID // Parent is zero for a run without one
	Name       string
	Kind       SpanKind
	Start, End time.Time
	Attributes []Attribute
	Links      []Context
	Failed     bool
	Message    string // of a failure
}

// Add adds an attribute.
func (s *Span) Add(key string, value any) {
	s.Attributes = append(s.Attributes, Attribute{key, value})
}

// An Attribute is a key with a value: a string, an int64 or a bool.
type Attribute struct {
	Key   string
	Value any
}

// The JSON of OTLP: ids are hexadecimal, 64-bit integers are strings, enumerations are numbers.
type (
	request struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource struct {
			Attributes []keyValue `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	scopeSpans struct {
		Scope struct {
			Name    string `json:"name"`
			Version string `json:"version,omitempty"`
		} `json:"scope"`
		Spans []span `json:"spans"`
	}
	span struct {
		TraceID    string     `json:"traceId"`
		SpanID     string     `json:"spanId"`
		State      string     `json:"traceState,omitempty"`
		ParentID   string     `json:"parentSpanId,omitempty"`
		Flags      int        `json:"flags"`
		Name       string     `json:"name"`
		Kind       SpanKind   `json:"kind"`
		Start      string     `json:"startTimeUnixNano"`
		End        string     `json:"endTimeUnixNano"`
		Attributes []keyValue `json:"attributes,omitempty"`
		Links      []link     `json:"links,omitempty"`
		Status     *status    `json:"status,omitempty"`
	}
	link struct {
		TraceID string `json:"traceId"`
		SpanID  string `json:"spanId"`
	}
	status struct {
		Message string `json:"message,omitempty"`
		Code    int    `json:"code"`
	}
	keyValue struct {
		Key   string   `json:"key"`
		Value anyValue `json:"value"`
	}
	anyValue struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
		Bool   *bool   `json:"boolValue,omitempty"`
	}
)

const (
	statusError = 2
	sampledFlag = 1
	mostText    = 4096 // of a text in a span, in bytes
)

// Batches returns how many requests of at most size spans a trace needs.
func (t *Trace) Batches(size int) int { return (len(t.Spans) + size - 1) / size }

// Batch returns the body of request i, from 0: an ExportTraceServiceRequest as JSON.
func (t *Trace) Batch(i, size int) []byte {
	scope := scopeSpans{}
	scope.Scope.Name, scope.Scope.Version = "wf", t.Version
	trace := hex.EncodeToString(t.ID[:])
	for _, s := range t.Spans[i*size : min((i+1)*size, len(t.Spans))] {
		scope.Spans = append(scope.Spans, s.encode(trace, t.State))
	}
	rs := resourceSpans{ScopeSpans: []scopeSpans{scope}}
	for _, key := range slices.Sorted(maps.Keys(t.Resource)) {
		rs.Resource.Attributes = append(rs.Resource.Attributes, Attribute{key, t.Resource[key]}.encode())
	}
	data, err := json.Marshal(request{[]resourceSpans{rs}})
	if err != nil {
		panic("internal error: a trace cannot be encoded: " + err.Error())
	}
	return data
}

func (s *Span) encode(trace, state string) span {
	out := span{TraceID: trace, SpanID: s.ID.String(), State: state, Flags: sampledFlag, Name: text(s.Name), Kind: s.Kind,
		Start: nanoseconds(s.Start), End: nanoseconds(s.End)}
	if s.Parent != (SpanID{}) {
		out.ParentID = s.Parent.String()
	}
	for _, a := range s.Attributes {
		out.Attributes = append(out.Attributes, a.encode())
	}
	for _, l := range s.Links {
		out.Links = append(out.Links, link{hex.EncodeToString(l.Trace[:]), l.Span.String()})
	}
	if s.Failed {
		out.Status = &status{text(s.Message), statusError}
	}
	return out
}

func (a Attribute) encode() keyValue {
	kv := keyValue{Key: a.Key}
	switch v := a.Value.(type) {
	case string:
		kv.Value.String = new(text(v))
	case int64:
		kv.Value.Int = new(strconv.FormatInt(v, 10))
	case bool:
		kv.Value.Bool = &v
	default:
		panic("internal error: an attribute of a span has another type: " + a.Key)
	}
	return kv
}

// text returns valid UTF-8 of limited length.
func text(s string) string {
	if len(s) > mostText {
		s = s[:mostText] + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(max(t.UnixNano(), 0), 10) }
