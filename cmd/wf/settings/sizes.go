package settings

import (
	"strconv"
	"strings"
	"time"

	"wf/cmd/wf/exit"
	"wf/graph/timespan"
)

// ParseSize parses a number of bytes: 500MB, 10GB, 1.5TB (powers of 1000), 10GiB (of 1024). "" is 0.
func ParseSize(text string) (int64, error) {
	number, factor := strings.TrimSpace(text), 1.0
	for _, unit := range []struct {
		name   string
		factor float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1}} {
		if n, ok := strings.CutSuffix(number, unit.name); ok {
			number, factor = strings.TrimSpace(n), unit.factor
			break
		}
	}
	if number == "" && factor == 1 {
		return 0, nil
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n < 0 || n*factor > 1<<60 || n != n {
		return 0, exit.Usage("size %s: must be like 500MB or 10GB", text)
	}
	return int64(n * factor), nil
}

// ParseAge parses an age: 30d, 12h. "" is 0.
func ParseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := timespan.Parse(text)
	if err != nil {
		return 0, exit.Usage("age %s: must be like 30d, 12h or 90m", text)
	}
	return d, nil
}
