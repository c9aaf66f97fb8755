package tracing

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParseContext(t *testing.T) {
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	c, ok := ParseContext(good)
	if !ok || fmt.Sprintf("%x", c.Trace) != "4bf92f3577b34da6a3ce929d0e0e4736" || c.Span.String() != "00f067aa0ba902b7" || !c.Sampled {
		t.Errorf("%+v, %v", c, ok)
	}
	for text, want := range map[string]bool{
		good[:53] + "00": true, "cc" + good[2:]: true, "cc" + good[2:] + "-what-follows": true, // a later version
		"": false, good + "-x": false, "cc" + good[2:] + ".x": false, "ff" + good[2:]: false, strings.ToUpper(good): false,
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01": false, "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01": false,
		"00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01": false, good[:54] + "x": false, " " + good: false, good[1:] + "0": false,
	} {
		if c, ok := ParseContext(text); ok != want {
			t.Errorf("%q: %+v, %v", text, c, ok)
		}
	}
}

func TestIDs(t *testing.T) {
	a, b := NewIDs("w/1/key", ""), NewIDs("w/1/key", "nonsense")
	if a != b {
		t.Error("the same run has two traces")
	}
	other := NewIDs("w/2/key", "")
	if a.Trace == other.Trace || a.Root == other.Root {
		t.Error("two runs have one trace")
	}
	inherited := NewIDs("w/1/key", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	if fmt.Sprintf("%x", inherited.Trace) != "4bf92f3577b34da6a3ce929d0e0e4736" || inherited.Root != a.Root {
		t.Errorf("%+v", inherited)
	}
	seen := map[SpanID]string{}
	for _, node := range []string{"a", "b", "a1", "", "x[0]/a"} {
		for n := range 3 {
			for name, id := range map[string]SpanID{"e": a.Execution(node, n+1), "c": a.Container(fmt.Sprint(node, n))} {
				if before, twice := seen[id]; twice {
					t.Errorf("%s and %s%s%d have the id %v", before, name, node, n, id)
				}
				seen[id] = name + node + fmt.Sprint(n)
			}
		}
	}
	if c, ok := ParseContext(a.Parent(a.Root)); !ok || c.Trace != a.Trace || c.Span != a.Root || !c.Sampled {
		t.Errorf("%s", a.Parent(a.Root))
	}
}

func TestPlan(t *testing.T) {
	const parent = "TRACEPARENT=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0"
	for _, tc := range []struct {
		env      string // separated by |
		endpoint string
		want     string // of the target as JSON, "off", or a part of the error
	}{
		{"PATH=/bin", "", "off"},
		{"PATH=/bin", "http://c:4318", `{"endpoint":"http://c:4318/v1/traces","headers":{"key":"a,b","x":"y z"},"timeout_ms":10000,"resource":{"service.name":"wf"}}`},
		{"OTEL_EXPORTER_OTLP_HEADERS=b=2", "http://c", `{"endpoint":"http://c/v1/traces","headers":{"b":"2"},"timeout_ms":10000,"resource":{"service.name":"wf"}}`},
		{"OTEL_EXPORTER_OTLP_TRACES_HEADERS=b=2", "http://c", `{"endpoint":"http://c/v1/traces","headers":{"b":"2"},"timeout_ms":10000,"resource":{"service.name":"wf"}}`},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=https://c/base/", "http://other", `{"endpoint":"https://c/base/v1/traces","timeout_ms":10000,"resource":{"service.name":"wf"}}`},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a|OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://b/t", "", `{"endpoint":"http://b/t","timeout_ms":10000,"resource":{"service.name":"wf"}}`},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=", "", "off"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a|OTEL_SDK_DISABLED=True", "", "off"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a|OTEL_SDK_DISABLED=1|OTEL_TRACES_EXPORTER=none", "", "off"},
		{parent + "0", "http://a", "off"}, // the caller does not record its trace
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a|OTEL_EXPORTER_OTLP_HEADERS=a=1, b = x%20y,|OTEL_EXPORTER_OTLP_TIMEOUT=500|OTEL_EXPORTER_OTLP_COMPRESSION=none|OTEL_RESOURCE_ATTRIBUTES=service.name=x,team=blue%2Cred|OTEL_SERVICE_NAME=nightly|OTEL_EXPORTER_OTLP_CERTIFICATE=/c.pem", "",
			`{"endpoint":"http://a/v1/traces","headers":{"a":"1","b":"x y"},"timeout_ms":500,"plain":true,"certificate":"/c.pem","resource":{"service.name":"nightly","team":"blue,red"}}`},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a|OTEL_EXPORTER_OTLP_HEADERS=a=1|OTEL_EXPORTER_OTLP_TRACES_HEADERS=b=2|OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=99999999", "",
			`{"endpoint":"http://a/v1/traces","headers":{"b":"2"},"timeout_ms":60000,"resource":{"service.name":"wf"}}`},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4317", "", "is not a URL"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a|OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "", "http/json only"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a|OTEL_EXPORTER_OTLP_TIMEOUT=10s", "", "milliseconds"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a|OTEL_EXPORTER_OTLP_HEADERS=secret", "", "entry 1"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a|OTEL_RESOURCE_ATTRIBUTES=a=%zz", "", "entry 1"},
	} {
		target, _, _, err := Plan(strings.Split(tc.env, "|"), Collector{tc.endpoint, "key=a%2Cb,\nx = y z"})
		got := "off"
		switch {
		case err != nil:
			if got = err.Error(); strings.Contains(got, tc.want) && !strings.Contains(got, "secret") {
				got = tc.want
			}
		case target != nil:
			data, _ := json.Marshal(target)
			got = string(data)
		}
		if got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.env, got, tc.want)
		}
	}
	_, got, state, _ := Plan([]string{parent + "1", "TRACESTATE=a=b"}, Collector{Endpoint: "http://a"})
	if "TRACEPARENT="+got != parent+"1" || state != "a=b" {
		t.Errorf("parent %q, state %q", got, state)
	}
	if _, _, state, _ := Plan([]string{parent + "1", "TRACESTATE=" + strings.Repeat("x", 600)}, Collector{Endpoint: "http://a"}); state != "" {
		t.Error("a long state was kept")
	}
}

