package tui

import (
	"bytes"
	"context"
	"io"
	"sync"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/program"
)

// Bounds of what is kept of outputs. More of it is on the disk of the daemon.
const (
	tailStart    = 1 << 20  // bytes of each stream that a tail begins with
	pendingBytes = 2 << 20  // read and not shown yet: what is older is left out
	readBytes    = 64 << 10 // at a time
)

// The streams of an execution.
const (
	stdout = "stdout"
	stderr = "stderr"
	merged = "output" // both in one
)

// outputs is where output comes from; *client.Workspace is one.
type outputs interface {
	LogInfo(ctx context.Context, q client.LogQuery) (api.LogInfo, error)
	Output(ctx context.Context, q client.LogQuery, stream string, offset int64, follow bool) (io.ReadCloser, error)
}

// A piece is some bytes of one stream of one source, in order.
type piece struct {
	source int // index of what the tail follows
	stream string
	data   []byte
	at     int64 // where it begins in its stream
	lost   bool  // bytes before it were left out, because more came than can be shown
}

// A tail follows the outputs of some executions. Like a feed it puts together what comes between two
// frames; output that comes faster than anybody can read is left out in the middle, never held back.
type tail struct {
	from  outputs
	ctx   context.Context
	close context.CancelFunc
	group sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	pieces  []piece
	bytes   int
	infos   []heard
	failed  error
	crash   *program.Crash // next panics with it
	reading int            // streams that have not ended
	wake    program.Signal
}

// heard is what a source turned out to be.
type heard struct {
	source  int
	info    api.LogInfo
	skipped int64 // bytes of both streams before those that are shown
}

// logNews is what a tail has to tell.
type logNews struct {
	from   *tail
	infos  []heard
	pieces []piece
	failed error
	over   bool // nothing more will come
}

// newTail begins to follow queries. The caller ends it with stop.
func newTail(from outputs, queries []client.LogQuery, limit int64) *tail {
	t := &tail{from: from, wake: program.NewSignal()}
	t.ctx, t.close = context.WithCancel(context.Background())
	t.reading = 2 * len(queries)
	for i, q := range queries {
		t.group.Go(func() { t.follow(i, q, limit) })
	}
	return t
}

// stop ends the following and waits for its goroutines.
func (t *tail) stop() {
	t.close()
	t.group.Wait()
}

// follow finds out what there is of a source and reads its streams.
func (t *tail) follow(source int, q client.LogQuery, limit int64) {
	defer program.Catch(t.carry)
	info, err := t.from.LogInfo(t.ctx, q)
	if err != nil {
		t.change(func() {
			t.failed = err
			t.reading -= 2
		})
		return
	}
	q.Run, q.Execution = info.Run, info.Execution // stay with it when a later one begins
	if info.Merged {
		skip := max(0, info.OutBytes-limit)
		t.change(func() {
			t.infos = append(t.infos, heard{source, info, skip})
			t.reading--
		})
		t.read(source, q, merged, skip)
		return
	}
	skipOut, skipErr := max(0, info.OutBytes-limit), max(0, info.ErrBytes-limit)
	t.change(func() { t.infos = append(t.infos, heard{source, info, skipOut + skipErr}) })
	if info.Over { // in order, as wf logs prints it
		t.read(source, q, stdout, skipOut)
		t.read(source, q, stderr, skipErr)
		return
	}
	t.group.Go(func() { t.read(source, q, stdout, skipOut) })
	t.group.Go(func() { t.read(source, q, stderr, skipErr) })
}

// read hands over a stream from offset on until it ends.
func (t *tail) read(source int, q client.LogQuery, stream string, offset int64) {
	defer program.Catch(t.carry)
	err := t.copy(source, q, stream, offset)
	t.change(func() {
		t.reading--
		if err != nil && t.ctx.Err() == nil {
			t.failed = err
		}
	})
}

func (t *tail) copy(source int, q client.LogQuery, stream string, offset int64) error {
	r, err := t.from.Output(t.ctx, q, stream, offset, true)
	if err != nil {
		return err
	}
	defer r.Close()
	begun := offset == 0 // else the first line may have begun before
	for {
		data := make([]byte, readBytes)
		n, err := r.Read(data)
		p := piece{source: source, stream: stream, data: data[:n], at: offset}
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

func (t *tail) carry(c *program.Crash) { t.change(func() { t.crash = c }) }

// push adds a piece, and drops the oldest ones when nobody has taken them for too long.
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

// change changes what is guarded and wakes whoever waits for news.
func (t *tail) change(do func()) {
	t.mu.Lock()
	do()
	t.mu.Unlock()
	t.wake.Set()
}

// next waits for news, at most once a frame. It is a tea.Cmd; nil is the end.
func (t *tail) next() tea.Msg {
	if !t.wake.Wait(t.ctx) {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wake.Clear() // what came since is part of the news
	if t.crash != nil {
		panic(t.crash)
	}
	n := logNews{t, t.infos, t.pieces, t.failed, t.reading == 0}
	t.infos, t.pieces, t.bytes = nil, nil, 0
	return n
}
