package schedule

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var sweep = flag.Bool("sweep", false, "compare the schedules around every change of offset of every zone (minutes)")

// slowInstants is a second reading of cron expressions: it looks at every minute as a person with a calendar and a clock would.
// It shares no code with the first one.
func slowInstants(text string, zone *time.Location, after, until time.Time) (list []time.Time) {
	if full, ok := map[string]string{"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
		"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *"}[strings.ToLower(strings.TrimSpace(text))]; ok {
		text = full
	}
	f := strings.Fields(text)
	hourly := true
	for h := range 24 {
		hourly = hourly && slowField(f[1], h, 23, "")
	}
	matches := slowMatch(f)
	seen := map[time.Time]bool{} // civil minutes that the clock has shown or skipped
	begin := after.Truncate(time.Minute).Add(-52 * time.Hour)
	var last time.Time
	for at := begin; at.Before(until); at = at.Add(time.Minute) {
		shows := onDial(at.In(zone))
		hit := matches(shows) && (hourly || !seen[shows])
		if !hourly && at.After(begin) {
			// Walk on the dial from the minute before to this one, if it jumped forward.
			for skipped := last.Add(time.Minute); skipped.Before(shows); skipped = skipped.Add(time.Minute) {
				if !seen[skipped] {
					hit = hit || matches(skipped)
					seen[skipped] = true
				}
			}
		}
		seen[shows], last = true, shows
		if hit && at.After(after) {
			list = append(list, at)
		}
	}
	return list
}

// onDial returns what the clock shows at a time, as a time in UTC.
func onDial(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
}

// slowMatch returns the test whether a civil minute matches the five fields: it tries every value of a field once.
func slowMatch(f []string) func(at time.Time) bool {
	const week = "sun mon tue wed thu fri sat"
	try := func(text string, most int, words string) (in [60]bool) {
		for n := range most + 1 {
			in[n] = slowField(text, n, most, words)
		}
		return in
	}
	minutes, hours, days := try(f[0], 59, ""), try(f[1], 23, ""), try(f[2], 31, "")
	months, weekdays := try(f[3], 12, " jan feb mar apr may jun jul aug sep oct nov dec"), try(f[4], 6, week)
	sunday := weekdays[0] || f[4][0] != '*' && slowField(f[4], 7, 7, week)
	return func(at time.Time) bool {
		if !minutes[at.Minute()] || !hours[at.Hour()] || !months[at.Month()] {
			return false
		}
		weekday := weekdays[at.Weekday()]
		if at.Weekday() == time.Sunday {
			weekday = sunday
		}
		if f[2][0] == '*' || f[4][0] == '*' {
			return days[at.Day()] && weekday
		}
		return days[at.Day()] || weekday
	}
}

// slowField reports whether a value is in a field.
func slowField(text string, value, most int, words string) bool {
	number := func(s string) int {
		for i, word := range strings.Split(words, " ") {
			if word != "" && strings.EqualFold(word, s) {
				return i
			}
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			panic(err)
		}
		return n
	}
	for item := range strings.SplitSeq(text, ",") {
		step := 1
		if i := strings.IndexByte(item, '/'); i >= 0 {
			step, item = number(item[i+1:]), item[:i]
		}
		low, high := 0, most
		if most == 31 || most == 12 {
			low = 1
		}
		if item != "*" {
			a, b, ranged := strings.Cut(item, "-")
			low = number(a)
			if high = low; ranged {
				high = number(b)
			}
		}
		for n := low; n <= high; n += step {
			if n == value {
				return true
			}
		}
	}
	return false
}

func sameTimes(a, b []time.Time) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}

// readTwice are the expressions that are read twice around every change.
var readTwice = []string{"*/5 * * * *", "30 2 * * *", "*/20 1,2 * * *", "0 0 * * *", "15 0,1,23 * * *", "7 */3 * * *", "59 23 * * sun", "0 1 1-7 * sun", "1 0-22 * * *"}

// TestChanges compares the two readings around changes of offset of the zones of the tz database, from 2000 to 2040. Without
// -sweep it takes a sample.
func TestChanges(t *testing.T) {
	t.Parallel()
	zones := zoneNames(t)
	rnd := rand.New(rand.NewPCG(15, 2026))
	changes, windows := 0, 0
	compared := map[string]bool{} // many zones change at the same time
	for _, name := range zones {
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); ; {
			if at = nextChange(z, at); at.IsZero() || at.Year() >= 2040 {
				break
			}
			changes++
			if !*sweep && rnd.IntN(400) > 0 {
				continue
			}
			windows++
			if same := offsetsAround(z, at); compared[same] {
				continue
			} else {
				compared[same] = true
			}
			from, until := at.Add(-27*time.Hour), at.Add(27*time.Hour)
			for _, text := range readTwice {
				c, err := ParseCron(text, z)
				if err != nil {
					t.Fatal(err)
				}
				var fast []time.Time
				for x := c.Next(from); x.Before(until); x = c.Next(x) {
					fast = append(fast, x)
				}
				if slow := slowInstants(text, z, from, until); !sameTimes(slow, fast) {
					t.Fatalf("%s in %s around %v:\n%v\nminute by minute:\n%v", text, name, at, fast, slow)
				}
			}
		}
	}
	t.Logf("%d of %d changes of offset in %d zones, %d of them different", windows, changes, len(zones), len(compared))
	if windows < 40 || changes < 10_000 {
		t.Errorf("only %d of %d changes were compared", windows, changes)
	}
}

// offsetsAround describes all that the instants around a time depend on: the changes of offset.
func offsetsAround(z *time.Location, at time.Time) string {
	var b strings.Builder
	for t := at.Add(-100 * time.Hour); !t.IsZero() && t.Before(at.Add(50*time.Hour)); t = nextChange(z, t) {
		_, offset := t.In(z).Zone()
		fmt.Fprint(&b, t.Unix(), " ", offset, " ")
	}
	return b.String()
}

// zoneNames returns the names of all zones that this machine knows, or a selection if it has no list of them.
func zoneNames(t *testing.T) (names []string) {
	for _, dir := range []string{"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo"} {
		for _, file := range []string{"tzdata.zi", "zone1970.tab"} {
			f, err := os.Open(filepath.Join(dir, file))
			if err != nil {
				continue
			}
			defer f.Close()
			for lines := bufio.NewScanner(f); lines.Scan(); {
				part := strings.Fields(lines.Text())
				switch {
				case file == "tzdata.zi" && len(part) > 1 && part[0] == "Z":
					names = append(names, part[1])
				case file == "tzdata.zi" && len(part) > 2 && part[0] == "L":
					names = append(names, part[2])
				case file == "zone1970.tab" && len(part) > 2 && part[0][0] != '#':
					names = append(names, part[2])
				}
			}
			if len(names) > 100 {
				return names
			}
		}
	}
	if *sweep {
		t.Fatal("no list of zones: install tzdata")
	}
	t.Log("no list of zones on this machine: a selection is compared")
	for range 40 { // the changes of a few zones, many times
		names = append(names, "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Africa/Casablanca",
			"Pacific/Apia", "America/St_Johns", "Asia/Gaza", "Antarctica/Troll", "America/Caracas")
	}
	return names
}

func BenchmarkNext(b *testing.B) {
	z := zone(b, "Europe/Berlin")
	for _, text := range []string{"*/5 * * * *", "0 2 * * *", "0 0 29 2 *"} {
		b.Run(fmt.Sprint(text), func(b *testing.B) {
			c, _ := ParseCron(text, z)
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, z)
			for b.Loop() {
				c.Next(at)
			}
		})
	}
}
