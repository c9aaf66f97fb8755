package web

import (
	"encoding/json"
	"io"
	"net/http"

	"wf/api"
)

// passes reports whether a request is passed on to the daemon: those about an open workfile. Everything else, such as
// the end of the daemon, secrets of webhooks, and values of commands, is no business of a page. The page opens workfiles and
// watches them by routes of its own.
func passes(e api.Endpoint) bool {
	return e.OfWorkspace() && e != api.CloseWorkspace.Endpoint && e != api.WatchEvents.Endpoint
}

// unmasked is the parameter that asks for the values of secrets, see api.OutputQuery and api.HooksQuery.
const unmasked = "unmasked"

// pass returns the handler that passes a request on.
func (s *Server) pass(e api.Endpoint) visitor {
	return func(w http.ResponseWriter, r *http.Request, v Visit) error {
		if v.ReadOnly && e.ChangesSomething() {
			return &api.Error{Code: api.CodeRefused, Message: "this page is only for reading", Fix: "wf web opens one that can change things"}
		}
		query := r.URL.Query()
		if query.Has(unmasked) {
			return &api.Error{Code: api.CodeRefused, Message: "a page does not show the values of secrets", Fix: "wf logs --raw shows them"}
		}
		ws, err := s.find(r.PathValue("id"), v)
		if err != nil {
			return err
		}
		body, err := body(w, r, e, v)
		if err != nil {
			return err
		}
		var values []string
		if run := r.PathValue("run"); run != "" {
			values = append(values, run)
		}
		answer, err := ws.Forward(r.Context(), e, query, body, values...)
		if err != nil {
			return err
		}
		defer answer.Close()
		kind := "application/json"
		if e.Stream {
			kind = "application/octet-stream"
		}
		w.Header().Set("Content-Type", kind)
		copyOut(w, answer)
		return nil
	}
}

// body reads the body of a request that is passed on, and completes it with what only this process knows: the
// environment and the settings of whoever invited the visitor. The page never has them.
func body(w http.ResponseWriter, r *http.Request, e api.Endpoint, v Visit) ([]byte, error) {
	if !e.ChangesSomething() || r.Method == http.MethodDelete {
		return nil, nil
	}
	if r.Header.Get("Content-Type") != "application/json" {
		return nil, api.Invalid("the body is not application/json")
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, e.Limit))
	if err != nil {
		return nil, api.Invalid("the body cannot be read: %v", err)
	}
	switch e {
	case api.StartRun.Endpoint, api.PlanRun.Endpoint:
		return complete(data, v.Request, func(q *api.RunRequest) { q.Env, q.World, q.Caller = v.Request.Env, v.Request.World, nil })
	case api.ListParams.Endpoint:
		return complete(data, api.ParamsRequest{}, func(q *api.ParamsRequest) { q.Env = v.Request.Env })
	case api.EvalExpression.Endpoint:
		return complete(data, api.EvalRequest{}, func(q *api.EvalRequest) { q.Env = v.Request.Env })
	case api.DecideApproval.Endpoint:
		return complete(data, api.Decision{}, func(q *api.Decision) { q.User = v.Request.User })
	}
	return data, nil
}

// complete decodes a request over its defaults, sets what the page must not, and encodes it again. It works on a deep copy of
// the defaults: decoding would write into their slices and behind their pointers.
func complete[Q any](data []byte, defaults Q, set func(*Q)) ([]byte, error) {
	var q Q
	if copied, err := json.Marshal(defaults); err != nil {
		return nil, err
	} else if err := json.Unmarshal(copied, &q); err != nil {
		return nil, err
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &q); err != nil {
			return nil, api.Invalid("the body cannot be read: %v", err)
		}
	}
	set(&q)
	return json.Marshal(q)
}

// copyOut sends bytes as they come: an output that is followed has pauses.
func copyOut(w http.ResponseWriter, from io.Reader) {
	flush := http.NewResponseController(w)
	w.WriteHeader(http.StatusOK)
	_ = flush.Flush()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if _, failed := w.Write(buffer[:n]); failed != nil || flush.Flush() != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
