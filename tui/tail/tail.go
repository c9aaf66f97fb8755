// Package tail reads the end of the output of an execution from the daemon, as text that is safe to print.
package tail

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/client"
	"wf/tui/plain"
	"wf/tui/words"
)

// Limits of a tail.
const (
	MaxBytes    = 64 << 10
	maxLines    = 10
	tailColumns = 1000 // of a line, so that a text without line ends does not fill the screen
)

// The streams of an execution.
const (
	Stdout = "stdout"
	Stderr = "stderr"
	Both   = "output" // both, in the order in which they were written
)

// Stream is one stream of an execution and its size at one moment.
type Stream struct {
	Name string
	Size int64
}

// StreamsOf returns the streams of an execution.
func StreamsOf(info api.LogInfo) []Stream {
	if info.Merged {
		return []Stream{{Both, info.OutBytes}}
	}
	return []Stream{{Stdout, info.OutBytes}, {Stderr, info.ErrBytes}}
}

// A Tail is the end of the output of an execution, safe to print.
type Tail struct {
	Lines []string
	Total int // number of lines of the output; 0 = more than were read
}

// Title describes which part of the output t is.
func (t Tail) Title() string {
	switch {
	case t.Total == 0:
		return "last " + words.Plural(len(t.Lines), "line")
	case t.Total > len(t.Lines):
		return fmt.Sprintf("last %d of %d lines", len(t.Lines), t.Total)
	}
	return words.Plural(t.Total, "line")
}

// Read reads the last maxLines lines of an execution. If its streams are separate, lines of standard error take
// precedence, and come after those of standard output.
func Read(ctx context.Context, ws *client.Workspace, q client.LogQuery) (Tail, error) {
	info, err := ws.LogInfo(ctx, q)
	if err != nil {
		return Tail{}, err
	}
	t, total, wholly := Tail{}, 0, true
	for _, stream := range slices.Backward(StreamsOf(info)) {
		lines, whole, err := lastLines(ctx, ws, q, stream.Name, stream.Size)
		if err != nil {
			return Tail{}, err
		}
		total, wholly = total+len(lines), wholly && whole
		t.Lines = append(slices.Clip(lastOf(lines, maxLines-len(t.Lines))), t.Lines...)
	}
	if wholly {
		t.Total = total
	}
	return t, nil
}

// lastLines reads at most MaxBytes from the end of a stream of size bytes. whole says that this is the whole stream.
func lastLines(ctx context.Context, ws *client.Workspace, q client.LogQuery, stream string, size int64) (lines []string, whole bool, err error) {
	if size == 0 {
		return nil, true, nil
	}
	offset := max(0, size-MaxBytes)
	r, err := ws.Output(ctx, q, stream, offset, false)
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes))
	if err != nil {
		return nil, false, err
	}
	return Lines(data), offset == 0, nil
}

// Lines splits output into printable lines as a terminal would show them at the end: of a line with carriage returns it
// keeps the text after the last one, and of a very long line the beginning.
func Lines(data []byte) []string {
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

// QueryOf returns the query for the execution of an event.
func QueryOf(ev api.Event) client.LogQuery {
	return client.LogQuery{Node: ev.Node, Run: ev.Run, Execution: ev.Execution}
}

// LastLine returns the last line that is not blank, or "".
func (t Tail) LastLine() string {
	for _, line := range slices.Backward(t.Lines) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// Of returns the tail of an output that is in memory.
func Of(output []byte) Tail { return Tail{Lines: Lines(output[max(0, len(output)-MaxBytes):])} }
