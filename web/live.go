package web

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"wf/api"
	"wf/client"
)

// Times of a page's WebSocket.
const (
	firstTime = 5 * time.Second  // until the message with the token
	writeTime = 10 * time.Second // for one message
	pingEvery = 25 * time.Second
	pongTime  = 60 * time.Second
	pace      = 50 * time.Millisecond // between two messages while events come
	askPace   = 500 * time.Millisecond
	reachTime = 15 * time.Second // until the daemon answers
)

// mostQuestion bounds the messages of a page, in bytes: a look may list many open stages.
const mostQuestion = 1 << 20

// lives are the pages that are connected.
type lives struct {
	group sync.WaitGroup

	mu    sync.Mutex // guards all and shown
	all   map[*live]bool
	shown map[*client.Workspace]int // by how many pages
}

// lost tells all pages that the connection to the daemon broke.
func (l *lives) lost(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p := range l.all {
		select {
		case p.breaks <- why:
		default: // it has been told
		}
	}
}

func (l *lives) add(p *live) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*live]bool{}
	}
	l.all[p] = true
	l.group.Add(1)
	return func() {
		l.mu.Lock()
		delete(l.all, p)
		l.mu.Unlock()
		l.group.Done()
	}
}

// show notes that a page shows a workfile. hidden ends that, and reports whether no other page shows it.
func (l *lives) show(ws *client.Workspace) (hidden func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown == nil {
		l.shown = map[*client.Workspace]int{}
	}
	l.shown[ws]++
	return func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.shown[ws]--; l.shown[ws] > 0 {
			return false
		}
		delete(l.shown, ws)
		return true
	}
}

func (l *lives) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

func (l *lives) wait() { l.group.Wait() }

// A live page is connected by a WebSocket. One goroutine reads its questions, one follows the daemon, and loop does
// everything else: it is the only writer.
type live struct {
	s         *Server
	conn      *websocket.Conn
	questions chan question
	breaks    chan error
	view      *view
	workers   sync.WaitGroup
}

// live makes a request a WebSocket. Its token comes in the first message, because an address would be logged. Browsers
// always say which site opens a WebSocket.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != s.origin {
		refuse(w, &api.Error{Code: api.CodeRefused, Message: "requests of other sites are not answered"})
		return
	}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }, WriteBufferSize: 32 << 10}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	p := &live{s: s, conn: conn, questions: make(chan question), breaks: make(chan error, 1)}
	defer s.lives.add(p)()
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	if err := p.serve(ctx, cancel); err != nil && ctx.Err() == nil {
		p.send(&message{Error: describe(err)})
		_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(writeTime))
	}
	cancel()
	p.workers.Wait()
	stop()
	conn.Close()
}

// errNoToken is the end of a page whose token is not valid, or not any more.
var errNoToken = &api.Error{Code: api.CodeRefused, Message: "this page is not signed in", Fix: "wf web prints a new address"}

// serve answers until the page or the daemon has gone.
func (p *live) serve(ctx context.Context, cancel func()) error {
	p.conn.SetReadLimit(mostQuestion)
	_ = p.conn.SetReadDeadline(time.Now().Add(firstTime))
	var first question
	if p.conn.ReadJSON(&first) != nil {
		return nil
	}
	visit, ok := p.s.sessions.visit(first.Token)
	if !ok {
		return errNoToken
	}
	p.workers.Go(func() { p.read(ctx, cancel) })
	bounded, stop := context.WithTimeout(ctx, reachTime)
	defer stop()
	ws, err := p.s.openFile(bounded, first.File, visit, first.Start)
	if err != nil {
		return err
	}
	hidden := p.s.lives.show(ws)
	defer func() {
		if hidden() { // the last tab that showed this workfile: the daemon may close it, and a later request opens it again
			bounded, stop := context.WithTimeout(context.Background(), closeTime)
			_ = ws.Close(bounded)
			stop()
		}
	}()
	p.view = &view{file: first.File, ws: ws, now: p.s.opt.Now, look: first.Look}
	if first.Run != nil {
		p.view.wanted = *first.Run
	}
	for err = errStructure; errors.Is(err, errStructure); {
		err = p.follow(ctx)
	}
	return err
}

