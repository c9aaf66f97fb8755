package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A field is one of the five fields of a cron expression.
type field struct {
	name        string
	least, most int
	words       []string // names of the values from least
}

var fields = []field{
	{name: "minute", most: 59},
	{name: "hour", most: 23},
	{name: "day of the month", least: 1, most: 31},
	{name: "month", least: 1, most: 12, words: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{name: "day of the week", most: 7, words: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// macros are names for common schedules.
var macros = map[string]string{"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *"}

// ParseCron reads a cron expression of five fields: minute, hour, day of the month, month and day of the week (0 and 7 are
// Sunday). A field is * or a list of values, ranges a-b and steps a-b/n or */n. Months and days of the week may be written as
// English words of three letters. If both fields of days are restricted, a day needs to match only one of them, as in POSIX;
// a field is not restricted if it begins with *. It refuses expressions without any instant.
func ParseCron(text string, zone *time.Location) (*Cron, error) {
	parts := strings.Fields(text)
	if len(parts) == 1 && strings.HasPrefix(parts[0], "@") {
		full, known := macros[strings.ToLower(parts[0])]
		if !known {
			return nil, fmt.Errorf("%s is unknown: there are @hourly, @daily, @weekly, @monthly and @yearly", parts[0])
		}
		parts = strings.Fields(full)
	}
	if len(parts) != len(fields) {
		hint := "such as 0 2 * * * (at two every night)"
		if len(parts) == len(fields)+1 {
			hint = "without seconds and years; every: 30s has seconds"
		}
		return nil, fmt.Errorf("%q has %d fields: five are needed (minute, hour, day, month, day of the week), %s", text, len(parts), hint)
	}
	c := &Cron{zone: zone}
	for i, into := range []*uint64{&c.minutes, &c.hours, &c.days, &c.months, &c.weekdays} {
		set, err := fields[i].parse(parts[i])
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", fields[i].name, parts[i], err)
		}
		*into = set
	}
	c.weekdays = (c.weekdays | c.weekdays>>7) & 0x7f // 7 is Sunday, too
	c.anyDay, c.anyWeekday = strings.HasPrefix(parts[2], "*"), strings.HasPrefix(parts[4], "*")
	if c.anyWeekday && !c.possible() {
		return nil, fmt.Errorf("%q never happens: none of the months has such a day", text)
	}
	return c, nil
}

// possible reports whether one of the months has one of the days.
func (c *Cron) possible() bool {
	for month := time.January; month <= time.December; month++ {
		length := time.Date(2000, month+1, 0, 0, 0, 0, 0, time.UTC).Day() // of a leap year
		if c.months&(1<<month) != 0 && c.days&(1<<(length+1)-1) != 0 {
			return true
		}
	}
	return false
}

// parse reads a list.
func (f field) parse(text string) (set uint64, err error) {
	for item := range strings.SplitSeq(text, ",") {
		one, err := f.parseItem(item)
		if err != nil {
			return 0, err
		}
		set |= one
	}
	return set, nil
}

// parseItem reads a value, a range or a step.
func (f field) parseItem(text string) (set uint64, err error) {
	span, stepText, stepped := strings.Cut(text, "/")
	first, last, ranged := strings.Cut(span, "-")
	from, to := f.least, f.most
	if span != "*" {
		if from, err = f.value(first); err != nil {
			return 0, err
		}
		to = from
		if ranged {
			if to, err = f.value(last); err != nil {
				return 0, err
			}
		}
	} else if f.most == 7 {
		to = 6
	}
	step := 1
	if stepped {
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 || step > f.most {
			return 0, fmt.Errorf("the step %q must be a number from 1 to %d", stepText, f.most)
		}
		if span != "*" && !ranged {
			return 0, fmt.Errorf("a step needs a range: write %s-%d/%s", span, f.most, stepText)
		}
	}
	if from > to {
		return 0, fmt.Errorf("the range %s goes backwards: write %d-%d,%d-%d", span, from, f.highest(), f.least, to)
	}
	for n := from; n <= to; n += step {
		set |= 1 << n
	}
	return set, nil
}

// highest is the highest value for messages: 7 is only another name of Sunday.
func (f field) highest() int {
	if f.most == 7 {
		return 6
	}
	return f.most
}

// value reads a number or a word.
func (f field) value(text string) (int, error) {
	if i := slices.Index(f.words, strings.ToLower(text)); i >= 0 {
		return f.least + i, nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil && f.words != nil:
		return 0, fmt.Errorf("%q is neither a number from %d to %d nor one of %s", text, f.least, f.most, strings.Join(f.words, ", "))
	case err != nil || n < f.least || n > f.most || strings.HasPrefix(text, "+"):
		return 0, fmt.Errorf("%q is not a number from %d to %d", text, f.least, f.most)
	}
	return n, nil
}
