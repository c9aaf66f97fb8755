package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
)

// said is outputs that a test holds: what each node wrote on each stream.
type said map[string]string

func (s said) LogInfo(_ context.Context, q client.LogQuery) (api.LogInfo, error) {
	return api.LogInfo{Node: q.Node, Run: "1", Execution: 1, Over: true,
		OutBytes: int64(len(s[q.Node+stdout])), ErrBytes: int64(len(s[q.Node+stderr]))}, nil
}

func (s said) Output(_ context.Context, q client.LogQuery, stream string, offset int64, _ bool) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(s[q.Node+stream][offset:])), nil
}

// read follows a target to its end.
func read(t *testing.T, s said, nodes ...string) *logView {
	t.Helper()
	v := &logView{}
	synctest.Test(t, func(t *testing.T) {
		next := v.show(s, logTarget{nodes: nodes, names: nodes})
		for next != nil {
			next = v.take(next().(logNews))
		}
		v.close()
	})
	return v
}

func TestLogOrder(t *testing.T) {
	v := read(t, said{"a" + stdout: "one\ntwo\nhalf", "a" + stderr: "bad\n"}, "a")
	if got := v.text(); got != "one\ntwo\nhalf\nbad\n" {
		t.Errorf("the log is %q", got)
	}
	v.stream = stderr
	if got := v.text(); got != "bad\n" {
		t.Errorf("standard error is %q", got)
	}
}

// TestLogLong: of a long output the end is kept, in bounded memory; lines without end are cut.
func TestLogLong(t *testing.T) {
	var b bytes.Buffer
	for i := range 400_000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	v := read(t, said{"a" + stdout: b.String(), "a" + stderr: strings.Repeat("x", 300_000)}, "a")
	text := v.text()
	if !strings.Contains(text, "line 399999\n") || strings.Contains(text, "line 1\n") || v.skip == 0 {
		t.Errorf("kept %d bytes, from %.40q", len(text), text)
	}
	if v.buffer.bytes > keptBytes || len(v.buffer.lines) > keptLines {
		t.Errorf("kept %d bytes in %d lines", v.buffer.bytes, len(v.buffer.lines))
	}
	if last := v.buffer.lines[len(v.buffer.lines)-1]; len(last.text) > lineBytes {
		t.Errorf("a line of %d bytes", len(last.text))
	}
}

// TestLogSearch: words and expressions, capitals, jumping, and only lines that match.
func TestLogSearch(t *testing.T) {
	v := read(t, said{"a" + stdout: "alpha\nBeta\ngamma beta\n(open\n"}, "a")
	v.height = 2
	for term, want := range map[string]int{"beta": 2, "Beta": 1, "^g.*a$": 1, "(open": 1, "delta": 0} {
		if v.search(term); v.matches() != want {
			t.Errorf("%q is in %d lines, want %d", term, v.matches(), want)
		}
	}
	v.search("beta")
	v.toStart()
	if !v.jump(true) || v.top != 1 || !v.jump(true) || v.top != 2 || v.jump(true) || !v.jump(false) || v.top != 1 {
		t.Errorf("jumping ends at line %d", v.top)
	}
	v.only = true
	if got := v.text(); got != "Beta\ngamma beta\n" {
		t.Errorf("only matches: %q", got)
	}
}

// TestProgressBars: what a carriage return has written over is gone.
func TestProgressBars(t *testing.T) {
	for in, want := range map[string]string{"10%\r50%\r100%": "100%", "dos\r": "dos", "\x1b[31mred\x1b[0m": "red", "a\tb": "a       b"} {
		l := logLine{text: []byte(in)}
		if got := cells.StripColors(l.shownText()); got != want {
			t.Errorf("%q is shown as %q", in, got)
		}
	}
}

