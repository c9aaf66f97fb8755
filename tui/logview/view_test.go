package logview

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

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
	"wf/tui/program"
)

// said contains outputs in memory, by node and stream.
type said map[string]string

func (s said) LogInfo(_ context.Context, q client.LogQuery) (api.LogInfo, error) {
	return api.LogInfo{Node: q.Node, Run: "1", Execution: 1, Over: true,
		OutBytes: int64(len(s[q.Node+Stdout])), ErrBytes: int64(len(s[q.Node+stderr]))}, nil
}

func (s said) Output(_ context.Context, q client.LogQuery, stream string, offset int64, _ bool) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(s[q.Node+stream][offset:])), nil
}

// read follows outputs to their end.
func read(t *testing.T, s said, nodes ...string) *View {
	t.Helper()
	v := &View{}
	synctest.Test(t, func(t *testing.T) {
		next := v.Show(s, Target{Nodes: nodes, Names: nodes})
		for next != nil {
			next = v.take(next().(tailNews))
		}
		v.Close()
	})
	return v
}

func TestLinesAreInOrderOfArrival(t *testing.T) {
	v := read(t, said{"a" + Stdout: "one\ntwo\nhalf", "a" + stderr: "bad\n"}, "a")
	if got := v.Text(); got != "one\ntwo\nhalf\nbad\n" {
		t.Errorf("the log is %q", got)
	}
	v.stream = stderr
	if got := v.Text(); got != "bad\n" {
		t.Errorf("standard error is %q", got)
	}
}

