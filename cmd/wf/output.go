package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// Bounds of what is shown of an output while a run goes on; wf logs has all of it.
const (
	tailBytes   = 64 << 10
	tailLines   = 10
	quotedLines = 3

	nearbyLines = 30   // between two places of a log that somebody sees at once
	tailColumns = 1000 // of a line in a tail: what ends without a line end must not fill the screen
)

// The streams of an execution.
const (
	streamOut  = "stdout"
	streamErr  = "stderr"
	streamBoth = "output" // both, in the order in which they were written
)

// logStream is one stream of an execution and its size at one moment.
type logStream struct {
	name string
	size int64
}

// streamsOf are the streams that an execution has.
func streamsOf(info api.LogInfo) []logStream {
	if info.Merged {
		return []logStream{{streamBoth, info.OutBytes}}
	}
	return []logStream{{streamOut, info.OutBytes}, {streamErr, info.ErrBytes}}
}

// A tail is the end of the output of an execution, safe to print.
type tail struct {
	lines []string
	total int // lines in all; 0 = more than were read
}

// title says how much of the output it is.
func (t tail) title() string {
	switch {
	case t.total == 0:
		return "last " + words.Plural(len(t.lines), "line")
	case t.total > len(t.lines):
		return fmt.Sprintf("last %d of %d lines", len(t.lines), t.total)
	}
	return words.Plural(t.total, "line")
}

// tail reads the last lines of an execution. Where its streams are apart those of standard error come
// last, and before them, where there is room, those of standard output.
func (s *session) tail(ctx context.Context, q client.LogQuery, limit int) (tail, error) {
	info, err := s.ws.LogInfo(ctx, q)
	if err != nil {
		return tail{}, err
	}
	t, total, wholly := tail{}, 0, true
	for _, stream := range slices.Backward(streamsOf(info)) {
		lines, whole, err := s.lastLines(ctx, q, stream.name, stream.size)
		if err != nil {
			return tail{}, err
		}
		total, wholly = total+len(lines), wholly && whole
		t.lines = append(slices.Clip(lastOf(lines, limit-len(t.lines))), t.lines...)
	}
	if wholly {
		t.total = total
	}
	return t, nil
}

// lastLines reads at most tailBytes from the end of a stream of size bytes. whole says that
// this is all of it.
func (s *session) lastLines(ctx context.Context, q client.LogQuery, stream string, size int64) (lines []string, whole bool, err error) {
	if size == 0 {
		return nil, true, nil
	}
	offset := max(0, size-tailBytes)
	r, err := s.ws.Output(ctx, q, stream, offset, false)
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, tailBytes))
	if err != nil {
		return nil, false, err
	}
	return textLines(data), offset == 0, nil
}

// textLines cuts output into lines as they would stand on a screen at the end: of a line that
// was written over and over with carriage returns only the last text counts, and of an endless one
// the beginning.
func textLines(data []byte) []string {
	text := strings.TrimSuffix(string(data), "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = ansi.Truncate(plain.Text(line[strings.LastIndexByte(line, '\r')+1:]), tailColumns, " [...]")
	}
	return lines
}

func lastOf(lines []string, n int) []string { return lines[max(0, len(lines)-n):] }

// query names the execution of an event.
func query(ev api.Event) client.LogQuery {
	return client.LogQuery{Node: ev.Node, Run: ev.Run, Execution: ev.Execution}
}

// failedOutput shows the end of a failed node's output among the progress.
func (v *view) failedOutput(ctx context.Context, ev api.Event) {
	if v.blocks++; v.blocks > maxBlocks {
		if v.blocks == maxBlocks+1 {
			v.say("-------- more nodes fail; their output: wf logs --failed --run %s%s", ev.Run, v.e.fileFix(v.s.path))
		}
		return
	}
	t, err := v.s.tail(ctx, query(ev), tailLines)
	if err != nil {
		v.say("-------- no output of %s: %s", plain.Line(ev.Name), plain.Line(err.Error()))
		return
	}
	defer v.annotate(v.err, ev, t.last())
	if len(t.lines) == 0 {
		return
	}
	if v.live != nil {
		v.quotedTail(t, ev)
		return
	}
	f := v.newFold(ev)
	f.begin(v.err)
	v.err.Write(f.text([]byte(strings.Join(t.lines, "\n") + "\n")))
	f.end(v.err)
	v.quoted(ev, len(t.lines))
	v.say("-------- end of %s (%s: %s)", f.name, t.title(), v.logCommand(ev.Run, ev.Name))
}

// An execution is named by its node and its number.
type nodeExecution struct {
	node      string
	execution int
}

// quoted notes that the last words of an execution have just been shown, in so many lines.
func (v *view) quoted(ev api.Event, lines int) {
	v.said += lines
	v.quotes[nodeExecution{ev.Node, ev.Execution}] = v.said
}

// quotedNearby says whether the last words of an execution were shown so few lines ago that they can still
// be seen: people are not told twice.
func (v *view) quotedNearby(x api.Execution) bool {
	at, shown := v.quotes[nodeExecution{x.Node, x.Execution}]
	return shown && v.said-at <= nearbyLines
}