// TestHostile: whatever nodes write, and whatever they are called, the terminal gets only text and our
// own colours, and every row is as wide as the screen at most.
func TestHostile(t *testing.T) {
	hostile := "\x1b]0;owned\x07\x1b[2J\x1b[?1049l\x1b]52;c;aGk=\x07\x9b31m\u009b31m\x1bPq\x1b\\\x00\x08\x0b\u202eevil\u2066 ok\r\nlast\x1b[1;31mred\x1b[7m\n" +
		strings.Repeat("e\u0301\u0302\u0303", 200) + "👩‍👩‍👧‍👦 漢字漢字漢字\xff\xfe" + strings.Repeat("\u0300", 500) + "\n"
	s := pipeline(2)
	for i := range s.Nodes {
		s.Nodes[i].Name += hostile
		s.Nodes[i].Command += hostile
	}
	m := testModel(100, 30, s)
	press(m, "n")
	showLog(m, hostile)
	for _, keys := range [][]string{{}, {"i"}, {"v"}, {"v"}, {"z"}, {"L"}, {"r"}, {"esc"}} {
		press(m, keys...)
		m.draw()
		checkScreen(t, m.screen.Encode(true), 100)
	}
}

// checkScreen fails when a frame holds anything but text and SGR.
func checkScreen(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		rest := line
		for {
			head, tail, found := strings.Cut(rest, "\x1b[")
			if i := strings.IndexFunc(head, func(r rune) bool {
				return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r == 0x2066
			}); i >= 0 {
				t.Fatalf("the screen gets %q", head[i:])
			}
			if !found {
				break
			}
			end := strings.IndexFunc(tail, func(r rune) bool { return r != ';' && (r < '0' || r > '9') })
			if end < 0 || tail[end] != 'm' {
				t.Fatalf("the screen gets the sequence %q", tail)
			}
			rest = tail[end+1:]
		}
		if n := cells.Columns(line); n > width {
			t.Fatalf("a row of %d columns: %q", n, line)
		}
	}
}

// TestTails: output that nobody takes is left out in the middle, and what follows says so.
func TestTails(t *testing.T) {
	tl := &tail{wake: make(chan struct{}, 1)}
	for i := range 100 {
		tl.push(piece{stream: stdout, data: bytes.Repeat([]byte{'a' + byte(i%26)}, readBytes)})
	}
	if tl.bytes > pendingBytes || !tl.pieces[0].lost {
		t.Errorf("%d bytes wait, the first piece is %v", tl.bytes, tl.pieces[0].lost)
	}
}

// TestSave: all of a log is saved, also what the screen has left out, and nothing is overwritten.
func TestSave(t *testing.T) {
	long := strings.Repeat("a line of output\n", 200_000)
	w := wholeLog{from: said{"a" + stdout: "\x1b[31mred\x1b[2J\n" + long, "a" + stderr: "bad\n", "b" + stdout: "b\n"},
		target: logTarget{nodes: []string{"a", "b"}, names: []string{"a", "b"}}}
	path := t.TempDir() + "/saved"
	size, err := w.save(t.Context(), path)
	data, _ := os.ReadFile(path)
	if want := "==> a\nred\n" + long + "bad\n==> b\nb\n"; err != nil || string(data) != want || size != int64(len(want)) {
		t.Fatalf("saved %d bytes (%d told), %v", len(data), size, err)
	}
	if _, err := w.save(t.Context(), path); !errors.Is(err, os.ErrExist) {
		t.Errorf("saving twice: %v", err)
	}
	if _, err := (wholeLog{}).save(t.Context(), path+"2"); !errors.Is(err, errNoLog) {
		t.Errorf("saving nothing: %v", err)
	}
}

