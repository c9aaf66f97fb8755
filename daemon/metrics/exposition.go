// Package metrics writes figures in the text formats of OpenMetrics and Prometheus, and keeps counts of runs in a file, so
// that they survive the daemon. It does not know how runs work: others tell it what ended, and add their figures as a Source.
package metrics

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"wf/graph/pattern"
)

// A Format is a text format.
type Format int

const (
	// OpenMetrics is version 1.0.0, for scrapers that ask for it.
	OpenMetrics Format = iota
	// Prometheus is the older text format, version 0.0.4, which node_exporter and promtool read. It has no units and no
	// times of creation.
	Prometheus
)

// FormatFor returns the format for the Accept header of a request: OpenMetrics if the client knows it.
func FormatFor(accept string) Format {
	if strings.Contains(accept, "application/openmetrics-text") {
		return OpenMetrics
	}
	return Prometheus
}

// ContentType returns the content type of the format.
func (f Format) ContentType() string {
	if f == OpenMetrics {
		return "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	return "text/plain; version=0.0.4; charset=utf-8"
}

// A Kind is the type of a family.
type Kind string

// The kinds of families. The name of a family is without the ending that the formats add (_total, _info).
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Info      Kind = "info" // its labels are the information
	Histogram Kind = "histogram"
)

// A Label is a name with a value, which may be any text.
type Label struct{ Name, Value string }

// A Writer collects families. Create one with NewWriter; call Bytes at the end.
type Writer struct {
	format Format
	text   bytes.Buffer
	names  map[string]bool
}

// NewWriter returns an empty Writer.
func NewWriter(f Format) *Writer { return &Writer{format: f, names: map[string]bool{}} }

// Bytes returns the finished text. Nothing may be added after it.
func (w *Writer) Bytes() []byte {
	if w.format == OpenMetrics {
		w.text.WriteString("# EOF\n")
	}
	return w.text.Bytes()
}

// A Family is the samples of one name. The samples of a Writer's families must not be mixed: add all of one before the next.
type Family struct {
	w          *Writer
	kind       Kind
	name, help string
	begun      bool
	seen       map[string]bool
}

var validName = pattern.Of(`^[a-z][a-z0-9_]*$`)

// Family begins a family. A name that ends with _seconds, _bytes or _ratio has that unit. Help is a sentence. It panics if the
// name is invalid or was used before, because names are constants.
func (w *Writer) Family(kind Kind, name, help string) *Family {
	if !validName.Get().MatchString(name) || w.names[name] {
		panic("internal error: the name of a metric is invalid or occurs twice: " + name)
	}
	w.names[name] = true
	return &Family{w: w, kind: kind, name: name, help: help, seen: map[string]bool{}}
}

// begin writes what stands before the first sample.
func (f *Family) begin() {
	if f.begun {
		return
	}
	f.begun = true
	name, kind := f.name, f.kind
	if f.w.format == Prometheus { // the type belongs to the name of the sample
		switch kind {
		case Counter:
			name += "_total"
		case Info:
			name, kind = name+"_info", Gauge
		}
	}
	fmt.Fprintf(&f.w.text, "# HELP %s %s\n# TYPE %s %s\n", name, f.helpText(), name, kind)
	for _, unit := range []string{"seconds", "bytes", "ratio"} {
		if f.w.format == OpenMetrics && strings.HasSuffix(f.name, "_"+unit) {
			fmt.Fprintf(&f.w.text, "# UNIT %s %s\n", f.name, unit)
		}
	}
}

func (f *Family) helpText() string {
	if f.w.format == OpenMetrics {
		return labelEscapes.Replace(f.help) // quotes, too
	}
	return helpEscapes.Replace(f.help)
}

// Gauge adds a sample of a Gauge.
func (f *Family) Gauge(value float64, labels ...Label) {
	f.begin()
	f.sample("", value, f.unique(labels))
}

// Info adds the sample of an Info.
func (f *Family) Info(labels ...Label) {
	f.begin()
	f.sample("_info", 1, f.unique(labels))
}

// Counter adds a sample of a Counter that has counted since created.
func (f *Family) Counter(value float64, created time.Time, labels ...Label) {
	f.begin()
	labels = f.unique(labels)
	f.sample("_total", value, labels)
	f.created(created, labels)
}

// Histogram adds a sample of a Histogram that has counted since created: how many observations were at most bounds[i], and
// above the bound before. counts has one more number, of those above all bounds. sum is the sum of the observations.
func (f *Family) Histogram(bounds []float64, counts []int64, sum float64, created time.Time, labels ...Label) {
	f.begin()
	labels = f.unique(labels)
	var total int64
	for i, n := range counts {
		total += n
		bound := "+Inf"
		if i < len(bounds) {
			bound = number(bounds[i])
			if f.w.format == OpenMetrics && bounds[i] == math.Trunc(bounds[i]) {
				bound += ".0" // the canonical form
			}
		}
		f.sample("_bucket", float64(total), append(labels[:len(labels):len(labels)], Label{"le", bound}))
	}
	f.sample("_sum", sum, labels)
	f.sample("_count", float64(total), labels)
	f.created(created, labels)
}

func (f *Family) created(at time.Time, labels []Label) {
	if f.w.format == OpenMetrics && !at.IsZero() {
		f.sample("_created", Seconds(at), labels)
	}
}

// Seconds returns a time as seconds since 1970, to the millisecond.
func Seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }

func (f *Family) sample(ending string, value float64, labels []Label) {
	f.w.text.WriteString(f.name + ending)
	f.w.text.WriteString(labelText(labels))
	f.w.text.WriteString(" " + number(value) + "\n")
}

func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// unique returns labels with clean values. If the family has a sample with the same ones, the last value gets a number:
// readers refuse the whole text for two samples with the same labels.
func (f *Family) unique(labels []Label) []Label {
	clean := make([]Label, len(labels))
	for i, l := range labels {
		clean[i] = Label{l.Name, cleanValue(l.Value)}
	}
	text := labelText(clean)
	for n := 2; f.seen[text] && len(clean) > 0; n++ {
		last := len(clean) - 1
		clean[last].Value = cleanValue(labels[last].Value) + "~" + strconv.Itoa(n)
		text = labelText(clean)
	}
	f.seen[text] = true
	return clean
}

// mostLabel bounds a value, in bytes before escaping.
const mostLabel = 1000

// cleanValue returns a text that every reader of the formats accepts: control characters and bytes that are not UTF-8 become
// \xNN, and a long text ends with "…".
func cleanValue(s string) string {
	var b strings.Builder
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		if b.Len()+size > mostLabel {
			b.WriteString("…")
			break
		}
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r < ' ' || r >= 0x7f && r <= 0x9f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var (
	labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

func labelText(labels []Label) string {
	if len(labels) == 0 {
		return ""
	}
	parts := make([]string, len(labels))
	for i, l := range labels {
		parts[i] = l.Name + `="` + labelEscapes.Replace(l.Value) + `"`
	}
	return "{" + strings.Join(parts, ",") + "}"
}
