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
	const clock = "2006-01-02 15:04"
	seen := map[string]bool{}
	begin := after.Truncate(time.Minute).Add(-52 * time.Hour)
	for at := begin; at.Before(until); at = at.Add(time.Minute) {
		shows := at.In(zone).Format(clock)
		hit := slowMatch(f, shows) && (hourly || !seen[shows])
		if !hourly && at.After(begin) {
			// Walk on the dial from the minute before to this one, if it jumped forward.
			last, _ := time.Parse(clock, at.Add(-time.Minute).In(zone).Format(clock))
			now, _ := time.Parse(clock, shows)
			for skipped := last.Add(time.Minute); skipped.Before(now); skipped = skipped.Add(time.Minute) {
				if name := skipped.Format(clock); !seen[name] {
					hit = hit || slowMatch(f, name)
					seen[name] = true
				}
			}
		}
		seen[shows] = true
		if hit && at.After(after) {
			list = append(list, at)
		}
	}
	return list
}

// slowMatch reports whether a civil minute matches the five fields.
func slowMatch(f []string, shows string) bool {
	at, err := time.Parse("2006-01-02 15:04", shows)
	if err != nil {
		panic(err)
	}
	if !slowField(f[0], at.Minute(), 59, "") || !slowField(f[1], at.Hour(), 23, "") ||
		!slowField(f[3], int(at.Month()), 12, " jan feb mar apr may jun jul aug sep oct nov dec") {
		return false
	}
	const week = "sun mon tue wed thu fri sat"
	day := slowField(f[2], at.Day(), 31, "")
	weekday := slowField(f[4], int(at.Weekday()), 6, week) || at.Weekday() == 0 && slowField(f[4], 7, 7, week) && f[4][0] != '*'
	if f[2][0] == '*' || f[4][0] == '*' {
		return day && weekday
	}
	return day || weekday
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

// compared are the expressions that are read twice around every change.
var compared = []string{"*/5 * * * *", "30 2 * * *", "*/20 1,2 * * *", "0 0 * * *", "15 0,1,23 * * *", "7 */3 * * *", "59 23 * * sun", "0 1 1-7 * sun", "1 0-22 * * *"}

// TestChanges compares the two readings around changes of offset of the zones of the tz database, from 2000 to 2040. Without
// -sweep it takes a sample.
func TestChanges(t *testing.T) {
	t.Parallel()
	zones := zoneNames(t)
	rnd := rand.New(rand.NewPCG(15, 2026))
	changes, windows := 0, 0
	for _, name := range zones {
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); ; {
			_, end := at.In(z).ZoneBounds()
			if end.IsZero() || end.Year() >= 2040 {
				break
			}
			at = end
			changes++
			if !*sweep && rnd.IntN(400) > 0 {
				continue
			}
			windows++
			from, until := at.Add(-27*time.Hour), at.Add(27*time.Hour)
			for _, text := range compared {
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
	t.Logf("%d of %d changes of offset in %d zones", windows, changes, len(zones))
	if windows < 40 || changes < 10_000 {
		t.Errorf("only %d of %d changes were compared", windows, changes)
	}
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
