package metrics

import (
	"strings"
	"testing"
	"time"
)

func TestDistribution(t *testing.T) {
	d := NewDistribution(0.1, 1)
	for _, x := range []time.Duration{-time.Hour, 0, 100 * time.Millisecond, 101 * time.Millisecond, time.Hour} {
		d.Observe(x)
	}
	w := NewWriter(Prometheus)
	d.Write(w.Family(Histogram, "wf_lag_seconds", "Lag."))
	text := string(w.Bytes())
	checkText(t, Prometheus, text)
	for _, want := range []string{`{le="0.1"} 3`, `{le="1"} 4`, `{le="+Inf"} 5`, "_sum 3600.201", "_count 5"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
