package progress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/ci"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/tail"
	"wf/tui/plain"
	"wf/tui/words"
)

// Bounds of what is shown of an output while a run goes on; wf logs has all of it.
const (
	quotedLines = 3

	nearbyLines = 30 // between two places of a log that somebody sees at once
)

// failedOutput shows the end of a failed node's output among the progress.
func (v *Display) failedOutput(ctx context.Context, ev api.Event) {
	if v.blocks++; v.blocks > maxBlocks {
		if v.blocks == maxBlocks+1 {
			v.say("-------- more nodes fail; their output: wf logs --failed --run %s%s", ev.Run, v.s.FileFlag)
		}
		return
	}
	t, err := tail.Read(ctx, v.s.Workspace, tail.QueryOf(ev))
	if err != nil {
		v.say("-------- no output of %s: %s", plain.Line(ev.Name), plain.Line(err.Error()))
		return
	}
	defer v.annotate(v.err, ev, t.LastLine())
	if len(t.Lines) == 0 {
		return
	}
	if v.live != nil {
		v.quotedTail(t, ev)
		return
	}
	f := ci.NewBlock(v.ci, ev)
	f.Begin(v.err)
	v.err.Write(f.Text([]byte(strings.Join(t.Lines, "\n") + "\n")))
	f.End(v.err)
	v.quoted(ev, len(t.Lines))
	v.say("-------- end of %s (%s: %s)", f.Name, t.Title(), v.logCommand(ev.Run, ev.Name))
}

// An execution is named by its node and its number.
type nodeExecution struct {
	node      string
	execution int
}

// quoted notes that the last words of an execution have just been shown, in so many lines.
func (v *Display) quoted(ev api.Event, lines int) {
	v.said += lines
	v.quotes[nodeExecution{ev.Node, ev.Execution}] = v.said
}

// quotedNearby says whether the last words of an execution were shown so few lines ago that they can still
// be seen: people are not told twice.
func (v *Display) quotedNearby(x api.Execution) bool {
	at, shown := v.quotes[nodeExecution{x.Node, x.Execution}]
	return shown && v.said-at <= nearbyLines
}

// oneLog says whether what goes to standard output and to standard error is read in one place.
func (v *Display) oneLog() bool { return v.inCI() || v.e.OutTTY && v.e.ErrTTY }

// sayBlocked names the nodes that a failure keeps from running and that were not named before. In a
// large run, and on a screen, their number must do.
func (v *Display) sayBlocked(ctx context.Context, ev api.Event) {
	if v.live != nil || v.opt.Quiet || !v.progress() || v.Run.Total > foldedNodes {
		return
	}
	status, err := v.s.Workspace.Status(ctx, true)
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
		v.at(ev.Time, "%s blocked: %s", v.p.Glyph(api.StateBlocked), words.NameList(names, words.ShownNames))
	}
}

// quotedTail shows the last words of a failed node below its line on a screen. The summary has more.
func (v *Display) quotedTail(t tail.Tail, ev api.Event) {
	width, _ := v.term.Size()
	for _, line := range t.Lines[max(0, len(t.Lines)-quotedLines):] {
		v.say("  %s %s", v.p.Either("│", "|"), v.p.Dim(ansi.Truncate(line, max(width-5, leastTail), v.p.Ellipsis())))
	}
	if t.Total > 0 && t.Total <= quotedLines {
		v.quoted(ev, 0)
	}
	v.say("  %s %s: %s", v.p.Either("└", "`"), t.Title(), v.logCommand(ev.Run, ev.Name))
}

// logCommand is what prints the whole output of a node in a run.
func (v *Display) logCommand(run, name string) string {
	return "wf logs " + words.Quote(run+"/"+name) + v.s.FileFlag
}

// annotate reports a failed node to the CI system, with its last line of output, or where to find it.
func (v *Display) annotate(w io.Writer, ev api.Event, last string) {
	if last == "" {
		last = v.logCommand(ev.Run, ev.Name)
	}
	ci.Annotate(w, v.ci, ev, last)
}

// wholeOutput writes the output of an execution to standard output in one block (--output grouped).
func (v *Display) wholeOutput(ctx context.Context, ev api.Event) {
	var b bytes.Buffer
	cut, err := v.copyOutput(ctx, &b, tail.QueryOf(ev))
	if err != nil && !exit.IsCode(err, api.CodeNotFound) && !exit.IsCode(err, api.CodeNoOutput) {
		v.say("note: no output of %s: %s", plain.Line(ev.Name), plain.Line(err.Error()))
	}
	v.err.Flush() // the line about the end comes before the block
	f := ci.NewBlock(v.ci, ev)
	if b.Len() > 0 {
		if !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
			b.WriteByte('\n')
		}
		f.Begin(v.out)
		v.out.Write(f.Text(b.Bytes()))
		f.End(v.out)
		if f.Failed && !cut && v.oneLog() {
			v.quoted(ev, bytes.Count(b.Bytes(), []byte("\n")))
		}
	}
	if cut {
		rest := fmt.Sprintf("-------- the rest of %s: %s\n", f.Name, v.logCommand(ev.Run, ev.Name))
		io.WriteString(v.out, ci.Harmless(v.ci, rest))
	}
	if ev.Type == api.NodeFailed {
		end := tail.Of(b.Bytes())
		if cut { // its last words are in the rest; without them the annotation names the log
			end, _ = tail.Read(ctx, v.s.Workspace, tail.QueryOf(ev))
		}
		v.annotate(v.out, ev, end.LastLine())
	}
	if v.live == nil || v.live.shared {
		v.out.Flush() // and the block before the next line; an error comes up again with the next flush
	}
}

// copyOutput appends the output to b, of each stream up to groupedBytes and groupedLines, safe for what reads them.
func (v *Display) copyOutput(ctx context.Context, b *bytes.Buffer, q client.LogQuery) (cut bool, err error) {
	info, err := v.s.Workspace.LogInfo(ctx, q)
	if err != nil {
		return false, err
	}
	for _, stream := range tail.StreamsOf(info) {
		if stream.Size == 0 {
			continue
		}
		r, err := v.s.Workspace.Output(ctx, q, stream.Name, 0, false)
		if err != nil {
			return cut, err
		}
		w := v.outputWriter(b)
		most := &capped{r, groupedBytes, groupedLines}
		_, err = io.Copy(w, most)
		if err = errors.Join(err, w.Flush(), r.Close()); err != nil {
			return cut, err
		}
		cut = cut || stream.Size > int64(groupedBytes-most.bytes)
	}
	return cut, nil
}

// outputWriter is env.outputWriter for a view. The log of a CI system is a terminal of a kind.
func (v *Display) outputWriter(w io.Writer) console.Flusher {
	if v.inCI() && !v.opt.Raw {
		return plain.NewWriter(w, v.e.OutPaint().Colored)
	}
	return v.e.OutputWriter(w, v.opt.Raw)
}
