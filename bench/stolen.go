package main

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// A processorTime is the time of all processors since the start of the machine, in ticks.
type processorTime struct{ stolen, all int64 }

// readProcessorTime returns the present time, or zero where the system does not tell.
func readProcessorTime() processorTime {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return processorTime{}
	}
	return parseProcessorTime(string(text))
}

// parseProcessorTime reads the first line of /proc/stat: cpu user nice system idle iowait irq softirq steal …
func parseProcessorTime(text string) (t processorTime) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return processorTime{}
	}
	for i, field := range fields[1:9] { // guest time, which follows, is part of user time
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return processorTime{}
		}
		t.all += ticks
		if i == 7 {
			t.stolen = ticks
		}
	}
	return t
}

// stolenSince returns which part of the time since then the hypervisor has given to other machines, from 0 to 1, rounded.
func (t processorTime) stolenSince(then processorTime) float64 {
	if t.all <= then.all {
		return 0
	}
	return math.Round(1000*float64(t.stolen-then.stolen)/float64(t.all-then.all)) / 1000
}

// tolerableSteal is the part of the time above which a result says more about other machines than about this program.
const tolerableSteal = 0.02
