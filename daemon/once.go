package daemon

import (
	"bytes"
	"context"
	"net/http"
	"sync"

	"wf/api"
)

// The answers that are kept for requests that come again: how many, and how long one may be in bytes.
const (
	answersKept = 512
	answerBytes = 64 << 10
)

// answers are what requests with keys were answered. Runs, decisions and values of commands are known by their keys
// where they are kept on disk; this is for everything else, and is gone with the daemon.
type answers struct {
	mu    sync.Mutex
	byKey map[string]*kept
	order []string // of byKey, the oldest first
}

// kept is the answer to one request, or the promise of it.
type kept struct {
	done chan struct{} // closed when there is an answer, or none
	body []byte        // nil: the request has failed and may be served again
}

// claim finds the answer to a request, or promises one: then the caller serves it and calls settle.
func (a *answers) claim(key string) (k *kept, mine bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if k := a.byKey[key]; k != nil {
		return k, false
	}
	k = &kept{done: make(chan struct{})}
	a.byKey[key] = k
	a.order = append(a.order, key)
	if len(a.order) > answersKept {
		delete(a.byKey, a.order[0])
		a.order = a.order[1:]
	}
	return k, true
}

// settle keeps an answer; nil forgets the request.
func (a *answers) settle(key string, k *kept, body []byte) {
	a.mu.Lock()
	if body == nil && a.byKey[key] == k {
		delete(a.byKey, key)
	}
	k.body = body
	a.mu.Unlock()
	close(k.done)
}

// once makes h serve each request with a key once. What has begun goes on when the client is lost, so that the
// answer that is kept is the true one. lost: what was done by a daemon that has ended since cannot be told from
// what was not, so that a request that comes again is refused.
func (d *daemon) once(h handler, lost bool) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		key := requestKey(r)
		if key == "" {
			return h(w, r)
		}
		key = r.Method + " " + r.URL.Path + " " + key
		for {
			k, mine := d.answers.claim(key)
			if mine {
				if lost && comesAgain(r) {
					d.answers.settle(key, k, nil)
					return errLost()
				}
				return d.serveOnce(h, key, k, w, r)
			}
			select {
			case <-k.done:
			case <-r.Context().Done():
				return r.Context().Err()
			}
			if k.body != nil {
				writeBytes(w, k.body)
				return nil
			}
		}
	}
}

// serveOnce serves a request and keeps its answer. A panic forgets it, as an error does.
func (d *daemon) serveOnce(h handler, key string, k *kept, w http.ResponseWriter, r *http.Request) error {
	var answer []byte
	defer func() { d.answers.settle(key, k, answer) }()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	defer context.AfterFunc(d.base, cancel)()
	copied := &copying{ResponseWriter: w}
	if err := h(copied, r.WithContext(ctx)); err != nil {
		return err
	}
	if copied.body.Len() <= answerBytes {
		answer = copied.body.Bytes()
	}
	return nil
}

// copying copies an answer.
type copying struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (c *copying) Write(b []byte) (int, error) {
	c.body.Write(b)
	return c.ResponseWriter.Write(b)
}

// errLost is the answer to a request whose daemon took the answer to its grave.
func errLost() *api.Error {
	return &api.Error{Code: api.CodeLost, Message: "the daemon was lost while it served this request",
		Why: "nobody knows whether it was done", Fix: "look at it, and ask once more if it was not"}
}
