package logview

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
)

// growing is the output of an execution that still runs.
type growing struct {
	info   api.LogInfo
	times  *api.LogTimes
	failed error
	stdout io.Reader // from the end of info on
	before string    // what was written before
	asked  int       // number of requests for times
}

func (g *growing) LogInfo(_ context.Context, q client.LogQuery) (api.LogInfo, error) {
	info := g.info
	if q.Times {
		g.asked++
		info.Times = g.times
		if g.failed != nil {
			return api.LogInfo{}, g.failed
		}
	}
	return info, nil
}

func (g *growing) Output(_ context.Context, _ client.LogQuery, stream string, offset int64, _ bool) (io.ReadCloser, error) {
	if stream == stderr {
		return io.NopCloser(strings.NewReader("")), nil
	}
	return io.NopCloser(io.MultiReader(strings.NewReader(g.before[offset:]), g.stdout)), nil
}

// screen draws the view.
func screen(v *View, width, height int, ascii bool) string {
	g := &cells.Grid{ASCII: ascii}
	g.Resize(width, height)
	v.Draw(g.All())
	return strings.TrimRight(g.String(), "\n")
}

// sameRows reports the difference of a screen, without spaces at the ends of its rows.
func sameRows(t *testing.T, got string, want ...string) {
	t.Helper()
	rows := strings.Split(got, "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the screen is\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// timed is said with the times of node a.
type timed struct {
	said
	times *api.LogTimes
}

func (s timed) LogInfo(ctx context.Context, q client.LogQuery) (api.LogInfo, error) {
	info, err := s.said.LogInfo(ctx, q)
	if q.Times && q.Node == "a" {
		info.Times = s.times
	}
	return info, err
}

// clockAt returns a moment of today.
func clockAt(seconds int) time.Time {
	year, month, day := time.Now().Date()
	return time.Date(year, month, day, 10, 20, seconds, 0, time.Local)
}

// TestTimesAndStderrAreShownBesideLines: A line has the time of the first mark after its start in its stream. Times that are not known are
// blank. Lines of standard error have a sign in each of their rows.
func TestTimesAndStderrAreShownBesideLines(t *testing.T) {
	times := &api.LogTimes{Known: true, Started: clockAt(0), Until: clockAt(9), Marks: [][3]int64{
		{clockAt(2).UnixMilli(), 4, 0}, {clockAt(5).UnixMilli(), 8, 3}}}
	s := timed{said{"a" + Stdout: "one\ntwo\nend\n", "a" + stderr: "bad: this is a long line\n", "b" + Stdout: "b\n"}, times}
	v := &View{Times: true}
	settle(t, v, v.Show(s, Target{Nodes: []string{"a"}, Names: []string{"a"}}))
	defer v.Close()
	sameRows(t, screen(v, 29, 6, false), "10:20:02   one", "10:20:05   two", "10:20:09   end", "10:20:05 ┃ bad: this is a lon",
		"         ┃ g line", "end  4 lines")
	sameRows(t, screen(v, 29, 6, true), "10:20:02   one", "10:20:05   two", "10:20:09   end", "10:20:05 E bad: this is a lon",
		"         E g line", "end  4 lines")
	sameRows(t, screen(v, 20, 5, false), "  two", "  end", "┃ bad: this is a lon", "┃ g line", "end  4 lines")

	settle(t, v, v.Show(s, Target{Nodes: []string{"a", "b"}, Names: []string{"a", "b"}}))
	got := screen(v, 50, 6, false)
	for _, want := range []string{"10:20:02 a│   one", "10:20:05 a│ ┃ bad", "         b│   b"} {
		if !strings.Contains(got, want) {
			t.Errorf("no row %q in\n%s", want, got)
		}
	}
	v.Times = false
	if got := screen(v, 50, 6, false); !strings.Contains(got, "\na│ ┃ bad") {
		t.Errorf("with hidden times:\n%s", got)
	}
}

// TestStderrHasAColour: Sign and text of standard error have the same colour, which standard output has not.
func TestStderrHasAColour(t *testing.T) {
	v := &View{}
	settle(t, v, v.Show(said{"a" + Stdout: "one\n", "a" + stderr: "bad\n"}, Target{Nodes: []string{"a"}, Names: []string{"a"}}))
	defer v.Close()
	var g cells.Grid
	g.Resize(20, 3)
	v.Draw(g.All())
	if out, sign, bad := g.All().At(2, 0).Style, g.All().At(0, 1).Style, g.All().At(2, 1).Style; out != cells.Plain || sign != cells.Note || bad != cells.Note {
		t.Errorf("standard output has the style %+v, the sign %+v, standard error %+v", out, sign, bad)
	}
}

// TestOneOutputClaimsNoStream: Where both streams are one output, no line is marked.
func TestOneOutputClaimsNoStream(t *testing.T) {
	v := &View{}
	settle(t, v, v.Show(mergedSaid{said{"a" + merged: "out\nerr\n"}}, Target{Nodes: []string{"a"}, Names: []string{"a"}}))
	defer v.Close()
	sameRows(t, screen(v, 20, 3, false), "out", "err", "end  2 lines")
	if v.MarksStderr() {
		t.Error("standard error is marked")
	}
}

// TestTimesOfAnotherDayHaveADate: Executions that started on an earlier day have times with dates.
func TestTimesOfAnotherDayHaveADate(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	v := &View{Times: true}
	settle(t, v, v.Show(timed{said{"a" + Stdout: "one\n"}, &api.LogTimes{Known: true, Started: at, Until: at}}, Target{Nodes: []string{"a"}, Names: []string{"a"}}))
	defer v.Close()
	sameRows(t, screen(v, 40, 2, false), "01-02 03:04:05 one", "end  1 line")
}

// TestUnknownTimesAreBlank: A run that recorded no times, or an error, leaves the column blank, says why, and is not
// asked again.
func TestUnknownTimesAreBlank(t *testing.T) {
	for _, c := range []struct {
		times *api.LogTimes
		err   error
		says  string
	}{
		{&api.LogTimes{Started: clockAt(0), Until: clockAt(1)}, nil, "recorded no times"},
		{nil, errors.New("gone"), "gone"},
		{nil, nil, ""},
	} {
		g := &growing{info: api.LogInfo{Node: "a", Run: "1", Execution: 1, Over: true, OutBytes: 4}, before: "one\n", stdout: strings.NewReader(""), times: c.times, failed: c.err}
		v := &View{}
		settle(t, v, v.Show(g, Target{Nodes: []string{"a"}, Names: []string{"a"}}))
		if g.asked != 0 {
			t.Error("times are requested that are not shown")
		}
		v.Times = true
		note, _ := v.Update(v.More()().(Message))
		if !strings.Contains(note.Text, c.says) || c.says == "" && note.Text != "" {
			t.Errorf("it says %q, want %q", note.Text, c.says)
		}
		sameRows(t, screen(v, 30, 2, false), "         one", "end  1 line")
		if cmd := v.More(); cmd != nil || g.asked != 1 {
			t.Errorf("asked %d times, and again: %v", g.asked, cmd != nil)
		}
		v.Close()
	}
}

// TestArrivingLinesHaveTheTimeOfTheirArrival: Lines that existed have sampled times, later ones the time at which they arrive. While the user
// has scrolled up, the last row counts the later ones, until the end is reached.
func TestArrivingLinesHaveTheTimeOfTheirArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		before := numbered(0, 5)
		start := time.Now()
		g := &growing{info: api.LogInfo{Node: "a", Run: "1", Execution: 1, OutBytes: int64(len(before))}, before: before, stdout: r,
			times: &api.LogTimes{Known: true, Started: start, Until: start.Add(3 * time.Second)}}
		v := &View{Times: true}
		next := v.Show(g, Target{Nodes: []string{"a"}, Names: []string{"a"}})
		for len(v.buffer.lines) < 5 {
			_, next = v.Update(next().(Message))
		}
		v.Update(v.More()().(Message))
		write := func(text string) {
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			_, next = v.Update(next().(Message))
		}
		clock := func(seconds int) string {
			return start.Add(time.Duration(seconds) * time.Second).Local().Format(time.TimeOnly)
		}
		time.Sleep(20 * time.Second)
		write("late\n")
		sameRows(t, screen(v, 60, 3, false), clock(3)+" line 4", clock(20)+" late", "follows  6 lines")

		v.Scroll(-3)
		write("x 1\ny 2\n")
		sameRows(t, screen(v, 60, 2, false), clock(3)+" line 1", "line 2  ▼ 2 new lines, G goes to the end  8 lines")
		write("x 3\n")
		sameRows(t, screen(v, 60, 2, true), clock(3)+" line 1", "line 2  V 3 new lines, G goes to the end  9 lines")
		sameRows(t, screen(v, 26, 2, false), clock(3)+" line 1", "line 2  ▼ 3 new lines: G")
		v.Search("x|line")
		v.only = true
		if got := v.below.count(&v.buffer, v.filter()); got != 2 {
			t.Errorf("%d new lines match", got)
		}
		write("x")
		if got := v.below.count(&v.buffer, v.filter()); got != 3 {
			t.Errorf("%d new lines match with the unfinished one", got)
		}
		write(" 4\ny 5\nx 6\n")
		if got := v.below.count(&v.buffer, v.filter()); got != 4 {
			t.Errorf("%d new lines match in the end", got)
		}
		v.only = false
		if got := v.below.count(&v.buffer, v.filter()); got != 6 {
			t.Errorf("%d new lines", got)
		}
		v.Search("")
		v.ToEnd()
		sameRows(t, screen(v, 60, 2, false), clock(20)+" x 6", "follows  12 lines")
		w.Close()
		for next != nil {
			_, next = v.Update(next().(Message))
		}
		v.Close()
	})
}

// TestTimesOfEarlierLinesAreRequestedAgain: A page shows lines that arrived after the request for times; they are requested once more.
func TestTimesOfEarlierLinesAreRequestedAgain(t *testing.T) {
	v := long(t)
	s := v.ask.(said)
	all := &api.LogTimes{Known: true, Started: clockAt(0), Until: clockAt(9)}
	v.ask, v.Times = timed{s, all}, true
	settle(t, v, nil)
	v.times.sources[0].OutBytes = 10 // as if the rest had arrived later
	v.ToStart()
	settle(t, v, nil)
	if v.page == nil || v.times.sources[0].OutBytes != int64(len(s["a"+Stdout])) {
		t.Fatalf("times of %d bytes", v.times.sources[0].OutBytes)
	}
	sameRows(t, screen(v, 40, 2, false), "10:20:09   line 0", "0% of 1.7 MB")

	v.ToEnd()
	v.readTo[input{0, false}] += 100 // the daemon knows of less: the output was shortened
	v.ToStart()
	settle(t, v, nil) // does not ask forever
	if v.page == nil || v.times.sources[0].page != v.page {
		t.Error("times are not requested for another page")
	}
}
