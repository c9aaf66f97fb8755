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
	"wf/tui/plain"
	"wf/tui/tail"
	"wf/tui/words"
)

// Limits of the outputs that are shown during a run; wf logs prints all of them.
const (
	quotedLines = 3

	nearbyLines = 30 // lines that fit on a screen
)

// failedOutput shows the end of the output of a failed node.
func (v *Display) failedOutput(ctx context.Context, ev api.Event) {
	if v.blocks++; v.blocks > maxBlocks {
		if v.blocks == maxBlocks+1 {
			v.print("-------- more nodes fail; their output: wf logs --failed --run %s%s", ev.Run, v.target.FileFlag)
		}
		return
	}
	t, err := tail.Read(ctx, v.target.Workspace, tail.QueryOf(ev))
	if err != nil {
		v.print("-------- no output of %s: %s", plain.Line(ev.Name), plain.Line(err.Error()))
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
	v.print("-------- end of %s (%s: %s)", f.Name, t.Title(), v.logCommand(ev.Run, ev.Name))
}

// A nodeExecution names an execution by its node and its number.
type nodeExecution struct {
	node      string
	execution int
}

// quoted remembers that the end of the output of an execution has just been shown in so many lines.
func (v *Display) quoted(ev api.Event, lines int) {
	v.printed += lines
	v.quotes[nodeExecution{ev.Node, ev.Execution}] = v.printed
}

// quotedNearby reports whether the end of the output of an execution was shown so few lines ago that it is still visible.
func (v *Display) quotedNearby(x api.Execution) bool {
	at, shown := v.quotes[nodeExecution{x.Node, x.Execution}]
	return shown && v.printed-at <= nearbyLines
}

// oneLog reports whether standard output and standard error are shown in the same place.
func (v *Display) oneLog() bool { return v.inCI() || v.e.OutTTY && v.e.ErrTTY }

// printBlocked names the nodes that are blocked by a failure and were not named before. In a large run and on a screen only
// their number is shown.
func (v *Display) printBlocked(ctx context.Context, ev api.Event) {
	if v.live != nil || v.opt.Quiet || !v.progress() || v.Run.Total > foldedNodes {
		return
	}
	status, err := v.target.Workspace.Status(ctx, true)
	if err != nil {
		return // the summary names them, or reports the error
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

// quotedTail shows the last lines of a failed node below its line on a screen. The summary shows more.
func (v *Display) quotedTail(t tail.Tail, ev api.Event) {
	width, _ := v.term.Size()
	for _, line := range t.Lines[max(0, len(t.Lines)-quotedLines):] {
		v.print("  %s %s", v.p.Either("│", "|"), v.p.Dim(ansi.Truncate(line, max(width-5, leastTail), v.p.Ellipsis())))
	}
	if t.Total > 0 && t.Total <= quotedLines {
		v.quoted(ev, 0)
	}
	v.print("  %s %s: %s", v.p.Either("└", "`"), t.Title(), v.logCommand(ev.Run, ev.Name))
}

// logCommand returns the command that prints the whole output of a node in a run.
func (v *Display) logCommand(run, name string) string {
	return "wf logs " + words.Quote(run+"/"+name) + v.target.FileFlag
}

// annotate reports a failed node to the CI system, with its last line of output or the command that prints it.
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
		v.print("note: no output of %s: %s", plain.Line(ev.Name), plain.Line(err.Error()))
	}
	v.err.Flush() // print the line about the end before the block
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
		if cut { // b does not have the end; if it cannot be read, the annotation names the log
			end, _ = tail.Read(ctx, v.target.Workspace, tail.QueryOf(ev))
		}
		v.annotate(v.out, ev, end.LastLine())
	}
	if v.live == nil || v.live.shared {
		v.out.Flush() // print the block before the next line; the next flush returns an error again
	}
}

// copyOutput appends the output to b as printable text, at most groupedBytes and groupedLines of each stream.
func (v *Display) copyOutput(ctx context.Context, b *bytes.Buffer, q client.LogQuery) (cut bool, err error) {
	info, err := v.target.Workspace.LogInfo(ctx, q)
	if err != nil {
		return false, err
	}
	for _, stream := range tail.StreamsOf(info) {
		if stream.Size == 0 {
			continue
		}
		r, err := v.target.Workspace.Output(ctx, q, stream.Name, 0, false)
		if err != nil {
			return cut, err
		}
		w := v.outputWriter(b)
		most := &capped{r: r, bytes: groupedBytes, lines: groupedLines}
		_, err = io.Copy(w, most)
		cut = cut || err == nil && most.more()
		if err = errors.Join(err, w.Flush(), r.Close()); err != nil {
			return cut, err
		}
	}
	return cut, nil
}

// outputWriter is Console.OutputWriter that treats the log of a CI system like a terminal.
func (v *Display) outputWriter(w io.Writer) console.Flusher {
	if v.inCI() && !v.opt.Raw {
		return plain.NewWriter(w, v.e.OutPaint().Colored)
	}
	return v.e.OutputWriter(w, v.opt.Raw)
}
