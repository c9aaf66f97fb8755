package settings

import (
	"testing"
	"time"

	"wf/scheduler/flow"
)

func TestRates(t *testing.T) {
	for text, want := range map[string]time.Duration{"20/1m": time.Minute, "20/m": time.Minute, "20 / 2h": 2 * time.Hour, "20": 0, "0/1m": 0, "20/": 0, "20/0s": 0, "x/1m": 0} {
		calls, per, err := parseRate(text)
		if per != want || (err == nil) != (want > 0) || err == nil && calls != 20 {
			t.Errorf("%s: %d in %v, %v", text, calls, per, err)
		}
	}
}

func TestResourceLimits(t *testing.T) {
	got, err := parseResourceLimits("cpus=64, mem=512G time=2d")
	if want := (flow.Resources{CPUs: 64, Memory: 512 << 30, Time: 48 * time.Hour}); got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"64", "cpus=many", "partition=long", "mem=512"} {
		if _, err := parseResourceLimits(text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
