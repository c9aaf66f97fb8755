package api

import (
	"net/url"
	"strings"
)

// A Route declares one request: client and daemon derive from it how the request is sent, checked and sent again.
// Q is the question: the JSON body of a POST, the query parameters of a GET (see EncodeQuery), None for neither.
// A is the JSON answer, or Stream.
type Route[Q, A any] struct{ Endpoint }

// An Endpoint is the part of a Route without its types.
type Endpoint struct {
	Method string
	Path   string // {id} stands for the id of a workspace, {run} for the number of a run
	Limit  int64  // of the body, in bytes
	Resend Resend
	Action Action // in the audit log; "" = it changes nothing
	Stream bool   // the answer is a Stream, not JSON
}

// None is the question of a request without one, and the answer {}.
type None struct{}

// Stream is an answer that is not one JSON value: raw bytes, or the messages of a WebSocket.
type Stream struct{}

// Resend determines what happens to a request that is sent again because its answer was lost. Every request that may
// change something has a key (HeaderRequest) by which the daemon recognizes it.
type Resend int

const (
	// ResendServed serves the request again: a second time does no harm, or the component that stores the
	// change recognizes the key, also after a restart of the daemon (runs, decisions, values, edits).
	ResendServed Resend = iota
	// ResendAnswered is answered with the first answer by the daemon that served the request; the next daemon
	// serves it again.
	ResendAnswered
	// ResendLost is answered with the first answer by the daemon that served the request; the next daemon
	// refuses it with CodeLost, because doing it twice would do harm.
	ResendLost
)

func get[Q, A any](path string) Route[Q, A] {
	_, stream := any(*new(A)).(Stream)
	return Route[Q, A]{Endpoint{Method: "GET", Path: path, Stream: stream}}
}

func post[Q, A any](path string, limit int64, resend Resend, action Action) Route[Q, A] {
	return Route[Q, A]{Endpoint{Method: "POST", Path: path, Limit: limit, Resend: resend, Action: action}}
}

func remove[Q, A any](path string, resend Resend, action Action) Route[Q, A] {
	return Route[Q, A]{Endpoint{Method: "DELETE", Path: path, Resend: resend, Action: action}}
}

// At returns the path of the route with its placeholders replaced by values, in their order.
func (e Endpoint) At(values ...string) string {
	path := e.Path
	for _, value := range values {
		before, rest, _ := strings.Cut(path, "{")
		_, after, _ := strings.Cut(rest, "}")
		path = before + url.PathEscape(value) + after
	}
	return path
}

// ChangesSomething reports whether the request may change something, so that it has a key.
func (e Endpoint) ChangesSomething() bool { return e.Method != "GET" }
