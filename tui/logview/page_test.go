package logview

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"wf/client"
)

// settle runs all requests of a view, like the program between keys.
func settle(t fatal, v *View, cmd tea.Cmd) (said string) {
	t.Helper()
	for range 10_000 {
		if cmd == nil {
			if cmd = v.More(); cmd == nil {
				return said
			}
		}
		switch msg := cmd().(type) {
		case tailNews:
			cmd = v.take(msg)
		case pageNews:
			v.takePage(msg)
			cmd = nil
		case searchNews:
			var text string
			if text, cmd = v.takeSearch(msg); text != "" {
				said = text
			}
		case timesNews:
			_, cmd = v.Update(msg)
		}
	}
	t.Fatalf("the log does not come to rest: %+v", v)
	return said
}

type fatal interface {
	Helper()
	Fatalf(string, ...any)
}

// seek goes to the next match, as n and N do.
func seek(t fatal, v *View, forward bool) (said string) {
	t.Helper()
	if v.jump(forward) {
		return settle(t, v, nil)
	}
	cmd, ok := v.searchBeyond(forward)
	if !ok {
		return "no more lines"
	}
	return settle(t, v, cmd)
}

// at returns the text of the line at the top.
func (v *View) at() string {
	if v.top >= v.end() {
		return ""
	}
	return string(v.line(v.top).text)
}

