package daemon

import (
	"bytes"
	"context"
	"net/http"
	"sync"

	"wf/api"
)

// Bounds of the answers that are kept for repeated requests: their number, and the size of one in bytes.
const (
	answersKept = 512
	answerBytes = 64 << 10
)

// answers stores the answers to requests with keys until the daemon ends. Runs, decisions and values of commands need no
// answer here, because their keys are stored with them on disk.
type answers struct {
	mu    sync.Mutex
	byKey map[string]*savedAnswer
	order []string // of byKey, the oldest first
}

// A savedAnswer is the answer to one request, or the request while it is served.
type savedAnswer struct {
	done chan struct{} // closed when the request was served
	body []byte        // nil = the request failed and may be served again
}

// claim returns the entry of a request. If it is new, mine is set: the caller serves the request and calls settle.
func (a *answers) claim(key string) (k *savedAnswer, mine bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if k := a.byKey[key]; k != nil {
		return k, false
	}
	k = &savedAnswer{done: make(chan struct{})}
	a.byKey[key] = k
	a.order = append(a.order, key)
	if len(a.order) > answersKept {
		delete(a.byKey, a.order[0])
		a.order = a.order[1:]
	}
	return k, true
}

// settle stores an answer; nil removes the request.
func (a *answers) settle(key string, k *savedAnswer, body []byte) {
	a.mu.Lock()
	if body == nil && a.byKey[key] == k {
		delete(a.byKey, key)
	}
	k.body = body
	a.mu.Unlock()
	close(k.done)
}

// once returns a handler that serves each request with a key once. A request continues when its client is lost, so that
// its answer is complete. With lost, a repeated request that this daemon does not know is refused: an earlier daemon may
// have served it.
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

// serveOnce serves a request and keeps its answer, unless there is an error or a panic.
func (d *daemon) serveOnce(h handler, key string, k *savedAnswer, w http.ResponseWriter, r *http.Request) error {
	var answer []byte
	defer func() { d.answers.settle(key, k, answer) }()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	defer context.AfterFunc(d.base, cancel)()
	copied := &recorder{ResponseWriter: w}
	if err := h(copied, r.WithContext(ctx)); err != nil {
		return err
	}
	if copied.body.Len() <= answerBytes {
		answer = copied.body.Bytes()
	}
	return nil
}

// recorder is a ResponseWriter that keeps a copy of the body.
type recorder struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (c *recorder) Write(b []byte) (int, error) {
	c.body.Write(b)
	return c.ResponseWriter.Write(b)
}

// errLost is the error for a repeated request that an earlier daemon may have served.
func errLost() *api.Error {
	return &api.Error{Code: api.CodeLost, Message: "the daemon was lost while it served this request",
		Why: "it is not known whether the change was made", Fix: "check the state, and repeat the request if the change is missing"}
}
