package logview

import (
	"bytes"
	"context"
	"io"
	"math"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/program"
)

// Limits for outputs in memory. The daemon stores the complete outputs on disk.
const (
	tailStart    = 1 << 20  // bytes of each stream that a tail starts with
	pendingBytes = 2 << 20  // unprocessed bytes; older ones are dropped
	readBytes    = 64 << 10 // at a time
)

// The streams of an execution.
const (
	Stdout = "stdout"
	stderr = "stderr"
	merged = "output" // both streams in one output
)

// Outputs reads outputs; *client.Workspace implements it.
type Outputs interface {
	LogInfo(ctx context.Context, q client.LogQuery) (api.LogInfo, error)
	Output(ctx context.Context, q client.LogQuery, stream string, offset int64, follow bool) (io.ReadCloser, error)
}

// A piece is consecutive bytes of one stream of one source.
type piece struct {
	source int // index into the queries of the tail
	stream string
	data   []byte
	at     int64 // offset of its start in its stream
	lost   bool  // earlier bytes were dropped, because they arrived faster than they can be shown
	fresh  int64 // offset of the first byte that was written after following began
	read   int64 // when the piece arrived, in milliseconds since 1970
}

// arrival returns when the byte at an offset was written and arrived, or 0 if it had been written before.
func (p *piece) arrival(at int64) int64 {
	if at < p.fresh {
		return 0
	}
	return p.read
}

// A begin says where to follow a stream.
type begin struct {
	offset int64
	fresh  int64 // bytes from here on arrive when they are written
}

// beginOf returns where to follow a stream of size bytes, at most limit bytes before its end.
func beginOf(size, limit int64, over bool) begin {
	b := begin{offset: max(0, size-limit), fresh: size}
	if over {
		b.fresh = math.MaxInt64
	}
	return b
}

// A tail follows the outputs of some executions. It collects the output that arrives between two screens. If output
// arrives faster than it can be shown, it drops the middle and never slows the daemon down.
type tail struct {
	from  Outputs
	ctx   context.Context
	close context.CancelFunc
	group sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	pieces  []piece
	bytes   int
	sources []sourceInfo
	failed  error
	crash   *program.Crash // next panics with it
	reading int            // number of streams that have not ended
	wake    program.Signal
}

// sourceInfo is the result of LogInfo for a source.
type sourceInfo struct {
	source  int
	info    api.LogInfo
	skipped int64 // number of bytes of both streams before the shown ones
}

// tailNews is the output that has arrived since the previous message.
type tailNews struct {
	from    *tail
	sources []sourceInfo
	pieces  []piece
	failed  error
	over    bool // all output has arrived
}

// newTail starts to follow queries, at most limit bytes before the end of each stream. The caller must call stop.
func newTail(from Outputs, queries []client.LogQuery, limit int64) *tail {
	t := &tail{from: from, wake: program.NewSignal()}
	t.ctx, t.close = context.WithCancel(context.Background())
	t.reading = 2 * len(queries)
	for i, q := range queries {
		t.group.Go(func() { t.follow(i, q, limit) })
	}
	return t
}

// stop ends following and waits for the goroutines.
func (t *tail) stop() {
	t.close()
	t.group.Wait()
}

// follow requests the sizes of a source and reads its streams.
func (t *tail) follow(source int, q client.LogQuery, limit int64) {
	defer program.Catch(t.noteCrash)
	info, err := t.from.LogInfo(t.ctx, q)
	if err != nil {
		t.change(func() {
			t.failed = err
			t.reading -= 2
		})
		return
	}
	q.Run, q.Execution = info.Run, info.Execution // keep this execution when a later one starts
	if info.Merged {
		b := beginOf(info.OutBytes, limit, info.Over)
		t.change(func() {
			t.sources = append(t.sources, sourceInfo{source, info, b.offset})
			t.reading--
		})
		t.read(source, q, merged, b)
		return
	}
	stdoutBegin, stderrBegin := beginOf(info.OutBytes, limit, info.Over), beginOf(info.ErrBytes, limit, info.Over)
	t.change(func() {
		t.sources = append(t.sources, sourceInfo{source, info, stdoutBegin.offset + stderrBegin.offset})
	})
	if info.Over { // one stream after the other, in the order of wf logs
		t.read(source, q, Stdout, stdoutBegin)
		t.read(source, q, stderr, stderrBegin)
		return
	}
	t.group.Go(func() { t.read(source, q, Stdout, stdoutBegin) })
	t.group.Go(func() { t.read(source, q, stderr, stderrBegin) })
}

// read reads a stream to its end.
func (t *tail) read(source int, q client.LogQuery, stream string, from begin) {
	defer program.Catch(t.noteCrash)
	err := t.copy(source, q, stream, from)
	t.change(func() {
		t.reading--
		if err != nil && t.ctx.Err() == nil {
			t.failed = err
		}
	})
}

func (t *tail) copy(source int, q client.LogQuery, stream string, from begin) error {
	offset := from.offset
	q.Aligned = true
	r, err := t.from.Output(t.ctx, q, stream, offset, true)
	if err != nil {
		return err
	}
	defer r.Close()
	begun := offset == 0 // otherwise the first line may be incomplete
	for {
		data := make([]byte, readBytes)
		n, err := r.Read(data)
		p := piece{source: source, stream: stream, data: data[:n], at: offset, fresh: from.fresh, read: time.Now().UnixMilli()}
		offset += int64(n)
		if !begun {
			i := bytes.IndexByte(p.data, '\n') + 1
			begun = i > 0
			if i == 0 {
				i = n
			}
			p.data, p.at = p.data[i:], p.at+int64(i)
		}
		if len(p.data) > 0 {
			t.change(func() { t.push(p) })
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (t *tail) noteCrash(c *program.Crash) { t.change(func() { t.crash = c }) }

// push adds a piece, and drops the oldest ones if too much is pending.
func (t *tail) push(p piece) {
	t.pieces = append(t.pieces, p)
	t.bytes += len(p.data)
	for t.bytes > pendingBytes {
		old := t.pieces[0]
		t.bytes -= len(old.data)
		t.pieces = t.pieces[1:]
		for i := range t.pieces {
			if t.pieces[i].source == old.source && t.pieces[i].stream == old.stream {
				t.pieces[i].lost = true
				break
			}
		}
	}
}

// change changes the guarded fields and wakes next.
func (t *tail) change(do func()) {
	t.mu.Lock()
	do()
	t.mu.Unlock()
	t.wake.Set()
}

// next waits for news. It is a tea.Cmd and returns nil after stop.
func (t *tail) next() tea.Msg {
	if !t.wake.Wait(t.ctx) {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wake.Clear() // later output is in this message already
	if t.crash != nil {
		panic(t.crash)
	}
	n := tailNews{t, t.sources, t.pieces, t.failed, t.reading == 0}
	t.sources, t.pieces, t.bytes = nil, nil, 0
	return n
}
