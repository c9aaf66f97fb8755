package daemon

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// leases keeps workspaces open for the clients that opened them. A client is all connections whose requests have its id,
// or one connection whose requests have none. A workspace stays open until the client releases it, or until the last
// connection of the client is closed: so the next request of a slow client finds it open.
type leases struct {
	mu   sync.Mutex
	byID map[string]*holder
}

// A holder is a client with leases.
type holder struct {
	id     string // "" for a connection without one
	conns  int
	leases map[*openEntry]func() // the open workspaces, with the functions that release them
}

// join adds a connection to the client id, which it returns.
func (t *leases) join(s *connection, id string) *holder {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.gone {
		return nil
	}
	for _, own := range s.holders {
		if own.id == id {
			return own
		}
	}
	own := t.byID[id]
	if own == nil {
		own = &holder{id: id, leases: map[*openEntry]func(){}}
		if id != "" {
			t.byID[id] = own
		}
	}
	own.conns++
	s.holders = append(s.holders, own)
	return own
}

// keep makes a use of an entry a lease of the client. release ends the use.
func (t *leases) keep(own *holder, e *openEntry, release func()) {
	t.mu.Lock()
	if own != nil && own.conns > 0 && own.leases[e] == nil {
		own.leases[e] = release
		release = func() {}
	}
	t.mu.Unlock()
	release()
}

// release ends the lease of the workspace id. It reports whether there was one.
func (t *leases) release(own *holder, id string) bool {
	var releases []func()
	t.mu.Lock()
	if own != nil {
		for e, release := range own.leases {
			if e.id == id {
				releases = append(releases, release)
				delete(own.leases, e)
			}
		}
	}
	t.mu.Unlock()
	for _, release := range releases {
		release()
	}
	return len(releases) > 0
}

// leave removes a connection, and with its last connection the client.
func (t *leases) leave(s *connection) {
	var releases []func()
	t.mu.Lock()
	s.gone = true
	for _, own := range s.holders {
		if own.conns--; own.conns > 0 {
			continue
		}
		delete(t.byID, own.id)
		for _, release := range own.leases {
			releases = append(releases, release)
		}
		own.leases = nil
	}
	s.holders = nil
	t.mu.Unlock()
	for _, release := range releases {
		release()
	}
}

type connectionKey struct{}

// connectionContext returns the context of the requests of a connection.
func connectionContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c.(interface{ self() *connection }).self())
}

// holderOf returns the client of a request.
func (d *daemon) holderOf(r *http.Request) *holder {
	s, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return nil
	}
	return d.leases.join(s, client(r))
}
