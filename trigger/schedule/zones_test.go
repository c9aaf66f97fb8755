package schedule

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestZones compares the offsets of this program with those of the C library, which reads the same tz database with other code:
// at every change of offset from 2000 to 2040 that one of them knows. Without -sweep it takes a sample of the zones.
func TestZones(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("zdump"); err != nil {
		t.Skip("there is no zdump")
	}
	rnd := rand.New(rand.NewPCG(15, 2026))
	zones, changes := 0, 0
	for _, name := range zoneNames(t) {
		if !*sweep && rnd.IntN(20) > 0 {
			continue
		}
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("zdump", "-v", "-c", "2000,2041", name).Output()
		if err != nil {
			t.Fatalf("zdump %s: %v", name, err)
		}
		zones++
		theirs := changesOfDump(t, out)
		ours := changesOf(z, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2041, 1, 1, 0, 0, 0, 0, time.UTC))
		for at, offset := range theirs {
			if ours[at] != offset {
				t.Errorf("%s: zdump has the offset %d from %v on, and we have %d", name, offset, time.Unix(at, 0).UTC(), ours[at])
			}
		}
		for at, offset := range ours {
			if _, known := theirs[at]; !known {
				t.Errorf("%s: zdump does not know that the offset is %d from %v on", name, offset, time.Unix(at, 0).UTC())
			}
		}
		changes += len(ours)
	}
	t.Logf("%d changes of offset in %d zones", changes, zones)
	if zones < 10 {
		t.Errorf("only %d zones were compared", zones)
	}
}

// nextChange returns the next change of offset of a zone after a time, or the zero time. It walks by hours where ZoneBounds of Go
// 1.26 does not move on: see boundless.
func nextChange(z *time.Location, at time.Time) time.Time {
	_, before := at.In(z).Zone()
	for {
		_, end := at.In(z).ZoneBounds()
		switch {
		case end.IsZero() || end.Year() > 3000:
			return time.Time{}
		case !end.After(at):
			end = at.Add(time.Hour)
		}
		at = end
		if _, offset := at.In(z).Zone(); offset != before {
			return at
		}
	}
}

// changesOf returns the changes of offset of a zone between two times: the seconds since 1970, and the offset from then on.
func changesOf(z *time.Location, at, until time.Time) map[int64]int {
	list := map[int64]int{}
	for at = nextChange(z, at); !at.IsZero() && at.Before(until); at = nextChange(z, at) {
		_, list[at.Unix()] = at.In(z).Zone()
	}
	return list
}

// changesOfDump reads what zdump -v prints: pairs of lines with the last second before a change and the first one after it.
func changesOfDump(t *testing.T, out []byte) map[int64]int {
	list := map[int64]int{}
	var last int64
	before := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		part := strings.Fields(lines.Text())
		if len(part) < 8 || !strings.HasPrefix(part[len(part)-1], "gmtoff=") {
			continue // the ends of what the C library can represent
		}
		at, err := time.Parse("Jan 2 15:04:05 2006", strings.Join(part[2:6], " "))
		if err != nil {
			t.Fatal(err)
		}
		offset, err := strconv.Atoi(strings.TrimPrefix(part[len(part)-1], "gmtoff="))
		if err != nil {
			t.Fatal(err)
		}
		if at.Unix() == last+1 && offset != before {
			list[at.Unix()] = offset
		}
		last, before = at.Unix(), offset
	}
	return list
}