// read passes on what the page asks until the connection ends.
func (p *live) read(ctx context.Context, cancel func()) {
	defer cancel()
	alive := func(string) error { return p.conn.SetReadDeadline(time.Now().Add(pongTime)) }
	_ = alive("")
	p.conn.SetPongHandler(alive)
	for {
		var q question
		if p.conn.ReadJSON(&q) != nil {
			return
		}
		_ = alive("")
		select {
		case p.questions <- q:
		case <-ctx.Done():
			return
		}
	}
}

// errStructure ends a watch: nodes or edges were added or removed, and the snapshot of the next one contains them.
var errStructure = errors.New("the structure has changed")

// follow watches the workfile and tells the page what happens.
func (p *live) follow(ctx context.Context) error {
	watch, err := p.view.ws.Watch(ctx, api.WatchOptions{Nodes: true})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	frames, over := make(chan api.Frame), make(chan error, 1)
	var pump sync.WaitGroup
	pump.Go(func() {
		for {
			f, err := watch.Next(ctx)
			if err != nil {
				over <- err
				return
			}
			select {
			case frames <- f:
			case <-ctx.Done():
				return
			}
		}
	})
	err = p.loop(ctx, frames, over)
	cancel()
	pump.Wait()
	watch.Close()
	return err
}

// A pacer says when something may happen again.
type pacer struct {
	least time.Duration
	last  time.Time
	due   <-chan time.Time // nil = nothing is to be done
}

func (p *pacer) want() {
	if p.due == nil {
		p.due = time.After(max(0, p.least-time.Since(p.last)))
	}
}

func (p *pacer) done() { p.due, p.last = nil, time.Now() }

// loop sends what changes until the watch is over or the page has gone.
func (p *live) loop(ctx context.Context, frames <-chan api.Frame, over <-chan error) error {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	news, inquiry := pacer{least: pace}, pacer{least: askPace}
	answers, asking := make(chan []api.NodeStatus, 1), false
	for {
		select {
		case f := <-frames:
			if p.view.apply(f) {
				return errStructure
			}
			if f.Snapshot != nil {
				p.show(ctx)
			}
			if len(p.view.inner) > 0 {
				inquiry.want()
			}
			news.want()
		case q := <-p.questions:
			p.answer(ctx, q)
			news.want()
		case why := <-p.breaks:
			p.send(&message{Lost: describe(why).Message})
		case <-inquiry.due:
			inquiry.done()
			if !asking {
				asking = p.inquire(ctx, answers)
			}
		case nodes := <-answers:
			asking = false
			for _, n := range nodes {
				p.view.flow.SetSummary(n)
			}
			if len(p.view.inner) > 0 {
				inquiry.want()
			}
			news.want()
		case <-news.due:
			news.done()
			if m := p.view.news(); m != nil && !p.send(m) {
				return nil
			}
		case <-ping.C:
			if p.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTime)) != nil {
				return nil
			}
		case err := <-over:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// answer carries out what the page asks.
func (p *live) answer(ctx context.Context, q question) {
	if q.Look != nil {
		p.view.look, p.view.drawn = q.Look, false
	}
	if q.Run != nil {
		p.view.wanted = *q.Run
		p.show(ctx)
	}
}

// show shows the run that the page wants.
func (p *live) show(ctx context.Context) {
	if err := p.view.show(ctx); err != nil {
		p.send(&message{Problem: describe(err)})
	}
}

// inquire asks for the instances that have changed, and reports whether an answer will come.
func (p *live) inquire(ctx context.Context, answers chan<- []api.NodeStatus) bool {
	ids, ws := p.view.inquiry(), p.view.ws
	if len(ids) == 0 {
		return false
	}
	p.workers.Go(func() {
		list, err := ws.Select(ctx, ids)
		if err != nil {
			list.Nodes = nil // the connection is lost; a new snapshot follows
		}
		select {
		case answers <- list.Nodes:
		case <-ctx.Done():
		}
	})
	return true
}

// send sends a message and reports whether the connection took it.
func (p *live) send(m *message) bool {
	_ = p.conn.SetWriteDeadline(time.Now().Add(writeTime))
	return p.conn.WriteJSON(m) == nil
}
