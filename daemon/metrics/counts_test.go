package metrics

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"wf/workspace/history"
)

var began = time.Date(2026, 11, 23, 2, 0, 0, 0, time.UTC)

func end(id string, run int, result string, d time.Duration) End {
	return End{Workspace: id, Workfile: "/flows/" + id, Run: run, Result: result, Ended: began.Add(time.Duration(run)*24*time.Hour + d), Duration: d}
}

// values returns the samples of a source by name and labels.
func values(t *testing.T, s Source) map[string]float64 {
	t.Helper()
	w := NewWriter(OpenMetrics)
	s(w)
	found := map[string]float64{}
	for _, s := range checkText(t, OpenMetrics, string(w.Bytes())) {
		key := s.name
		for _, l := range []string{"workfile", "result", "le"} {
			if v, ok := s.labels[l]; ok {
				key += " " + v
			}
		}
		found[key] = s.value
	}
	return found
}

func mustHave(t *testing.T, got map[string]float64, want map[string]float64) {
	t.Helper()
	for key, v := range want {
		if g, ok := got[key]; !ok || g != v {
			t.Errorf("%s is %v (there: %v), want %v", key, g, ok, v)
		}
	}
}

var quiet = slog.New(slog.DiscardHandler)

// TestCountsSurvive: the next daemon goes on where the one before ended, and what only the history has is counted when the
// workfile is opened.
func TestCountsSurvive(t *testing.T) {
	state := t.TempDir()
	c := OpenCounts(state, quiet)
	c.Started("a", "/flows/a", 7)
	c.Ended(end("a", 7, "succeeded", 90*time.Second))
	c.Ended(end("a", 7, "succeeded", 90*time.Second)) // reported twice
	c.Close()

	c = OpenCounts(state, quiet)
	c.Ended(end("a", 9, "failed", time.Second/2))
	c.Close()

	store, err := history.Open(history.LocalDisk{}, history.Folder(state, "a"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 11; n++ { // run 11 is not over
		h, err := store.Create(history.Request{Run: n - 1, Workspace: "a", Workfile: "/flows/a", Time: began}, []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		if n < 11 {
			if err := h.Finish(history.Result{Result: "cancelled", Ended: began.Add(time.Duration(n) * 24 * time.Hour), DurationMS: 60_000}); err != nil {
				t.Fatal(err)
			}
		}
		h.Close()
	}
	c = OpenCounts(state, quiet)
	c.Opened("a", "/flows/a") // counts 8 and 10: run 7 was the first
	c.Opened("a", "/flows/a")
	c.Opened("unknown", "/flows/unknown")
	c.Ended(end("a", 10, "cancelled", time.Minute))
	c.Ended(end("a", 11, "succeeded", 2*time.Second))
	want := map[string]float64{
		"wf_runs_total /flows/a succeeded": 2, "wf_runs_total /flows/a failed": 1, "wf_runs_total /flows/a cancelled": 2,
		"wf_run_duration_seconds_bucket /flows/a 1.0": 1, "wf_run_duration_seconds_bucket /flows/a 10.0": 2,
		"wf_run_duration_seconds_bucket /flows/a 60.0": 4, "wf_run_duration_seconds_bucket /flows/a 300.0": 5,
		"wf_run_duration_seconds_count /flows/a": 5, "wf_run_duration_seconds_sum /flows/a": 90 + 0.5 + 60 + 60 + 2,
		"wf_last_success_timestamp_seconds /flows/a": Seconds(end("a", 11, "", 2*time.Second).Ended),
		"wf_last_end_timestamp_seconds /flows/a":     Seconds(end("a", 11, "", 2*time.Second).Ended),
		"wf_last_duration_seconds /flows/a":          2,
	}
	mustHave(t, values(t, c.Write), want)
	c.Close()
	read, err := ReadCounts(state)
	if err != nil {
		t.Fatal(err)
	}
	mustHave(t, values(t, read), want)
	if got := len(values(t, read)); got != 3*2+(10+3)+3 {
		t.Errorf("%d samples", got)
	}
}

// TestTwoDaemons: two daemons with one state folder add to the same counts, and count a run that both report once.
func TestTwoDaemons(t *testing.T) {
	state := t.TempDir()
	a, b := OpenCounts(state, quiet), OpenCounts(state, quiet)
	for i := range 7 { // the starts come in the order of the numbers, the ends do not
		a.Started(fmt.Sprint("f", i), "/flows/"+fmt.Sprint("f", i), 1)
	}
	a.Close()
	a = OpenCounts(state, quiet)
	var all sync.WaitGroup
	for run := 1; run <= 100; run++ {
		all.Go(func() { a.Ended(end(fmt.Sprint("f", run%7), run, "failed", 0)) })
		if run%2 == 0 {
			all.Go(func() { b.Ended(end(fmt.Sprint("f", run%7), run, "failed", 0)) })
		}
	}
	all.Go(func() { b.Ended(end("other", 1, "failed", 0)) })
	all.Wait()
	a.Close()
	b.Close()
	read, err := ReadCounts(state)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for key, v := range values(t, read) {
		if strings.HasPrefix(key, "wf_runs_total") {
			sum += v
		}
	}
	if sum != 101 {
		t.Errorf("%v runs are counted, want 101", sum)
	}
}

// TestManyWorkfiles: the number of workfiles with figures of their own is limited; the sums stay right.
func TestManyWorkfiles(t *testing.T) {
	state := t.TempDir()
	c := OpenCounts(state, quiet)
	for i := range mostWorkfiles + 50 {
		c.Ended(end(fmt.Sprintf("f%03d", i), i+1, "succeeded", time.Minute))
	}
	c.Ended(end("f000", 1000, "failed", time.Minute)) // it comes back
	got := values(t, c.Write)
	mustHave(t, got, map[string]float64{"wf_runs_total (others) succeeded": 51, "wf_runs_total /flows/f000 failed": 1,
		"wf_runs_total /flows/f000 succeeded": 0, "wf_runs_total /flows/f249 succeeded": 1, "wf_run_duration_seconds_count (others)": 51})
	names := 0
	for key := range got {
		if strings.HasPrefix(key, "wf_run_duration_seconds_count") {
			names++
		}
	}
	if names != mostWorkfiles+1 {
		t.Errorf("%d workfiles, want %d and the others", names, mostWorkfiles)
	}
	c.Close()
}

// TestRunsOutOfOrder: marks stay few, and every run counts once, in whatever order runs end.
func TestRunsOutOfOrder(t *testing.T) {
	e := newEntry(began)
	for _, n := range []int{3, 1, 3, 2, 1, 5} {
		e.mark(n)
	}
	if e.Through != 3 || len(e.Later) != 1 || e.mark(5) || !e.mark(4) || e.Through != 5 || len(e.Later) != 0 {
		t.Errorf("%+v", e)
	}
	for n := 7; n < 7+4*mostLater; n += 2 {
		e.mark(n)
	}
	if len(e.Later) > mostLater {
		t.Errorf("%d marks", len(e.Later))
	}
}

// TestDamagedCounts: counts begin again, and the daemon says so.
func TestDamagedCounts(t *testing.T) {
	for _, text := range []string{"", "{", `{"version":2}`, `{"version":1,"workfiles":{"a":null}}`, `{"version":1,"workfiles":{"a":{"results":{},"durations":[1]}}}`} {
		state := t.TempDir()
		if err := os.WriteFile(filepath.Join(state, FileCounts), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		c := OpenCounts(state, slog.New(slog.NewTextHandler(&log, nil)))
		c.Ended(end("a", 1, "succeeded", 0))
		mustHave(t, values(t, c.Write), map[string]float64{"wf_runs_total /flows/a succeeded": 1})
		c.Close()
		if !strings.Contains(log.String(), "counts of runs cannot be read") {
			t.Errorf("%q: the log is %q", text, log.String())
		}
		if _, err := ReadCounts(state); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestLockedCounts: while the file cannot be written, the counts stay in memory, nothing waits, and they are written later.
func TestLockedCounts(t *testing.T) {
	state := t.TempDir()
	f, err := os.OpenFile(filepath.Join(state, FileCounts+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		c := OpenCounts(state, quiet)
		defer c.Close()
		c.Ended(end("a", 1, "failed", 0))
		time.Sleep(time.Minute) // of the fake clock
		mustHave(t, values(t, c.Write), map[string]float64{"wf_runs_total /flows/a failed": 1})
		if _, err := os.Stat(filepath.Join(state, FileCounts)); !os.IsNotExist(err) {
			t.Fatalf("written without the lock: %v", err)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != nil {
			t.Fatal(err)
		}
		time.Sleep(retryPause + time.Second)
		read, err := ReadCounts(state)
		if err != nil {
			t.Fatal(err)
		}
		mustHave(t, values(t, read), map[string]float64{"wf_runs_total /flows/a failed": 1})
	})
}

func TestTextfile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wf.prom")
	synctest.Test(t, func(t *testing.T) {
		n := 0
		text := NewTextfile(path, func(last bool) []byte {
			n++
			return fmt.Appendf(nil, "text %d %v\n", n, last)
		}, quiet)
		is := func(want string) {
			t.Helper()
			synctest.Wait()
			if got, _ := os.ReadFile(path); string(got) != want {
				t.Fatalf("the file has %q, want %q", got, want)
			}
		}
		is("text 1 false\n")
		for range 100 {
			text.Wake()
		}
		is("text 1 false\n") // not more than once a second
		time.Sleep(textPause)
		is("text 2 false\n")
		time.Sleep(textInterval)
		is("text 3 false\n")
		text.Close()
		is("text 4 true\n")
	})
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("the folder has %v", entries)
	}
	var none *Textfile
	none.Wake()
	none.Close()
}

// TestTextfileOnABrokenDisk: the failure is logged once; the file is written when that is possible again.
func TestTextfileOnABrokenDisk(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "later")
	path := filepath.Join(folder, "wf.prom")
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		text := NewTextfile(path, func(bool) []byte { return []byte("x\n") }, slog.New(slog.NewTextHandler(&log, nil)))
		defer text.Close()
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := strings.Count(log.String(), "cannot be written"); got != 1 {
			t.Errorf("%d messages", got)
		}
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(textInterval)
		synctest.Wait()
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	})
}

// TestTextfileThatHangs: the daemon ends although the disk of the file does not answer.
func TestTextfileThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		text := NewTextfile(filepath.Join(t.TempDir(), "wf.prom"), func(bool) []byte { <-release; return nil }, quiet)
		start := time.Now()
		text.Close()
		if took := time.Since(start); took != textEnd {
			t.Errorf("took %v", took)
		}
		close(release)
	})
}

func BenchmarkEnded(b *testing.B) {
	c := OpenCounts(b.TempDir(), quiet)
	defer c.Close()
	<-c.loaded
	for i := range b.N {
		c.Ended(end("a", i+1, "succeeded", time.Minute))
	}
}

// BenchmarkText is a scrape with as many workfiles as there can be.
func BenchmarkText(b *testing.B) {
	t := &table{Workfiles: map[string]*entry{}}
	for i := range mostWorkfiles {
		t.end(end(fmt.Sprintf("f%03d", i), 1, "succeeded", time.Minute))
	}
	for b.Loop() {
		w := NewWriter(OpenMetrics)
		t.write(w)
		b.SetBytes(int64(len(w.Bytes())))
	}
}
