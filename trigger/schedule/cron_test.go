package schedule

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func cron(t testing.TB, text, name string) *Cron {
	t.Helper()
	c, err := ParseCron(text, zone(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNext lists the next instants of cases in which other programs are wrong.
func TestNext(t *testing.T) {
	const layout = "2006-01-02 15:04 -0700"
	for _, c := range []struct{ expression, zone, after, want string }{
		{"*/15 2 * * *", "UTC", "2026-01-01 01:00 +0000", "2026-01-01 02:00 +0000, 2026-01-01 02:15 +0000, 2026-01-01 02:30 +0000, 2026-01-01 02:45 +0000, 2026-01-02 02:00 +0000"},
		{"30 2 * * *", "America/New_York", "2026-03-07 12:00 -0500", "2026-03-08 03:00 -0400, 2026-03-09 02:30 -0400"}, // a gap
		{"*/20 2 * * *", "America/New_York", "2026-03-07 12:00 -0500", "2026-03-08 03:00 -0400, 2026-03-09 02:00 -0400"},
		{"0 2,3 * * *", "America/New_York", "2026-03-07 12:00 -0500", "2026-03-08 03:00 -0400, 2026-03-09 02:00 -0400"},                          // both are that instant
		{"30 1 * * *", "America/New_York", "2026-10-31 12:00 -0400", "2026-11-01 01:30 -0400, 2026-11-02 01:30 -0500"},                           // a fold
		{"*/30 * * * *", "America/New_York", "2026-11-01 00:45 -0400", "2026-11-01 01:00 -0400, 2026-11-01 01:30 -0400, 2026-11-01 01:00 -0500"}, // every hour
		{"30 * * * *", "America/New_York", "2026-03-08 01:00 -0500", "2026-03-08 01:30 -0500, 2026-03-08 03:30 -0400"},
		{"0 0 * * *", "America/Sao_Paulo", "2018-11-03 12:00 -0300", "2018-11-04 01:00 -0200, 2018-11-05 00:00 -0200"}, // no midnight
		{"0 12 * * *", "Pacific/Apia", "2011-12-29 13:00 -1000", "2011-12-31 00:00 +1400, 2011-12-31 12:00 +1400"},     // no December 30
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-04 12:00 +1100", "2026-04-05 01:45 +1100, 2026-04-06 01:45 +1030"},
		{"0 0 29 2 *", "Europe/Berlin", "2096-03-01 00:00 +0100", "2104-02-29 00:00 +0100"},
		{"0 0 13 * fri", "UTC", "2026-02-10 00:00 +0000", "2026-02-13 00:00 +0000, 2026-02-20 00:00 +0000, 2026-02-27 00:00 +0000, 2026-03-06 00:00 +0000, 2026-03-13 00:00 +0000, 2026-03-20 00:00 +0000, 2026-03-27 00:00 +0000, 2026-04-03 00:00 +0000, 2026-04-10 00:00 +0000, 2026-04-13 00:00 +0000"},
		{"0 9 * * mon-fri", "UTC", "2026-01-02 10:00 +0000", "2026-01-05 09:00 +0000"},
		{"0 9 31 * *", "UTC", "2026-01-31 10:00 +0000", "2026-03-31 09:00 +0000, 2026-05-31 09:00 +0000"},
		{"0 9 * jan,jul 7", "UTC", "2026-01-25 10:00 +0000", "2026-07-05 09:00 +0000"},
		{"@weekly", "Asia/Kathmandu", "2026-01-01 00:00 +0545", "2026-01-04 00:00 +0545"},
		{"59 23 31 12 *", "Pacific/Chatham", "2026-12-31 23:58 +1345", "2026-12-31 23:59 +1345, 2027-12-31 23:59 +1345"},
	} {
		at, err := time.Parse(layout, c.after)
		if err != nil {
			t.Fatal(err)
		}
		s := cron(t, c.expression, c.zone)
		for want := range strings.SplitSeq(c.want, ", ") {
			if at = s.Next(at); at.Format(layout) != want {
				t.Errorf("%s in %s: got %s, want %s", c.expression, c.zone, at.Format(layout), want)
				break
			}
		}
	}
}

// TestRefused checks that each mistake is named with what to write instead.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "five are needed",
		"* * * *":               "five are needed",
		"0 0 2 * * *":           "every: 30s has seconds",
		"60 * * * *":            `minute "60": "60" is not a number from 0 to 59`,
		"* 24 * * *":            "from 0 to 23",
		"* * 0 * *":             "from 1 to 31",
		"* * * 13 *":            "from 1 to 12",
		"* * * * 8":             "from 0 to 7",
		"* * * * monday":        "nor one of sun, mon",
		"*/0 * * * *":           "the step",
		"*/90 * * * *":          "the step",
		"5/15 * * * *":          "write 5-59/15",
		"5/10 * * * *":          "5-59/10",
		"0 22-2 * * *":          "22-23,0-2",
		"0 0 * * fri-mon":       "5-6,0-1",
		"1,,2 * * * *":          `"" is not a number`,
		"-1 * * * *":            `"" is not a number`,
		"+1 * * * *":            "is not a number",
		"0 0 ? * *":             `"?" is not a number`,
		"0 0 L * *":             `"L" is not a number`,
		"0 0 31 2 *":            "never happens",
		"0 0 31 2,4,6 *":        "never happens",
		"0 0 30-31 2 *":         "never happens",
		"@reboot":               "there are @hourly",
		"1-99999999999 * * * *": "is not a number",
	} {
		if _, err := ParseCron(text, time.UTC); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"0 0 31 2 mon", "0 0 29 2 *", "0 0 31 2,3 *", "* * * * 0-7", "* * * * 7", "*/59 */23 */31 */12 */7"} {
		if _, err := ParseCron(text, time.UTC); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestEvery(t *testing.T) {
	anchor := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e := Every{10 * time.Minute, anchor}
	for after, want := range map[time.Duration]time.Duration{-time.Hour: 10 * time.Minute, 0: 10 * time.Minute, 10*time.Minute - 1: 10 * time.Minute,
		10 * time.Minute: 20 * time.Minute, 24*time.Hour + 1: 24*time.Hour + 10*time.Minute} {
		if got := e.Next(anchor.Add(after)).Sub(anchor); got != want {
			t.Errorf("after %v: got %v, want %v", after, got, want)
		}
	}
}

// TestPrevious checks that Previous is the inverse of Next.
func TestPrevious(t *testing.T) {
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, s := range []Schedule{cron(t, "30 1,2 * * *", "Europe/Berlin"), cron(t, "*/7 * * * *", "America/St_Johns"),
		cron(t, "0 0 29 2 *", "UTC"), cron(t, "0 0 1 * sun", "Asia/Tokyo"), Every{time.Second, begin}, Every{36 * time.Hour, begin}} {
		at := begin
		for range 200 {
			next := s.Next(at)
			if next.IsZero() {
				break
			}
			if got := s.Next(next); got.Sub(next) <= 0 {
				t.Fatalf("%v: %v follows %v", s, got, next)
			}
			if got := Previous(s, s.Next(next)); !got.Equal(next) {
				t.Fatalf("%+v: before %v comes %v, and not %v", s, s.Next(next), got, next)
			}
			if got := Previous(s, next.Add(1)); !got.Equal(next) {
				t.Fatalf("%+v: just before %v comes %v", s, next.Add(1), got)
			}
			at = next
		}
	}
	if got := Previous(Every{time.Hour, begin}, begin.Add(time.Minute)); !got.IsZero() {
		t.Errorf("before the first instant there is %v", got)
	}
}

// FuzzParseCron checks that every text is refused or becomes a schedule that moves forward, and agrees with the slow reading.
func FuzzParseCron(f *testing.F) {
	for _, seed := range []string{"*/5 * * * *", "0 2 * * mon-fri", "0 0 29 2 *", "1,2,3-9/2 * 1 jan sun", "@daily", "0 0 31 2 *", "* * * * * *"} {
		f.Add(seed, int64(1_772_000_000))
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, at int64) {
		c, err := ParseCron(text, berlin)
		if err != nil {
			return
		}
		from := time.Unix(min(max(at, 946_684_800), 2_208_988_800), 0)
		next := c.Next(from)
		if !next.After(from) {
			t.Fatalf("%q: after %v comes %v", text, from, next)
		}
		var fast []time.Time
		until := from.Add(6 * time.Hour)
		for x := next; x.Before(until); x = c.Next(x) {
			fast = append(fast, x)
		}
		if slow := slowInstants(text, berlin, from, until); !sameTimes(slow, fast) {
			t.Fatalf("%q from %v: got %v, minute by minute %v", text, from, fast, slow)
		}
	})
}
