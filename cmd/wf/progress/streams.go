package progress

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/ci"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/tail"
)

// maxLine is where a line of --output stream is cut, so that an endless line does not fill the memory.
const maxLine = 64 << 10

// streams shows the output of all nodes while they run (--output stream): whole lines after the names of their nodes.
// Each stream of an execution has a goroutine, and so has each start of an execution; close waits for all.
type streams struct {
	e      *console.Console
	target *Target
	writer func(io.Writer) console.Flusher // makes output printable
	cancel context.CancelFunc
	ctx    context.Context
	group  sync.WaitGroup
	lines  chan []byte // whole lines for the display
}

func newStreams(v *Display) *streams {
	st := &streams{e: v.e, target: v.target, writer: v.outputWriter, lines: make(chan []byte)}
	st.ctx, st.cancel = context.WithCancel(context.Background())
	return st
}

// follow shows the execution that ev started.
func (st *streams) follow(ev api.Event) {
	st.group.Go(func() {
		st.e.Guard(func() {
			info, err := st.target.Workspace.LogInfo(st.ctx, tail.QueryOf(ev))
			if err != nil {
				return // wf logs can still print the output
			}
			for _, stream := range tail.StreamsOf(info) {
				st.group.Go(func() { st.e.Guard(func() { st.copy(plain.Line(ev.Name), tail.QueryOf(ev), stream.Name) }) })
			}
		})
	})
}

// drain shows lines until the outputs of all executions are complete.
func (st *streams) drain(show func(line []byte)) {
	shown := make(chan struct{})
	go func() {
		st.group.Wait()
		close(shown)
	}()
	for {
		select {
		case line := <-st.lines:
			show(line)
		case <-shown:
			return
		}
	}
}

// close stops all goroutines.
func (st *streams) close() {
	st.cancel()
	st.group.Wait()
}

// copy shows one stream. It ignores errors, because wf logs can still print the output.
func (st *streams) copy(name string, q client.LogQuery, stream string) {
	r, err := st.target.Workspace.Output(st.ctx, q, stream, 0, true)
	if err != nil {
		return
	}
	defer r.Close()
	lines := bufio.NewReaderSize(r, maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			st.print(name, line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// print sends a copy of a line to the display.
func (st *streams) print(name string, line []byte) {
	var b bytes.Buffer
	b.WriteString(name + " | ")
	w := st.writer(&b)
	w.Write(line)
	w.Flush()
	if !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		b.WriteByte('\n')
	}
	select {
	case st.lines <- b.Bytes():
	case <-st.ctx.Done():
	}
}

// streamed returns the channel with the lines of --output stream; nil without it.
func (v *Display) streamed() <-chan []byte {
	if v.streams == nil {
		return nil
	}
	return v.streams.lines
}

// printStreamed prints a line of --output stream.
func (v *Display) printStreamed(line []byte) { io.WriteString(v.out, ci.Harmless(v.ci, string(line))) }
