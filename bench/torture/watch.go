package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"wf/api"
	"wf/bench/dag"
	"wf/client"
)

// watchOptions are the flags of watch.
type watchOptions struct {
	nodes, watchers, rounds, jobs int
}

func setupWatch(flags *flag.FlagSet) func(context.Context, *world) (*report, error) {
	o := &watchOptions{}
	flags.IntVar(&o.nodes, "n", 10_000, "nodes of a run")
	flags.IntVar(&o.watchers, "watchers", 50, "clients that watch, the first of which stalls")
	flags.IntVar(&o.rounds, "rounds", 3, "runs with and without them, in turn")
	flags.IntVar(&o.jobs, "j", 8, "nodes at once")
	return o.attack
}

// attack times runs with and without watchers, in turn, and checks what the watchers received.
func (o *watchOptions) attack(ctx context.Context, w *world) (*report, error) {
	dir, err := w.folder("watch")
	if err != nil {
		return nil, err
	}
	g, err := dag.New("layered", o.nodes, "true", w.seed)
	if err == nil {
		err = writeWorkfile(dir, g)
	}
	if err != nil {
		return nil, err
	}
	d, err := w.serve(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer d.end()
	if _, err := o.run(ctx, w, dir); err != nil { // warm-up
		return nil, err
	}
	rep := newReport("watchers", "run ms, median", "daemon's CPU ms, median", "events each", "frames each", "the stalled one")
	var alone, watched costs
	var last []*watcher
	for round := range o.rounds {
		if err := alone.measure(d, func() (time.Duration, error) { return o.run(ctx, w, dir) }); err != nil {
			return nil, err
		}
		err := watched.measure(d, func() (took time.Duration, err error) {
			took, last, err = o.watchedRun(ctx, w, dir)
			return took, err
		})
		if err != nil {
			return nil, err
		}
		for i, v := range last {
			o.judge(rep, round, i, v)
		}
	}
	a, b := median(alone.wall), median(watched.wall)
	rep.row(0, a.Milliseconds(), median(alone.cpu).Milliseconds(), "", "", "")
	rep.row(o.watchers, b.Milliseconds(), median(watched.cpu).Milliseconds(), last[1].events, last[1].frames, last[0].end)
	rep.note("with watchers / without: %.3f; both share this machine with the watchers' own work", float64(b)/float64(a))
	return rep, nil
}

// costs are the durations of runs, and the CPU time of the daemon for them.
type costs struct{ wall, cpu []time.Duration }

func (c *costs) measure(d *server, run func() (time.Duration, error)) error {
	before, err := d.cpu()
	if err != nil {
		return err
	}
	took, err := run()
	if err != nil {
		return err
	}
	after, err := d.cpu()
	c.wall, c.cpu = append(c.wall, took), append(c.cpu, after-before)
	return err
}

func median(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// run runs the workfile once and returns the duration.
func (o *watchOptions) run(ctx context.Context, w *world, dir string) (time.Duration, error) {
	begin := time.Now()
	a, err := w.wf(ctx, dir, "run", "--fresh", "-j", strconv.Itoa(o.jobs), "--progress", "none")
	if err == nil && a.status != 0 {
		err = fmt.Errorf("wf run: %v", a)
	}
	return time.Since(begin), err
}

// watchedRun is run with watchers, of which the first reads nothing until the run is over.
func (o *watchOptions) watchedRun(ctx context.Context, w *world, dir string) (time.Duration, []*watcher, error) {
	watchers, err := o.connect(ctx, w, dir)
	if err != nil {
		return 0, nil, err
	}
	var all sync.WaitGroup
	for _, v := range watchers[1:] {
		all.Go(v.follow)
	}
	took, err := o.run(ctx, w, dir)
	if err != nil {
		for _, v := range watchers {
			v.conn.Close() // ends follow
		}
	}
	all.Wait()
	watchers[0].follow()
	for _, v := range watchers {
		v.conn.Close()
	}
	return took, watchers, err
}

func (o *watchOptions) judge(rep *report, round, i int, v *watcher) {
	switch {
	case i == 0:
		if v.fault != "" {
			rep.violate("round %d: the stalled watcher: %s", round, v.fault)
		}
	case v.fault != "" || v.end != endComplete:
		rep.violate("round %d: watcher %d: %s, after %d events: %s", round, i, v.end, v.events, v.fault)
	case v.finished != o.nodes:
		rep.violate("round %d: watcher %d has seen %d nodes finish, of %d", round, i, v.finished, o.nodes)
	}
}

// connect opens the connections and reads the snapshots, after which no event is missed.
func (o *watchOptions) connect(ctx context.Context, w *world, dir string) ([]*watcher, error) {
	c, err := client.Connect(ctx, client.Options{Runtime: w.runtime(), NoStart: true})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	ws, err := c.Open(ctx, filepath.Join(dir, "Workfile"))
	if err != nil {
		return nil, err
	}
	var watchers []*watcher
	for range max(2, o.watchers) {
		v, err := newWatcher(ctx, filepath.Join(w.runtime(), api.FileSocket), ws.ID)
		if err != nil {
			for _, v := range watchers {
				v.conn.Close()
			}
			return nil, err
		}
		watchers = append(watchers, v)
	}
	return watchers, nil
}

// A watcher is a client that reads frames as cheaply as possible: it searches for the numbers of events
// instead of decoding them, so that fifty watchers do not slow down the machine.
type watcher struct {
	conn   *websocket.Conn
	buffer bytes.Buffer

	seq                      uint64 // of the last event
	events, frames, finished int
	end                      string // how it ended
	fault                    string // violation of the protocol
}

// The ends of a watcher.
const (
	endComplete = "complete"
	endDropped  = "dropped"
	endCut      = "cut off"
)

// Parts of a frame. Quotes in texts are escaped, so these only match the structure.
var (
	seqKey      = []byte(`"seq":`)
	snapshotKey = []byte(`{"snapshot":`)
	droppedKey  = []byte(`"dropped":`)
	finishedTag = []byte(`"type":"` + string(api.NodeFinished) + `"`)
	completeTag = []byte(`"type":"` + string(api.RunComplete) + `"`)
)

// newWatcher connects and reads the snapshot.
func newWatcher(ctx context.Context, socket, workspace string) (*watcher, error) {
	d := websocket.Dialer{ReadBufferSize: 64 << 10, NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	u := url.URL{Scheme: "ws", Host: api.SocketHost, Path: api.WatchEvents.At(workspace), RawQuery: "nodes=0"}
	conn, answer, err := d.DialContext(ctx, u.String(), http.Header{})
	if err != nil {
		return nil, err
	}
	answer.Body.Close()
	v := &watcher{conn: conn}
	frame, err := v.next()
	if err == nil && !bytes.HasPrefix(frame, snapshotKey) {
		err = fmt.Errorf("the first frame is no snapshot: %.80s", frame)
	}
	if err == nil {
		v.seq, err = seqAfter(frame[bytes.Index(frame, seqKey)+len(seqKey):])
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return v, nil
}

// next returns the next frame, valid until the following call.
func (v *watcher) next() ([]byte, error) {
	_, r, err := v.conn.NextReader()
	if err != nil {
		return nil, err
	}
	v.buffer.Reset()
	_, err = io.Copy(&v.buffer, r)
	return v.buffer.Bytes(), err
}

// follow reads until the run is over or the daemon disconnects.
func (v *watcher) follow() {
	for {
		frame, err := v.next()
		if err != nil {
			v.end = endCut
			return
		}
		if bytes.HasPrefix(frame, []byte("{"+string(droppedKey))) {
			v.end = endDropped
			return
		}
		over, err := v.take(frame)
		if err != nil {
			v.fault = err.Error()
		}
		if over || err != nil {
			v.end = endComplete
			return
		}
	}
}

// take counts the events of a frame and checks that none is missing.
func (v *watcher) take(frame []byte) (over bool, err error) {
	if bytes.HasPrefix(frame, snapshotKey) {
		return false, errors.New("a second snapshot came")
	}
	v.frames++
	for rest := frame; ; v.events++ {
		at := bytes.Index(rest, seqKey)
		if at < 0 {
			break
		}
		rest = rest[at+len(seqKey):]
		seq, err := seqAfter(rest)
		if err != nil {
			return false, err
		}
		if seq != v.seq+1 {
			return false, fmt.Errorf("event %d came after %d", seq, v.seq)
		}
		v.seq = seq
	}
	v.finished += bytes.Count(frame, finishedTag)
	return bytes.Contains(frame, completeTag), nil
}

// seqAfter reads the number at the start of text.
func seqAfter(text []byte) (uint64, error) {
	end := 0
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	return strconv.ParseUint(string(text[:end]), 10, 64)
}
