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
	"wf/cmd/wf/tail"
	"wf/tui/plain"
)

// maxLine is where a line of --output stream is cut, so that a command that never ends its
// line does not fill the memory.
const maxLine = 64 << 10

// streams shows the output of all nodes while they run (--output stream): whole lines, each
// with its node's name before it. There is a goroutine for each stream of an execution, and one that
// begins them; close waits for all.
type streams struct {
	e      *console.Console
	s      *Target
	writer func(io.Writer) console.Flusher // makes output safe for what reads it
	cancel context.CancelFunc
	ctx    context.Context
	group  sync.WaitGroup
	lines  chan []byte // whole lines, for the view to print
}

func newStreams(v *Display) *streams {
	st := &streams{e: v.e, s: v.s, writer: v.outputWriter, lines: make(chan []byte)}
	st.ctx, st.cancel = context.WithCancel(context.Background())
	return st
}

// follow shows the execution that ev started.
func (st *streams) follow(ev api.Event) {
	st.group.Go(func() {
		st.e.Guard(func() {
			info, err := st.s.Workspace.LogInfo(st.ctx, tail.QueryOf(ev))
			if err != nil {
				return // the log has it all
			}
			for _, stream := range tail.StreamsOf(info) {
				st.group.Go(func() { st.e.Guard(func() { st.copy(plain.Line(ev.Name), tail.QueryOf(ev), stream.Name) }) })
			}
		})
	})
}

// drain shows lines until all executions that have ended are shown to their last line.
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

// Close stops showing.
func (st *streams) close() {
	st.cancel()
	st.group.Wait()
}

// copy shows one stream. A failure is no reason to end the run's display: the log has it all.
func (st *streams) copy(name string, q client.LogQuery, stream string) {
	r, err := st.s.Workspace.Output(st.ctx, q, stream, 0, true)
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

// print hands over a line, a copy.
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

// streamed yields the lines of --output stream; nil, which never comes, without it.
func (v *Display) streamed() <-chan []byte {
	if v.streams == nil {
		return nil
	}
	return v.streams.lines
}

// printStreamed prints one of them.
func (v *Display) printStreamed(line []byte) { io.WriteString(v.out, ci.Harmless(v.ci, string(line))) }