// oneLog says whether what goes to standard output and to standard error is read in one place.
func (v *view) oneLog() bool { return v.inCI() || v.e.OutTTY && v.e.ErrTTY }

// sayBlocked names the nodes that a failure keeps from running and that were not named before. In a
// large run, and on a screen, their number must do.
func (v *view) sayBlocked(ctx context.Context, ev api.Event) {
	if v.live != nil || v.opt.quiet || !v.progress() || v.board.Total > foldedNodes {
		return
	}
	status, err := v.s.ws.Status(ctx, true)
	if err != nil {
		return // the summary will tell, or why it cannot
	}
	var names []string
	for _, n := range status.Nodes {
		if n.State == api.StateBlocked && n.Run == ev.Run && !v.blocked[n.ID] {
			v.blocked[n.ID] = true
			names = append(names, n.Name)
		}
	}
	if len(names) > 0 {
		v.at(ev.Time, "%s blocked: %s", v.p.Glyph(api.StateBlocked), words.NameList(names, shownNames))
	}
}

// last is the last line that says something.
func (t tail) last() string {
	for i := len(t.lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(t.lines[i]); line != "" {
			return line
		}
	}
	return ""
}

// quotedTail shows the last words of a failed node below its line on a screen. The summary has more.
func (v *view) quotedTail(t tail, ev api.Event) {
	width, _ := v.term.Size()
	for _, line := range lastOf(t.lines, quotedLines) {
		v.say("  %s %s", v.p.Either("│", "|"), v.p.Dim(ansi.Truncate(line, max(width-5, leastTail), v.p.Ellipsis())))
	}
	if t.total > 0 && t.total <= quotedLines {
		v.quoted(ev, 0)
	}
	v.say("  %s %s: %s", v.p.Either("└", "`"), t.title(), v.logCommand(ev.Run, ev.Name))
}

// logCommand is what prints the whole output of a node in a run.
func (v *view) logCommand(run, name string) string {
	return "wf logs " + words.Quote(run+"/"+name) + v.e.fileFix(v.s.path)
}

// wholeOutput writes the output of an execution to standard output in one block (--output grouped).
func (v *view) wholeOutput(ctx context.Context, ev api.Event) {
	var b bytes.Buffer
	cut, err := v.copyOutput(ctx, &b, query(ev))
	if err != nil && !isCode(err, api.CodeNotFound) && !isCode(err, api.CodeNoOutput) {
		v.say("note: no output of %s: %s", plain.Line(ev.Name), plain.Line(err.Error()))
	}
	v.err.Flush() // the line about the end comes before the block
	f := v.newFold(ev)
	if b.Len() > 0 {
		if !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
			b.WriteByte('\n')
		}
		f.begin(v.out)
		v.out.Write(f.text(b.Bytes()))
		f.end(v.out)
		if f.failed && !cut && v.oneLog() {
			v.quoted(ev, bytes.Count(b.Bytes(), []byte("\n")))
		}
	}
	if cut {
		rest := fmt.Sprintf("-------- the rest of %s: %s\n", f.name, v.logCommand(ev.Run, ev.Name))
		io.WriteString(v.out, v.harmless(rest))
	}
	if ev.Type == api.NodeFailed {
		end := tail{lines: textLines(lastBytes(b.Bytes(), tailBytes))}
		if cut { // its last words are in the rest; without them the annotation names the log
			end, _ = v.s.tail(ctx, query(ev), tailLines)
		}
		v.annotate(v.out, ev, end.last())
	}
	if v.live == nil || v.live.shared {
		v.out.Flush() // and the block before the next line; an error comes up again with the next flush
	}
}

func lastBytes(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

// copyOutput appends the output to b, of each stream up to groupedBytes and groupedLines, safe for what reads them.
func (v *view) copyOutput(ctx context.Context, b *bytes.Buffer, q client.LogQuery) (cut bool, err error) {
	info, err := v.s.ws.LogInfo(ctx, q)
	if err != nil {
		return false, err
	}
	for _, stream := range streamsOf(info) {
		if stream.size == 0 {
			continue
		}
		r, err := v.s.ws.Output(ctx, q, stream.name, 0, false)
		if err != nil {
			return cut, err
		}
		w := v.outputWriter(b)
		most := &capped{r, groupedBytes, groupedLines}
		_, err = io.Copy(w, most)
		if err = errors.Join(err, w.Flush(), r.Close()); err != nil {
			return cut, err
		}
		cut = cut || stream.size > int64(groupedBytes-most.bytes)
	}
	return cut, nil
}

// outputWriter is env.outputWriter for a view. The log of a CI system is a terminal of a kind.
func (v *view) outputWriter(w io.Writer) console.Flusher {
	if v.inCI() && !v.opt.raw {
		return plain.NewWriter(w, v.e.OutPaint().Colored)
	}
	return v.e.OutputWriter(w, v.opt.raw)
}
