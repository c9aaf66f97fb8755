package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// behaviour is what a server does with its requests.
type behaviour string

const (
	answers behaviour = "answers" // 200
	silent  behaviour = "silent"  // accepts connections, and neither reads nor writes
	floods  behaviour = "floods"  // 200, and a body without an end
	refuses behaviour = "refuses" // 503, and a long text
)

// A server receives notifications and traces on a port of its own, and lives as long as the program.
type server struct {
	listener    net.Listener
	connections atomic.Int64
}

func (s *server) url() string { return "http://" + s.listener.Addr().String() }

// serve starts a server.
func serve(b behaviour) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{listener: l}
	if b == silent {
		go s.hold()
		return s, nil
	}
	h := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // what the client sends does not matter
		switch b {
		case floods:
			block := bytes.Repeat([]byte("x\x1b[31m\n"), 1<<10)
			for {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		case refuses:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write(bytes.Repeat([]byte("busy "), 1<<16))
		}
	}), ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}}
	go func() {
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	}()
	return s, nil
}

// hold accepts connections and keeps them.
func (s *server) hold() {
	var held []net.Conn
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			panic(err)
		}
		s.connections.Add(1)
		held = append(held, conn)
		_ = held // they stay open
	}
}