// TestBatch compares a whole request with its text.
func TestBatch(t *testing.T) {
	at := time.Unix(1, 5)
	ids := NewIDs("w/1/k", "")
	tr := &Trace{ID: ids.Trace, State: "a=b", Version: "1", Resource: map[string]string{"service.name": "wf", "a": "é\xff"}, Spans: []Span{
		{ID: ids.Root, Name: "run w", Kind: Server, Start: at, End: at.Add(time.Second), Links: []Context{{Trace: ids.Trace, Span: ids.Root}}},
		{ID: ids.Execution("n", 1), Parent: ids.Root, Name: "n", Kind: Internal, Start: at, End: at, Failed: true, Message: "no",
			Attributes: []Attribute{{"s", "x"}, {"i", int64(-3)}, {"b", true}}},
		{ID: ids.Execution("n", 2), Parent: ids.Root, Name: "n", Kind: Internal},
	}}
	trace, root, one, two := fmt.Sprintf("%x", ids.Trace), ids.Root.String(), ids.Execution("n", 1).String(), ids.Execution("n", 2).String()
	head := `{"resourceSpans":[{"resource":{"attributes":[{"key":"a","value":{"stringValue":"é` + "\ufffd" + `"}},{"key":"service.name","value":{"stringValue":"wf"}}]},` +
		`"scopeSpans":[{"scope":{"name":"wf","version":"1"},"spans":[`
	want := []string{
		head + `{"traceId":"` + trace + `","spanId":"` + root + `","traceState":"a=b","flags":1,"name":"run w","kind":2,"startTimeUnixNano":"1000000005","endTimeUnixNano":"2000000005",` +
			`"links":[{"traceId":"` + trace + `","spanId":"` + root + `"}]},` +
			`{"traceId":"` + trace + `","spanId":"` + one + `","traceState":"a=b","parentSpanId":"` + root + `","flags":1,"name":"n","kind":1,"startTimeUnixNano":"1000000005","endTimeUnixNano":"1000000005",` +
			`"attributes":[{"key":"s","value":{"stringValue":"x"}},{"key":"i","value":{"intValue":"-3"}},{"key":"b","value":{"boolValue":true}}],"status":{"message":"no","code":2}}]}]}]}`,
		head + `{"traceId":"` + trace + `","spanId":"` + two + `","traceState":"a=b","parentSpanId":"` + root + `","flags":1,"name":"n","kind":1,"startTimeUnixNano":"0","endTimeUnixNano":"0"}]}]}]}`,
	}
	if tr.Batches(2) != 2 || tr.Batches(3) != 1 {
		t.Error("the number of requests")
	}
	for i, w := range want {
		if got := string(tr.Batch(i, 2)); got != w {
			t.Errorf("request %d:\n got %s\nwant %s", i, got, w)
		}
	}
}

func FuzzParseContext(f *testing.F) {
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := ParseContext(text); ok && (len(text) < lengthOf00 || c.Span == SpanID{}) {
			t.Errorf("%q is accepted", text)
		}
	})
}

func BenchmarkExecution(b *testing.B) {
	ids := NewIDs("w/1/key", "")
	for b.Loop() {
		_ = ids.Parent(ids.Execution("samples[123]/align", 1))
	}
}
