package tracing

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Folder is the folder, in the state folder, with a note for each run whose trace has not been sent: its Target.
const Folder = "traces"

// NoteName returns the name of the note about run n of the workspace id.
func NoteName(id string, n int) string { return id + "-" + strconv.Itoa(n) + ".json" }

// ParseNoteName is the reverse of NoteName.
func ParseNoteName(name string) (id string, n int, ok bool) {
	name, ok = strings.CutSuffix(name, ".json")
	id, number, found := strings.Cut(name, "-")
	n, err := strconv.Atoi(number)
	return id, n, ok && found && err == nil && n > 0 && strconv.Itoa(n) == number
}

// A Target says where the trace of a run is sent, and how it is described. It may contain secrets (Headers).
type Target struct {
	Endpoint    string            `json:"endpoint"` // the URL of the requests
	Headers     map[string]string `json:"headers,omitempty"`
	TimeoutMS   int64             `json:"timeout_ms"`            // of one request
	Plain       bool              `json:"plain,omitempty"`       // requests are not compressed
	Certificate string            `json:"certificate,omitempty"` // path of the certificates to trust; "" = those of the system
	Resource    map[string]string `json:"resource"`              // attributes; service.name is always there
}

const (
	defaultTimeout = 10 * time.Second
	longestTimeout = time.Minute
	longestState   = 512 // of tracestate, in bytes
)

// environment is the variables of a run. Empty ones count as missing, as OpenTelemetry demands.
type environment map[string]string

func environmentOf(env []string) environment {
	e := environment{}
	for _, v := range env {
		if key, value, ok := strings.Cut(v, "="); ok && (strings.HasPrefix(key, "OTEL_") || key == ParentVariable || key == StateVariable) {
			e[key] = strings.TrimSpace(value)
		}
	}
	return e
}

// forTraces returns the variable for traces, or else the one for all signals.
func (e environment) forTraces(what string) string {
	if v := e["OTEL_EXPORTER_OTLP_TRACES_"+what]; v != "" {
		return v
	}
	return e["OTEL_EXPORTER_OTLP_"+what]
}

// A Collector is the place for the traces of runs whose environment names none.
type Collector struct {
	Endpoint string // base URL; "" = none
	// Headers are sent there and nowhere else, as in OTEL_EXPORTER_OTLP_HEADERS, which takes precedence. They may be secret.
	Headers string
}

// Plan reads the environment of a run. target is nil if the run
// is not traced: tracing is off, or the caller has decided not to record its trace. parent and state are the context that
// the run inherits, if it is traced. An error is a reason not to trace although the user wants it.
func Plan(env []string, usual Collector) (target *Target, parent, state string, err error) {
	e := environmentOf(env)
	if strings.EqualFold(e["OTEL_SDK_DISABLED"], "true") || e["OTEL_TRACES_EXPORTER"] == "none" {
		return nil, "", "", nil
	}
	if c, ok := ParseContext(e[ParentVariable]); ok {
		if !c.Sampled {
			return nil, "", "", nil
		}
		parent = e[ParentVariable]
		if s := e[StateVariable]; len(s) <= longestState && printable(s) {
			state = s
		}
	}
	t := &Target{Endpoint: e["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"], TimeoutMS: defaultTimeout.Milliseconds(),
		Plain: e.forTraces("COMPRESSION") == "none", Certificate: e.forTraces("CERTIFICATE")}
	if t.Endpoint == "" {
		base := e["OTEL_EXPORTER_OTLP_ENDPOINT"]
		if base == "" {
			base, e["OTEL_EXPORTER_OTLP_HEADERS"] = usual.Endpoint, cmp.Or(e["OTEL_EXPORTER_OTLP_HEADERS"], usual.Headers)
		}
		if base == "" {
			return nil, "", "", nil
		}
		t.Endpoint = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	if err := t.read(e); err != nil {
		return nil, "", "", err
	}
	return t, parent, state, nil
}

// CheckHeaders returns an error, without values, if a text has not the form of OTEL_EXPORTER_OTLP_HEADERS.
func CheckHeaders(text string) error {
	_, err := pairs(text)
	return err
}

// CheckEndpoint returns an error if traces cannot be sent to a URL.
func CheckEndpoint(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the endpoint %q is not a URL with http or https", text)
	}
	return nil
}

// read adds the other variables.
func (t *Target) read(e environment) (err error) {
	if err := CheckEndpoint(t.Endpoint); err != nil {
		return err
	}
	if p := e.forTraces("PROTOCOL"); p == "grpc" {
		return fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is grpc: traces are sent as http/json only")
	}
	if text := e.forTraces("TIMEOUT"); text != "" {
		ms, err := strconv.ParseInt(text, 10, 64)
		if err != nil || ms <= 0 {
			return fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT %q is not a number of milliseconds", text)
		}
		t.TimeoutMS = min(ms, longestTimeout.Milliseconds())
	}
	if t.Headers, err = pairs(e.forTraces("HEADERS")); err != nil {
		return fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS: %w", err)
	}
	resource, err := pairs(e["OTEL_RESOURCE_ATTRIBUTES"])
	if err != nil {
		return fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t.Resource = map[string]string{"service.name": "wf"}
	maps.Copy(t.Resource, resource)
	if name := e["OTEL_SERVICE_NAME"]; name != "" {
		t.Resource["service.name"] = name
	}
	return nil
}

// pairs reads key=value,key=value with percent-encoded values. Errors do not contain values, which may be secret.
func pairs(text string) (map[string]string, error) {
	list := map[string]string{}
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || key == "" || err != nil {
			return nil, fmt.Errorf("entry %d is not KEY=VALUE", i+1)
		}
		list[key] = decoded
	}
	return list, nil
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}