// TestLongOutputUsesBoundedMemory: The end of a long output is kept, and very long lines are split.
func TestLongOutputUsesBoundedMemory(t *testing.T) {
	var b bytes.Buffer
	for i := range 400_000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	v := read(t, said{"a" + Stdout: b.String(), "a" + stderr: strings.Repeat("x", 300_000)}, "a")
	text := v.Text()
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

// TestSearchFindsTermsAndExpressions: The test covers terms, regular expressions, case, jumps to matches, and
// matching lines only.
func TestSearchFindsTermsAndExpressions(t *testing.T) {
	v := read(t, said{"a" + Stdout: "alpha\nBeta\ngamma beta\n(open\n"}, "a")
	v.height = 2
	for term, want := range map[string]int{"beta": 2, "Beta": 1, "^g.*a$": 1, "(open": 1, "delta": 0} {
		if v.Search(term); v.matches() != want {
			t.Errorf("%q is in %d lines, want %d", term, v.matches(), want)
		}
	}
	v.Search("beta")
	v.ToStart()
	if !v.jump(true) || v.top != 1 || !v.jump(true) || v.top != 2 || v.jump(true) || !v.jump(false) || v.top != 1 {
		t.Errorf("jumping ends at line %d", v.top)
	}
	v.only = true
	if got := v.Text(); got != "Beta\ngamma beta\n" {
		t.Errorf("only matches: %q", got)
	}
}

// TestOverwrittenTextIsNotShown: Text before a carriage return is not shown.
func TestOverwrittenTextIsNotShown(t *testing.T) {
	for in, want := range map[string]string{"10%\r50%\r100%": "100%", "dos\r": "dos", "\x1b[31mred\x1b[0m": "red", "a\tb": "a       b"} {
		l := line{text: []byte(in)}
		if got := cells.StripColors(l.shownText()); got != want {
			t.Errorf("%q is shown as %q", in, got)
		}
	}
}

// TestPendingOutputIsBounded: The piece after dropped ones is marked.
func TestPendingOutputIsBounded(t *testing.T) {
	tl := &tail{wake: program.NewSignal()}
	for i := range 100 {
		tl.push(piece{stream: Stdout, data: bytes.Repeat([]byte{'a' + byte(i%26)}, readBytes)})
	}
	if tl.bytes > pendingBytes || !tl.pieces[0].lost {
		t.Errorf("%d bytes wait, the first piece is %v", tl.bytes, tl.pieces[0].lost)
	}
}

// TestSaveWritesTheWholeLog: The whole log is saved, including lines that are not in memory, and no file is
// overwritten.
func TestSaveWritesTheWholeLog(t *testing.T) {
	long := strings.Repeat("a line of output\n", 200_000)
	w := Whole{from: said{"a" + Stdout: "\x1b[31mred\x1b[2J\n" + long, "a" + stderr: "bad\n", "b" + Stdout: "b\n"},
		target: Target{Nodes: []string{"a", "b"}, Names: []string{"a", "b"}}}
	path := t.TempDir() + "/saved"
	size, err := w.Save(t.Context(), path)
	data, _ := os.ReadFile(path)
	if want := "==> a\nred\n" + long + "bad\n==> b\nb\n"; err != nil || string(data) != want || size != int64(len(want)) {
		t.Fatalf("saved %d bytes (%d reported), %v", len(data), size, err)
	}
	if _, err := w.Save(t.Context(), path); !errors.Is(err, os.ErrExist) {
		t.Errorf("saving twice: %v", err)
	}
	if _, err := (Whole{}).Save(t.Context(), path+"2"); !errors.Is(err, ErrNoLog) {
		t.Errorf("saving nothing: %v", err)
	}
}

// TestOnlyMatchingLinesStayNearTheSameLine: ToggleOnly hides the other lines of this log, stays near the same line,
// and reports it. Another log shows all lines.
func TestOnlyMatchingLinesStayNearTheSameLine(t *testing.T) {
	lines := numbered(0, 200)
	s := said{"a" + Stdout: lines, "b" + Stdout: lines}
	v := &View{}
	var note Note
	toggle := func() (cmd tea.Cmd) {
		note, cmd = v.ToggleOnly()
		return cmd
	}
	settle(t, v, v.Show(s, Target{Nodes: []string{"a"}, Names: []string{"a"}}))
	v.height = 10
	v.Search("line 1.7")
	v.ToStart()
	v.jump(true)
	v.jump(true)
	if v.at() != "line 117" {
		t.Fatalf("the match is %q", v.at())
	}
	settle(t, v, toggle())
	if v.at() != "line 117" || v.Text() != "line 107\nline 117\nline 127\nline 137\nline 147\nline 157\nline 167\nline 177\nline 187\nline 197\n" {
		t.Errorf("at %q, lines %q", v.at(), v.Text())
	}
	if !strings.Contains(note.Text, "& shows all") {
		t.Errorf("it says %q", note.Text)
	}
	settle(t, v, toggle())
	if v.at() != "line 117" || v.Text() != lines {
		t.Errorf("all again: at %q", v.at())
	}
	v.top = v.end() - 1 // behind the last match
	settle(t, v, toggle())
	if v.at() != "line 197" {
		t.Errorf("from behind the last match to %q", v.at())
	}
	settle(t, v, v.Show(s, Target{Nodes: []string{"b"}, Names: []string{"b"}}))
	if v.only || v.Text() != lines {
		t.Error("another log is not shown whole")
	}
	v.Search("nothing like this")
	settle(t, v, toggle())
	if v.only || v.Text() != lines || !strings.Contains(note.Text, "all lines are shown") {
		t.Errorf("without a match: only %v, it says %q", v.only, note.Text)
	}
	v.Close()
}

// TestOnlyMatchingLinesGoBeforeTheBuffer: ToggleOnly goes to the last match if all matches are before the buffer.
func TestOnlyMatchingLinesGoBeforeTheBuffer(t *testing.T) {
	v := long(t)
	toggle := func() tea.Cmd {
		_, cmd := v.ToggleOnly()
		return cmd
	}
	v.Search("^line 77$|^line 78$")
	settle(t, v, toggle())
	if v.at() != "line 78" && v.at() != "line 77" {
		t.Errorf("at %q", v.at())
	}
	settle(t, v, toggle())
	if v.at() != "line 78" && v.at() != "line 77" {
		t.Errorf("all again: at %q", v.at())
	}
}

// TestMergedOutputIgnoresTheStream: An output of both streams is shown completely, whichever stream was chosen
// before.
func TestMergedOutputIgnoresTheStream(t *testing.T) {
	v := &View{stream: stderr}
	s := mergedSaid{said{"a" + merged: "out\nerr\nout\n", "b" + Stdout: "b out\n", "b" + stderr: "b err\n"}}
	settle(t, v, v.Show(s, Target{Nodes: []string{"a"}, Names: []string{"a"}}))
	if got := v.Text(); got != "out\nerr\nout\n" {
		t.Errorf("the log is %q", got)
	}
	if v.Search("err"); v.matches() != 1 || strings.Contains(v.footText(), "stderr") {
		t.Errorf("%d matches, it says %q", v.matches(), v.footText())
	}
	v.Close()
	v = &View{stream: stderr}
	settle(t, v, v.Show(s, Target{Nodes: []string{"a", "b"}, Names: []string{"a", "b"}}))
	if got := v.Text(); !strings.Contains(got, "out\nerr\nout\n") || !strings.Contains(got, "b err\n") || strings.Contains(got, "b out") {
		t.Errorf("the logs are %q", got)
	}
	if d := v.document(false); len(d.segments) != 2 || d.segments[0].stream != merged || d.segments[1].stream != stderr {
		t.Errorf("segments %+v", d.segments)
	}
	v.Close()
}

// mergedSaid is said for nodes that write both streams into one output.
type mergedSaid struct{ said }

func (s mergedSaid) LogInfo(ctx context.Context, q client.LogQuery) (api.LogInfo, error) {
	info, err := s.said.LogInfo(ctx, q)
	if text, one := s.said[q.Node+merged]; one {
		info.Merged, info.OutBytes = true, int64(len(text))
	}
	return info, err
}
