package cluster

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A poller looks for news of all sessions of a cluster with one script at a time: what has come to the folders of their
// runs, and, less often, what the batch system says about their jobs.
type poller struct {
	c    *Cluster
	wake chan struct{} // has something when sessions or their wishes have changed

	mu       sync.Mutex // guards what follows
	sessions []*session
	running  bool // there is a goroutine that looks
	hurry    bool // ask the batch system in the next look
	early    bool // the next look comes soon
}

func newPoller(c *Cluster) *poller { return &poller{c: c, wake: make(chan struct{}, 1)} }

func (p *poller) add(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions = append(p.sessions, s)
	p.hurry = true
	if !p.running {
		p.running = true
		go p.loop()
	}
}

func (p *poller) remove(s *session) {
	p.mu.Lock()
	p.sessions = slices.DeleteFunc(p.sessions, func(o *session) bool { return o == s })
	p.mu.Unlock()
	p.notify()
}

// hasten makes the next look ask the batch system, because something has changed there.
func (p *poller) hasten() {
	p.mu.Lock()
	p.hurry = true
	p.mu.Unlock()
	p.notify()
}

// soon makes the next look come earlier than usual.
func (p *poller) soon() {
	p.mu.Lock()
	p.early = true
	p.mu.Unlock()
	p.notify()
}

// askSoon is hasten and soon. The batch system is not asked twice within Timing.Poll nevertheless.
func (p *poller) askSoon() {
	p.hasten()
	p.soon()
}

// isEarly reports whether soon was called since the last call of isEarly.
func (p *poller) isEarly() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	early := p.early
	p.early = false
	return early
}

func (p *poller) notify() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// A look is what one script has found for a session.
type look struct {
	began  time.Time
	err    error // the folder could not be looked at: nothing is known
	gone   bool  // the folder of the run does not exist
	news   []news
	grown  []growth
	states []State // valid if asked
	asked  bool
	// askErr is why the batch system did not answer; nil = it did, or was not asked.
	askErr error
	wish   wish // what was asked for
}

// A news is a line that a task has left: its start or its end.
type news struct {
	kind byte // s, e or f
	name string
	text string
}

// A growth is what an output has gained.
type growth struct {
	name, stream string
	from         int64
	text         []byte
}

// loop looks until no session is left.
func (p *poller) loop() {
	next := newSchedule(p.c.Timing, time.Now())
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			sessions, hurry, ok := p.take()
			if !ok {
				return
			}
			if len(sessions) == 0 {
				next.skip(time.Now())
			} else {
				p.lookOnce(next, sessions, hurry)
			}
		case <-p.wake: // a wish changes what the next look does, and when it comes only if it is to come early
			if p.idle() {
				return
			}
			if p.isEarly() {
				next.early(time.Now())
			}
		}
		timer.Reset(time.Until(next.due))
	}
}

// lookOnce looks for the sessions and plans the next look.
func (p *poller) lookOnce(next *schedule, sessions []*session, hurry bool) {
	l := outcome{began: time.Now(), hurry: hurry}
	l.asked = next.asks(l.began, hurry)
	if hurry && !l.asked {
		p.hasten()
	}
	l.states, l.more, l.err = p.look(sessions, l.asked, l.began)
	l.ended = time.Now()
	next.looked(l)
}

// idle reports whether no session is left, and ends the loop then.
func (p *poller) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = len(p.sessions) > 0
	return !p.running
}

// take returns the sessions that wait for news.
func (p *poller) take() (waiting []*session, hurry, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running = len(p.sessions) > 0; !p.running {
		return nil, false, false
	}
	for _, s := range p.sessions {
		if s.waits() {
			waiting = append(waiting, s)
		}
	}
	hurry = p.hurry && len(waiting) > 0
	p.hurry = p.hurry && !hurry
	return waiting, hurry, true
}

// look executes one script for the sessions and gives each what it found. more says that an output has more than one look
// fetches.
func (p *poller) look(sessions []*session, ask bool, now time.Time) (states []State, more bool, err error) {
	var script strings.Builder
	script.WriteString(grown)
	looks := make([]*look, len(sessions))
	for i, s := range sessions {
		looks[i] = &look{began: now, asked: ask, wish: s.takeWish()}
		script.WriteString(s.folder.look(looks[i].wish))
	}
	if ask {
		script.WriteString("exec 3>&1\nmessage=$(" + p.c.Engine.Status() + " 2>&1 >&3)\nprintf '. %s %s\\n' $? \"$(printf %s \"$message\" | tr '\\n' ' ')\"\n")
	}
	script.WriteString(":\n")
	ctx, cancel := context.WithTimeout(context.Background(), p.c.Timing.Call)
	defer cancel()
	output, err := sessions[0].shell().Run(ctx, script.String(), nil)
	var askErr error
	if err == nil {
		for _, l := range looks {
			if output, err = l.read(output); err != nil {
				break
			}
		}
	}
	if err == nil && ask {
		states, askErr = p.states(output)
	}
	for i, s := range sessions {
		l := looks[i]
		l.err, l.states, l.askErr = err, states, askErr
		more = more || slices.ContainsFunc(l.grown, func(g growth) bool { return len(g.text) == lookOutput })
		s.inbox.post(func() { s.watcher.looked(l, s.submitter) })
	}
	if err == nil {
		err = askErr
	}
	return states, more, err
}

// states reads the answer of the batch system, which ends with a line with the exit status and the message of the command.
func (p *poller) states(output []byte) ([]State, error) {
	text := strings.TrimRight(string(output), "\n")
	at := strings.LastIndex("\n"+text, "\n. ")
	if at < 0 {
		return nil, fmt.Errorf("the answer of the batch system has no end: %q", text)
	}
	code, message, _ := strings.Cut(text[at+len(". "):], " ")
	if code != "0" {
		return nil, fmt.Errorf("the batch system does not answer: %s", strings.TrimSpace(message))
	}
	return p.c.Engine.States(text[:at])
}

// read reads the part of the output that is about a session and returns the rest.
func (l *look) read(output []byte) (rest []byte, err error) {
	for {
		line, after, complete := bytes.Cut(output, []byte("\n"))
		if !complete {
			return nil, fmt.Errorf("the answer about the files ends early: %q", line)
		}
		output = after
		text := string(line)
		switch {
		case text == ".":
			return output, nil
		case text == ". gone":
			l.gone = true
			return output, nil
		case strings.HasPrefix(text, "o."):
			g, n, err := parseGrowth(text[2:])
			if err != nil {
				return nil, err
			}
			if n < 0 || n >= int64(len(output)) {
				return nil, fmt.Errorf("the answer about the files ends early: %q", text)
			}
			g.text = output[:n]
			l.grown = append(l.grown, g)
			output = output[n+1:]
		default:
			name, what, found := strings.Cut(text, " ")
			if !found || len(name) < 3 || name[1] != '.' {
				return nil, fmt.Errorf("the answer about the files contains %q", text)
			}
			if what, whole := strings.CutSuffix(what, " ."); whole { // otherwise the file is being written
				l.news = append(l.news, news{name[0], name[2:], what})
			}
		}
	}
}

// parseGrowth reads NAME STREAM FROM LENGTH.
func parseGrowth(text string) (g growth, n int64, err error) {
	fields := strings.Fields(text)
	if len(fields) != 4 {
		return g, 0, fmt.Errorf("the answer about the files contains %q", text)
	}
	if g.from, err = strconv.ParseInt(fields[2], 10, 64); err == nil {
		n, err = strconv.ParseInt(fields[3], 10, 64)
	}
	g.name, g.stream = fields[0], fields[1]
	return g, n, err
}
