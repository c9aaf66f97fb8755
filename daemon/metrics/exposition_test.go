package metrics

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// sampleText returns a text with a family of every kind.
func sampleText(f Format, hostile string) string {
	at := time.Unix(1_700_000_000, 5e8)
	w := NewWriter(f)
	w.Family(Counter, "wf_runs", "Runs.").Counter(3, at, Label{"workfile", hostile}, Label{"result", "failed"})
	g := w.Family(Gauge, "wf_age_seconds", `How "old"\it is.`)
	g.Gauge(1.5, Label{"workfile", "/a"})
	g.Gauge(1e21, Label{"workfile", hostile})
	w.Family(Gauge, "wf_empty", "It has no samples.")
	w.Family(Info, "wf_build", "The version.").Info(Label{"version", "1.0"})
	w.Family(Histogram, "wf_run_seconds", "Durations.").Histogram([]float64{1, 2.5}, []int64{4, 0, 2}, 19.25, at, Label{"workfile", hostile})
	return string(w.Bytes())
}

func TestFormats(t *testing.T) {
	if got, want := sampleText(OpenMetrics, "/a b"), `# HELP wf_runs Runs.
# TYPE wf_runs counter
wf_runs_total{workfile="/a b",result="failed"} 3
wf_runs_created{workfile="/a b",result="failed"} 1700000000.5
# HELP wf_age_seconds How \"old\"\\it is.
# TYPE wf_age_seconds gauge
# UNIT wf_age_seconds seconds
wf_age_seconds{workfile="/a"} 1.5
wf_age_seconds{workfile="/a b"} 1000000000000000000000
# HELP wf_build The version.
# TYPE wf_build info
wf_build_info{version="1.0"} 1
# HELP wf_run_seconds Durations.
# TYPE wf_run_seconds histogram
# UNIT wf_run_seconds seconds
wf_run_seconds_bucket{workfile="/a b",le="1.0"} 4
wf_run_seconds_bucket{workfile="/a b",le="2.5"} 4
wf_run_seconds_bucket{workfile="/a b",le="+Inf"} 6
wf_run_seconds_sum{workfile="/a b"} 19.25
wf_run_seconds_count{workfile="/a b"} 6
wf_run_seconds_created{workfile="/a b"} 1700000000.5
# EOF
`; got != want {
		t.Errorf("got\n%s", got)
	}
	text := sampleText(Prometheus, "/a b")
	for _, want := range []string{"# TYPE wf_runs_total counter\nwf_runs_total{", "# TYPE wf_build_info gauge\n", `le="1"}`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, bad := range []string{"# EOF", "# UNIT", "_created"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q in\n%s", bad, text)
		}
	}
}

func TestFormatFor(t *testing.T) {
	for accept, want := range map[string]Format{
		"": Prometheus, "*/*": Prometheus, "text/plain;version=0.0.4": Prometheus,
		"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1": OpenMetrics,
	} {
		if got := FormatFor(accept); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
}

// TestHostileLabels: whatever a label has, the text is valid, has two different samples, and readable texts stay as they are.
func TestHostileLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"\"", "\\", "\n", "\r", "\x00", "\xff", "\xc3", "é", "\u2028", "{", "}", ",", "=", "#", " ", "a", "\x1b[31m", "~2", strings.Repeat("x", 600)}
	for range 2000 {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		for _, f := range []Format{OpenMetrics, Prometheus} {
			checkText(t, f, sampleText(f, b.String()))
		}
	}
}

func FuzzLabel(f *testing.F) {
	f.Add("/a", "/b")
	f.Add("\xff", `\xff`)
	f.Add("a~2", "a")
	f.Fuzz(func(t *testing.T, a, b string) {
		w := NewWriter(OpenMetrics)
		g := w.Family(Gauge, "wf_g", "A gauge.")
		for _, v := range []string{a, b, a, a + "~2"} {
			g.Gauge(1, Label{"l", v})
		}
		samples := checkText(t, OpenMetrics, string(w.Bytes()))
		if len(samples) != 4 {
			t.Fatalf("%d samples of 4", len(samples))
		}
		if got := samples[0].labels["l"]; a != "" && utf8.ValidString(a) && !strings.ContainsFunc(a, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) && len(a) < mostLabel && got != a {
			t.Errorf("%q became %q", a, got)
		}
	})
}

// TestPromtool lets the tool of Prometheus read a text.
func TestPromtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian: package prometheus)")
	}
	cmd := exec.Command(promtool, "check", "metrics")
	cmd.Stdin = strings.NewReader(sampleText(Prometheus, "/tmp/\"a\\b\n\xff"))
	out, err := cmd.CombinedOutput()
	// The names of counters and units are judged, too.
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	// The reader of OpenMetrics wants times, which we do not write.
	var b strings.Builder
	for line := range strings.Lines(sampleText(OpenMetrics, "/tmp/\"a\\b\n\xff")) {
		if !strings.HasPrefix(line, "#") {
			line = strings.TrimSuffix(line, "\n") + " 1700000100\n"
		}
		b.WriteString(line)
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/text", []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(promtool, "tsdb", "create-blocks-from", "openmetrics", dir+"/text", dir+"/blocks").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, b.String())
	}
}

func TestNamesArePanics(t *testing.T) {
	for _, name := range []string{"", "Wf", "wf-runs", "wf_a"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was accepted", name)
				}
			}()
			w := NewWriter(OpenMetrics)
			w.Family(Gauge, "wf_a", "First.")
			w.Family(Gauge, name, "Second.")
		}()
	}
}