// numbered returns lines with their numbers.
func numbered(from, to int) string {
	var b bytes.Buffer
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// long returns a view of 160,000 lines of standard output and one of standard error; the buffer has the end of them.
func long(t *testing.T) *View {
	v := &View{height: 10}
	s := said{"a" + Stdout: numbered(0, 160_000), "a" + stderr: "bad\n"}
	settle(t, v, v.Show(s, Target{Nodes: []string{"a"}, Names: []string{"a"}}))
	t.Cleanup(v.Close)
	if !v.hasEarlier() || len(v.buffer.lines) > keptLines {
		t.Fatalf("%d lines are kept", len(v.buffer.lines))
	}
	return v
}

// TestScrollingContinuesBeforeTheBuffer: Scrolling reaches the first line and returns, in bounded memory.
func TestScrollingContinuesBeforeTheBuffer(t *testing.T) {
	v := long(t)
	v.Scroll(-1)
	v.top = v.first()
	first := v.at()
	v.Scroll(-3)
	settle(t, v, nil)
	var number int
	if fmt.Sscanf(first, "line %d", &number); v.at() != fmt.Sprint("line ", number-3) {
		t.Fatalf("three lines above %q is %q", first, v.at())
	}
	for n := number - 3; n > 40_000; n -= 7 {
		if v.at() != fmt.Sprint("line ", n) {
			t.Fatalf("at %q, want line %d", v.at(), n)
		}
		v.Scroll(-7)
		settle(t, v, nil)
		if v.page.bytes > pageBytes+partBytes || len(v.page.lines) > pageLines+partBytes {
			t.Fatalf("%d bytes in %d lines are kept", v.page.bytes, len(v.page.lines))
		}
	}
	v.ToStart()
	if settle(t, v, nil); v.at() != "line 0" {
		t.Errorf("the log begins with %q", v.at())
	}
	for n := 0; n < 20_000; n += 9 {
		if v.at() != fmt.Sprint("line ", n) {
			t.Fatalf("on the way down at %q, want line %d", v.at(), n)
		}
		v.Scroll(9)
		settle(t, v, nil)
	}
	if v.ToEnd(); v.follow != true || v.page != nil || string(v.line(v.end()-1).text) != "bad" {
		t.Error("G does not follow again")
	}
}

// TestSearchCountsMatchesBeforeTheBuffer: A search finds and counts matches before the buffer, and shows its
// progress.
func TestSearchCountsMatchesBeforeTheBuffer(t *testing.T) {
	v := long(t)
	v.Search("^line 1234$|^line 77$|^line 159999$|bad")
	if cmd := v.More(); cmd == nil || v.counting == nil || !strings.Contains(v.footText(), "lines so far, 0%") {
		t.Errorf("while it counts: %q", v.footText())
	} else {
		settle(t, v, cmd)
	}
	if v.earlierMatches == nil || len(v.earlierMatches.spots) != 2 {
		t.Errorf("the places of what was counted: %+v", v.earlierMatches)
	}
	if v.matches() != 4 || strings.Contains(v.footText(), "so far") {
		t.Errorf("it matches %d lines: %q", v.matches(), v.footText())
	}
	v.earlierMatches = nil // as if there were too many to store
	for _, want := range []string{"bad", "line 159999", "line 1234", "line 77"} {
		if said := seek(t, v, false); said != "" || v.at() != want {
			t.Fatalf("N came to %q (%s), want %q", v.at(), said, want)
		}
	}
	if said := seek(t, v, false); !strings.HasPrefix(said, "no more lines") || v.at() != "line 77" {
		t.Errorf("before the first: %q, at %q", said, v.at())
	}
	for _, want := range []string{"line 1234", "line 159999", "bad"} {
		if said := seek(t, v, true); said != "" || v.at() != want {
			t.Fatalf("n came to %q (%s), want %q", v.at(), said, want)
		}
	}
	v.ToEnd()
	v.recount()
	settle(t, v, nil)
	for _, want := range []string{"bad", "line 159999", "line 1234", "line 77"} { // stored matches
		if said := seek(t, v, false); said != "" || v.at() != want {
			t.Fatalf("N leapt to %q (%s), want %q", v.at(), said, want)
		}
	}
	v.leavePage()
	v.stream = stderr
	v.recount()
	if settle(t, v, nil); v.matches() != 1 {
		t.Errorf("standard error matches in %d lines", v.matches())
	}
	v.stream = ""
	v.recount()
	v.only = true
	v.ToStart()
	if settle(t, v, nil); v.Text() != "line 77\nline 1234\nline 159999\nbad\n" {
		t.Errorf("only what matches: %q", v.Text())
	}
}

// TestLateAnswersAreIgnored: The answer to a request changes nothing after the user has gone elsewhere.
func TestLateAnswersAreIgnored(t *testing.T) {
	v := long(t)
	v.ToStart()
	slow := v.More()
	v.ToEnd()
	v.takePage(slow().(pageNews))
	if !v.follow || v.page != nil {
		t.Error("the log went back although somebody follows it")
	}
	v.Search("^line 1$")
	cmd, _ := v.searchBeyond(false)
	v.Scroll(-1)
	if said, next := v.takeSearch(cmd().(searchNews)); said != "" || next != nil || v.pending != nil {
		t.Error("a search that was given up goes on")
	}
}

// failing contains outputs that cannot be read.
type failing struct{ said }

func (f failing) Output(context.Context, client.LogQuery, string, int64, bool) (io.ReadCloser, error) {
	return nil, errors.New("the disk is gone")
}

// TestReadErrorIsShownOnce: An error is shown, and the request is not repeated.
func TestReadErrorIsShownOnce(t *testing.T) {
	v := long(t)
	v.ask = failing{}
	v.ToStart()
	if settle(t, v, nil); v.failed == nil || v.page != nil || v.pending != nil {
		t.Errorf("after a failure: %v", v.failed)
	}
	v.Search("x")
	cmd, _ := v.searchBeyond(false)
	if said := settle(t, v, cmd); said != "searching: the disk is gone" || v.seeking != nil {
		t.Errorf("said %q", said)
	}
}

// TestDocumentReadsTheSameInBothDirections: Reading any document forward and back gives the same lines at the same
// spots, and all bytes.
func TestDocumentReadsTheSameInBothDirections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			text.WriteString(strings.Repeat(rapid.SampledFrom([]string{"x", "yz", "\r"}).Draw(t, "of"), rapid.SampledFrom([]int{0, 1, 9, 5000, lineBytes / 2, lineBytes - 1}).Draw(t, "length")) + "\n")
		}
		text.WriteString(rapid.SampledFrom([]string{"", "half", strings.Repeat("h", 70_000)}).Draw(t, "end"))
		s := said{"a" + Stdout: text.String(), "a" + stderr: rapid.SampledFrom([]string{"", "e\n", "\n\n"}).Draw(t, "stderr")}
		d := document{from: s}
		for _, stream := range []string{Stdout, stderr} {
			d.segments = append(d.segments, segment{0, stream, client.LogQuery{Node: "a"}, int64(len(s["a"+stream]))})
		}
		every := func(*line) bool { return true }
		var forth, back []line
		p := spot{}
		for !d.atEnd(p) {
			next, err := d.after(context.Background(), p)
			if err != nil || d.passed(next.last) <= d.passed(p) {
				t.Fatalf("from %+v to %+v, %v", p, next, err)
			}
			forth, p = append(forth, d.lines(next, every)...), next.last
		}
		for p = (spot{len(d.segments) - 1, d.segments[len(d.segments)-1].size}); !d.atStart(p); {
			next, err := d.before(context.Background(), p)
			if err != nil || d.passed(next.first) >= d.passed(p) {
				t.Fatalf("back from %+v to %+v, %v", p, next, err)
			}
			back, p = append(d.lines(next, every), back...), next.first
		}
		if d.size() != int64(len(s["a"+Stdout])+len(s["a"+stderr])) || len(forth) != len(back) {
			t.Fatalf("%d lines forth, %d back", len(forth), len(back))
		}
		for i := range forth {
			if !bytes.Equal(forth[i].text, back[i].text) || d.spotOf(&forth[i]) != d.spotOf(&back[i]) {
				t.Fatalf("line %d: %.20q at %+v, back %.20q at %+v", i, forth[i].text, d.spotOf(&forth[i]), back[i].text, d.spotOf(&back[i]))
			}
		}
	})
}
