// Package timespan parses durations that users write in attributes of workfiles, in expressions, in settings
// and on the command line. It does not read the clock.
package timespan

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Day is 24 hours, regardless of daylight saving time.
const Day = 24 * time.Hour

var errForm = errors.New("is not a duration; write it like 500ms, 30s, 1h30m or 7d")

// Parse parses a duration: 500ms, 30s, 1h30m, 7d, 1d12h. It is time.ParseDuration with days. The result is
// never negative. The error describes the mistake and the correct form, without the text itself.
func Parse(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if positive, signed := strings.CutPrefix(text, "-"); signed {
		if d, err := Parse(positive); err == nil && d > 0 {
			return 0, errors.New("is negative; write a time from 0, like 30s")
		}
	}
	days, rest, err := cutDays(text)
	if err != nil {
		return 0, err
	}
	if rest == "" && rest != text {
		return days, nil
	}
	d, err := time.ParseDuration(rest)
	switch {
	case err == nil && d > math.MaxInt64-days:
		return 0, errLong
	case err == nil:
		return days + d, nil
	case text != "" && len(text) <= 12 && strings.Trim(text, "0123456789.") == "":
		return 0, fmt.Errorf("has no unit; write %ss, %sm or %sh", text, text, text)
	}
	return 0, errForm
}

var errLong = errors.New("is longer than 292 years, which is the most")

// cutDays parses a number of days at the start of a text. Without one, rest is the whole text.
func cutDays(text string) (days time.Duration, rest string, err error) {
	number, rest, found := strings.Cut(text, "d")
	if !found || strings.Trim(number, "0123456789.") != "" {
		return 0, text, nil
	}
	if rest != "" && strings.Trim(rest[:1], "0123456789.") != "" {
		return 0, text, nil // a sign or another word
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, text, errForm
	}
	if n*float64(Day) >= math.MaxInt64 {
		return 0, text, errLong
	}
	return time.Duration(n * float64(Day)), rest, nil
}