// TestOnlyMatches: & leaves out the other lines of this log, stays where it is, and says so; another log is
// shown whole.
func TestOnlyMatches(t *testing.T) {
	lines := numbered(0, 200)
	s := said{"a" + stdout: lines, "b" + stdout: lines}
	m := testModel(80, 24, pipeline(2))
	v := &m.log
	settle(t, v, v.show(s, logTarget{nodes: []string{"a"}, names: []string{"a"}}))
	v.height = 10
	v.search("line 1.7")
	v.toStart()
	v.jump(true)
	v.jump(true)
	if v.at() != "line 117" {
		t.Fatalf("the match is %q", v.at())
	}
	settle(t, v, m.onlyMatches())
	if v.at() != "line 117" || v.text() != "line 107\nline 117\nline 127\nline 137\nline 147\nline 157\nline 167\nline 177\nline 187\nline 197\n" {
		t.Errorf("at %q, lines %q", v.at(), v.text())
	}
	if !strings.Contains(m.toast.text, "& shows all") {
		t.Errorf("it says %q", m.toast.text)
	}
	settle(t, v, m.onlyMatches())
	if v.at() != "line 117" || v.text() != lines {
		t.Errorf("all again: at %q", v.at())
	}
	v.top = v.end() - 1 // behind the last match
	settle(t, v, m.onlyMatches())
	if v.at() != "line 197" {
		t.Errorf("from behind the last match to %q", v.at())
	}
	settle(t, v, v.show(s, logTarget{nodes: []string{"b"}, names: []string{"b"}}))
	if v.only || v.text() != lines {
		t.Error("another log is not shown whole")
	}
	v.search("nothing like this")
	settle(t, v, m.onlyMatches())
	if v.only || v.text() != lines || !strings.Contains(m.toast.text, "all lines are shown") {
		t.Errorf("without a match: only %v, it says %q", v.only, m.toast.text)
	}
	v.close()
}

// TestOnlyMatchesOfThePast: matches that are only before what is followed are gone to.
func TestOnlyMatchesOfThePast(t *testing.T) {
	m := testModel(80, 24, pipeline(2))
	v := long(t)
	m.log = *v
	v = &m.log
	v.search("^line 77$|^line 78$")
	settle(t, v, m.onlyMatches())
	if v.at() != "line 78" && v.at() != "line 77" {
		t.Errorf("at %q", v.at())
	}
	settle(t, v, m.onlyMatches())
	if v.at() != "line 78" && v.at() != "line 77" {
		t.Errorf("all again: at %q", v.at())
	}
}

// TestLogMerged: of an output that is both streams all is shown, whatever stream was chosen before.
func TestLogMerged(t *testing.T) {
	v := &logView{stream: stderr}
	s := mergedSaid{said{"a" + merged: "out\nerr\nout\n", "b" + stdout: "b out\n", "b" + stderr: "b err\n"}}
	settle(t, v, v.show(s, logTarget{nodes: []string{"a"}, names: []string{"a"}}))
	if got := v.text(); got != "out\nerr\nout\n" {
		t.Errorf("the log is %q", got)
	}
	if v.search("err"); v.matches() != 1 || strings.Contains(v.footText(), "stderr") {
		t.Errorf("%d matches, it says %q", v.matches(), v.footText())
	}
	v.close()
	v = &logView{stream: stderr}
	settle(t, v, v.show(s, logTarget{nodes: []string{"a", "b"}, names: []string{"a", "b"}}))
	if got := v.text(); !strings.Contains(got, "out\nerr\nout\n") || !strings.Contains(got, "b err\n") || strings.Contains(got, "b out") {
		t.Errorf("the logs are %q", got)
	}
	if d := v.document(false); len(d.segs) != 2 || d.segs[0].stream != merged || d.segs[1].stream != stderr {
		t.Errorf("segments %+v", d.segs)
	}
	v.close()
}

// mergedSaid is said where the nodes that have only one output write both streams into it.
type mergedSaid struct{ said }

func (s mergedSaid) LogInfo(ctx context.Context, q client.LogQuery) (api.LogInfo, error) {
	info, err := s.said.LogInfo(ctx, q)
	if text, one := s.said[q.Node+merged]; one {
		info.Merged, info.OutBytes = true, int64(len(text))
	}
	return info, err
}
